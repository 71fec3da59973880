/**
 * The live desk: something new every 60 to 90 seconds, reported by one to three outlets within minutes. A draft has
 * the facts of one event, by kind of move, and the form that puts them into words. Everything about a tick follows
 * from its number, so nothing is stored.
 */
import type { Move } from '../../schemas/scalar.ts';
import { between, chance, pick, SECOND, shuffle } from '../calendar.ts';
import { OUTLETS } from '../outlets.ts';
import { type Copy, type Entry, type EventFacts, type Occurrence, publishEntry } from '../publishing.ts';
import { type Draws, drawTick, type WordFacts, writeNoise, writeReports } from './wording.ts';

interface Draft {
  readonly form: string;
  readonly move: Move;
  readonly brands: readonly string[];
  readonly also?: readonly string[];
  readonly cities?: readonly string[];
  readonly mall?: string;
  /** In neutral form, such as `[₹230cr]`. */
  readonly figure?: string;
  readonly person?: string;
  readonly facts: WordFacts;
}

/** Creates a draft of its kind from the draws of a tick. */
type Drafter = (lots: Draws) => Draft;

/** Rounds to tens above 50, to fives above 20. */
const roundNumber = (value: number): number => {
  const step = value > 50 ? 10 : value > 20 ? 5 : 1;
  return Math.round(value / step) * step;
};

const common = (lots: Draws): Omit<Draft, 'form'> => {
  const area = lots.inRange('areas') * 100;
  const facts = {
    brand: lots.brand,
    city: lots.city,
    mall: lots.mall,
    area: area.toLocaleString('en-IN'),
    'bigger area': (area * 2).toLocaleString('en-IN'),
    staff: roundNumber(lots.number('staff', 12, 90)),
  };
  return { move: 'stores', brands: [lots.brand], cities: [lots.city], facts };
};

const counted =
  (form: string, table: 'several' | 'plans' | 'networks'): Drafter =>
  (lots) => {
    const count = roundNumber(lots.inRange(table));
    const base = common(lots);
    return { ...base, form, figure: `${count} stores`, facts: { ...base.facts, count } };
  };

const opening: Drafter = (lots) => ({ ...common(lots), form: 'opening', mall: lots.mall });
const closure: Drafter = (lots) => ({ ...common(lots), form: 'closure', mall: lots.mall });
const openings = counted('openings', 'several');
const target = counted('target', 'plans');
const milestone = counted('milestone', 'networks');

const move =
  (form: string): Drafter =>
  (lots: Draws): Draft => {
    const person = lots.person();
    const former = lots.otherBrand();
    return {
      form,
      move: 'people',
      brands: [lots.brand],
      also: form === 'appointment' ? [former] : [],
      person,
      facts: {
        brand: lots.brand,
        person,
        former,
        role: lots.word('roles'),
        years: lots.number('years', 2, 19),
        city: lots.city,
      },
    };
  };

const appointment = move('appointment');
const exit = move('exit');
const promotion = move('promotion');

// Funding and acquisitions. The start-ups are invented, the investors are real.

/** Usual sizes by stage: crores of rupees from and to, millions of dollars from and to. */
const SIZES = {
  seed: [3, 20, 1, 4],
  'pre-Series A': [8, 40, 2, 6],
  'Series A': [40, 110, 6, 14],
  'Series B': [100, 250, 15, 34],
  'Series C': [200, 500, 30, 75],
} as const;
const STAGES = Object.entries(SIZES);

const funding: Drafter = (lots) => {
  const brand = lots.startup();
  const [stage, [leastCrore, mostCrore, leastMillion, mostMillion]] = pick(STAGES, 'stage', lots.tick);
  const amount =
    lots.number('currency', 0, 1) === 0
      ? `[₹${roundNumber(lots.number('amount', leastCrore, mostCrore))}cr]`
      : `[$${lots.number('amount', leastMillion, mostMillion)}${lots.number('half', 0, 1) ? '.5' : ''}m]`;
  const facts = {
    brand,
    amount,
    investor: lots.word('investors'),
    stage,
    segment: lots.word('segments'),
    city: lots.city,
  };
  return { form: 'funding', move: 'deals', brands: [brand], figure: amount, cities: [], facts };
};

const acquisition: Drafter = (lots) => {
  const target = lots.startup();
  const amount = `[₹${roundNumber(lots.number('amount', 8, 400))}cr]`;
  const stake = `[${lots.number('stake', 51, 100)}%]`;
  const facts = { brand: lots.brand, target, amount, stake, segment: lots.ofCategory('bought'), city: lots.city };
  return { form: 'acquisition', move: 'deals', brands: [lots.brand, target], figure: amount, cities: [], facts };
};

const product: Drafter = (lots) => {
  const price = `[₹${(lots.inRange('prices') * 100 - 1).toLocaleString('en-IN')}]`;
  const share = `[${lots.number('share', 3, 20)}%]`;
  const facts = { brand: lots.brand, product: lots.product(), price, share, city: lots.city };
  return { form: 'product', move: 'launches', brands: [lots.brand], figure: price, facts };
};

const ambassador: Drafter = (lots) => {
  const person = lots.person();
  return {
    form: 'ambassador',
    move: 'launches',
    brands: [lots.brand],
    person,
    facts: { brand: lots.brand, person, city: lots.city },
  };
};

const price: Drafter = (lots) => {
  const share = `[${lots.number('share', 2, 12)}%]`;
  const facts = { brand: lots.brand, share, city: lots.city };
  return { form: 'price', move: 'launches', brands: [lots.brand], figure: share, facts };
};

const partnership: Drafter = (lots) => {
  const { name: partner, word: purpose } = lots.pair('purposes');
  const count = lots.number('cities', 3, 40);
  const facts = { brand: lots.brand, partner, purpose, city: lots.city, count };
  return { form: 'partnership', move: 'strategy', brands: [lots.brand, partner], facts };
};

const capex: Drafter = (lots) => {
  const amount = `[₹${roundNumber(lots.number('amount', 15, 900))}cr]`;
  const facts = {
    brand: lots.brand,
    amount,
    city: lots.city,
    facility: lots.ofCategory('facilities'),
    staff: roundNumber(lots.number('staff', 60, 1200)),
  };
  return { form: 'capex', move: 'strategy', brands: [lots.brand], cities: [lots.city], figure: amount, facts };
};

const order: Drafter = (lots) => {
  const amount = `[₹${lots.number('amount', 1, 90)}L]`;
  const { name: authority, word: matter } = lots.pair('matters');
  const facts = { brand: lots.brand, amount, authority, matter };
  return { form: 'order', move: 'rules', brands: [lots.brand], figure: amount, facts };
};

const survey: Drafter = (lots) => {
  const growth = `[${lots.number('growth', 3, 28)}%]`;
  const facts = {
    city: lots.city,
    growth,
    segment: lots.word('segments'),
    body: lots.word('bodies'),
    count: roundNumber(lots.number('polled', 60, 900)),
  };
  return { form: 'survey', move: 'other', brands: [], cities: [lots.city], figure: growth, facts };
};

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
