/**
 * The desk has, for any moment, what has happened and what every outlet lists. It keeps nothing but a cache. And what
 * really happened in the invented news, for tests that measure understanding and matching.
 */
import type { Move } from '../schemas/scalar.ts';
import {
  type AuthoredEvent,
  type AuthoredNoise,
  publishAuthored,
  publishNoise,
  readAuthoredEvents,
  readAuthoredNoise,
} from './authored-events.ts';
import { CYCLE_DAYS, currentCycle, DAY, HOUR, pick } from './calendar.ts';
import { LIVE_KEY, publishTick, tickAt, ticksBetween } from './live/live-desk.ts';
import { writeNoise } from './live/wording.ts';
import { OUTLETS } from './outlets.ts';
import { type Entry, entryAt, type Occurrence } from './publishing.ts';

// Columns, lists and digests that fill the cycle up to the share of noise that real outlets have.

const COLUMNS = 150;
const NEWS = OUTLETS.filter((outlet) => outlet.role === 'news').map((outlet) => outlet.id);

/** Creates the columns; the same ones each time. */
const createColumns = (): AuthoredNoise[] =>
  Array.from({ length: COLUMNS }, (_, number) => {
    const id = `column-${number}`;
    return writeNoise(number, pick(NEWS, 'column', number), id).map(({ outlet, headline, summary }) => ({
      id,
      kind: 'column',
      outlet,
      text: { headline, summary },
    }));
  }).flat();

/** Live items leave the feeds after so long. */
const LIVE_WINDOW = 2 * HOUR;
/** Maximum time between a live event and an item about it. */
const LIVE_DELAY = 10 * 60_000;
/** A reference feed lists only what is recent. */
const ORACLE_WINDOW = 7 * DAY;

export type ListedEntry = ReturnType<typeof entryAt>;

export interface Desk {
  /** Occurrences with their listed items: 120 days of authored news, two hours of live news. */
  published(now: Date): Occurrence[];
  /** What an outlet lists at a moment, newest first. */
  listed(outlet: string, now: Date): ListedEntry[];
  /** Finds an item that was published by a moment, whether it is still listed or not. */
  find(outlet: string, key: string, now: Date): { entry: ListedEntry; occurrence: Occurrence } | null;
}

/**
 * Creates the desk of the newsroom.
 * @param events instead of the authored ones
 * @param noise instead of the authored noise and the columns
 */
export function createDesk(
  events: readonly AuthoredEvent[] = readAuthoredEvents(),
  noise: readonly AuthoredNoise[] = [...readAuthoredNoise(), ...createColumns()],
): Desk {
  const known = new Map<string, Occurrence>();
  const remember = (key: string, make: () => Occurrence): Occurrence => {
    const found = known.get(key) ?? make();
    if (known.size > 10_000) known.clear();
    known.set(key, found);
    return found;
  };
  const makers = new Map<string, (cycle: number) => Occurrence>([
    ...events.map((event) => [event.id, (cycle: number) => publishAuthored(event, cycle)] as const),
    ...noise.map((item) => [item.id, (cycle: number) => publishNoise(item, cycle)] as const),
  ]);
  const authored = (id: string, cycle: number): Occurrence | null => {
    const make = makers.get(id);
    return make ? remember(`${id}-c${cycle}`, () => make(cycle)) : null;
  };
  const live = (tick: number): Occurrence => remember(`live-${tick}`, () => publishTick(tick));
  const recentLive = (now: Date): Occurrence[] =>
    ticksBetween(new Date(now.getTime() - LIVE_WINDOW - LIVE_DELAY), now).map(live);

  const isListed = (entry: Entry, now: Date): boolean => {
    const age = now.getTime() - entry.publishedAt.getTime();
    const window = entry.role === 'oracle' ? ORACLE_WINDOW : LIVE_KEY.test(entry.key) ? LIVE_WINDOW : CYCLE_DAYS * DAY;
    return age >= 0 && age < window;
  };

  const published = (now: Date): Occurrence[] => {
    const scheduled = [...events, ...noise].flatMap((item) => authored(item.id, currentCycle(item, now)) ?? []);
    return [...scheduled, ...recentLive(now)]
      .map((occurrence) => ({ ...occurrence, entries: occurrence.entries.filter((entry) => isListed(entry, now)) }))
      .filter(({ entries }) => entries.length > 0);
  };

  const findOccurrence = (key: string, now: Date): Occurrence | null => {
    const tick = LIVE_KEY.exec(key)?.[1];
    if (tick) return Number(tick) <= tickAt(now) ? live(Number(tick)) : null;
    const [, id = '', cycle = ''] = /^(.+)-c(\d{1,4})(?:-correction|-resurfaced)?$/.exec(key) ?? [];
    return id ? authored(id, Number(cycle)) : null;
  };

  return {
    published,
    listed: (outlet, now) =>
      published(now)
        .flatMap(({ entries }) => entries)
        .filter((entry) => entry.outlet === outlet)
        .map((entry) => entryAt(entry, now))
        .sort((a, b) => b.publishedAt.getTime() - a.publishedAt.getTime() || (a.key < b.key ? -1 : 1)),
    find: (outlet, key, now) => {
      const occurrence = findOccurrence(key, now);
      const entry = occurrence?.entries.find((one) => one.outlet === outlet && one.key === key);
      return occurrence && entry && entry.publishedAt <= now ? { entry: entryAt(entry, now), occurrence } : null;
    },
  };
}

