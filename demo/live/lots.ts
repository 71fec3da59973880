/** What one tick of the live desk draws from the tables of names and words. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { between, pick } from '../chance.ts';

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
  facilities: List,
  /** What an authority objects to, by authority. */
  matters: ByName,
  areas: Ranges,
  prices: Ranges,
  bodies: List,
  things: List,
  themes: List,
});

const TABLES = Tables.parse(parse(readFileSync(join(import.meta.dirname, 'tables.yaml'), 'utf8')));

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
  /** A number between the bounds of the brand's category. */
  inRange(table: 'areas' | 'prices'): number;
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
      const [name, words] = pick(Object.entries(TABLES[table]), table, tick);
      return { name, word: pick(words, table, 'word', tick) };
    },
    inRange: (table) => between(...(TABLES[table][category] ?? [1, 10]), table, tick),
    product: () => pick(TABLES.products[category] ?? [], 'product', tick),
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
