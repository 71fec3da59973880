/**
 * What the embedded issuer allows, as settings of `oidc-provider`, and its storage in PostgreSQL; and programs that
 * register themselves there (RFC 7591): which are taken, how many, and how often.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  type Adapter,
  type AdapterFactory,
  type AdapterPayload,
  type ClientMetadata,
  type Configuration,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import { fetch as guardedFetch } from 'undici';
import { z } from 'zod';
import { createGuardedAgent, isPublicAddress } from '../log/guarded-connection.ts';
import { type Queryable, queryNumber, queryOne } from '../log/postgres/database.ts';
import { Refusal } from '../schemas/input-errors.ts';
import { charge } from './quota/charge.ts';
import { registrationWindows, reportedWindow, secondsLeft } from './quota/limits.ts';
import { audiences, ISSUER_PATH, ISSUER_SESSION, isLoopbackHost } from './sign-in.ts';
import { revokeGrantTokens, type Signing } from './sign-in-tokens.ts';
import { CALLBACK_PATH, SITE_CLIENT } from './web-sessions.ts';

/** Bytes of a registration; the issuer's package itself reads 57,344 at most. */
const MAXIMUM_BODY = 16_384;
/** Maximum number of registered programs. Those without any grant are removed to make room for new ones. */
const MAXIMUM_CLIENTS = 1_000;

const isHttp = (url: URL): boolean => url.protocol === 'http:';
const isWeb = (url: URL): boolean => isHttp(url) || url.protocol === 'https:';
const isLoopback = (url: URL): boolean => isLoopbackHost(url.hostname);

const urlsOf = (redirectUris: unknown): URL[] =>
  Array.isArray(redirectUris)
    ? redirectUris.flatMap((address) => (typeof address === 'string' ? (URL.parse(address) ?? []) : []))
    : [];

/**
 * Programs on a person's machine seldom say that they are `native`: one that is called back by a scheme of its own or on
 * loopback is (RFC 8252, section 7). Native programs may use any port of loopback.
 * @param metadata as it was sent, unchecked
 */
function applicationTypeOf(metadata: Readonly<Record<string, unknown>>): unknown {
  if (metadata.application_type !== undefined) return metadata.application_type;
  const urls = urlsOf(metadata.redirect_uris);
  return urls.some((url) => !isWeb(url) || (isHttp(url) && isLoopback(url))) ? 'native' : undefined;
}

/**
 * Checks where a program is called back, also one that is known by a document of its own: a code must not cross a network
 * in plain text.
 * @throws InvalidRedirectUri
 */
function checkRedirects({ redirect_uris }: Pick<ClientMetadata, 'redirect_uris'>): void {
  const open = urlsOf(redirect_uris).find((url) => isHttp(url) && !isLoopback(url));
  if (open)
    throw new errors.InvalidClientMetadata(
      'redirect_uris must use https, a scheme of the program itself, or http on loopback',
    );
}

/** Of those that no grant names, the ones that were not used for longest. */
const MAKE_ROOM = `DELETE FROM access.sign_in WHERE kind = 'Client' AND id IN (
  SELECT id FROM access.sign_in AS client
  WHERE kind = 'Client' AND NOT EXISTS (
    SELECT 1 FROM access.sign_in AS granted WHERE granted.kind = 'Grant' AND granted.payload ->> 'clientId' = client.id)
  ORDER BY expires_at LIMIT $1)`;

async function makeRoom(database: Queryable): Promise<void> {
  const text = `SELECT count(*)::int FROM access.sign_in WHERE kind = 'Client'`;
  const over = (await queryNumber(database, text)) - MAXIMUM_CLIENTS + 1;
  if (over <= 0) return;
  await database.query(MAKE_ROOM, [over]);
  if ((await queryNumber(database, text)) >= MAXIMUM_CLIENTS)
    throw new Refusal('rate_limited', `${MAXIMUM_CLIENTS} programs are registered, and no more are kept.`, 3_600);
}

/**
 * Lets a registration through, before its body is read.
 * @param address network address of the caller
 * @throws Refusal for a body that is too large, too many registrations within a minute, or too many programs
 */
export async function admitRegistration(
  database: Queryable,
  { headers }: Pick<IncomingMessage, 'headers'>,
  address: string,
): Promise<void> {
  if (Number(headers['content-length'] ?? 0) > MAXIMUM_BODY)
    throw new Refusal('invalid_request', `A registration may have ${MAXIMUM_BODY} bytes.`);
  const counted = await charge(database, registrationWindows(address));
  const full = counted.fits ? undefined : reportedWindow(counted);
  if (full) {
    const seconds = secondsLeft(full, counted.at);
    throw new Refusal(
      'rate_limited',
      `Too many programs were registered from here. Retry in ${seconds} seconds.`,
      seconds,
    );
  }
  await makeRoom(database);
}

