/**
 * One poll of one source: fetch, read, compare, complete items without a date or a summary from their articles. And
 * what its responses mean for the roster: a permanent redirect that lasts is adopted, a source that is gone
 * permanently is retired. Polls are counted in the poll state, so the count survives a restart and a change of the
 * poller.
 */
import { DAY } from '../../language/days.ts';
import type { EventStore } from '../../log/event-store.ts';
import { type KnownEvent, newEvent } from '../../schemas/events.ts';
import type { AddressChange, ArrivalPattern, Poll, PollingHints, WaitingArticle } from '../../schemas/poll.ts';
import { eventId } from '../../schemas/scalar.ts';
import { type Source, sourceStream } from '../../schemas/source.ts';
import { completeItems, type Fetched, type Fetching, fetchEntries } from './fetch-entries.ts';
import { isSameSite } from './normalise/read-items.ts';
import { PollError, parseFreshSeconds } from './poll-error.ts';
import { compareWithListed, type Finding, NEVER_POLLED, type PollState } from './poll-state.ts';
import { sharedPageReader } from './read/page-reader.ts';
import { PARTLY_READ } from './read/read-feed.ts';
import type { JobResult } from './read/reading-jobs.ts';
import { countPollsToday, learnCadence, learnFromPoll, nextPollAt } from './schedule/cadence.ts';

export interface PollResult {
  /** Items to publish first. */
  readonly items: readonly KnownEvent<'ItemFound'>[];
  /** The event to publish after them. */
  readonly poll: KnownEvent<'PollCompleted'>;
  /** The state of the source after the poll. */
  readonly state: PollState;
  /** The error of a poll that failed by a defect of the program; it is logged. */
  readonly defect?: unknown;
}

export interface PollContext extends Fetching {
  readonly clock: () => Date;
  /** From 0 up to 1, for jitter. */
  readonly random: () => number;
  /** Publishes items that are complete before articles are fetched for others; by default all are in the result. */
  readonly publishItems?: (items: readonly KnownEvent<'ItemFound'>[]) => Promise<void>;
}

/**
 * Polls a source.
 * @param state null for a source that was never polled
 * @throws only the signal's reason; every other failure is reported by the poll
 */
export async function pollSource(source: Source, state: PollState | null, context: PollContext): Promise<PollResult> {
  const started = context.clock();
  const before = state ?? NEVER_POLLED;
  const attempt = { source, before, context, started };
  try {
    const fetched = await fetchEntries(source, before, context, started);
    const { reader = sharedPageReader(), signal } = context;
    const { entries, url: base } = fetched;
    const read =
      entries.length > 0
        ? await reader.run('readItems', { entries, base, now: started }, signal)
        : { items: [], refused: 0 };
    return await handleEntries(attempt, fetched, read);
  } catch (error) {
    if (context.signal.aborted) throw error;
    const result = handleFailure(attempt, error);
    return error instanceof PollError ? result : { ...result, defect: error };
  }
}

/** One poll: of which source, in which state it was before, and when it began. */
interface Attempt {
  readonly source: Source;
  readonly before: PollState;
  readonly context: PollContext;
  readonly started: Date;
}

const allRefused = (refused: number, status: number): PollError => {
  const message = `all ${refused} entries were refused, none has both a title and a web address; sources test shows the reason for each`;
  return new PollError('all_refused', message, { status });
};

/** Publishes items before articles are fetched for others; undefined where all are in the result. */
function publisherOf({ source, context: { publishItems }, started }: Attempt) {
  if (!publishItems) return undefined;
  return (findings: readonly Finding[]): Promise<void> =>
    publishItems(findings.map((finding) => createItemFound(source, finding, pollOf(source, started))));
}

type ReadItems = JobResult<'readItems'>['items'];

/** Learns when a source publishes: from all that its first poll lists, then from what is added. */
const learnFromEntries = ({ source, before, started }: Attempt, items: ReadItems, added: ReadItems) =>
  learnFromPoll({
    before,
    started,
    first: before.listed === null,
    fixed: source.cadence_seconds,
    published: (before.arrival_pattern ? added : items).map(({ published_at }) => published_at),
    news: added.length,
    listed: items.length,
  });

/** When a source that was read is due again. */
const nextAfter = (
  { source, before, context, started }: Attempt,
  fetched: Fetched,
  cadenceSeconds: number,
  hints: PollingHints | null,
): string =>
  nextPollAt({
    now: context.clock(),
    cadenceSeconds,
    fixed: source.cadence_seconds !== undefined,
    failures: 0,
    retryAt: null,
    freshSeconds: parseFreshSeconds(fetched.headers, started),
    hints,
    crawlDelaySeconds: fetched.crawlDelaySeconds,
    jitter: before.listed === null ? 0 : context.random(),
  }).toISOString();

