/** The embedded issuer of sign-in tokens, for a service that runs for the people of one machine. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { jwtVerify } from 'jose';
import Provider, { errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { Queryable } from '../log/postgres/database.ts';
import { Refusal } from '../schemas/input-errors.ts';
import { admitRegistration, issuerConfiguration } from './issuer-configuration.ts';
import { foreignRequestReason, ISSUER_PATH } from './sign-in.ts';
import { embeddedKeys, loadSigning, revokeToken } from './sign-in-tokens.ts';

/**
 * Makes the middleware. The package revokes refresh tokens, and refuses access tokens because they are JWTs: where it
 * refused one, and knows by then which client asks, the token is revoked here. As section 2.2 has it, a token that does
 * not hold, or is not the client's own, is answered like one that was revoked.
 */
function revokesAccessTokens(database: Queryable, issuer: string) {
  const keys = embeddedKeys(database);
  return async (context: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    const refusal = context.body as { error?: unknown } | undefined;
    if (context.oidc?.route !== 'revocation' || refusal?.error !== 'unsupported_token_type') return;
    const { client, params } = context.oidc;
    if (!client || typeof params?.token !== 'string') return;
    // A token that is not ours, or has expired, has nothing to revoke: the answer is 200 (RFC 7009).
    const token = await jwtVerify(params.token, keys, { issuer }).catch(() => null);
    const { jti, exp, client_id } = token?.payload ?? {};
    if (jti !== undefined && exp !== undefined && client_id === client.clientId) await revokeToken(database, jti, exp);
    context.status = 200;
    context.body = '';
  };
}

/** A question to the user during a sign-in. */
export interface Question {
  readonly uid: string;
  /** `sign_in`: who are you; `consent`: may this program act for you. */
  readonly kind: 'sign_in' | 'consent';
  /** The account that signed in; null before. */
  readonly email: string | null;
  /** The name that the program gives itself: untrusted text. */
  readonly program: string;
  /** Where the browser returns to: an untrusted address. */
  readonly returnsTo: string;
  /** The surfaces that it asks for. */
  readonly resources: readonly string[];
  /** The address that began the sign-in, with its parameters; opening it starts over. */
  readonly beginning: string;
}

export interface EmbeddedIssuer {
  /** Lets the registration of a program through. @param address of the caller @throws Refusal */
  admitRegistration(request: IncomingMessage, address: string): Promise<void>;
  /** Answers a request of the protocol. @param path as the issuer knows it, such as `/token` */
  answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void>;
  /** What the browser that sends this request is asked; null when nothing is open or it has expired. */
  question(request: IncomingMessage, response: ServerResponse): Promise<Question | null>;
  /** Each gives the address that the browser goes on to. */
  signIn(request: IncomingMessage, response: ServerResponse, email: string): Promise<string>;
  consent(request: IncomingMessage, response: ServerResponse): Promise<string>;
  refuse(request: IncomingMessage, response: ServerResponse): Promise<string>;
}

/**
 * A program that names no scope asks for reading: the package grants nothing to those who ask for nothing, though
 * RFC 6749, section 3.3 leaves a default to the issuer.
 */
function withScope(path: string): string {
  const [route, parameters = ''] = path.split('?', 2);
  if (route !== '/auth' || new URLSearchParams(parameters).has('scope')) return path;
  return `${route}?${parameters}&scope=read`;
}

/** Parameters of a request as its address contains them. */
function addressOf(parameters: Readonly<Record<string, unknown>>): URLSearchParams {
  const address = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    for (const one of [value].flat()) address.append(name, String(one));
  return address;
}

