/** Generated stories and events, the same in every run, and writing them into an event store. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import type { EventStore } from '../log/event-store.ts';
import { type Database, transaction } from '../log/postgres/database.ts';
import { asciiJson } from '../log/postgres/postgres-event-store.ts';
import { encodeEvent } from '../log/topic.ts';
import { type DataOf, type Event, type EventType, newEvent } from '../schemas/events.ts';
import type { ItemKey } from '../schemas/poll.ts';
import { brandSlugOf, eventId, fingerprint, type Move, type SignalId, signalId, slugify } from '../schemas/scalar.ts';
import { type Report, signalStream } from '../schemas/signal.ts';
import { SourceId } from '../schemas/source.ts';
import type { BrandMention, Understanding } from '../schemas/story.ts';

/** Chance that is the same in every run. */
export interface Chance {
  /** From 0 up to 1. */
  next(): number;
  /** A whole number, both ends included. */
  between(low: number, high: number): number;
  happens(probability: number): boolean;
  one<Thing>(things: readonly [Thing, ...Thing[]]): Thing;
}

/** @param seed a whole number (mulberry32) */
export function chance(seed: number): Chance {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    happens: (probability) => next() < probability,
    one: (things) => things[Math.floor(next() * things.length)] ?? things[0],
  };
}

interface Outlet {
  readonly id: SourceId;
  readonly name: string;
  readonly authority: number;
}

const WORDS = ['Anokhi', 'Kestrel', 'Maya', 'Tilak', 'Nimbu', 'Swara', 'Kaveri', 'Bodhi', 'Rangoli', 'Champa'] as const;
const TRADES = ['Threads', 'Foods', 'Stores', 'Shoes', 'Jewels', 'Beauty', 'Homes', 'Bakes', 'Optics', 'Toys'] as const;
/** Where it happens. */
export const CITIES = ['Pune', 'Mumbai', 'Bengaluru', 'Jaipur', 'Lucknow', 'Kochi', 'Indore', 'Guwahati'] as const;
const THEMES = ['Store expansion', 'Funding', 'Quick commerce', 'Festive season', 'Private labels'] as const;

const OUTLETS: readonly [Outlet, ...Outlet[]] = [
  { id: SourceId.parse('retail-post'), name: 'Retail Post', authority: 0.6 },
  { id: SourceId.parse('startup-wire'), name: 'Startup Wire', authority: 0.5 },
  { id: SourceId.parse('daily-trade'), name: 'Daily Trade', authority: 0.8 },
  { id: SourceId.parse('mall-watch'), name: 'Mall Watch India', authority: 0.4 },
  { id: SourceId.parse('consumer-ledger'), name: 'Consumer Ledger', authority: 0.7 },
];

/** The quarter of all results. */
export const QUARTER = 'Q2 FY27';

const kebab = (name: string): string => name.toLowerCase().replaceAll(' ', '-');

/** One of about a thousand brands, few of them often. */
function brand(draw: Chance, role: BrandMention['role']): BrandMention {
  const often = Math.floor(1_000 * draw.next() ** 3);
  const pick = chance(often);
  const name = `${pick.one(WORDS)} ${pick.one(TRADES)} ${often}`;
  return { slug: brandSlugOf(name), name, role, provisional: false };
}

/** Headline, sentence and amount by kind of move. */
const textOf = (move: Move, name: string, city: string, other: string, figure: number): [string, string, string] => {
  const data: Partial<Record<Move, [string, string, string]>> = {
    stores: [
      `${name} to open ${figure} stores across ${city} and nearby towns by March`,
      `The chain will add ${figure} outlets of 2,500 sq ft each in and around ${city} with ₹${figure} crore of its own.`,
      `${figure} stores`,
    ],
    deals: [
      `${name} raises ₹${figure} crore from ${other} to enter ${city}`,
      `The ${city}-based label has closed its Series A round and will enter eight new cities within a year.`,
      `₹${figure} Cr`,
    ],
    results: [
      `${name} ${QUARTER} profit rises ${figure}% to ₹${figure} crore on festive demand`,
      `Revenue from operations grew to ₹${figure * 9} crore in the quarter as ${city} stores drew more buyers than last year.`,
      `+${figure}%`,
    ],
  };
  return (
    data[move] ?? [
      `${name} names former ${other} head as chief executive for ${city}`,
      `The appointment takes effect at once; the company has run without a chief executive for ${figure} days till now.`,
      `${figure} days`,
    ]
  );
};

const appointmentOf = (company: string, before: string): Understanding['people'][number] => {
  const titled = { person: `Asha ${before.split(' ')[0]}`, role: 'chief executive', direction: 'joined' as const };
  return { ...titled, company, from: before, to: null, effective: null };
};

