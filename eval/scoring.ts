/**
 * The definitions of all figures: how labels and answers are compared, how they are counted, and how sure a figure is. All
 * counts can be added up, so that every figure of any part of the data comes from the sum of its counts.
 */
import { MOVES } from '../schemas/scalar.ts';
import type { Section } from './evaluate.ts';
import type { LabelledItem, Labels } from './labelled-items.ts';

// Names and figures, compared by meaning.

const ENDINGS =
  /\b(?:ltd|limited|pvt|private|inc|corp|corporation|company|co|india|group|industries|retail|brands|the)\b/g;

/** Cities under one name each. */
const CITIES: Readonly<Record<string, string>> = {
  bangalore: 'bengaluru',
  'new delhi': 'delhi',
  'delhi ncr': 'delhi',
  gurgaon: 'gurugram',
  bombay: 'mumbai',
  calcutta: 'kolkata',
  madras: 'chennai',
  mysore: 'mysuru',
  baroda: 'vadodara',
  cochin: 'kochi',
  trivandrum: 'thiruvananthapuram',
  pondicherry: 'puducherry',
};

const plain = (text: string | null | undefined): string =>
  (text ?? '')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f'’`]/g, '')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();

/** A company's name without case, accents and legal ending. */
export function companyKey(name: string | null): string {
  const bare = plain(name);
  return bare.replace(ENDINGS, ' ').replace(/\s+/g, ' ').trim() || bare;
}

const cityKey = (name: string | null): string => CITIES[plain(name)] ?? plain(name);

const SCALES: readonly (readonly [RegExp, number])[] = [
  [/lakh (?:cr|crore)/, 1e12],
  [/\bcr\b|crore|\d ?cr\b/, 1e7],
  [/lakh/, 1e5],
  [/\d ?k\b|thousand/, 1e3],
  [/bn|billion|\d ?b\b/, 1e9],
  [/mn|million|\d ?m\b/, 1e6],
];
const CURRENCIES: readonly (readonly [RegExp, string])[] = [
  [/₹|rs\.?|inr|cr\b|crore|lakh/, 'inr'],
  [/\$|usd/, 'usd'],
  [/€|eur/, 'eur'],
  [/£|gbp/, 'gbp'],
];

/** A figure by value and unit: `₹230 Cr`, `Rs 230 crore` and `230 Cr` are one; so are `32% YoY` and `32 per cent`. */
export function figureKey(text: string | null): string {
  if (text === null) return '';
  const lower = text.toLowerCase().replace(/,/g, '');
  const number = /\d+(?:\.\d+)?/.exec(lower);
  if (!number) return plain(lower);
  const find = <Value>(table: readonly (readonly [RegExp, Value])[]) => table.find(([form]) => form.test(lower))?.[1];
  const percent = /%|per ?cent|pc\b/.test(lower);
  const value = Number(number[0]) * (percent ? 1 : (find(SCALES) ?? 1));
  return `${Number(value.toPrecision(6))}${percent ? '%' : (find(CURRENCIES) ?? '')}`;
}

// One item: what was wanted and what was said, field by field.

export type Said = Pick<ReturnType<typeof Labels.parse>, keyof typeof Labels.shape>;

/** A field of one item: keys of what the labels and the answer contain. */
export interface Comparison {
  /** The figure that it counts for. */
  readonly figure: string;
  readonly wanted: readonly string[];
  readonly said: readonly string[];
}

const FACTS = ['people', 'openings', 'results', 'deals'] as const;

/** What is not held back: `"sure": false` marks a fact that waits for a reviewer. */
const isSure = (fact: object): boolean => !('sure' in fact && fact.sure === false);
const sureOf = ({ people, openings, result, deal, ...said }: Said): Said => ({
  ...said,
  people: people.filter(isSure),
  openings: openings.filter(isSure),
  result: result && isSure(result) ? result : null,
  deal: deal && isSure(deal) ? deal : null,
});

/** People by surname and direction; openings by brand, city and open or closed; results by company and rounded growth; deals by type, target and amount. */
const factsOf = ({ people, openings, result, deal }: Said): Record<(typeof FACTS)[number], string[]> => ({
  people: people.flatMap((one) => (one.person ? `${plain(one.person).split(' ').at(-1)}|${one.direction}` : [])),
  openings: openings.map(
    (one) => `${companyKey(one.brand)}|${cityKey(one.city)}|${one.status === 'closed' ? 'closed' : 'open'}`,
  ),
  results: result
    ? [`${companyKey(result.company)}|${result.growth_pct === null ? '' : Math.round(result.growth_pct)}`]
    : [],
  deals: deal ? [`${deal.type}|${companyKey(deal.target)}|${figureKey(deal.amount)}`] : [],
});

/**
 * Compares an item's labels with an answer. Kind, brands, cities and facts count where the labels say that it is relevant.
 * `published_` counts the facts of all items that were taken for relevant, right or wrong, without those that are held back:
 * what a reader meets.
 */
