/**
 * How well matching tells same events from others: `node eval/matching.ts [FILE.jsonl] [--commit]`, JSON lines
 * `{key, a, b, same}`, our own pairs when no file is given. Prints a table and JSON; ends with 1 when a figure fell by
 * more than 0.02 below the committed one. `--commit` writes the figures of our own pairs instead.
 */

import { featuresOfItem } from '../ingest/match/command.ts';
import { likeness, THRESHOLD } from '../ingest/match/score.ts';
import type { PreparedCatalogue } from '../ingest/understand/catalogue.ts';
import { commitFigures, committed, fallen, type Section } from './figures.ts';
import { catalogueOfPairs, type Pair, readPairs } from './pairs.ts';

export const OWN_PAIRS = new URL('pairs.jsonl', import.meta.url);

export interface Measured {
  readonly figures: Section;
  /** Pairs that were told wrong, the surest first. */
  readonly wrong: readonly { readonly pair: Pair; readonly score: number }[];
}

const round = (value: number): number => Math.round(value * 1000) / 1000;

/** Precision, recall and F1 of `same`, and accuracy, with the shipped weights. */
export function measureMatching(pairs: readonly Pair[], catalogue: PreparedCatalogue): Measured {
  const told = pairs.map((pair) => ({
    pair,
    score: likeness(featuresOfItem(pair.a, catalogue), featuresOfItem(pair.b, catalogue)).score,
  }));
  const wrong = told.filter(({ pair, score }) => score >= THRESHOLD !== pair.same);
  const right = told.filter(({ pair, score }) => pair.same && score >= THRESHOLD).length;
  const said = told.filter(({ score }) => score >= THRESHOLD).length;
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
  const { figures, wrong } = measureMatching(pairs, await catalogueOfPairs());
  console.table(figures);
  for (const { pair, score } of wrong)
    console.log(`${score.toFixed(2)} ${pair.same ? 'same' : 'not same'}: ${pair.a.title} | ${pair.b.title}`);
  console.log(JSON.stringify({ pairs: pairs.length, ...figures }));
  if (file) return 0;
  if (given.includes('--commit')) commitFigures('matching', figures);
  const falls = fallen(committed('matching'), figures);
  for (const fall of falls) console.error(`matching: ${fall}`);
  return falls.length ? 1 : 0;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
