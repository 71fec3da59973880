/** Programs that register themselves at the embedded issuer (RFC 7591): which are taken, how many, and how often. */
import type { IncomingMessage } from 'node:http';
import { type ClientMetadata, errors } from 'oidc-provider';
import type { Queryable } from '../../log/postgres/database.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { charge } from '../quota/charge.ts';
import { registrationWindows, reportedWindow, secondsLeft } from '../quota/limits.ts';
import { isLoopbackHost } from '../sign-in.ts';

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
export function applicationTypeOf(metadata: Readonly<Record<string, unknown>>): unknown {
  if (metadata.application_type !== undefined) return metadata.application_type;
  const urls = urlsOf(metadata.redirect_uris);
  return urls.some((url) => !isWeb(url) || (isHttp(url) && isLoopback(url))) ? 'native' : undefined;
}

/**
 * Checks where a program is called back, also one that is known by a document of its own: a code must not cross a network
 * in plain text.
 * @throws InvalidRedirectUri
 */
export function checkRedirects({ redirect_uris }: Pick<ClientMetadata, 'redirect_uris'>): void {
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
  const count = async (): Promise<number> => {
    const { rows } = await database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM access.sign_in WHERE kind = 'Client'`,
    );
    return rows[0]?.count ?? 0;
  };
  const over = (await count()) - MAXIMUM_CLIENTS + 1;
  if (over <= 0) return;
  await database.query(MAKE_ROOM, [over]);
  if ((await count()) >= MAXIMUM_CLIENTS)
    throw new Refusal('rate_limited', `${MAXIMUM_CLIENTS} programs are registered, and no more are kept.`, {
      'retry-after': '3600',
    });
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
    throw new Refusal('rate_limited', `Too many programs were registered from here. Retry in ${seconds} seconds.`, {
      'retry-after': String(seconds),
    });
  }
  await makeRoom(database);
}