export function compareItem(labels: Omit<LabelledItem, 'split'>, said: Said): Comparison[] {
  const found: Comparison[] = [
    { figure: 'relevance', wanted: labels.relevant ? ['relevant'] : [], said: said.relevant ? ['relevant'] : [] },
  ];
  const add = (figure: string, wanted: readonly string[], got: readonly string[]): void =>
    void found.push({ figure, wanted: wanted.filter(Boolean), said: got.filter(Boolean) });
  const [wanted, got] = [factsOf(labels), factsOf(said)];
  const published = factsOf(sureOf(said));
  if (said.relevant) for (const fact of FACTS) add(`published_${fact}`, wanted[fact], published[fact]);
  if (!labels.relevant) return found;
  add('move', [labels.move ?? ''], [said.move ?? 'none']);
  add('primary', labels.primary.map(companyKey), said.primary.map(companyKey));
  add(
    'mentioned',
    [...labels.primary, ...labels.secondary].map(companyKey),
    [...said.primary, ...said.secondary].map(companyKey),
  );
  add('cities', labels.cities.map(cityKey), said.cities.map(cityKey));
  if (labels.delta !== null || said.delta !== null) add('delta', [figureKey(labels.delta)], [figureKey(said.delta)]);
  for (const fact of FACTS) add(fact, wanted[fact], got[fact]);
  return found;
}

// Counts, which can be added up.

export type Counts = Record<string, number>;

/** Counts of one unit, such as an item or a pair, and the day that it belongs to. */
export interface Counted {
  readonly day: string;
  readonly counts: Counts;
}

