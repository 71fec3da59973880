/**
 * How well matching separates same events from others: `node eval/measure-matching.ts [FILE.jsonl] [--commit]`, JSON lines
 * `{key, a, b, same}`, our own pairs when no file is given. Prints a table and JSON; exits with 1 when a figure fell by
 * more than 0.02 below the committed one. `--commit` writes the figures of our own pairs instead.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { loadCatalogue, type PreparedCatalogue, prepareCatalogue } from '../facts/text/catalogue.ts';
import { featuresOfItem } from '../ingest/match/compare-pairs.ts';
import { scoreLikeness, THRESHOLD } from '../ingest/match/comparison.ts';
import { openUnderstander, type Understander } from '../ingest/understand/understander.ts';
import { commitFigures, listFallen, readCommitted, type Section } from './evaluate.ts';

const PairText = z.object({ title: z.string(), summary: z.string().nullish(), url: z.string(), date: z.string() });
const Pair = z.object({ key: z.string(), a: PairText, b: PairText, same: z.boolean() });
export type Pair = z.infer<typeof Pair>;

/** Reads labelled pairs of items from JSON lines. */
export const readPairs = (file: string | URL): Pair[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => Pair.parse(JSON.parse(line)));

/** Loads the catalogue that pairs are understood with. */
export const loadPairCatalogue = async (): Promise<PreparedCatalogue> =>
  prepareCatalogue(await loadCatalogue(fileURLToPath(new URL('../deploy/catalogue', import.meta.url))));

export const OWN_PAIRS = new URL('pairs.jsonl', import.meta.url);

interface Measured {
  readonly figures: Section;
  /** Pairs with a wrong result, the most certain first. */
  readonly wrong: readonly { readonly pair: Pair; readonly score: number }[];
}

const round = (value: number): number => Math.round(value * 1000) / 1000;

/** Precision, recall and F1 of `same`, and accuracy, with the shipped weights. */
export async function measureMatching(pairs: readonly Pair[], understander: Understander): Promise<Measured> {
  const scored: { pair: Pair; score: number }[] = [];
  for (const pair of pairs) {
    const [a, b] = [await featuresOfItem(pair.a, understander), await featuresOfItem(pair.b, understander)];
    scored.push({ pair, score: scoreLikeness(a, b).score });
  }
  const wrong = scored.filter(({ pair, score }) => score >= THRESHOLD !== pair.same);
  const right = scored.filter(({ pair, score }) => pair.same && score >= THRESHOLD).length;
  const said = scored.filter(({ score }) => score >= THRESHOLD).length;
  const same = pairs.filter((pair) => pair.same).length;
  return {
    figures: {
      precision: round(said ? right / said : 0),
      recall: round(same ? right / same : 0),
      f1: round(said + same ? (2 * right) / (said + same) : 0),
      accuracy: round(pairs.length ? 1 - wrong.length / pairs.length : 0),
    },
    wrong: wrong.sort((a, b) => Math.abs(b.score - THRESHOLD) - Math.abs(a.score - THRESHOLD)),
  };
}

async function main(given: readonly string[]): Promise<number> {
  const file = given.find((argument) => !argument.startsWith('--'));
  const pairs = readPairs(file ?? OWN_PAIRS);
  const { figures, wrong } = await measureMatching(
    pairs,
    await openUnderstander(await loadPairCatalogue(), console.warn),
  );
  console.table(figures);
  for (const { pair, score } of wrong)
    console.log(`${score.toFixed(2)} ${pair.same ? 'same' : 'not same'}: ${pair.a.title} | ${pair.b.title}`);
  console.log(JSON.stringify({ pairs: pairs.length, ...figures }));
  if (file) return 0;
  if (given.includes('--commit')) commitFigures('matching', figures);
  const falls = listFallen(readCommitted('matching'), figures);
  for (const fall of falls) console.error(`matching: ${fall}`);
  return falls.length ? 1 : 0;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
