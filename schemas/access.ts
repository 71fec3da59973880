/** Accounts, keys, plans and hosted assistants, an account being the fold of its stream; acts of operators. */
import { z } from 'zod';
import { Moment } from './parameters.ts';
import { ERASED, ERASED_EMAIL, open, personal } from './personal.ts';
import { Instant, prefixedId, trimmedText } from './scalar.ts';

export const PLANS = ['free', 'pro'] as const;
export const Plan = z.enum(PLANS);
export type Plan = z.infer<typeof Plan>;

export const KEY_SCOPES = ['read', 'ask'] as const;
export const KeyScope = z.enum(KEY_SCOPES);
export type KeyScope = z.infer<typeof KeyScope>;

/** What a person may do at /operate: a reviewer reviews signals and names of brands, an operator everything. */
export type Role = 'reviewer' | 'operator';

/** Whether a role includes what another may do; no role includes nothing. */
export const mayActAs = (role: Role | null, needed: Role): boolean => role === 'operator' || role === needed;

/** Gives the role of an address, by the settings; an address in both is an operator. */
export function rolesBy(settings: {
  readonly OPERATORS?: readonly string[] | undefined;
  readonly REVIEWERS?: readonly string[] | undefined;
}): (email: string | null) => Role | null {
  const lower = (list: readonly string[] = []): ReadonlySet<string> => new Set(list.map((one) => one.toLowerCase()));
  const [operators, reviewers] = [lower(settings.OPERATORS), lower(settings.REVIEWERS)];
  return (email) => {
    if (email === null) return null;
    if (operators.has(email)) return 'operator';
    return reviewers.has(email) ? 'reviewer' : null;
  };
}

/** The id of an account as resources and parameters carry it. */
const AccountIdText = z.string().regex(/^acc_[0-9a-f]{16}$/, 'must be acc_ and 16 hexadecimal characters');

/** The id of an account in events and state: never taken for another text. */
export const AccountId = AccountIdText.brand<'AccountId'>();
export type AccountId = z.infer<typeof AccountId>;

/** The same in rows that the service wrote: typed, not checked again. */
export const StoredAccountId = open(z.string().brand<'AccountId'>());

export const KeyId = z.string().regex(/^key_[0-9a-f]{16}$/, 'must be key_ and 16 hexadecimal characters');
export const ApplicationId = z.string().regex(/^app_[0-9a-f]{16}$/, 'must be app_ and 16 hexadecimal characters');

/** The account of a name: an e-mail address in lower case, or the `sub` of a sign-in token. */
export const accountIdOf = (name: string): AccountId => prefixedId('acc', name) as string as AccountId;

/** SHA-256 of a key in hexadecimal digits. The key itself is stored nowhere. */
const KeyHash = z.string().regex(/^[0-9a-f]{64}$/);

/** Every event names its account and its author: `operator`, `owner`, or the part of the service. */
const AccountEventData = z.object({ account_id: AccountId, by: z.string().min(1) });

export const AccountEvents = {
  /** `name` is an e-mail address, or the `sub` of the issuer's tokens. */
  AccountOpened: { 1: AccountEventData.extend({ name: personal(z.string().min(1).max(320), 'account_id', ERASED) }) },
  PlanChanged: { 1: AccountEventData.extend({ from: Plan, to: Plan }) },
  KeyIssued: {
    1: AccountEventData.extend({
      key_id: KeyId,
      hash: KeyHash,
      /** The last four characters, by which its owner recognises it. */
      ending: open(z.string().length(4)),
      name: personal(trimmedText(1, 80), 'account_id', ERASED),
      scopes: z.array(KeyScope).min(1),
      expires_at: Instant.nullable(),
    }),
  },
  KeyRevoked: { 1: AccountEventData.extend({ key_id: KeyId }) },
  ApplicationSubmitted: {
    1: AccountEventData.extend({
      application_id: ApplicationId,
      email: personal(z.email().max(320), 'account_id', ERASED_EMAIL),
      use: personal(trimmedText(1, 2_000), 'account_id', ERASED),
    }),
  },
  ApplicationApproved: { 1: AccountEventData.extend({ application_id: ApplicationId }) },
  ApplicationRejected: {
    1: AccountEventData.extend({
      application_id: ApplicationId,
      why: personal(trimmedText(1, 500), 'account_id', ERASED),
    }),
  },
  /** The account is closed and its personal data can no longer be read. The same name may open it again. */
  AccountErased: { 1: AccountEventData },
} as const;

/** The types of all that happens to an account. */
export const ACCOUNT_TYPES = [
  'AccountOpened',
  'PlanChanged',
  'KeyIssued',
  'KeyRevoked',
  'ApplicationSubmitted',
  'ApplicationApproved',
  'ApplicationRejected',
  'AccountErased',
] as const satisfies readonly (keyof typeof AccountEvents)[];

export const accountStream = (id: AccountId): string => `account-${id}`;
export const ACCOUNT_PREFIX = 'account-';

