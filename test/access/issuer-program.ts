/** A program and a browser that sign in at the embedded issuer. */
import { createHash, randomBytes } from 'node:crypto';

export interface Browser {
  get(address: string): Promise<Response>;
  post(address: string, form: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

function readCookie(line: string): Cookie & { readonly ended: boolean } {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
  const [name = '', value = ''] = pair.split('=', 2);
  const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/';
  const ended = attributes.some((one) => /^max-age=0$/i.test(one) || /^expires=.*1970/i.test(one));
  return { name, value, path, ended };
}

export function browser(): Browser {
  let cookies: Cookie[] = [];
  const ask = async (address: string, options: RequestInit = {}): Promise<Response> => {
    const { pathname } = new URL(address);
    const cookie = cookies
      .filter(({ path }) => pathname.startsWith(path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const answer = await fetch(address, {
      ...options,
      redirect: 'manual',
      headers: { accept: 'text/html', ...(options.headers as Record<string, string>), ...(cookie && { cookie }) },
    });
    for (const one of answer.headers.getSetCookie().map(readCookie)) {
      cookies = cookies.filter(({ name, path }) => name !== one.name || path !== one.path);
      if (!one.ended) cookies.push(one);
    }
    return answer;
  };
  return {
    get: (address) => ask(address),
    post: (address, form, headers = {}) =>
      ask(address, {
        method: 'POST',
        body: new URLSearchParams(form),
        headers: { origin: new URL(address).origin, ...headers },
      }),
  };
}

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
  const signInPage = await follow(through, address, baseUrl);
  const consent = await press(through, signInPage, { answer: 'sign_in', email }, baseUrl);
  return new URL(await press(through, consent, { answer: 'allow' }, baseUrl));
}
