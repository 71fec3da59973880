/** Keys and applications as the API takes and shows them. */
import { z } from 'zod';
import { AccountIdText, ApplicationId, KeyId, KeyScope, Plan } from './access.ts';
import { Moment } from './parameters.ts';
import { Instant, trimmedText } from './scalar.ts';

/** Body of POST /api/v1/keys. */
export const KeyBody = z.strictObject({
  name: trimmedText(1, 80).describe('1 to 80 characters that say what the key is for'),
  scopes: z
    .array(KeyScope)
    .min(1)
    .max(2)
    .nullish()
    .describe('a list of "read", "ask" or both; unset, those of the plan'),
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
