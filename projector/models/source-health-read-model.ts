/** Source health: the roster, and the history of each source's polls. */
import type { KnownEvent } from '../../schemas/events.ts';
import { POLLS, type Poll } from '../../schemas/poll.ts';
import { SOURCE_PREFIX, type Source } from '../../schemas/source.ts';
import { defineModel, type Model } from '../read-model.ts';

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
  readonly validators_url: string | null;
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

/** A single poll as the row stores it; see `Poll`. */
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
  | 'items_restated'
  | 'bytes'
  | 'next_poll_at'
> & {
  /** `code: message`, null when it succeeded. */
  readonly error: string | null;
};

/** Polls that must agree before a source counts as one that restates its items. */
const RESTATING_POLLS = 3;

/** Whether a source gave at least half of its items another id or date at each of its last polls, and no other word. */
export function restatesItems(recent: readonly RecentPoll[]): boolean {
  const read = recent.filter(({ items_found }) => items_found > 0).slice(-RESTATING_POLLS);
  return (
    read.length === RESTATING_POLLS &&
    read.every(({ items_found, items_restated = 0 }) => items_restated * 2 >= items_found)
  );
}

export interface HourOfPolls {
  /** Beginning of the hour in UTC, `2026-11-21T04:00:00Z`. */
  readonly hour: string;
  readonly items: number;
  readonly polls: number;
  readonly failures: number;
}

// Events of the roster and polls change different parts of the row: their order does not matter.

const SOURCE_TYPES = ['SourceAdded', 'SourceChanged', 'SourceMoved', 'SourceRetired', 'PollCompleted'] as const;

const KEPT_HOURS = 14 * 24;
const HOUR = 3_600_000;
/** How much the newest gap weighs in the running mean. */
const NEWEST = 0.2;

const NOTHING: SourceHealthRow = { source: null, retired: false, polls: null };

function sourceOf(event: KnownEvent): readonly string[] {
  switch (event.type) {
    case 'SourceAdded':
    case 'SourceChanged':
      return [event.data.source.id];
    case 'SourceMoved':
    case 'SourceRetired':
    case 'PollCompleted':
      return [event.data.source_id];
    default:
      return [];
  }
}

/** Applies an event to the row of its source. */
export function evolveSource(row: SourceHealthRow | null, event: KnownEvent): SourceHealthRow | null {
  const source = row ?? NOTHING;
  switch (event.type) {
    case 'SourceAdded':
    case 'SourceChanged':
      return { ...source, source: event.data.source, retired: false };
    case 'SourceMoved':
      if (!source.source) throw new Error(`SourceMoved of ${event.data.source_id}, which is not in the roster`);
      return { ...source, source: { ...source.source, url: event.data.to } };
    case 'SourceRetired':
      return { ...source, retired: true };
    case 'PollCompleted':
      return { ...source, polls: polled(source.polls, event.data) };
    default:
      return row;
  }
}

/** A poll that arrives late changes the counts of its hour and the list of the last polls, and nothing else. */
function polled(before: PollHistory | null, poll: Poll): PollHistory {
  const hours = withPoll(before?.hours ?? [], poll);
  const recent = withRecent(before?.recent ?? [], poll);
  if (before && poll.started_at < before.last_polled_at) return { ...before, hours, recent };
  const failed = poll.outcome === 'failed';
  const newest = poll.items_new > 0 ? newestItem(poll) : null;
  const last_item_at = later(before?.last_item_at ?? null, newest);
  return {
    last_polled_at: poll.started_at,
    last_success_at: failed ? (before?.last_success_at ?? null) : poll.started_at,
    last_item_at,
    consecutive_failures: failed ? (before?.consecutive_failures ?? 0) + 1 : 0,
    last_error: poll.error && `${poll.error.code}: ${poll.error.message}`,
    cadence_seconds: poll.cadence_seconds,
    next_poll_at: poll.next_poll_at,
    ...validatorsAfter(before, poll),
    listed: poll.listed ?? before?.listed ?? null,
    address_change: poll.address_change ?? null,
    polls_today: poll.polls_today ?? 0,
    arrival_pattern: poll.arrival_pattern ?? before?.arrival_pattern ?? null,
    polling_hints: poll.polling_hints ?? before?.polling_hints ?? null,
    waiting: poll.waiting ?? before?.waiting ?? [],
    usual_gap_seconds: usualGap(before, poll, last_item_at),
    hours,
    recent,
  };
}

