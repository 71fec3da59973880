/**
 * The desk has, for any moment, what has happened and what every outlet lists: the authored events and noise, which
 * are read from YAML, validated, and published in one cycle, and those of the live desk. It keeps nothing but a cache.
 * And what really happened in the invented news, for tests that measure understanding and matching.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { z } from 'zod';
import { Move, Slug, slugify } from '../schemas/scalar.ts';
import { CYCLE_DAYS, chance, currentCycle, DAY, HOUR, pick, timeInCycle } from './calendar.ts';
import { LIVE_KEY, publishTick, tickAt, ticksBetween } from './live/live-desk.ts';
import { writeNoise, writeReports } from './live/wording.ts';
import { OUTLETS, outletById } from './outlets.ts';
import {
  type Copy,
  drawDelay,
  type Entry,
  type EventFacts,
  entryAt,
  type Occurrence,
  publishEntry,
} from './publishing.ts';

const FOLDER = join(import.meta.dirname, 'events');

/** `Tanishq, Titan` */
const Names = z
  .string()
  .default('')
  .transform((text) => text.split(',').map((name) => name.trim()))
  .transform((names) => names.filter(Boolean));

/** `headline | summary`, the summary being optional. */
const ReportText = z.string().transform((text) => {
  const [headline = '', summary] = text.split(' | ');
  return { headline: headline.trim(), summary: summary?.trim() ?? null };
});
type Text = z.output<typeof ReportText>;

const OutletId = z
  .string()
  .refine((id) => outletById.has(id), { error: ({ input }) => `no outlet is called ${input}` });
const Reports = z.record(OutletId, ReportText);

const EVENT_FIELDS = {
  id: Slug,
  move: Move,
  /** Day of the cycle, 0 to 119; derived from the id where the order of events does not matter. */
  day: z
    .number()
    .min(0)
    .max(CYCLE_DAYS - 1)
    .optional(),
  brands: Names,
  also: Names,
  cities: Names,
  mall: z.string().optional(),
  /** The figure that sums up the move, in neutral form. */
  figure: z.string().optional(),
  person: z.string().optional(),
};

/** An event whose reports were written by hand. */
const WrittenEvent = z.strictObject({
  ...EVENT_FIELDS,
  reports: Reports,
  /** A headline that an outlet changes some hours after publishing it. */
  edit: z.strictObject({ outlet: OutletId, hours: z.number().positive(), text: ReportText }).optional(),
  /** A later item that corrects a figure. */
  correction: z.strictObject({ outlet: OutletId, hours: z.number().positive(), text: ReportText }).optional(),
  /** The same event reported again, weeks later, with nothing new. */
  again: z.strictObject({ outlet: OutletId, days: z.number().min(20).max(90), text: ReportText }).optional(),
});

/** An event given by its facts, which the outlets put into words with the shapes of its form. */
const DispatchEvent = z.strictObject({
  ...EVENT_FIELDS,
  form: z.string(),
  facts: z.record(z.string(), z.union([z.string(), z.number()])),
  outlets: Names,
});

type Written = z.output<typeof WrittenEvent>;
type Dispatch = z.output<typeof DispatchEvent>;
export type AuthoredEvent = Written | Dispatch;

/** An item that is no event. */
interface AuthoredNoise {
  readonly id: string;
  readonly kind: string;
  readonly outlet: string;
  readonly text: Text;
}

