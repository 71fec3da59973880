/** The session that a browser has at the embedded issuer. */

/** Name of its cookie; a second one beside it holds its signature. */
export const ISSUER_SESSION = 'clarity_session';

/** `Set-Cookie` lines that have a browser forget it, so that somebody else can sign in. */
export const FORGET_ISSUER_SESSION: readonly string[] = [ISSUER_SESSION, `${ISSUER_SESSION}.sig`].map(
  (name) => `${name}=; Path=/; Max-Age=0; HttpOnly`,
);
