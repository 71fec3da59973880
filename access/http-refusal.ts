/** Refusals as answers over HTTP: status, headers and further fields. */
import { Refusal } from '../schemas/input-errors.ts';
import { ERROR_STATUS, type ErrorCode } from '../schemas/resources.ts';

/** A refusal with what only an answer over HTTP has. */
export class HttpRefusal extends Refusal {
  /** Headers that belong to the answer, such as `Allow` or `WWW-Authenticate`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Fields of the body in addition to `error` and `message`, such as the limit that was hit. */
  readonly details: Readonly<Record<string, unknown>>;
  constructor(
    code: ErrorCode,
    message: string,
    headers: Readonly<Record<string, string>>,
    details: Readonly<Record<string, unknown>> = {},
  ) {
    super(code, message);
    this.headers = headers;
    this.details = details;
  }
}

/** The status, headers and further fields with which a refusal is answered. */
export const httpAnswerOf = (refusal: Refusal) => ({
  status: ERROR_STATUS[refusal.code],
  headers:
    refusal instanceof HttpRefusal
      ? refusal.headers
      : refusal.retryAfter === null
        ? {}
        : { 'retry-after': String(refusal.retryAfter) },
  details: refusal instanceof HttpRefusal ? refusal.details : {},
});

const REALM = 'Bearer realm="clarity"';

/**
 * No credential was sent where one is required.
 * @param metadata where programs find the issuer that people sign in at (RFC 9728, section 5.1)
 */
export const authRequired = (message: string, metadata: string | null = null): HttpRefusal =>
  new HttpRefusal('auth_required', message, {
    'www-authenticate': metadata === null ? REALM : `${REALM}, resource_metadata="${metadata}"`,
  });

/** The credential is not valid. The message does not say why, so that guessing reveals nothing. */
export const invalidKey = (): HttpRefusal =>
  new HttpRefusal(
    'invalid_key',
    'The key or sign-in token is malformed, revoked, expired or was never issued. Check that it was sent whole, as "Authorization: Bearer <key>", or make a new one.',
    { 'www-authenticate': `${REALM}, error="invalid_token"` },
  );

/** The key is valid but lacks the permission. */
export const insufficientScope = (scope: string, message: string): HttpRefusal =>
  new HttpRefusal('insufficient_scope', message, {
    'www-authenticate': `${REALM}, error="insufficient_scope", scope="${scope}"`,
  });

/** The plan does not include this. */
export const proRequired = (message: string): Refusal => new Refusal('pro_required', message);
