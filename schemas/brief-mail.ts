/** Who has the morning brief mailed. Stream `briefmail-<account>`. */
import { z } from 'zod';
import { AccountId } from './access.ts';

/** What a brief is about: all of the record, or the brands and themes that the account follows on that day. */
export const BRIEF_SCOPES = ['everything', 'followed'] as const;
export const BriefScope = z.enum(BRIEF_SCOPES);
export type BriefScope = z.infer<typeof BriefScope>;

export const BriefMailEvents = {
  BriefSubscribed: {
    1: z.object({
      account_id: AccountId,
      /** As the issuer vouches for it. */
      email: z.email(),
      scope: BriefScope,
      /** Ends the subscription without signing in: it stands in every mail, and gives no more than that. */
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
export const briefMailStream = (account: string): string => `${BRIEF_MAIL_PREFIX}${account}`;
