/**
 * The pure part of `clarity understand --stream`: items in order of time through understanding and matching, in
 * memory. The event store that it writes to takes appends into memory alone, so that what would be written can also be
 * counted without writing it.
 */
import { pino } from 'pino';
import type { ItemText } from '../facts/text/item-reading.ts';
import { type EventStore, RevisionConflict, type StoredEvent, withAppend } from '../log/event-store.ts';
import { type Event, type KnownEvent, newEvent, readEvent } from '../schemas/events.ts';
import type { ItemKey } from '../schemas/poll.ts';
import { eventId, fingerprint, type SignalId, slugify } from '../schemas/scalar.ts';
import type { SourceId } from '../schemas/source.ts';
import { handleStory } from './match/handle-story.ts';
import { parentsIn } from './match/report-features.ts';
import { Tracker } from './match/signal-tracker.ts';
import type { Verdict } from './understand/understand-item.ts';
import {
  formatVerdict,
  itemTextOf,
  type LineError,
  readLine,
  storyOf,
  type Understander,
  type UnderstandLine,
} from './understand/understander.ts';

/** Beyond any place of the real store, and still a whole number as a double. */
const FAR = 2n ** 52n;

/** @param store is only read */
export function dryStore(store: EventStore): EventStore {
  const added = new Map<string, Event[]>();
  let position = FAR;
  const read = async (stream: string): Promise<StoredEvent[]> => {
    const stored = await store.read(stream);
    const more = added.get(stream) ?? [];
    return [
      ...stored,
      ...more.map((event, index) => ({ ...event, stream, revision: stored.length + index, position: FAR })),
    ];
  };
  const reading = withAppend(store, async (stream, events, expected) => {
    const there = await read(stream);
    const ids = new Set(there.map(({ id }) => id));
    const fresh = events.filter(({ id }) => !ids.has(id));
    const last = there.length - 1;
    if (fresh.length > 0) {
      if (expected !== 'any' && (expected === 'none' ? -1 : expected) !== last)
        throw new RevisionConflict(stream, expected, last);
      added.set(stream, [...(added.get(stream) ?? []), ...fresh]);
      position += BigInt(fresh.length);
    }
    return { revision: last + fresh.length, position, stored: fresh.map(({ id }) => id) };
  });
  return {
    ...reading,
    read: async (stream, fromRevision = 0) => (await read(stream)).filter(({ revision }) => revision >= fromRevision),
  };
}

/** A store without events. */
const EMPTY: Omit<EventStore, 'append'> = {
  read: async () => [],
  readAll: async ({ after }) => ({ events: [], position: after }),
  subscribe: async function* () {},
  head: async () => 0n,
  has: async () => true,
  close: async () => undefined,
};

/** A store in memory that begins empty, for one writer: its events are read by stream only. */
export const emptyStore = (): EventStore =>
  dryStore({ ...EMPTY, append: () => Promise.reject(new Error('an empty store takes no events')) });

/** A store that reports every event that an append stored. */
export const observedStore = (store: EventStore, onStored: (event: Event) => void): EventStore =>
  withAppend(store, async (stream, events, expected) => {
    const done = await store.append(stream, events, expected);
    for (const event of events) if (done.stored.includes(event.id)) onStored(event);
    return done;
  });

/** An item of a stream; `published_at` counts as the time at which it was first seen. */
export interface StreamItem extends ItemText {
  readonly key: string;
  readonly published_at: string;
}

/** What became of an item. */
export interface StreamedItem {
  readonly key: string;
  readonly verdict: Verdict;
  /** The signal that contains it when the stream ends; null for an item that was not matched, as noise is not. */
  readonly signal: SignalId | null;
  /** How it got there: it was the first report, joined by a score, or resurfaced. */
  readonly matched: {
    readonly as: 'new' | 'same' | 'resurfaced';
    readonly score: number | null;
    readonly reasons: readonly string[];
    /** The earlier signal that it takes a step further. */
    readonly follows: SignalId | null;
  } | null;
}

export interface StreamOptions {
  /** Adds the reasons of every field to the verdicts. */
  readonly explain?: boolean;
  /** Matches noise too: matching is measured apart from relevance. */
  readonly all?: boolean;
  readonly onProgress?: (done: number, total: number) => void;
  /** Receives every event that matching stores, in order. */
  readonly onEvent?: (event: KnownEvent) => void;
}