const resultOf = (company: string, figure: number): Understanding['result'] => {
  const data = { metric: 'profit', value: `₹${figure} crore`, growth_pct: figure };
  return { company, period: QUARTER, ...data };
};

/** What would be understood of a story. */
function generateUnderstanding(draw: Chance): Understanding {
  const move = draw.one<Move>(['stores', 'stores', 'deals', 'results', 'people', 'launches', 'strategy']);
  const [about, other] = [brand(draw, 'primary'), brand(draw, 'secondary')];
  const city = draw.one(CITIES);
  const figure = draw.between(3, 400);
  const [headline, sentence, delta] = textOf(move, about.name, city, other.name, figure);
  const theme = draw.one(THEMES);
  const summary = draw.happens(0.75) ? sentence : null;
  const opening = { brand: about.name, city, mall: null, locality: null, stores: figure, status: 'planned' as const };
  return {
    move,
    kind: null,
    headline,
    deck: summary,
    summary,
    key_facts: summary ? [summary] : [],
    delta,
    event_at: draw.happens(0.3) ? '2026-11-20T18:30:00Z' : null,
    theme: draw.happens(0.6) ? { slug: kebab(theme), name: theme } : null,
    brands: draw.happens(0.3) && other.slug !== about.slug ? [about, other] : [about],
    cities: draw.happens(0.6) ? [city] : [],
    mall: null,
    people: move === 'people' ? [appointmentOf(about.name, other.name)] : [],
    openings: move === 'stores' ? [{ ...opening, date: null }] : [],
    deal: move === 'deals' ? { type: 'funding', amount: delta, target: about.name, buyers: [other.name] } : null,
    result: move === 'results' ? resultOf(about.name, figure) : null,
  };
}

// An invented history of signals, the same again for the same number. How many events follow a signal and of which kinds is
// what `clarity up` wrote of its demo newsroom: of 974 events 39 % were first ones, 43 % reports, 16 % revisions.

export interface Written {
  readonly stream: string;
  /** Counts from 0 in its stream. */
  readonly revision: number;
  readonly event: Event;
}

interface Signal {
  readonly id: SignalId;
  readonly slug: string;
  readonly first: DataOf<'SignalDetected'>;
  revision: number;
}

/** A signal is found every ten minutes, from this moment on. */
const START = Date.UTC(2008, 0, 1);
const EVERY = 600_000;
const instant = (number: number): string => new Date(START + number * EVERY).toISOString();

const reportOf = (number: number, nth: number, title: string, summary: string | null, draw: Chance): Report => {
  const outlet = draw.one(OUTLETS);
  const url = `https://www.${outlet.id}.example/companies/retail/${slugify(title)}-${number}${nth ? `-${nth}` : ''}`;
  return {
    item_key: `https://www.${outlet.id}.example/?p=${number}${nth}` as ItemKey,
    source_id: outlet.id,
    outlet: outlet.name,
    authority: outlet.authority,
    url,
    title,
    summary,
    published_at: instant(number - 2),
    first_seen_at: instant(number),
    fingerprint: fingerprint(title, summary),
  };
};

const stamped = <Type extends EventType>(type: Type, number: number, nth: number, data: DataOf<Type>): Event => {
  const cause = eventId('cause', number, nth);
  return newEvent(type, data, {
    id: eventId('bench', number, nth),
    time: instant(number),
    causation_id: cause,
    correlation_id: cause,
  });
};

function detect(number: number, draw: Chance): Signal {
  const understanding = generateUnderstanding(draw);
  const report = reportOf(number, 0, understanding.headline, understanding.summary, draw);
  const [id, slug] = [signalId(report.url), `${slugify(understanding.headline)}-${number}`];
  const held = draw.happens(0.01);
  const first: DataOf<'SignalDetected'> = {
    signal_id: id,
    slug,
    status: held ? 'held' : 'public',
    status_reason: held ? 'no brand is named' : null,
    published_at: instant(number),
    understanding,
    understood_by: 'understand-1/0123456789ab',
    report,
    follows: null,
  };
  return { id, slug, first, revision: 0 };
}

