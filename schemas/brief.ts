/** The brief: the moves of a day that matter most, and who has it mailed (stream `briefmail-<account>`). */
import { z } from 'zod';
import { AccountId } from './access.ts';
import { SourceRef } from './resources.ts';
import { Instant, IstDay, SignalIdText, StoredBrandSlug } from './scalar.ts';

/** Most items of a brief. */
export const BRIEF_ITEMS = 12;

export const BriefItem = z.object({
  id: SignalIdText,
  headline: z.string(),
  url: z.string().describe('Page on the service; to be cited'),
  delta: z.string().nullable(),
  why_it_matters: z.string().nullable(),
  what_to_watch: z.string().nullable(),
  brand: z.string().nullable().describe('Name of the brand that the story is about'),
  source: SourceRef,
  other_outlets: z.int().nonnegative().describe('Other publishers that reported it'),
  published_at: Instant,
});
export type BriefItem = z.infer<typeof BriefItem>;

export const Brief = z.object({
  date: IstDay.describe('IST day of the brief'),
  label: z.string(),
  window_hours: z.int().min(1).max(72),
  filters: z.object({ brands: z.array(StoredBrandSlug), themes: z.array(z.string()) }),
  items: z
    .array(BriefItem)
    .max(BRIEF_ITEMS)
    .describe('Ranked: by outlets, then by salience, then by how many follow its brands, then the newest'),
});
export type Brief = z.infer<typeof Brief>;

/** What a brief is about: all of the record, or the brands and themes that the account follows on that day. */
const BRIEF_SCOPES = ['everything', 'followed'] as const;
export const BriefScope = z.enum(BRIEF_SCOPES);
export type BriefScope = z.infer<typeof BriefScope>;

export const BriefMailEvents = {
  BriefSubscribed: {
    1: z.object({
      account_id: AccountId,
      /** As the issuer vouches for it. */
      email: z.email(),
      scope: BriefScope,
      /** Ends the subscription without sign-in: every mail contains it, and it allows nothing else. */
      token: z.string().min(20),
    }),
  },
  BriefUnsubscribed: {
    1: z.object({
      account_id: AccountId,
      /** On a page, by the mail program (RFC 8058), or because the account was erased. */
      by: z.enum(['page', 'one_click', 'erasure']),
    }),
  },
} as const;

export const BRIEF_MAIL_PREFIX = 'briefmail-';
export const briefMailStream = (account: AccountId): string => `${BRIEF_MAIL_PREFIX}${account}`;