/** An item of a stream as a poll would find it. Each outlet is one source. */
export function foundItem(item: StreamItem): KnownEvent<'ItemFound'> {
  const time = new Date(item.published_at).toISOString();
  return newEvent(
    'ItemFound',
    {
      source_id: slugify(item.outlet || 'stream') as SourceId,
      outlet: item.outlet || 'stream',
      role: 'news',
      authority: 0.5,
      item_key: item.key as ItemKey,
      url: item.url || `http://stream.example/${encodeURIComponent(item.key)}`,
      title: item.title,
      summary: item.summary,
      published_at: time,
      first_seen_at: time,
      fingerprint: fingerprint(item.title, item.summary, time),
      language: 'en',
    },
    { id: eventId('stream', item.outlet, item.key), time },
  );
}

/** How the event that an item's story caused puts it into a signal; null for an event that does not. */
function matchedBy(event: ReturnType<typeof readEvent>): StreamedItem['matched'] {
  if (event.type === 'SignalDetected') {
    const { status, follows } = event.data;
    return { as: status === 'resurfaced' ? 'resurfaced' : 'new', score: null, reasons: [], follows };
  }
  if (event.type !== 'SignalReported') return null;
  const { match, resurfaced } = event.data;
  return { as: resurfaced ? 'resurfaced' : 'same', score: match.score, reasons: match.reasons, follows: null };
}

/**
 * Understands and matches items one after the other, by the decisions of the service, on an event store in memory.
 * @param items in order of time
 * @returns one entry per item, in the same order, with the signals after all merges
 */
export async function streamItems(
  items: readonly StreamItem[],
  understander: Understander,
  { explain = false, all = false, onProgress = () => {}, onEvent = () => {} }: StreamOptions = {},
): Promise<StreamedItem[]> {
  let now = new Date(0);
  let matched: StreamedItem['matched'] = null;
  const store = observedStore(emptyStore(), (stored) => {
    const event = readEvent(stored);
    matched ??= matchedBy(event);
    onEvent(event);
  });
  const tracker = new Tracker(store, pino({ level: 'silent' }), {
    parentOf: parentsIn(understander.catalogue),
    clock: () => now,
  });
  const streamed: StreamedItem[] = [];
  for (const item of items) {
    const verdict = await understander.understand(item, { explain });
    let signal: SignalId | null = null;
    matched = null;
    if (verdict.relevant || all) {
      const event = foundItem(item);
      now = new Date(event.time);
      signal = await handleStory(tracker, store, storyOf(event, verdict, understander));
    }
    streamed.push({ key: item.key, verdict, signal, matched });
    onProgress(streamed.length, items.length);
  }
  return streamed.map((one) => ({ ...one, signal: one.signal && tracker.window.resolve(one.signal) }));
}

/** A line as an item of the stream, or why it is none. */
function asStreamItem(line: UnderstandLine): StreamItem | LineError {
  const { date } = line;
  if (!date || !Number.isFinite(Date.parse(date)))
    return { field: 'date', message: 'a date such as 2026-07-08 is needed: the stream is in order of time' };
  return { ...itemTextOf(line), key: line.key, published_at: date };
}

/**
 * Runs JSON lines through understanding and matching.
 * @param input lines as `understandLines` reads them, each with a date, in order of time; empty lines are skipped
 * @param options `explain` adds the reasons of every field
 * @returns when all lines are read, one JSON line per input line: the verdict with `signal` and `matched`, or
 *   `{line, error: {field, message}}`
 */
export async function* streamLines(
  input: AsyncIterable<string>,
  understander: Understander,
  options: StreamOptions = {},
): AsyncIterable<string> {
  const items: StreamItem[] = [];
  const answers: (StreamItem | { line: number; error: LineError })[] = [];
  let line = 0;
  for await (const text of input) {
    line++;
    if (!text.trim()) continue;
    const read = readLine(text);
    const item = 'field' in read ? read : asStreamItem(read);
    if ('field' in item) answers.push({ line, error: item });
    else {
      items.push(item);
      answers.push(item);
    }
  }
  const streamed = (await streamItems(items, understander, options))[Symbol.iterator]();
  for (const answer of answers) {
    if ('error' in answer) yield JSON.stringify(answer);
    else {
      const { key, verdict, signal, matched } = streamed.next().value as StreamedItem;
      yield JSON.stringify({ ...formatVerdict(key, verdict, options.explain ?? false), signal, matched });
    }
  }
}