/** What the next conditional request sends. A poll that names their address has all three, also after a 304 or a failure. */
function validatorsAfter(
  before: PollHistory | null,
  { outcome, etag, last_modified, validators_url }: Poll,
): Pick<PollHistory, 'etag' | 'last_modified' | 'validators_url'> {
  if (validators_url !== undefined || outcome === 'changed')
    return { etag, last_modified, validators_url: validators_url ?? null };
  return {
    etag: etag ?? before?.etag ?? null,
    last_modified: last_modified ?? before?.last_modified ?? null,
    validators_url: null,
  };
}

/** The newest item's own date, but no date from the future. */
const newestItem = (poll: Poll): string =>
  poll.newest_item_at && Date.parse(poll.newest_item_at) < Date.parse(poll.started_at)
    ? poll.newest_item_at
    : poll.started_at;

const later = (one: string | null, other: string | null): string | null =>
  one && other ? (Date.parse(one) >= Date.parse(other) ? one : other) : (one ?? other);

function usualGap(before: PollHistory | null, poll: Poll, last: string | null): number | null {
  const usualGap = before?.usual_gap_seconds ?? null;
  if (!before?.last_item_at || !last || last === before.last_item_at) return usualGap;
  const gap = (Date.parse(last) - Date.parse(before.last_item_at)) / 1000 / Math.max(1, poll.items_new);
  return usualGap === null ? gap : usualGap * (1 - NEWEST) + gap * NEWEST;
}

const KEPT_POLLS = 50;

function withRecent(recent: readonly RecentPoll[], poll: Poll): readonly RecentPoll[] {
  const { started_at, duration_ms, trigger, outcome, http_status, next_poll_at, bytes } = poll;
  const { items_found, items_new, items_edited, items_refused, items_restated, error } = poll;
  const one: RecentPoll = {
    started_at,
    duration_ms,
    outcome,
    http_status,
    next_poll_at,
    items_found,
    items_new,
    items_edited,
    items_refused,
    // What polls of older versions do not state is left out.
    ...(trigger ? { trigger } : {}),
    ...(bytes === undefined ? {} : { bytes }),
    ...(items_restated === undefined ? {} : { items_restated }),
    error: error && `${error.code}: ${error.message}`,
  };
  return [...recent.filter((other) => other.started_at !== started_at), one]
    .sort((a, b) => (a.started_at < b.started_at ? -1 : 1))
    .slice(-KEPT_POLLS);
}

function withPoll(hours: readonly HourOfPolls[], poll: Poll): readonly HourOfPolls[] {
  const hour = `${new Date(Math.floor(Date.parse(poll.started_at) / HOUR) * HOUR).toISOString().slice(0, 19)}Z`;
  const count = hours.find((one) => one.hour === hour) ?? { hour, items: 0, polls: 0, failures: 0 };
  const counted = {
    hour,
    items: count.items + poll.items_new,
    polls: count.polls + 1,
    failures: count.failures + (poll.outcome === 'failed' ? 1 : 0),
  };
  const all = [...hours.filter((one) => one.hour !== hour), counted].sort((a, b) => (a.hour < b.hour ? -1 : 1));
  const oldest = Date.parse(all.at(-1)?.hour ?? hour) - KEPT_HOURS * HOUR;
  return all.filter((one) => Date.parse(one.hour) > oldest);
}

/** The model of sources: follows their streams and the topic of polls. */
export function sourceHealthModel(): Model<SourceHealthRow> {
  return defineModel(import.meta.url, {
    name: 'source_health',
    types: SOURCE_TYPES,
    prefixes: [SOURCE_PREFIX],
    topics: [POLLS],
    keys: sourceOf,
    evolve: evolveSource,
    tables: [
      {
        name: 'sources',
        columns: [
          'listed',
          'outlet',
          'url',
          'kind',
          'paused',
          'cadence_seconds',
          'last_polled_at',
          'last_success_at',
          'last_item_at',
          'consecutive_failures',
          'last_error',
          'usual_gap_seconds',
          'hours',
        ],
        records: ({ source, retired, polls }) => [
          {
            listed: source !== null && !retired,
            outlet: source?.outlet ?? null,
            url: source?.url ?? null,
            kind: source?.kind ?? null,
            paused: source?.paused ?? false,
            cadence_seconds: polls?.cadence_seconds ?? source?.cadence_seconds ?? null,
            last_polled_at: polls?.last_polled_at ?? null,
            last_success_at: polls?.last_success_at ?? null,
            last_item_at: polls?.last_item_at ?? null,
            consecutive_failures: polls?.consecutive_failures ?? 0,
            last_error: polls?.last_error ?? null,
            usual_gap_seconds: polls?.usual_gap_seconds ?? null,
            hours: JSON.stringify(polls?.hours ?? []),
          },
        ],
      },
    ],
  });
}
