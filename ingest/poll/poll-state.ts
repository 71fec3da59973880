import type { AddressChange, ArrivalPattern, PollingHints, WaitingArticle } from '../../schemas/poll.ts';

/** What a poller remembers of a source between polls; after a restart it comes from the last poll that was projected. */
export interface PollState {
  readonly etag: string | null;
  readonly last_modified: string | null;
  /** What the source listed: see `listed.ts`. Null before the first poll that succeeded. */
  readonly listed: Readonly<Record<string, string>> | null;
  readonly next_poll_at: string | null;
  readonly cadence_seconds?: number | null;
  readonly consecutive_failures?: number;
  /** A permanent redirect or a 410 that has not lasted long enough yet to be adopted. */
  readonly address_change?: AddressChange | null;
  readonly last_polled_at?: string | null;
  readonly last_success_at?: string | null;
  /** Polls on the day of the last one in IST, up to it. */
  readonly polls_today?: number;
  /** When the source's items arrive; null or unset before the first poll that learnt it. */
  readonly arrival_pattern?: ArrivalPattern | null;
  /** What the feed says about how often it may be read. */
  readonly polling_hints?: PollingHints | null;
  /** Items that are completed from their articles: see `article-queue.ts`. */
  readonly waiting?: readonly WaitingArticle[];
}

export const NEVER_POLLED: PollState = {
  etag: null,
  last_modified: null,
  listed: null,
  next_poll_at: null,
  cadence_seconds: null,
  consecutive_failures: 0,
  address_change: null,
  last_polled_at: null,
  last_success_at: null,
  polls_today: 0,
  arrival_pattern: null,
  polling_hints: null,
  waiting: [],
};
