/**
 * The access services of a process that answers readers, and their tables in PostgreSQL: created at start, and swept
 * of what has expired.
 */
import { fileURLToPath } from 'node:url';
import type { FastifyRequest } from 'fastify';
import { keepRunning, RETRY } from '../log/backoff.ts';
import { isUnavailable } from '../log/errors.ts';
import { type Database, migrate, type Queryable } from '../log/postgres/database.ts';
import type { AccountId } from '../schemas/access.ts';
import type { Configuration } from '../schemas/configuration.ts';
import { keyFinder } from './api-keys.ts';
import { type Authorise, authoriser, type Identify, identifier, plansPage, signingInAt } from './authorise.ts';
import { ANONYMOUS } from './caller.ts';
import { charge, peek, refund } from './quota/charge.ts';
import { CALLS, callWindows, limitHeaders, noCalls, pageRefusal, pageWindows } from './quota/limits.ts';
import { type SignIn, type SignInSettings, signInOf } from './sign-in.ts';
import { embeddedKeys, issuerKeys, type TokenRules } from './sign-in-tokens.ts';

/** Brings the schema `access` up to date; several processes may do so at once. */
export const migrateAccess = (database: Database): Promise<void> =>
  migrate(database, fileURLToPath(new URL('./migrations', import.meta.url)), 'access');

/** Days for which counts of calls, and rows of mails, are kept. */
const [USAGE_DAYS, MAIL_DAYS] = [400, 31];

/** What is deleted: rows of a table, by their key, that fulfil a condition. */
const EXPIRED: readonly (readonly [table: string, key: string, condition: string])[] = [
  ['quota_window', 'key', 'ends_at < now()'],
  ['sign_in', 'kind, id', 'expires_at < now()'],
  ['web_session', 'token_hash', 'expires_at < now()'],
  ['web_sign_in', 'token_hash', 'expires_at < now()'],
  ['token_revocation', 'kind, id', 'expires_at < now()'],
  ['idempotent_request', 'scope', 'expires_at < now()'],
  ['usage_day', 'account, day', `day < current_date - ${USAGE_DAYS}`],
  ['usage_key_day', 'key_id, day', `day < current_date - ${USAGE_DAYS}`],
  ['brief_mail', 'day, account', `day < current_date - ${MAIL_DAYS}`],
  // The latest mail of each search stays: it numbers the next one.
  [
    'search_mail',
    'search, number',
    `changed_at < now() - make_interval(days => ${MAIL_DAYS}) AND state NOT IN ('claimed', 'handing_over') AND EXISTS (
       SELECT 1 FROM access.search_mail later WHERE later.search = expired.search AND later.number > expired.number)`,
  ],
];

const BATCH = 10_000;
const EVERY = 10 * 60_000;

/** Deletes what expired. @returns how many rows, at most `BATCH` of each table */
export async function sweep(database: Queryable): Promise<number[]> {
  const counts: number[] = [];
  for (const [table, key, condition] of EXPIRED) {
    const { rowCount } = await database.query(
      `DELETE FROM access.${table} WHERE (${key}) IN (
         SELECT ${key} FROM access.${table} AS expired WHERE ${condition} LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [BATCH],
    );
    counts.push(rowCount ?? 0);
  }
  return counts;
}

/**
 * Deletes windows, sign-ins and sessions that ended, and old counts, now and then every ten minutes, until the signal
 * aborts.
 */
export async function runSweeper(
  database: Queryable,
  signal: AbortSignal,
  { every = EVERY }: { readonly every?: number } = {},
): Promise<void> {
  await keepRunning(
    async () => {
      let counts: readonly number[] = [BATCH];
      while (!signal.aborted && counts.includes(BATCH)) counts = await sweep(database);
    },
    // The database is unavailable, which its users report. Deleting later is safe.
    { ...RETRY.job, maximum: every, every, signal, failed: () => undefined },
  );
}

export interface Access {
  readonly identify: Identify;
  readonly authorise: Authorise;
  readonly chargePage: ChargePage;
  /**
   * Refunds the charge of a request whose response is an internal error. Further calls for the same request do nothing.
   * @returns the rate-limit headers after the refund; none when nothing was charged
   */
  giveBack(request: FastifyRequest): Promise<Record<string, string>>;
  /** Rate-limit headers of the caller for a response without a guarded route, such as a 404. */
  rateLimitHeaders(request: FastifyRequest): Promise<Record<string, string>>;
}

/**
 * Counts a page for the account of a signed-in reader, else for the client's address.
 * @returns the rate-limit headers of pages; none where they are not limited or could not be counted
 * @throws Refusal `rate_limited`
 */
type ChargePage = (
  request: Pick<FastifyRequest, 'ip' | 'log'>,
  account: AccountId | null,
) => Promise<Record<string, string>>;

interface AccessOptions {
  readonly database: Database;
  readonly configuration: SignInSettings & Partial<Pick<Configuration, 'OPERATORS' | 'PAGE_LIMIT'>>;
  readonly now?: () => Date;
  /** How long a key that was found is cached, in milliseconds; default 30 seconds. */
  readonly remember?: number;
}

function rulesOf(signIn: SignIn, database: Database): TokenRules | null {
  if (signIn.kind === 'off') return null;
  const { issuer, kind } = signIn;
  return kind === 'embedded'
    ? { issuer, keys: embeddedKeys(database), scopesRequired: true }
    : { issuer, keys: issuerKeys(issuer) };
}

/** @param limit pages a minute; unset, they are not limited */
function pageCharger(database: Database, limit: number | undefined, upgrade: string): ChargePage {
  return async ({ ip, log }, account) => {
    if (limit === undefined) return {};
    const counted = await charge(database, pageWindows(account, ip, limit)).catch((error: unknown) => {
      // Pages are read from a replica too: they go on while nothing can be counted.
      if (!isUnavailable(error)) throw error;
      log.warn({ err: error }, 'a page was not counted');
      return null;
    });
    if (counted && !counted.fits) throw pageRefusal(counted, account, upgrade);
    return counted ? limitHeaders(counted) : {};
  };
}

/** Opens access to readers over the read model of accounts and the tables of `migrateAccess`. */
export function openAccess({ database, configuration, now = () => new Date(), remember }: AccessOptions): Access {
  const { BASE_URL: baseUrl, OPERATORS = [], PAGE_LIMIT: pageLimit } = configuration;
  const signIn = signInOf(configuration);
  const operators = new Set(OPERATORS.map((email) => email.toLowerCase()));
  const findKey = keyFinder(database, { now, ...(remember === undefined ? {} : { remember }) });
  const identify = identifier({ database, findKey, tokens: rulesOf(signIn, database), operators, now });
  return {
    identify,
    chargePage: pageCharger(database, pageLimit, plansPage(baseUrl)),
    authorise: authoriser({ database, identify, baseUrl, signingIn: signingInAt(signIn, baseUrl), now }),
    async giveBack(request) {
      const { charged } = request;
      if (!charged) return {};
      delete request.charged;
      return limitHeaders(await refund(database, charged));
    },
    async rateLimitHeaders({ headers }) {
      const caller = await identify(headers, `${baseUrl}/api/v1`).catch(() => ANONYMOUS);
      if (caller.account === null) return noCalls(now());
      return limitHeaders(await peek(database, callWindows(caller.account, CALLS[caller.plan])));
    },
  };
}
