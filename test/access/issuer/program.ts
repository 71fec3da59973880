/** A program that signs people in: registers itself, asks for a code with PKCE, and turns it into a token. */
import { createHash, randomBytes } from 'node:crypto';
import { type Browser, browser } from './browser.ts';

export const RETURNS_TO = 'http://127.0.0.1:4711/callback';

export interface Program {
  readonly id: string;
  readonly verifier: string;
  /** The address that opens the sign-in, with these parameters changed. */
  begin(changes?: Record<string, string | null>): string;
  /** Asks for a token; the parameters of the code unless changed. */
  token(parameters: Record<string, string>): Promise<Response>;
}

export async function program(baseUrl: string, name = 'A program'): Promise<Program> {
  const registered = await fetch(`${baseUrl}/oidc/reg`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: name,
      redirect_uris: [RETURNS_TO],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    }),
  });
  if (registered.status !== 201)
    throw new Error(`registration answered ${registered.status}: ${await registered.text()}`);
  const { client_id: id } = (await registered.json()) as { client_id: string };
  const verifier = randomBytes(32).toString('base64url');
  return {
    id,
    verifier,
    begin(changes = {}) {
      const parameters = {
        client_id: id,
        redirect_uri: RETURNS_TO,
        response_type: 'code',
        scope: 'read',
        state: 'the-state',
        resource: `${baseUrl}/api/v1`,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        ...changes,
      };
      const kept = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== null);
      return `${baseUrl}/oidc/auth?${new URLSearchParams(kept)}`;
    },
    token: (parameters) =>
      fetch(`${baseUrl}/oidc/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          client_id: id,
          redirect_uri: RETURNS_TO,
          code_verifier: verifier,
          ...parameters,
        }),
      }),
  };
}

const locationOf = (answer: Response, from: string): string => {
  const location = answer.headers.get('location');
  if (location === null) throw new Error(`${from} answered ${answer.status} and leads nowhere`);
  return new URL(location, from).href;
};

/** Follows redirects until a page is shown or the browser leaves the service. */
export async function follow(through: Browser, address: string, baseUrl: string): Promise<string> {
  let at = address;
  for (let hops = 0; hops < 10 && at.startsWith(baseUrl); hops++) {
    const answer = await through.get(at);
    if (answer.status === 200) return at;
    at = locationOf(answer, at);
  }
  return at;
}

/** Presses a button of the form at an address. */
export const press = async (
  through: Browser,
  at: string,
  form: Record<string, string>,
  baseUrl: string,
): Promise<string> => follow(through, locationOf(await through.post(at, form), at), baseUrl);

/** Signs in and allows; gives the address that the program is called back at. */
export async function allow(address: string, email: string, baseUrl: string): Promise<URL> {
  const through = browser();
  const asked = await follow(through, address, baseUrl);
  const consent = await press(through, asked, { answer: 'sign_in', email }, baseUrl);
  return new URL(await press(through, consent, { answer: 'allow' }, baseUrl));
}
