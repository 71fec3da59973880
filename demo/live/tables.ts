/** The words of the live desk: real brands, cities, malls and investors, made-up people and start-ups. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

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
  /** What a partner is good for. */
  purposes: ByName,
  facilities: List,
  /** What an authority finds fault with. */
  matters: ByName,
  areas: Ranges,
  prices: Ranges,
  bodies: List,
  things: List,
  themes: List,
});

export const TABLES = Tables.parse(parse(readFileSync(join(import.meta.dirname, 'tables.yaml'), 'utf8')));

/** Every brand with the category that its products are taken from. */
export const BRANDS = Object.entries(TABLES.brands).flatMap(([category, names]) =>
  names.map((name) => ({ name, category })),
);

/** Every mall and high street with its city. */
export const PLACES = Object.entries(TABLES.places).flatMap(([city, malls]) => malls.map((mall) => ({ city, mall })));