async function handleEntries(
  attempt: Attempt,
  fetched: Fetched,
  { items, refused }: JobResult<'readItems'>,
): Promise<PollResult> {
  const { source, before, context, started } = attempt;
  if (items.length === 0 && refused > 0)
    return handleFailure(attempt, allRefused(refused, fetched.status), { refused, bytes: fetched.bytes });
  const compared = fetched.unchanged
    ? { findings: [], listed: before.listed ?? {}, adopted: false, restated: 0 }
    : compareWithListed(items, before.listed, source.backlog_days, started, source.kind === 'html');
  const completing = { ...context, publish: publisherOf(attempt) };
  const completed = await completeItems(source, before, compared, started, completing);
  const { findings, listed, waiting, postponed } = completed;
  const edited = findings.filter((finding) => finding.before !== null).length;
  const news = findings.length - edited;
  const newest = items.map(({ published_at }) => published_at?.getTime() ?? 0).reduce((a, b) => Math.max(a, b), 0);
  const first = before.listed === null;
  // When the source lists something new, not when its article was read.
  const added = compared.findings
    .filter(({ before: earlier, item }) => earlier === null && !postponed.has(item.item_key))
    .map(({ item }) => item);
  const { pattern, pollsToday, cadence } = learnFromEntries(attempt, items, added);
  const hints = fetched.head?.polling ?? before.polling_hints ?? null;
  // What was postponed is read again, even if the page does not change.
  const { etag, lastModified, validatorsUrl } =
    postponed.size > 0 ? { etag: null, lastModified: null, validatorsUrl: null } : fetched;
  return createResult(
    attempt,
    completed.unpublished,
    {
      outcome: findings.length > 0 ? 'changed' : 'unchanged',
      http_status: fetched.status,
      items_found: items.length,
      items_new: news,
      items_edited: edited,
      items_refused: refused,
      ...(compared.restated > 0 ? { items_restated: compared.restated } : {}),
      bytes: fetched.bytes,
      newest_item_at: newest > 0 ? new Date(newest).toISOString() : null,
      etag,
      last_modified: lastModified,
      validators_url: validatorsUrl,
      error: fetched.reading?.isCutOff ? { code: 'too_complex', message: PARTLY_READ } : null,
      cadence_seconds: cadence,
      // Null: the poll did not change the memory.
      listed: first || findings.length > 0 || completed.isQueueChanged || compared.adopted ? { ...listed } : null,
      ...(completed.isQueueChanged ? { waiting: [...waiting] } : {}),
      articles_read: completed.read,
      articles_failed: completed.failed,
      next_poll_at: nextAfter(attempt, fetched, cadence, hints),
      arrival_pattern: pattern === (before.arrival_pattern ?? null) ? null : pattern,
      polling_hints: fetched.head?.polling ?? null,
      polls_today: pollsToday,
    },
    { movedTo: fetched.movedTo, listed, waiting, pattern, hints },
  );
}

function handleFailure(attempt: Attempt, thrown: unknown, read = { refused: 0, bytes: 0 }): PollResult {
  const { source, before, context, started } = attempt;
  const error = thrown instanceof PollError ? thrown : new PollError('failed', String(thrown));
  const pattern = before.arrival_pattern ?? null;
  const hints = before.polling_hints ?? null;
  const polls_today = countPollsToday(before, started);
  const cadence = learnCadence(source.cadence_seconds, pattern, started, polls_today);
  return createResult(
    attempt,
    [],
    {
      outcome: 'failed',
      http_status: error.status,
      items_found: 0,
      items_new: 0,
      items_edited: 0,
      items_refused: read.refused,
      bytes: read.bytes,
      newest_item_at: null,
      etag: before.etag,
      last_modified: before.last_modified,
      validators_url: before.validators_url ?? null,
      error: { code: error.code, message: error.message.slice(0, 500) },
      cadence_seconds: cadence,
      listed: null,
      next_poll_at: nextPollAt({
        now: context.clock(),
        cadenceSeconds: cadence,
        fixed: source.cadence_seconds !== undefined,
        failures: (before.consecutive_failures ?? 0) + 1,
        retryAt: error.retryAt,
        freshSeconds: 0,
        hints,
        jitter: context.random(),
      }).toISOString(),
      polls_today,
    },
    { movedTo: null, listed: before.listed, waiting: before.waiting ?? [], pattern, hints },
  );
}

