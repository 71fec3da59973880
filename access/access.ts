/** Access put together: what a process that answers readers needs. */
import type { FastifyRequest } from 'fastify';
import type { Database } from '../log/postgres/database.ts';
import type { Configuration } from '../schemas/configuration.ts';
import { type Authorise, authoriser } from './authorise.ts';
import { ANONYMOUS } from './caller.ts';
import { signingInAt } from './demand.ts';
import { type Identify, identifier } from './identify.ts';
import { embeddedKeys } from './issuer/signing.ts';
import { keyFinder } from './keys/find-key.ts';
import { peek, refund } from './quota/charge.ts';
import { limitHeaders, noCalls } from './quota/headers.ts';
import { CALLS, callWindows } from './quota/limits.ts';
import { type SignIn, type SignInSettings, signInOf } from './sign-in.ts';
import { issuerKeys } from './tokens/issuer.ts';
import type { TokenRules } from './tokens/verify.ts';

export interface Access {
  readonly identify: Identify;
  readonly authorise: Authorise;
  /**
   * Gives back what a request was charged, for an answer that failed on our side; once, however often it is called.
   * @returns headers that tell how the limits stand then; none when nothing was charged
   */
  giveBack(request: FastifyRequest): Promise<Record<string, string>>;
  /** Headers for an answer that no guard stood before, such as 404 where nothing is: how the limits of its caller stand. */
  standing(request: FastifyRequest): Promise<Record<string, string>>;
}

export interface AccessOptions {
  readonly database: Database;
  readonly configuration: SignInSettings & Partial<Pick<Configuration, 'OPERATORS'>>;
  readonly now?: () => Date;
  /** How long a key that was found is believed, in milliseconds; 30 seconds when unset. */
  readonly remember?: number;
}

function rulesOf(signIn: SignIn, database: Database): TokenRules | null {
  if (signIn.kind === 'off') return null;
  const { issuer, kind } = signIn;
  return kind === 'embedded'
    ? { issuer, keys: embeddedKeys(database), scopesRequired: true }
    : { issuer, keys: issuerKeys(issuer) };
}

/** Opens access to readers over the read model of accounts and the tables of `migrateAccess`. */
export function openAccess({ database, configuration, now = () => new Date(), remember }: AccessOptions): Access {
  const { BASE_URL: baseUrl, OPERATORS = [] } = configuration;
  const signIn = signInOf(configuration);
  const operators = new Set(OPERATORS.map((email) => email.toLowerCase()));
  const findKey = keyFinder(database, { now, ...(remember === undefined ? {} : { remember }) });
  const identify = identifier({ database, findKey, tokens: rulesOf(signIn, database), operators, now });
  return {
    identify,
    authorise: authoriser({ database, identify, baseUrl, signingIn: signingInAt(signIn, baseUrl), now }),
    async giveBack(request) {
      const { charged } = request;
      if (!charged) return {};
      delete request.charged;
      return limitHeaders(await refund(database, charged));
    },
    async standing({ headers }) {
      const caller = await identify(headers, `${baseUrl}/api/v1`).catch(() => ANONYMOUS);
      if (caller.account === null) return noCalls(now());
      return limitHeaders(await peek(database, callWindows(caller.account, CALLS[caller.plan])));
    },
  };
}
