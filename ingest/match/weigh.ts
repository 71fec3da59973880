/** How telling a word is, 0 to 1: common words by the shipped table, all others (names above all) full. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const Table = z.record(z.string(), z.number().min(0).max(1));
const TABLE: ReadonlyMap<string, number> = new Map(
  Object.entries(Table.parse(JSON.parse(readFileSync(new URL('./model/words.json', import.meta.url), 'utf8')))),
);

/** Weight of a stemmed word; words that the table lacks are rare and weigh 1. */
export const weigh = (word: string): number => TABLE.get(word) ?? 1;

/** From this weight on a word is rare enough to look for signals by it. */
export const RARE = 0.72;
