/**
 * The window: recent signals in memory, found by item, address, rare words, figures and brand. It is a fold of the
 * `signal-` events; folding an event twice changes nothing. Memory is bounded by a number of signals, the oldest
 * leaving first, and the cost of a look does not grow with what it holds.
 */
import type { KnownEvent } from '../../schemas/events.ts';
import type { Report } from '../../schemas/signal.ts';
import { type Features, featuresOf, textFeaturesOf, understoodFeaturesOf, understoodIn } from './features.ts';
import { BUCKET_DAYS, farKeys, mix, nearKeys } from './keys.ts';
import { beginSearch, type Counted } from './likeliest.ts';
import { type NearSignal, RESURFACED_DAYS } from './match.ts';
import { noParents, type ParentOf } from './parents.ts';
import { postings } from './postings.ts';

/** Signals kept: well over 300 a day for 180 days. */
export const WINDOW_SIGNALS = 60_000;
/** Tellings kept per signal: the first ones are enough to know it by. */
const TELLINGS = 4;
const CANDIDATES = 24;
const PER_KEY = 24;
const PER_FAR_KEY = 8;
const DAY = 86_400_000;

interface Entry extends Counted {
  readonly id: string;
  readonly day: number;
  readonly resurfaced: boolean;
  readonly tellings: Features[];
  /** What it is known by: items and addresses. */
  readonly names: string[];
  /** Position of its first event; the lower one of two is the older. */
  readonly order: bigint;
  /** Position of the last telling that somebody else wrote, -1 for none; positions of both stores fit a double. */
  toldByOthers: number;
}

export interface Window {
  /**
   * Takes in an event of a signal stream.
   * @param position its place among all events, by which the older is told
   * @param told the features of the story that it came of, for an event that this matcher wrote of one
   */
  fold(event: KnownEvent, position: bigint, told?: Features): void;
  /** The signal that holds this item already, by source and key, else by address. */
  ofItem(item: { source_id: string; item_key: string; url: string }): string | null;
  /**
   * Signals that may tell the same event, at most two dozen, the likeliest first.
   * @param since only those that others told of behind this position
   */
  near(features: Features, since?: number): NearSignal[];
  /** The older of two signals: by their days when they lie far apart, else by the order of their detection. */
  older(a: string, b: string): string;
  /** What a signal was merged into, over several steps; itself when it was not. */
  resolve(id: string): string;
  has(id: string): boolean;
  /** Ids of the signals that were detected last, the newest last. */
  newest(most: number): string[];
  /** A signal by its id, null when the window does not hold it. */
  get(id: string): NearSignal | null;
  readonly size: number;
}

const nameOf = (item: { source_id: string; item_key: string }): string => `${item.source_id}\n${item.item_key}`;

/** Makes an empty window of at most `capacity` signals. */
export function openWindow(capacity: number = WINDOW_SIGNALS, parentOf: ParentOf = noParents): Window {
  const entries = new Map<string, Entry>();
  const merged = new Map<string, string>();
  const names = new Map<string, string>();
  const near = postings<Entry>();
  const far = postings<Entry>();
  let searches = 0;

  const resolve = (id: string): string => {
    let last = id;
    for (let step = 0; step < 32; step++) {
      const next = merged.get(last);
      if (next === undefined) break;
      last = next;
    }
    return last;
  };
  const bucketOf = (day: number): number => Math.floor(day / BUCKET_DAYS);

  function tell(entry: Entry, features: Features): void {
    if (features.digest && entry.tellings.length > 0) return;
    entry.tellings.push(features);
    for (const { id } of nearKeys(features)) near.add(mix(id, bucketOf(entry.day)), entry);
    for (const key of farKeys(features)) far.add(key, entry);
  }

  function name(entry: Entry, report: Report): void {
    for (const known of [nameOf(report), report.url]) {
      names.set(known, entry.id);
      entry.names.push(known);
    }
  }

  function forget(entry: Entry): void {
    entries.delete(entry.id);
    merged.delete(entry.id);
    for (const known of entry.names) if (names.get(known) === entry.id) names.delete(known);
    for (const features of entry.tellings) {
      for (const { id } of nearKeys(features)) near.remove(mix(id, bucketOf(entry.day)), entry);
      for (const key of farKeys(features)) far.remove(key, entry);
    }
  }

  function detected(data: KnownEvent<'SignalDetected'>['data'], position: bigint, told?: Features): void {
    if (entries.has(data.signal_id)) return;
    const entry: Entry = {
      id: data.signal_id,
      day: Date.parse(data.published_at) / DAY,
      resurfaced: data.status === 'resurfaced',
      tellings: [],
      names: [],
      order: position,
      toldByOthers: told ? -1 : Number(position),
      search: 0,
      weight: 0,
    };
    entries.set(entry.id, entry);
    name(entry, data.report);
    tell(entry, told ?? featuresOf(data.report, data.understanding, parentOf));
    const oldest = entries.size > capacity ? entries.values().next().value : undefined;
    if (oldest) forget(oldest);
  }

  function reported(data: KnownEvent<'SignalReported'>['data'], position: bigint, told?: Features): void {
    const entry = entries.get(data.signal_id);
    if (!entry || names.get(nameOf(data.report)) === entry.id) return;
    name(entry, data.report);
    if (entry.tellings.length >= TELLINGS) return;
    // A report is stored without what was understood of it: brands and places are those of the signal it joined.
    const first = entry.tellings[0] ?? understoodFeaturesOf(null);
    tell(entry, { ...(told ?? textFeaturesOf(data.report)), ...understoodIn(first) });
    if (!told) entry.toldByOthers = Number(position);
  }

  return {
    fold(event, position, told) {
      if (event.type === 'SignalDetected') detected(event.data, position, told);
      else if (event.type === 'SignalReported') reported(event.data, position, told);
      else if (
        event.type === 'SignalMerged' &&
        event.data.into !== event.data.signal_id &&
        entries.has(event.data.signal_id)
      )
        merged.set(event.data.signal_id, event.data.into);
    },
    ofItem(item) {
      const id = names.get(nameOf(item)) ?? names.get(item.url);
      return id === undefined ? null : resolve(id);
    },
    near(features, since = -2) {
      const search = beginSearch<Entry>(++searches);
      const meet = (entry: Entry, weight: number): void => {
        if (entry.toldByOthers > since) search.meet(entry, weight);
      };
      const bucket = bucketOf(features.day);
      for (const { id, weight } of nearKeys(features))
        for (const neighbour of [bucket, bucket - 1, bucket + 1])
          near.newest(mix(id, neighbour), PER_KEY, (entry) => meet(entry, weight));
      for (const key of farKeys(features)) far.newest(key, PER_FAR_KEY, (entry) => meet(entry, 1));
      return search.likeliest(CANDIDATES, ({ id }) => !merged.has(id));
    },
    older(a, b) {
      const [one, other] = [entries.get(a), entries.get(b)];
      if (!one || !other) return one ? a : b;
      if (Math.abs(one.day - other.day) > RESURFACED_DAYS) return one.day < other.day ? a : b;
      return one.order <= other.order ? a : b;
    },
    resolve,
    has: (id) => entries.has(id),
    newest: (most) => [...entries.keys()].slice(-most),
    get: (id) => entries.get(id) ?? null,
    get size() {
      return entries.size;
    },
  };
}
