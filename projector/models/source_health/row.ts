/** One source: its entry of the roster, and how its polls go. */
import type { Poll } from '../../../schemas/poll.ts';
import type { Source } from '../../../schemas/source.ts';

export interface SourceHealthRow {
  /** Null before its roster entry is known: polls and roster arrive by different ways, in any order. */
  readonly source: Source | null;
  readonly retired: boolean;
  readonly polls: PollHistory | null;
}

export interface PollHistory {
  readonly last_polled_at: string;
  readonly last_success_at: string | null;
  /** The newest item's own date, or when it was found where its outlet gives none. */
  readonly last_item_at: string | null;
  readonly consecutive_failures: number;
  readonly last_error: string | null;
  readonly cadence_seconds: number;
  readonly next_poll_at: string;
  /** For the next conditional GET. */
  readonly etag: string | null;
  readonly last_modified: string | null;
  readonly listed: Poll['listed'];
  readonly address_change: NonNullable<Poll['address_change']> | null;
  readonly polls_today: number;
  readonly arrival_pattern: NonNullable<Poll['arrival_pattern']> | null;
  readonly polling_hints: NonNullable<Poll['polling_hints']> | null;
  readonly waiting: NonNullable<Poll['waiting']>;
  /** Running mean of the seconds between new items; null before two of them. */
  readonly usual_gap_seconds: number | null;
  /** The last polls, oldest first; missing in rows of older versions. */
  readonly recent?: readonly RecentPoll[];
  /** New items, polls and failures by hour, oldest first, 14 days. */
  readonly hours: readonly HourOfPolls[];
}

/** What is kept of a single poll; see `Poll`. */
export type RecentPoll = Pick<
  Poll,
  | 'started_at'
  | 'duration_ms'
  | 'trigger'
  | 'outcome'
  | 'http_status'
  | 'items_found'
  | 'items_new'
  | 'items_edited'
  | 'items_refused'
  | 'bytes'
  | 'next_poll_at'
> & {
  /** `code: message`, null when it succeeded. */
  readonly error: string | null;
};

export interface HourOfPolls {
  /** Beginning of the hour in UTC, `2026-11-21T04:00:00Z`. */
  readonly hour: string;
  readonly items: number;
  readonly polls: number;
  readonly failures: number;
}