const addTo = (sum: Counts, counts: Counts): void => {
  for (const [name, count] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + count;
};

/** The sum of counts. */
export function addUp(all: readonly Counts[]): Counts {
  const sum: Counts = {};
  for (const counts of all) addTo(sum, counts);
  return sum;
}

/** True when anything is wrong or missing. */
export const isWrong = ({ wanted, said }: Comparison): boolean =>
  wanted.some((key) => !said.includes(key)) || said.some((key) => !wanted.includes(key));

/** Hits, wrong answers and missed ones of a set, as `NAME.hits`, `NAME.wrong` and `NAME.missed`. */
export function countSet(name: string, wanted: readonly string[], said: readonly string[]): Counts {
  const [want, got] = [new Set(wanted), new Set(said)];
  const hits = [...got].filter((key) => want.has(key)).length;
  return { [`${name}.hits`]: hits, [`${name}.wrong`]: got.size - hits, [`${name}.missed`]: want.size - hits };
}

/** The counts of one item. A kind of move has counts of its own; a delta is right or not. */
export function countItem(comparisons: readonly Comparison[]): Counts {
  const counts: Counts = {};
  for (const { figure, wanted, said } of comparisons)
    if (figure === 'move')
      for (const move of MOVES)
        addTo(
          counts,
          countSet(
            `move ${move}`,
            ...([wanted, said].map((kinds) => kinds.filter((kind) => kind === move)) as [string[], string[]]),
          ),
        );
    else if (figure === 'delta') {
      if (wanted.length > 0) addTo(counts, { 'delta.all': 1, 'delta.right': wanted[0] === said[0] ? 1 : 0 });
    } else addTo(counts, countSet(figure, wanted, said));
  return counts;
}

// Figures of sums of counts.

const ratio = (part: number, all: number): number => (all === 0 ? 0 : part / all);

function ofSet(counts: Counts, name: string) {
  const [hits, wrong, missed] = ['hits', 'wrong', 'missed'].map((part) => counts[`${name}.${part}`] ?? 0) as [
    ...[number, number, number],
  ];
  return {
    precision: ratio(hits, hits + wrong),
    recall: ratio(hits, hits + missed),
    f1: ratio(2 * hits, 2 * hits + wrong + missed),
    wanted: hits + missed,
  };
}

/** A kind with fewer labelled items does not count for the macro-F1. */
const MIN_OF_KIND = 3;

/** The figures of items: F1 of each field, macro-F1 of the kinds of move, accuracy of the delta, precision of what is published. */
export function itemFigures(counts: Counts): Section {
  const kinds = MOVES.map((move) => ofSet(counts, `move ${move}`)).filter(({ wanted }) => wanted >= MIN_OF_KIND);
  const f1 = (names: readonly string[]) => names.map((name) => [`${name}_f1`, ofSet(counts, name).f1]);
  return {
    relevance_precision: ofSet(counts, 'relevance').precision,
    relevance_recall: ofSet(counts, 'relevance').recall,
    relevance_f1: ofSet(counts, 'relevance').f1,
    move_macro_f1: ratio(
      kinds.reduce((sum, { f1 }) => sum + f1, 0),
      kinds.length,
    ),
    ...Object.fromEntries(f1(['primary', 'mentioned', 'cities'])),
    delta_accuracy: ratio(counts['delta.right'] ?? 0, counts['delta.all'] ?? 0),
    ...Object.fromEntries(f1(FACTS)),
    ...Object.fromEntries(
      FACTS.flatMap((fact) => {
        const { precision, recall } = ofSet(counts, `published_${fact}`);
        return [
          [`published_${fact}_precision`, precision],
          [`published_${fact}_recall`, recall],
        ];
      }),
    ),
  };
}

/** Precision, recall and F1 of the set `same`. @param name before each figure */
export function pairFigures(counts: Counts, name: string): Section {
  const { precision, recall, f1 } = ofSet(counts, 'same');
  return { [`${name}_precision`]: precision, [`${name}_recall`]: recall, [`${name}_f1`]: f1 };
}

// A stream: which items belong together.

/** An item of a stream: the event that it reports (null: no other item does), and the signal that it is part of. */
export interface Placed {
  readonly key: string;
  readonly day: string;
  readonly event: number | string | null;
  readonly signal: string | null;
}

function groupBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

/**
 * Counts a stream, over the items that are part of a signal. B³: for each item, the share of its signal that reports its
 * event (precision), and the share of its event that is in its signal (recall), averaged. An event of several items is whole
 * when one signal has all; a signal of several items is mixed when they report several events. Pairs are those that share
 * a signal against those that share an event.
 */
export function countStream(placed: readonly Placed[]): Counted[] {
  const rows = placed.flatMap(({ key, day, event, signal }) =>
    signal === null ? [] : { day, event: event === null ? `alone ${key}` : `event ${event}`, signal },
  );
  const [events, signals] = [groupBy(rows, ({ event }) => event), groupBy(rows, ({ signal }) => signal)];
  const counted: Counted[] = rows.map(({ day, event, signal }) => {
    const [ofEvent, ofSignal] = [events.get(event) ?? [], signals.get(signal) ?? []];
    const both = ofEvent.filter((one) => one.signal === signal).length;
    // Each pair counts half at either of its items.
    return {
      day,
      counts: {
        'b3.items': 1,
        'b3.precision': both / ofSignal.length,
        'b3.recall': both / ofEvent.length,
        'same.hits': (both - 1) / 2,
        'same.wrong': (ofSignal.length - both) / 2,
        'same.missed': (ofEvent.length - both) / 2,
      },
    };
  });
  const several = (groups: Map<string, typeof rows>) => [...groups.values()].filter(({ length }) => length > 1);
  for (const group of several(events))
    counted.push({
      day: group[0]?.day ?? '',
      counts: { 'events.all': 1, 'events.whole': new Set(group.map(({ signal }) => signal)).size === 1 ? 1 : 0 },
    });
  for (const group of several(signals))
    counted.push({
      day: group[0]?.day ?? '',
      counts: { 'signals.all': 1, 'signals.mixed': new Set(group.map(({ event }) => event)).size > 1 ? 1 : 0 },
    });
  return counted;
}

/** The figures of a stream. */
export function streamFigures(counts: Counts): Section {
  const items = counts['b3.items'] ?? 0;
  const [precision, recall] = [ratio(counts['b3.precision'] ?? 0, items), ratio(counts['b3.recall'] ?? 0, items)];
  return {
    b3_precision: precision,
    b3_recall: recall,
    b3_f1: ratio(2 * precision * recall, precision + recall),
    whole_events: ratio(counts['events.whole'] ?? 0, counts['events.all'] ?? 0),
    mixed_signals: ratio(counts['signals.mixed'] ?? 0, counts['signals.all'] ?? 0),
    ...pairFigures(counts, 'pairs_in_signals'),
  };
}

// How sure a figure is.

/** A figure with its 95 % confidence interval. */
export interface Measured {
  readonly figure: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

const RESAMPLES = 1_000;

/** Numbers from 0 to 1 that look random and are the same each time (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Computes figures with 95 % confidence intervals by bootstrap: whole days are drawn with replacement, since reports of one
 * event appear on one day and are right or wrong together. The same data give the same intervals.
 */
export function measure(units: readonly Counted[], figuresOf: (counts: Counts) => Section): Measured[] {
  const days = new Map<string, Counts>();
  for (const { day, counts } of units) {
    const sum = days.get(day) ?? {};
    addTo(sum, counts);
    days.set(day, sum);
  }
  const blocks = [...days.values()];
  const random = randomNumbers(1);
  const draws = Array.from({ length: RESAMPLES }, () =>
    figuresOf(addUp(blocks.map(() => blocks[Math.floor(random() * blocks.length)] as Counts))),
  );
  return Object.entries(figuresOf(addUp(blocks))).map(([figure, value]) => {
    const values = draws.map((draw) => draw[figure] ?? 0).sort((a, b) => a - b);
    const at = (share: number): number => values[Math.round(share * (values.length - 1))] ?? value;
    return { figure, value, low: at(0.025), high: at(0.975) };
  });
}