function createResult(
  { source, before, context, started }: Attempt,
  findings: readonly Finding[],
  fields: Omit<Poll, 'source_id' | 'started_at' | 'duration_ms' | 'address_change'>,
  {
    movedTo,
    listed,
    waiting,
    pattern,
    hints,
  }: {
    movedTo: string | null;
    listed: PollState['listed'];
    waiting: readonly WaitingArticle[];
    pattern: ArrivalPattern | null;
    hints: PollingHints | null;
  },
): PollResult {
  const { time, poll: id } = pollOf(source, started);
  const duration = Math.max(0, Math.round(context.clock().getTime() - started.getTime()));
  const response = { movedTo, errorCode: fields.error?.code ?? null };
  const address_change = nextAddressChange(source.url, before.address_change ?? null, response, time);
  return {
    items: findings.map((finding) => createItemFound(source, finding, { time, poll: id })),
    poll: newEvent(
      'PollCompleted',
      { source_id: source.id, started_at: time, duration_ms: duration, ...fields, address_change },
      { id, time },
    ),
    state: {
      etag: fields.etag,
      last_modified: fields.last_modified,
      validators_url: fields.validators_url ?? null,
      listed,
      next_poll_at: fields.next_poll_at,
      cadence_seconds: fields.cadence_seconds,
      consecutive_failures: fields.error ? (before.consecutive_failures ?? 0) + 1 : 0,
      address_change,
      waiting,
      last_polled_at: time,
      polls_today: fields.polls_today ?? 1,
      last_success_at: fields.error ? (before.last_success_at ?? null) : time,
      arrival_pattern: pattern,
      polling_hints: hints,
    },
  };
}

const pollOf = (source: Source, started: Date): { time: string; poll: string } => {
  const time = started.toISOString();
  return { time, poll: eventId('poll', source.id, time) };
};

/**
 * The event of an item. Its id depends on what was found alone, not on when, so a poll that is repeated after a kill
 * finds the same events; an edit also has what it replaced and, from the second on, its number: reverted or
 * repeated, it is one more edit.
 */
function createItemFound(
  source: Source,
  { item, firstSeen, before, edits }: Finding,
  poll: { time: string; poll: string },
): KnownEvent<'ItemFound'> {
  const edit = before === null ? [] : edits > 1 ? [before, edits] : [before];
  return newEvent(
    'ItemFound',
    {
      source_id: source.id,
      outlet: source.outlet,
      role: source.role,
      authority: source.authority,
      item_key: item.item_key,
      url: item.url,
      title: item.title,
      summary: item.summary,
      published_at: item.published_at?.toISOString() ?? null,
      first_seen_at: firstSeen.toISOString(),
      fingerprint: item.fingerprint,
      language: source.language,
      edits,
      on_own_site: isSameSite(item.url, source.url),
    },
    {
      id: eventId('item', source.id, item.item_key, item.fingerprint, ...edit),
      time: poll.time,
      correlation_id: poll.poll,
    },
  );
}

const AUTHOR = 'poller';
/** A redirect is permanent after so many consecutive polls over at least a day. */
const POLLS_OF_MOVE = 3;
/** Consecutive responses of 410 after which a source counts as gone. */
const POLLS_OF_GONE = 3;
/** A longer address is followed, but not adopted: it would be stored with every poll. */
const MAX_ADDRESS_LENGTH = 2_000;

/**
 * Counts what a response means for the address of its source.
 * @param url the address that was polled
 * @param before what the polls before said
 * @param response `movedTo` is the address that permanent redirects led to, `errorCode` that of a failed poll
 * @param at the beginning of the poll
 * @returns null where the address is good
 */
export function nextAddressChange(
  url: string,
  before: AddressChange | null,
  response: { readonly movedTo: string | null; readonly errorCode: string | null },
  at: string,
): AddressChange | null {
  const gone = response.errorCode === 'gone';
  // Any other failure means nothing for the address.
  if (response.errorCode !== null && !gone) return before;
  const to =
    gone || response.movedTo === url || (response.movedTo?.length ?? 0) > MAX_ADDRESS_LENGTH ? null : response.movedTo;
  if (!gone && to === null) return null;
  const kind = gone ? 'gone' : 'moved';
  return before?.kind === kind && before.to === to
    ? { ...before, polls: before.polls + 1 }
    : { kind, to, since: at, polls: 1 };
}

/**
 * Stores a change of the address in the roster once it has lasted.
 * @returns a function that handles a poll; it is idempotent
 */
export const adoptAddressChanges =
  (store: Pick<EventStore, 'append'>) =>
  async (source: Source, { poll }: PollResult): Promise<void> => {
    const { address_change: change, started_at: time } = poll.data;
    if (!change) return;
    const { kind, to, since, polls } = change;
    const event = { id: eventId('source', source.id, source.url, to ?? kind, since), time };
    if (kind === 'gone' && poll.data.error?.code === 'gone' && polls >= POLLS_OF_GONE) {
      const why = `its server answered 410 Gone ${polls} times in a row`;
      const retired = newEvent('SourceRetired', { source_id: source.id, by: AUTHOR, why }, event);
      await store.append(sourceStream(source.id), [retired], 'any');
    } else if (to !== null && polls >= POLLS_OF_MOVE && Date.parse(time) - Date.parse(since) >= DAY) {
      const why = `a permanent redirect that lasted ${polls} polls`;
      const moved = { source_id: source.id, from: source.url, to, by: AUTHOR, why };
      await store.append(sourceStream(source.id), [newEvent('SourceMoved', moved, event)], 'any');
    }
  };