/** How a request of an assistant is recognised, and where it names its session. */
export const Assistant = z.strictObject({
  id: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must be kebab-case such as "claude"'),
  name: z.string().min(1).max(80),
  user_agent: z
    .string()
    .regex(/^[\w.!#$%&'*+^`|~-]+(?:\/[\w.!#$%&'*+^`|~-]+)?$/, 'must be a product, or product/version')
    .describe('product of the User-Agent, such as Claude-User; with a version only that version'),
  addresses: z.array(z.union([z.cidrv4(), z.cidrv6()])).describe('published ranges such as 160.79.104.0/21'),
  session_headers: z.array(z.string().regex(/^[a-z0-9-]+$/, 'must be a header name in lower case')).default([]),
  session_meta: z.array(z.string().min(1)).default([]).describe('names in the _meta of a request'),
});
export type Assistant = z.infer<typeof Assistant>;

/** The file: every id once. */
export const AssistantList = z.strictObject({
  assistants: z.array(Assistant).refine((list) => new Set(list.map(({ id }) => id)).size === list.length, {
    error: 'an id occurs twice',
  }),
});

/** An e-mail address within a longer text, such as `operator asha@example.com`. */
const ADDRESS = /[^\s<>"]+@[^\s<>"]+/;

const Named = z.object({ account_id: z.string() });

/** The account that an event names; null when it names none. */
export const namedAccount = (data: unknown): string | null => Named.safeParse(data).data?.account_id ?? null;

/** The account of the e-mail address that a text contains; null when it contains none. */
export function accountOfAddress(text: string): string | null {
  const address = text.includes('@') ? ADDRESS.exec(text)?.[0] : undefined;
  return address ? accountIdOf(address.toLowerCase()) : null;
}

/** Body of POST /api/v1/keys. */
export const KeyBody = z.strictObject({
  name: trimmedText(1, 80).describe('1 to 80 characters that say what the key is for'),
  scopes: z
    .array(KeyScope)
    .min(1)
    .max(2)
    .refine((scopes) => new Set(scopes).size === scopes.length, 'must name each scope once')
    .nullish()
    .describe('a list of "read", "ask" or both, each once; unset, those of the plan'),
  expires_at: Moment.nullish().describe(
    'a future date or time, such as 2027-03-31; unset or null: the key is valid until it is revoked',
  ),
});

/** Body of POST /api/v1/keys/applications. */
export const ApplicationBody = z.strictObject({
  email: z.email().max(320).describe('the e-mail address at which the review is answered'),
  use: trimmedText(10, 2_000).describe('10 to 2000 characters that say what the key will be used for'),
});

export const KeyDocument = z.object({
  id: KeyId,
  name: z.string(),
  ending: z.string().describe('The last four characters of the key'),
  scopes: z.array(KeyScope),
  status: z.enum(['active', 'revoked', 'expired']),
  created_at: Instant,
  expires_at: Instant.nullable(),
  revoked_at: Instant.nullable(),
});
export type KeyDocument = z.infer<typeof KeyDocument>;

export const ApplicationDocument = z.object({
  id: ApplicationId,
  status: z.enum(['pending', 'approved', 'rejected']),
  submitted_at: Instant,
  reviewed_at: Instant.nullable(),
  why: z.string().nullable().describe('Why it was rejected'),
});
export type ApplicationDocument = z.infer<typeof ApplicationDocument>;

export const APPLICATION_STATUSES = ['pending', 'approved', 'rejected'] as const;

/** Query of GET /api/v1/keys/applications. */
export const ApplicationsQuery = z.strictObject({
  status: z
    .enum(APPLICATION_STATUSES)
    .default('pending')
    .describe('pending, approved or rejected: in which state applications are'),
});

/** Body of POST /api/v1/keys/applications/{id}/reject. */
export const RejectionBody = z.strictObject({
  why: trimmedText(1, 500).describe('1 to 500 characters, which the applicant reads'),
});

/** An application as operators see it. */
export const ReviewedApplication = ApplicationDocument.extend({
  account: z.object({ id: AccountIdText, name: z.string() }),
  email: z.string().describe('Where the review is answered'),
  use: z.string().describe('What the key will be used for, in the words of the applicant'),
});
export type ReviewedApplication = z.infer<typeof ReviewedApplication>;

/** Answer of GET /api/v1/keys/applications. */
export const ApplicationList = z.object({ applications: z.array(ReviewedApplication) });
export type ApplicationList = z.infer<typeof ApplicationList>;

const WindowUsage = z.object({ used: z.int(), max: z.int(), resets_at: Instant });

/** Answer of GET /api/v1/keys. */
export const KeyList = z.object({
  account: z.object({ id: AccountIdText, name: z.string(), plan: Plan }),
  usage: z.object({ minute: WindowUsage, day: WindowUsage }).describe('Calls of the account, all keys together'),
  application: ApplicationDocument.nullable(),
  keys: z.array(KeyDocument),
});
export type KeyList = z.infer<typeof KeyList>;

/** Answer of POST /api/v1/keys: the only time that the key itself is shown. */
export const IssuedKey = z.object({
  key: z.string().describe('The API key; it is never shown again'),
  details: KeyDocument,
});
export type IssuedKey = z.infer<typeof IssuedKey>;

export const OPERATIONS = [
  'source_polled',
  'event_retried',
  'event_dropped',
  'message_retried',
  'message_dropped',
  'model_rebuilt',
  'items_replayed',
  'topic_trimmed',
  'events_archived',
  'events_restored',
  'events_sealed',
  'group_deleted',
  'tokens_revoked',
] as const;

const Operation = z.object({
  operation: z.enum(OPERATIONS),
  /** The source, the read model, the event or message, the topic or group, or the account. */
  subject: personal(z.string().max(300), 'address', ERASED),
  by: z.string().min(1),
  /** Null where none is asked for. */
  why: personal(z.string().nullable(), 'address', ERASED),
});
export type Operation = z.infer<typeof Operation>;

export const OperationEvents = { OperationRecorded: { 1: Operation } } as const;
export const OPERATION_STREAM = 'operation-log';
export const OPERATION_PREFIX = 'operation-';