const readYaml = <T>(file: string, schema: z.ZodType<T>): T => {
  const parsed = schema.safeParse(load(readFileSync(join(FOLDER, file), 'utf8')));
  if (!parsed.success) throw new Error(`demo/events/${file}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
};

function requireUniqueIds<T extends { id: string }>(list: T[]): T[] {
  const ids = new Set<string>();
  for (const { id } of list) {
    if (ids.has(id)) throw new Error(`demo/events: the id ${id} occurs twice`);
    ids.add(id);
  }
  return list;
}

const NOISE_FILE = 'noise.yaml';

/** Reads all authored events, from every file of the folder. @throws Error naming file and field, or an id used twice */
export function readAuthoredEvents(): AuthoredEvent[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml') && name !== NOISE_FILE);
  const events = files
    .sort()
    .flatMap((file) => readYaml<AuthoredEvent[]>(file, z.array(z.union([WrittenEvent, DispatchEvent]))));
  return requireUniqueIds(events);
}

function noiseOf(kind: string, line: string): AuthoredNoise {
  const [outlet = '', ...rest] = line.split(' | ');
  if (!outletById.has(outlet)) throw new Error(`demo/events/${NOISE_FILE}: no outlet is called ${outlet}: ${line}`);
  const text = ReportText.parse(rest.join(' | '));
  const id = `${kind}-${slugify(text.headline)}`.replaceAll('_', '-').slice(0, 60).replace(/-+$/, '');
  return { id, kind, outlet, text };
}

/** Reads the authored noise: lists of `outlet | headline | summary` by kind of noise. */
function readAuthoredNoise(): AuthoredNoise[] {
  const kinds = readYaml(NOISE_FILE, z.record(z.string(), z.array(z.string())));
  return requireUniqueIds(Object.entries(kinds).flatMap(([kind, lines]) => lines.map((line) => noiseOf(kind, line))));
}

const factsOf = (event: AuthoredEvent): EventFacts => ({
  move: event.move,
  brands: event.brands,
  also: event.also,
  cities: event.cities,
  mall: event.mall ?? null,
  figure: event.figure ?? null,
  person: event.person ?? null,
});

const placeOf = ({ brands, cities, mall, person }: AuthoredEvent): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ brand: brands[0], city: cities[0], mall, person }).filter(
      (pair): pair is [string, string] => !!pair[1],
    ),
  );

const copiesOf = (event: AuthoredEvent, key: string): Copy[] =>
  'reports' in event
    ? Object.entries(event.reports).map(([outlet, text]) => ({ outlet, ...text }))
    : writeReports(event.form, { ...placeOf(event), ...event.facts }, event.outlets, key);

const later = (at: Date, milliseconds: number): Date => new Date(at.getTime() + milliseconds);

/** Publishes an event in one cycle: all items that outlets will ever publish about it. */
function publishAuthored(event: AuthoredEvent, cycle: number): Occurrence {
  const key = `${event.id}-c${cycle}`;
  const facts = factsOf(event);
  const occurredAt = timeInCycle(event, cycle);
  const about = { facts, occurredAt };
  const written = 'reports' in event ? event : null;
  const copies = copiesOf(event, key);

  const entries: Entry[] = copies.map((copy, rank) => {
    const publishedAt = later(occurredAt, drawDelay(key, copy.outlet, rank));
    const edit = written?.edit?.outlet === copy.outlet ? written.edit : null;
    return publishEntry(copy, {
      ...about,
      key,
      role: 'report',
      publishedAt,
      ...(edit && { edit: { outlet: copy.outlet, ...edit.text, at: later(publishedAt, edit.hours * HOUR) } }),
    });
  });
  const first = (outlet: string): Date =>
    entries.find((entry) => entry.outlet === outlet)?.publishedAt ?? entries[0]?.publishedAt ?? occurredAt;
  const follow = (role: 'correction' | 'resurfaced', copy: Copy, wait: number): Entry =>
    publishEntry(copy, { ...about, role, key: `${key}-${role}`, publishedAt: later(first(copy.outlet), wait) });
  const { correction, again } = written ?? {};
  if (correction)
    entries.push(follow('correction', { outlet: correction.outlet, ...correction.text }, correction.hours * HOUR));
  if (again) entries.push(follow('resurfaced', { outlet: again.outlet, ...again.text }, again.days * DAY));

  const last = copies.at(-1);
  if (last && chance('oracle', key) < 0.7)
    entries.push(
      publishEntry(
        { ...last, outlet: 'tradewatch', summary: null },
        { ...about, key, role: 'oracle', publishedAt: later(occurredAt, drawDelay(key, 'tradewatch', 1)) },
      ),
    );
  return { key, event: event.id, facts, noise: null, occurredAt, entries };
}

/** Publishes a piece of noise in one cycle. */
function publishNoise(noise: AuthoredNoise, cycle: number): Occurrence {
  const key = `${noise.id}-c${cycle}`;
  const occurredAt = timeInCycle(noise, cycle);
  const entry = publishEntry(
    { outlet: noise.outlet, ...noise.text },
    { key, role: 'noise', facts: null, occurredAt, publishedAt: occurredAt },
  );
  return { key, event: noise.id, facts: null, noise: noise.kind, occurredAt, entries: [entry] };
}

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
