/** Labelled pairs of items, as examples for the matching model. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { featuresOfItem } from '../ingest/match/command.ts';
import { compare } from '../ingest/match/compare.ts';
import { loadCatalogue, type PreparedCatalogue, prepareCatalogue } from '../ingest/understand/catalogue.ts';
import type { Example } from './logistic.ts';

const Text = z.object({ title: z.string(), summary: z.string().nullish(), url: z.string(), date: z.string() });
export const Pair = z.object({ key: z.string(), a: Text, b: Text, same: z.boolean() });
export type Pair = z.infer<typeof Pair>;

/** Reads JSON lines of pairs. */
export const readPairs = (file: string | URL): Pair[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => Pair.parse(JSON.parse(line)));

/** The week of a pair, for leaving whole weeks out. */
export const weekOf = (pair: Pair): number => Math.floor(Date.parse(pair.a.date) / (7 * 86_400_000));

/** The catalogue that pairs are understood with. */
export const catalogueOfPairs = async (): Promise<PreparedCatalogue> =>
  prepareCatalogue(await loadCatalogue(fileURLToPath(new URL('../deploy/catalogue', import.meta.url))));

/** The numbers that the model sees. */
export const exampleOf = (pair: Pair, catalogue: PreparedCatalogue): Example => ({
  numbers: compare(featuresOfItem(pair.a, catalogue), featuresOfItem(pair.b, catalogue)),
  label: pair.same,
});
