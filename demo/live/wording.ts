/**
 * What one tick of the live desk draws from the tables of names and words; and its facts put into words: each form has
 * several dozen shapes of sentences, and no two outlets take the same one.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { z } from 'zod';
import { between, pick, shuffle } from '../calendar.ts';
import { type Copy, fillWords } from '../publishing.ts';

// The tables: real brands, cities, malls and investors, invented people and start-ups.

const List = z.string().transform((text) => text.split(',').map((word) => word.trim()));
const ByName = z.record(z.string(), List);

/** `from, to` by category. */
const Ranges = z.record(z.string(), List.transform((words) => words.map(Number)).pipe(z.tuple([z.int(), z.int()])));

const Tables = z.strictObject({
  brands: ByName,
  products: ByName,
  places: ByName,
  given: List,
  family: List,
  roles: List,
  investors: List,
  first: List,
  last: List,
  segments: List,
  /** What companies partner for, by partner. */
  purposes: ByName,
  /** What brands of a category buy and build. */
  bought: ByName,
  facilities: ByName,
  /** What makes no sense for a category: purposes, and authorities. */
  unfit: ByName,
  /** What an authority objects to, by authority. */
  matters: ByName,
  areas: Ranges,
  prices: Ranges,
  plans: Ranges,
  networks: Ranges,
  several: Ranges,
  bodies: List,
  things: List,
  themes: List,
});

const TABLES = Tables.parse(load(readFileSync(join(import.meta.dirname, 'tables.yaml'), 'utf8')));

/** Every brand with the category that its products are taken from. */
const BRANDS = Object.entries(TABLES.brands).flatMap(([category, names]) => names.map((name) => ({ name, category })));

/** Every mall and high street with its city. */
const PLACES = Object.entries(TABLES.places).flatMap(([city, malls]) => malls.map((mall) => ({ city, mall })));

// The draws of one tick. A pair of brand and place recurs only after every other pair.

const PAIRS = BRANDS.length * PLACES.length;

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));

/** Coprime to the number of pairs, so that steps of this size visit each pair once before the first comes again. */
const STEP = (() => {
  let step = Math.floor(PAIRS * 0.618);
  while (divisor(step, PAIRS) !== 1) step++;
  return step;
})();

type ListTable = {
  [Name in keyof typeof TABLES]: (typeof TABLES)[Name] extends string[] ? Name : never;
}[keyof typeof TABLES];

export interface Draws {
  readonly tick: number;
  readonly brand: string;
  readonly category: string;
  readonly city: string;
  readonly mall: string;
  number(name: string, low: number, high: number): number;
  word(table: ListTable): string;
  /** One of the names of a table and one of its words. */
  pair(table: 'purposes' | 'matters'): { name: string; word: string };
  product(): string;
  /** One of the words of the brand's category. */
  ofCategory(table: 'bought' | 'facilities'): string;
  /** A number between the bounds of the brand's category. */
  inRange(table: 'areas' | 'prices' | 'plans' | 'networks' | 'several'): number;
  /** An invented name of a person, or of a start-up. */
  person(): string;
  startup(): string;
  otherBrand(): string;
}

/** Draws a tick: the same number gives the same values. @param tick not negative */
export function drawTick(tick: number): Draws {
  const pair = Number((BigInt(tick) * BigInt(STEP)) % BigInt(PAIRS));
  const brand = BRANDS[pair % BRANDS.length];
  const place = PLACES[Math.floor(pair / BRANDS.length)];
  if (!brand || !place) throw new RangeError(`tick ${tick} draws no brand or place`);
  const { name, category } = brand;
  const word: Draws['word'] = (table) => pick(TABLES[table], table, tick);
  return {
    tick,
    brand: name,
    category,
    ...place,
    number: (what, low, high) => between(low, high, what, tick),
    word,
    pair: (table) => {
      const unfit = new Set(TABLES.unfit[category]);
      const fitting = Object.entries(TABLES[table]).flatMap(([name, words]) => {
        const left = unfit.has(name) ? [] : words.filter((one) => !unfit.has(one));
        return left.length > 0 ? [[name, left] as const] : [];
      });
      const [name, words] = pick(fitting, table, tick);
      return { name, word: pick(words, table, 'word', tick) };
    },
    inRange: (table) => between(...(TABLES[table][category] ?? [1, 10]), table, tick),
    product: () => pick(TABLES.products[category] ?? [], 'product', tick),
    ofCategory: (table) => pick(TABLES[table][category] ?? [], table, tick),
    person: () => `${word('given')} ${word('family')}`,
    startup: () => `${word('first')}${word('last')}`,
    otherBrand: () =>
      pick(
        BRANDS.filter((other) => other.name !== name),
        'other',
        tick,
      ).name,
  };
}

const Shapes = z.record(
  z.string(),
  z.strictObject({ headlines: z.array(z.string()).min(3), summaries: z.array(z.string()).min(3) }),
);

const readShapes = (file: string): z.output<typeof Shapes> =>
  Shapes.parse(load(readFileSync(join(import.meta.dirname, 'shapes', file), 'utf8')));

/** Shapes by form, `opening`, `funding`, … */
const SHAPES = Object.assign(
  {},
  ...['stores.yaml', 'deals.yaml', 'people.yaml', 'business.yaml', 'noise.yaml'].map(readShapes),
) as z.output<typeof Shapes>;

const NUMBERS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const ENDINGS: Record<number, string> = { 1: 'st', 2: 'nd', 3: 'rd' };

/** Forms of a fact that sentences need: `{count in words}`, `{nth}`. */
function derived(facts: WordFacts, word: string): string | number | undefined {
  const { count } = facts;
  if (typeof count !== 'number') return undefined;
  if (word === 'count in words') return NUMBERS[count] ?? count;
  const ending = Math.floor(count / 10) % 10 === 1 ? 'th' : (ENDINGS[count % 10] ?? 'th');
  return word === 'nth' ? `${count}${ending}` : undefined;
}

export type WordFacts = Readonly<Record<string, string | number>>;

/**
 * Writes one copy per outlet, in the order of reporting. Placeholders without a fact remain: they are dates, which
 * publishing fills.
 * @param key of the occurrence; decides which outlet takes which shape
 * @throws Error for a form that has no shapes
 */
export function writeReports(form: string, facts: WordFacts, outlets: readonly string[], key: string): Copy[] {
  const shapes = SHAPES[form];
  if (!shapes) throw new Error(`no shapes for the form ${form} of ${key}`);
  const headlines = shuffle(shapes.headlines, 'headline', key);
  const summaries = shuffle(shapes.summaries, 'summary', key);
  const words = (text: string): string => fillWords(text, (word) => facts[word] ?? derived(facts, word) ?? `{${word}}`);
  return outlets.map((outlet, rank) => ({
    outlet,
    headline: words(headlines[rank % headlines.length] ?? ''),
    summary: words(summaries[rank % summaries.length] ?? ''),
  }));
}

/** Writes one piece of noise in the words of an outlet; the same number gives the same piece. */
export function writeNoise(number: number, outlet: string, key: string): Copy[] {
  const lots = drawTick(number);
  const facts = {
    brand: lots.brand,
    'other brand': lots.otherBrand(),
    city: lots.city,
    thing: lots.word('things'),
    theme: lots.word('themes'),
    count: lots.number('count', 3, 12),
    price: lots.number('price', 5, 40) * 100 - 1,
  };
  return writeReports('noise', facts, [outlet], key);
}