/** Clients that registered themselves are forgotten so long after their last use, in seconds. */
const CLIENT_SECONDS = 90 * 86_400;

const Row = z.object({ payload: z.looseObject({}), consumed: z.number().nullable() });

const FIND = `SELECT payload, extract(epoch FROM consumed_at)::float8 AS consumed FROM access.sign_in
  WHERE kind = $1 AND expires_at > now()`;
const UPSERT = `INSERT INTO access.sign_in (kind, id, payload, uid, grant_id, expires_at)
  VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))
  ON CONFLICT (kind, id) DO UPDATE SET
    payload = EXCLUDED.payload, uid = EXCLUDED.uid, grant_id = EXCLUDED.grant_id, expires_at = EXCLUDED.expires_at`;
const USED = `UPDATE access.sign_in SET expires_at = now() + make_interval(secs => $3)
  WHERE kind = $1 AND id = $2 AND expires_at < now() + make_interval(secs => $3) - interval '1 day'`;

async function find(database: Queryable, text: string, values: readonly string[]): Promise<AdapterPayload | undefined> {
  const row = await queryOne(database, text, values, Row);
  if (!row) return undefined;
  return { ...row.payload, ...(row.consumed === null ? {} : { consumed: row.consumed }) } as AdapterPayload;
}

/** @param database in which `migrateAccess` ran */
const postgresAdapter =
  (database: Queryable): AdapterFactory =>
  (kind): Adapter => ({
    async upsert(id, payload, expiresIn = CLIENT_SECONDS) {
      const values = [kind, id, JSON.stringify(payload), payload.uid ?? null, payload.grantId ?? null, expiresIn];
      await database.query(UPSERT, values);
    },
    async find(id) {
      if (kind === 'Client') await database.query(USED, [kind, id, CLIENT_SECONDS]);
      return find(database, `${FIND} AND id = $2`, [kind, id]);
    },
    findByUid: (uid) => find(database, `${FIND} AND uid = $2`, [kind, uid]),
    // Codes typed in on another device are not offered.
    findByUserCode: async () => undefined,
    async consume(id) {
      const { rowCount } = await database.query(
        'UPDATE access.sign_in SET consumed_at = now() WHERE kind = $1 AND id = $2 AND consumed_at IS NULL',
        [kind, id],
      );
      // Of two who bring the same code at once, one is late.
      if (rowCount === 0) throw new errors.InvalidGrant('it was used already');
    },
    async destroy(id) {
      await database.query('DELETE FROM access.sign_in WHERE kind = $1 AND id = $2', [kind, id]);
    },
    async revokeByGrantId(grantId) {
      // Access tokens are kept by their holders alone: they are remembered as revoked.
      if (kind === 'AccessToken') return revokeGrantTokens(database, grantId);
      await database.query('DELETE FROM access.sign_in WHERE grant_id = $1', [grantId]);
    },
  });

/** Scopes of keys, which a token may name too; what a person may do follows from the plan of the account. */
const SCOPES = 'read ask';
const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400];

const signInPath = (uid: string): string => `${ISSUER_PATH}/sign-in/${uid}`;

/**
 * Asks for consent in every sign-in. The package alone asks only for new scopes, so a program that names none, or another
 * surface than before, would silently get a token of the signed-in user. The service's own pages need no consent: typing
 * an address there is enough.
 */
function alwaysAsking() {
  const { Check, base } = interactionPolicy;
  const policy = base();
  const ask = new Check('every_time', 'consent is asked every time', 'consent_required', ({ oidc }) =>
    oidc.result?.consent || oidc.client?.clientId === SITE_CLIENT ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT,
  );
  const checks = policy.get('consent')?.checks;
  checks?.add(ask);
  // Asks native programs alone, and says so to a program that asks silently in place of `consent_required`.
  checks?.remove('native_client_prompt');
  return policy;
}

/** Fetches what a client says about itself: from the public internet alone, never from a private network. */
const fetchDocument = (address: string | URL, options: RequestInit): Promise<Response> => {
  const { method, headers, redirect, signal } = options;
  const dispatcher = createGuardedAgent(new URL(address), isPublicAddress);
  const init = { method, headers: [...new Headers(headers)], redirect, signal, dispatcher };
  return guardedFetch(address, init as Parameters<typeof guardedFetch>[1]) as unknown as Promise<Response>;
};