interface TruthItem {
  readonly source_id: string;
  readonly outlet_id: string;
  readonly guid: string;
  /** Canonical: without the tracking parameters that a feed may add. */
  readonly url: string;
  readonly published_at: string;
}

interface TruthEvent {
  readonly id: string;
  readonly move: Move;
  /**
   * Primary brands as the texts mostly write them. A headline may name the owner in `also` instead (Avenue Supermarts
   * for DMart); compare by the catalogue's aliases.
   */
  readonly brands: readonly string[];
  readonly also: readonly string[];
  readonly cities: readonly string[];
  readonly mall: string | null;
  /** The figure that sums up the move, in neutral form: `[₹230cr]`, `[$12m]`, `[18%]`, `4 stores`. */
  readonly figure: string | null;
  readonly person: string | null;
  readonly occurred_at: string;
  readonly live: boolean;
  /** Reports by news outlets, first to last. */
  readonly reports: readonly TruthItem[];
  /** Later items that correct a figure of the event. */
  readonly corrections: readonly TruthItem[];
  /** The event reported again weeks later. */
  readonly resurfaced: readonly TruthItem[];
  /** Items of the reference list. */
  readonly oracle: readonly TruthItem[];
}

export interface Truth {
  readonly events: readonly TruthEvent[];
  /** Items that report no event, with the kind of noise. */
  readonly noise: readonly (TruthItem & { readonly kind: string })[];
}

const toTruthItem = (entry: Entry, url: string): TruthItem => ({
  source_id: `demo-${entry.outlet}`,
  outlet_id: entry.outlet,
  guid: entry.guid,
  url: url + entry.path,
  published_at: entry.publishedAt.toISOString(),
});

function toTruthEvent(
  { key, facts, occurredAt }: Occurrence,
  entries: readonly Entry[],
  url: string,
): TruthEvent | null {
  if (!facts) return null;
  const items = (role: Entry['role']): TruthItem[] =>
    entries
      .filter((entry) => entry.role === role)
      .sort((a, b) => a.publishedAt.getTime() - b.publishedAt.getTime())
      .map((entry) => toTruthItem(entry, url));
  return {
    id: key,
    ...facts,
    occurred_at: occurredAt.toISOString(),
    live: key.startsWith('live-'),
    reports: items('report'),
    corrections: items('correction'),
    resurfaced: items('resurfaced'),
    oracle: items('oracle'),
  };
}

/**
 * Lists the events and the noise with an item that is listed at the moment of the clock.
 * @param url URL of the newsroom, without a trailing slash
 */
export function listTruth(clock: () => Date, url = 'http://127.0.0.1:8090', desk: Desk = createDesk()): Truth {
  const events: TruthEvent[] = [];
  const noise: (TruthItem & { kind: string })[] = [];
  for (const occurrence of desk.published(clock())) {
    const event = toTruthEvent(occurrence, occurrence.entries, url);
    if (event) events.push(event);
    else
      noise.push(
        ...occurrence.entries.map((entry) => ({ ...toTruthItem(entry, url), kind: occurrence.noise ?? 'other' })),
      );
  }
  return { events, noise };
}