/** What happens to a signal later: mostly further reports. */
function later(signal: Signal, number: number, nth: number, draw: Chance, newest: Signal): Event {
  const { id: signal_id, first } = signal;
  const kind = draw.between(0, 100);
  if (kind < 66 || signal === newest) {
    const report = reportOf(number, nth, first.report.title, draw.happens(0.7) ? first.report.summary : null, draw);
    const words = ['headline words agree by 51%', 'all words agree by 39%', 'rare words in common', 'a figure agrees'];
    const match = { score: 0.976, reasons: [...words, '1 days apart', 'same brand', 'same kind of move'] };
    return stamped('SignalReported', number, nth, { signal_id, report, match, resurfaced: draw.happens(0.05) });
  }
  if (kind < 91) {
    const before = first.understanding;
    const after = { ...before, headline: `${before.headline}, says report`, cities: [...before.cities, 'Pune'] };
    const { understood_by, report } = first;
    const data = { reason: 'better_report' as const, understood_by, item_key: report.item_key };
    return stamped('SignalRevised', number, nth, { signal_id, revision: nth, before, after, ...data });
  }
  if (kind < 97) {
    const why_it_matters = `It is the third such move of ${first.understanding.brands[0]?.name ?? 'a brand'} in 30 days.`;
    const analysis = { why_it_matters, what_to_watch: 'Whether the stores open by March.', by: 'rules' };
    return stamped('SignalAnalysed', number, nth, { signal_id, ...analysis });
  }
  const by = { signal_id, by: 'an operator', why: 'checked against the filing' };
  if (kind < 98) return stamped('SignalHeld', number, nth, by);
  if (kind < 99) return stamped('SignalReleased', number, nth, by);
  return stamped('SignalMerged', number, nth, { ...by, into: newest.id, into_slug: newest.slug });
}

/** Most of what follows a signal comes within two days; one in twenty comes within two months. */
const delay = (draw: Chance): number =>
  draw.happens(0.05) ? draw.between(300, 8_000) : Math.ceil(-100 * Math.log(1 - draw.next()));

/** How many events follow: none in 24 of 100 signals, one in 26, and so on. */
const FOLLOWING = [24, 50, 72, 92, 99];
const following = (draw: Chance): number => {
  const part = draw.between(0, 99);
  const count = FOLLOWING.findIndex((until) => part < until);
  return count < 0 ? FOLLOWING.length : count;
};

/** @param count events; about 2.6 of them a signal */
export function* signalHistory(count: number, seed = 1): Generator<Written> {
  const draw = chance(seed);
  const due = new Map<number, Signal[]>();
  const write = (signal: Signal, event: Event): Written => ({
    stream: signalStream(signal.id),
    revision: signal.revision++,
    event,
  });
  let written = 0;
  for (let number = 0; written < count; number++) {
    const signal = detect(number, draw);
    yield write(signal, stamped('SignalDetected', number, 0, signal.first));
    written++;
    for (let more = following(draw); more > 0; more--) {
      const at = number + delay(draw);
      due.set(at, [...(due.get(at) ?? []), signal]);
    }
    for (const [nth, known] of (due.get(number) ?? []).entries()) {
      if (written++ >= count) return;
      yield write(known, later(known, number, nth + 1, draw, signal));
    }
    due.delete(number);
  }
}

const CHUNK = 64 * 1024;

/** Events of one COPY: the partitions for more are created before the next. */
const COPIED = 1_000_000;

function* lines(history: Iterator<Written>, after: number): Generator<string> {
  let chunk = '';
  for (let position = after + 1; position <= after + COPIED; position++) {
    const next = history.next();
    if (next.done) break;
    const { stream, revision, event } = next.value;
    const body = asciiJson(encodeEvent(event)).replaceAll('\\', '\\\\');
    chunk += `${position}\t${stream}\t${revision}\t${event.id}\t${body}\n`;
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

/** Events that are appended at the same time. */
const BATCH = 500;

/**
 * Appends a history to an event store, batch after batch: in a batch each stream by one append, all at once. A merge is written
 * after all that precedes it, because it names another signal. Done twice it stores nothing again.
 */
export async function appendHistory(store: Pick<EventStore, 'append'>, history: Iterable<Written>): Promise<void> {
  const batch = new Map<string, Written[]>();
  let count = 0;
  const flush = async (): Promise<void> => {
    const appends = [...batch].map(([stream, [first, ...more]]) => {
      const events = first ? [first.event, ...more.map(({ event }) => event)] : [];
      return store.append(stream, events, first && first.revision > 0 ? first.revision - 1 : 'none');
    });
    await Promise.all(appends);
    batch.clear();
    count = 0;
  };
  for (const written of history) {
    if (count === BATCH || written.event.type === 'SignalMerged') await flush();
    batch.set(written.stream, [...(batch.get(written.stream) ?? []), written]);
    count++;
  }
  await flush();
}

/** Writes a history into `log.event`, positions from 1 on. */
export async function seedEvents(database: Database, history: Iterable<Written>): Promise<void> {
  await transaction(database, async (client) => {
    const written = history[Symbol.iterator]();
    for (let after = 0, count = COPIED; count === COPIED; after += COPIED) {
      await client.query('SELECT log.extend_event_partitions($1)', [after + COPIED]);
      const target = client.query(copyFrom('COPY log.event (position, stream, revision, id, body) FROM STDIN'));
      await pipeline(Readable.from(lines(written, after)), target);
      count = target.rowCount;
    }
    await client.query(`SELECT setval('log.event_position', (SELECT max(position) FROM log.event))`);
  });
  await database.query('VACUUM ANALYZE log.event');
}