/** The service's own pages: they learn who signs in, and nothing more. */
const ownPages = (baseUrl: string): ClientMetadata => ({
  client_id: SITE_CLIENT,
  client_name: 'Clarity, this very site,',
  redirect_uris: [`${baseUrl}${CALLBACK_PATH}`],
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code'],
  response_types: ['code'],
  scope: 'openid email',
});

/** What was granted before; to the own pages, who signs in. */
async function existingGrant({ oidc }: KoaContextWithOIDC) {
  const { client, session, provider, result } = oidc;
  const clientId = client?.clientId ?? '';
  const grantId = result?.consent?.grantId ?? session?.grantIdFor(clientId);
  if (grantId) return provider.Grant.find(grantId);
  if (clientId !== SITE_CLIENT || !session?.accountId) return undefined;
  const grant = new provider.Grant({ clientId, accountId: session.accountId });
  grant.addOIDCScope('openid email');
  await grant.save();
  return grant;
}

const LIFETIMES = {
  AccessToken: HOUR,
  AuthorizationCode: MINUTE,
  IdToken: HOUR,
  Interaction: 15 * MINUTE,
  RefreshToken: 30 * DAY,
  Session: 12 * HOUR,
  Grant: 90 * DAY,
};

/** What the package does beyond its core. @param resources the surfaces that tokens are for, the API first */
function featuresOf(resources: readonly string[]): NonNullable<Configuration['features']> {
  const [api = ''] = resources;
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    dPoP: { enabled: false },
    revocation: { enabled: true, allowedPolicy: (_context, client, token) => token.clientId === client.clientId },
    registration: {
      enabled: true,
      initialAccessToken: false,
      issueRegistrationAccessToken: false,
      // The first that is called with the body, before it is checked.
      idFactory({ oidc }) {
        const metadata = oidc.body as Record<string, unknown> | undefined;
        const type = metadata && applicationTypeOf(metadata);
        if (metadata && type !== undefined) metadata.application_type = type;
        return randomBytes(16).toString('base64url');
      },
    },
    clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
    resourceIndicators: {
      enabled: true,
      // The default surface is the API. One named in the request for the code applies to the token request too.
      defaultResource: (_context, _client, oneOf) => oneOf?.[0] ?? api,
      useGrantedResource: () => true,
      getResourceServerInfo(_context, resource) {
        if (!resources.includes(resource)) throw new errors.InvalidTarget();
        const jwt = { sign: { alg: 'RS256' } } as const;
        return { scope: SCOPES, audience: resource, accessTokenFormat: 'jwt', accessTokenTTL: HOUR, jwt };
      },
    },
  };
}

/** Authorization code with PKCE (S256 is the only method that the package knows), tokens as JWT (RFC 9068). */
export function issuerConfiguration(database: Queryable, baseUrl: string, signing: Signing): Configuration {
  const cookie = { httpOnly: true, sameSite: 'lax', signed: true } as const;
  return {
    adapter: postgresAdapter(database),
    jwks: { keys: [signing.key as never] },
    clients: [ownPages(baseUrl)],
    loadExistingGrant: existingGrant,
    responseTypes: ['code'],
    // Programs register with the scopes that the metadata of a surface names: the package refuses those not listed here.
    scopes: ['openid', 'offline_access', 'email', ...SCOPES.split(' ')],
    claims: { openid: ['sub'], email: ['email'] },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    pkce: { required: () => true },
    cookies: {
      names: { session: ISSUER_SESSION, interaction: 'clarity_sign_in', resume: 'clarity_resume' },
      keys: [signing.cookieSecret],
      long: cookie,
      short: cookie,
    },
    features: featuresOf(audiences(baseUrl)),
    ttl: LIFETIMES,
    expiresWithSession: () => false,
    issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: () => true,
    // The account is the e-mail address itself: the users of this machine are trusted.
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, email: sub }) }),
    clientBasedCORS: (_context, origin, client) =>
      (client.redirectUris ?? []).some((address) => URL.parse(address)?.origin === origin),
    interactions: { policy: alwaysAsking(), url: (_context, { uid }) => signInPath(uid) },
    // Called for every client, however it became known; the property is one of RFC 7591 that is not used otherwise.
    extraClientMetadata: {
      properties: ['software_id'],
      validator: (_context, _property, _value, metadata) => checkRedirects(metadata),
    },
    // By it all tokens of a grant are revoked together.
    extraTokenClaims: (_context, token) => ('grantId' in token ? { grant_id: token.grantId } : undefined),
    fetch: fetchDocument as never,
    renderError(context, { error, error_description }) {
      context.type = 'text/plain; charset=utf-8';
      context.body = `Signing in failed: ${error}${error_description ? `, ${error_description}` : ''}. Start again from the page or program that you came from.\n`;
    },
  };
}
