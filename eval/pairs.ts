/** Labelled pairs of items, as examples for the matching model. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { compare } from '../ingest/match/compare.ts';
import { featuresOf } from '../ingest/match/features.ts';
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

const telling = ({ title, summary, date }: z.infer<typeof Text>) => ({
  title,
  summary: summary ?? null,
  published_at: date,
  first_seen_at: date,
});

/** The week of a pair, for leaving whole weeks out. */
export const weekOf = (pair: Pair): number => Math.floor(Date.parse(pair.a.date) / (7 * 86_400_000));

/** The numbers that the model sees. */
export const exampleOf = (pair: Pair): Example => ({
  numbers: compare(featuresOf(telling(pair.a), null), featuresOf(telling(pair.b), null)),
  label: pair.same,
});
