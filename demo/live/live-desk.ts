/**
 * The live desk: something new every 60 to 90 seconds, reported by one to three outlets within minutes. Everything about
 * a tick follows from its number, so nothing is stored.
 */
import { SECOND } from '../calendar.ts';
import { between, chance, pick, shuffle } from '../chance.ts';
import { OUTLETS } from '../outlets.ts';
import { type Copy, type Entry, type EventFacts, type Occurrence, publishEntry } from '../publishing.ts';
import {
  acquisition,
  ambassador,
  appointment,
  capex,
  closure,
  type Draft,
  type Drafter,
  exit,
  funding,
  milestone,
  opening,
  openings,
  order,
  partnership,
  price,
  product,
  promotion,
  survey,
  target,
} from './drafts.ts';
import { drawTick } from './lots.ts';
import { writeNoise, writeReports } from './wording.ts';

const TICK = 75_000;
/** Maximum number of seconds between the start of a tick and its event: gaps are 60 to 90 seconds. */
const JITTER = 15;

export const LIVE_KEY = /^live-(\d{1,10})$/;

/** How many of 100 events are of which draft. */
const WEIGHTS: readonly (readonly [number, Drafter])[] = [
  [18, opening],
  [6, openings],
  [5, milestone],
  [5, target],
  [3, closure],
  [8, funding],
  [4, acquisition],
  [7, appointment],
  [4, exit],
  [3, promotion],
  [12, product],
  [3, ambassador],
  [4, price],
  [7, partnership],
  [4, capex],
  [4, order],
  [3, survey],
];
const DECK = WEIGHTS.flatMap(([weight, drafter]) => Array.from({ length: weight }, () => drafter));

/**
 * Share of ticks that are noise. An event has one to three items and noise one, so this is a quarter of all items.
 */
const NOISE_SHARE = 0.35;
/** Share of events that only the reference list has, so that the Oracle finds misses. */
const MISSED_SHARE = 0.03;

const NEWS = OUTLETS.filter((outlet) => outlet.role === 'news').map((outlet) => outlet.id);

/** The tick that a moment falls in. */
export const tickAt = (at: Date): number => Math.floor(at.getTime() / TICK);

/** Ticks that began between two moments, both included. */
export const ticksBetween = (from: Date, to: Date): number[] =>
  Array.from({ length: tickAt(to) - tickAt(from) + 1 }, (_, index) => tickAt(from) + index);

const startOf = (tick: number): Date => new Date(tick * TICK + Math.floor(chance('live', tick) * JITTER) * SECOND);

const factsOf = (draft: Draft): EventFacts => ({
  move: draft.move,
  brands: draft.brands,
  also: draft.also ?? [],
  cities: draft.cities ?? [],
  mall: draft.mall ?? null,
  figure: draft.figure ?? null,
  person: draft.person ?? null,
});

function noiseOf(tick: number, key: string, occurredAt: Date): Occurrence {
  const [copy] = writeNoise(tick, pick(NEWS, 'noise outlet', tick), key);
  if (!copy) throw new Error(`no noise for tick ${tick}`);
  const entry = publishEntry(copy, { key, role: 'noise', facts: null, occurredAt, publishedAt: occurredAt });
  return { key, event: key, facts: null, noise: 'column', occurredAt, entries: [entry] };
}

/** The first outlet reports at once, the others within six minutes. Milliseconds. */
const delay = (key: string, outlet: string, rank: number): number =>
  rank === 0 ? 0 : between(30, 360, 'live delay', key, outlet) * SECOND;

/** Publishes the event or the noise of a tick; the same number gives the same items. */
export function publishTick(tick: number): Occurrence {
  const key = `live-${tick}`;
  const lots = drawTick(tick);
  const occurredAt = startOf(tick);
  if (chance('is noise', tick) < NOISE_SHARE) return noiseOf(tick, key, occurredAt);
  const draft = pick(DECK, 'draft', tick)(lots);
  const facts = factsOf(draft);
  const isMissed = chance('is missed', tick) < MISSED_SHARE;
  const outlets = isMissed ? [] : shuffle(NEWS, 'who tells', tick).slice(0, between(1, 3, 'how many', tick));
  const isReferred = isMissed || chance('is referred', tick) < 0.5;
  const copies: Copy[] = writeReports(draft.form, draft.facts, isReferred ? [...outlets, 'tradewatch'] : outlets, key);
  const entries: Entry[] = copies.map((copy, rank) =>
    publishEntry(copy, {
      key,
      role: copy.outlet === 'tradewatch' ? 'oracle' : 'report',
      facts,
      occurredAt,
      publishedAt: new Date(occurredAt.getTime() + delay(key, copy.outlet, rank)),
    }),
  );
  return { key, event: key, facts, noise: null, occurredAt, entries };
}