/** Grants what the program asked for, and sends the browser on. */
async function grantConsent(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<string> {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  const before = grantId ? await provider.Grant.find(grantId) : undefined;
  const accountId = session?.accountId ?? '';
  const grant = before ?? new provider.Grant({ accountId, clientId: String(params.client_id) });
  const missing = prompt.details as {
    missingOIDCScope?: string[];
    missingOIDCClaims?: string[];
    missingResourceScopes?: Record<string, string[]>;
  };
  if (missing.missingOIDCScope) grant.addOIDCScope(missing.missingOIDCScope.join(' '));
  if (missing.missingOIDCClaims) grant.addOIDCClaims(missing.missingOIDCClaims);
  for (const [resource, scopes] of Object.entries(missing.missingResourceScopes ?? {}))
    grant.addResourceScope(resource, scopes.join(' '));
  return provider.interactionResult(request, response, { consent: { grantId: await grant.save() } });
}

/**
 * Opens it; keys are made at the first start.
 * @param database in which `migrateAccess` ran
 * @param baseUrl address of the service, on loopback
 */
export async function openEmbeddedIssuer(
  database: Queryable,
  baseUrl: string,
  report: (error: unknown) => void,
): Promise<EmbeddedIssuer> {
  const issuer = `${baseUrl}${ISSUER_PATH}`;
  const provider = new Provider(issuer, issuerConfiguration(database, baseUrl, await loadSigning(database)));
  provider.use(revokesAccessTokens(database, issuer));
  provider.on('server_error', (_context, error) => report(error));
  const handle = provider.callback();
  const details = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      return await provider.interactionDetails(request, response);
    } catch (error) {
      if (error instanceof errors.SessionNotFound) return null;
      throw error;
    }
  };
  return {
    admitRegistration: (request, address) => admitRegistration(database, request, address),
    async answer(request, response, path) {
      const url = withScope(path);
      // The package derives its mount path from the difference.
      Object.assign(request, { originalUrl: `${ISSUER_PATH}${url}`, url });
      await handle(request, response);
    },
    async question(request, response) {
      const open = await details(request, response);
      if (!open) return null;
      const { uid, params, prompt, session } = open;
      const sentParameters = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
      const client = await provider.Client.find(String(sentParameters.client_id));
      return {
        uid,
        kind: prompt.name === 'login' ? 'sign_in' : 'consent',
        email: session?.accountId ?? null,
        program: String(client?.clientName ?? sentParameters.client_id),
        returnsTo: String(sentParameters.redirect_uri),
        resources: [sentParameters.resource ?? []].flat().map(String),
        beginning: `${ISSUER_PATH}/auth?${addressOf(sentParameters)}`,
      };
    },
    signIn: (request, response, email) =>
      provider.interactionResult(request, response, { login: { accountId: email, remember: false } }),
    consent: (request, response) => grantConsent(provider, request, response),
    refuse: (request, response) =>
      provider.interactionResult(
        request,
        response,
        { error: 'access_denied', error_description: 'The person at the browser refused.' },
        { mergeWithLastSubmission: false },
      ),
  };
}

/** Where clients look for what the issuer says of itself: RFC 8414 section 3.1 puts the path of the issuer last. */
const METADATA = ['oauth-authorization-server', 'openid-configuration'];

/** The issuer's router minds neither case nor a slash at the end. */
const REGISTRATION = /^\/reg\/?(\?|$)/i;
const REGISTRATION_PREFLIGHT = {
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-allow-headers': 'Accept, Content-Type, MCP-Protocol-Version',
  'access-control-max-age': '86400',
};

/** Passes requests of the protocol to the issuer with their bodies unparsed: the issuer parses them itself. */
export function mountIssuer(issuer: EmbeddedIssuer, baseUrl: string): FastifyPluginCallback {
  const answer = async (request: FastifyRequest, reply: FastifyReply, path: string): Promise<unknown> => {
    const refused = foreignRequestReason(request.raw, baseUrl);
    if (refused) throw new Refusal('not_found', refused);
    if (REGISTRATION.test(path)) {
      // A program in a browser is no client yet whose origin could be known (RFC 7591 leaves this open).
      reply.header('access-control-allow-origin', '*');
      if (request.method === 'OPTIONS') return reply.code(204).headers(REGISTRATION_PREFLIGHT).send();
      if (request.method === 'POST') await issuer.admitRegistration(request.raw, request.ip);
    }
    reply.hijack();
    const headers = {
      ...reply.getHeaders(),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    };
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) reply.raw.setHeader(name, value);
    await issuer.answer(request.raw, reply.raw, path);
    return reply;
  };
  return (server: FastifyInstance, _options, done) => {
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
    server.route({
      method: ['GET', 'POST', 'OPTIONS'],
      url: `${ISSUER_PATH}/*`,
      handler: (request, reply) => answer(request, reply, request.url.slice(ISSUER_PATH.length)),
    });
    for (const name of METADATA)
      server.get(`/.well-known/${name}${ISSUER_PATH}`, (request, reply) =>
        answer(request, reply, '/.well-known/openid-configuration'),
      );
    done();
  };
}
