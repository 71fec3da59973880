/** Puts facts into words: each form has several dozen shapes of sentences, and no two outlets take the same one. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { shuffle } from '../chance.ts';
import { type Copy, fillWords } from '../publishing.ts';
import { drawTick } from './lots.ts';

const Shapes = z.record(
  z.string(),
  z.strictObject({ headlines: z.array(z.string()).min(3), summaries: z.array(z.string()).min(3) }),
);

const readShapes = (file: string): z.output<typeof Shapes> =>
  Shapes.parse(parse(readFileSync(join(import.meta.dirname, 'shapes', file), 'utf8')));

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
