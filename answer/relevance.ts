/**
 * How likely a signal answers a question, as a small network says that learned from questions whose answers people marked. It sees
 * how the signal fits each part of the query, how many of the words its reports have, and how near they are in meaning.
 * `eval/ask/train-relevance.ts` trains it. Pure.
 */
import { DAY, MONTHS, WEEKDAYS } from '../language/days.ts';
import { NUMBER_WORDS } from '../language/numbers.ts';
import { tokenise } from '../language/tokens.ts';
import { LONGEST_QUESTION } from '../schemas/ask.ts';
import type { ItemVector } from '../schemas/story.ts';
import { bytesOf } from '../signal/meaning.ts';
import { type Evidence, hasOwnWord, hasWord } from './evidence.ts';
import type { Fit } from './evidence-fit.ts';
import { STOP } from './question/query-names.ts';
import { isUnderstood, kindWords } from './question/query-words.ts';
import type { TypedQuery } from './question/typed-query.ts';
import weights from './relevance.json' with { type: 'json' };

/** A signal that may answer a question. */
export interface Candidate {
  readonly evidence: Evidence;
  readonly fit: Fit;
  /** How near its reports are in meaning; null where meanings are not compared. */
  readonly cosine: number | null;
}

const PARTS = ['brands', 'categories', 'mentions', 'places', 'kinds', 'store_status', 'person', 'deal'] as const;
const INTENTS: readonly TypedQuery['intent'][] = ['list', 'happened', 'why', 'when', 'person', 'result'];

const TIME = new Set([
  ...[...MONTHS, ...WEEKDAYS].flatMap((name) => [name.toLowerCase(), name.slice(0, 3).toLowerCase()]),
  ...'today yesterday week weeks month months year years quarter day days since until last this past next first between'.split(
    ' ',
  ),
]);

/** Words that only ask, join or fill: in a report they say nothing of what it is about. */
const isFiller = (word: string): boolean =>
  word.length < 2 || STOP.has(word) || (isUnderstood(word) && !(word in NUMBER_WORDS) && kindWords(word).length === 0);

/** The words of a text that a report is looked for by. @param isTimed whether the time of the text was understood */
function contentWords(text: string, isTimed: boolean): string[] {
  return tokenise(text).tokens.flatMap(({ fold }) =>
    isFiller(fold) || (isTimed && (TIME.has(fold) || /^\d{1,4}$/.test(fold))) ? [] : [fold],
  );
}

/** Words of a question that are compared, at most. */
const MAX_WORDS = 40;

/** The words of a question and the names that it was read with, each once. */
export const comparedWords = (text: string, query: TypedQuery): string[] =>
  [
    ...new Set([
      ...contentWords(text.slice(0, LONGEST_QUESTION), query.period !== null),
      ...[...query.brands, ...query.mentions, ...query.places].flatMap(({ name }) => contentWords(name, false)),
      ...query.words,
    ]),
  ].slice(0, MAX_WORDS);

/** A word that means the same counts for so much of the word itself. */
const SYNONYM = 0.5;
/** What the other reports of its signal say counts for so much of what a report says itself. */
const OF_SIGNAL = 0.3;
/** How much a longer text counts for less, as in BM25. */
const LENGTH = 0.4;

/** How much of each word a text has: 1 for the word itself, less for one that says the same, 0 for neither. */
const levelsOf = (words: readonly string[], stems: ReadonlySet<string>): number[] =>
  words.map((word) => (hasOwnWord(stems, word) ? 1 : hasWord(stems, word) ? SYNONYM : 0));

/** The sum of weights, each times a level. */
const weighed = (weights: readonly number[], levels: readonly number[]): number =>
  weights.reduce((sum, weight, index) => sum + weight * (levels[index] ?? 0), 0);

/** The score of each signal by the words of its best report, by BM25 over the reports of all; the highest is 1. */
function wordScores(
  words: readonly string[],
  rarity: readonly number[],
  all: readonly Evidence[],
  levels: readonly (readonly number[])[],
): number[] {
  const sizes = all.flatMap(({ reports }) => reports.map(({ stems }) => stems.size));
  const mean = sizes.reduce((sum, size) => sum + size, 0) / Math.max(1, sizes.length);
  const scores = all.map(({ reports }, index) => {
    const own = reports.map(
      ({ stems }) => weighed(rarity, levelsOf(words, stems)) / (1 - LENGTH + (LENGTH * stems.size) / mean),
    );
    return Math.max(0, ...own) + OF_SIGNAL * weighed(rarity, levels[index] ?? []);
  });
  const top = Math.max(0, ...scores);
  return scores.map((score) => (top > 0 ? score / top : 0));
}

/** Share of words, each with its weight, whose level a text has at least. */
function shareOf(weights: readonly number[], levels: readonly number[], least: number): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const met = weights.reduce((sum, weight, index) => sum + ((levels[index] ?? 0) >= least ? weight : 0), 0);
  return total > 0 ? met / total : 0;
}

/** How rare each word is among signals, of which each has the levels of all words. */
const rarityOf = (words: readonly string[], levels: readonly (readonly number[])[]): number[] =>
  words.map((_, index) => {
    const having = levels.filter((of) => (of[index] ?? 0) > 0).length;
    return Math.log(1 + (levels.length - having + 0.5) / (having + 0.5));
  });

/** The place of each value among all, from the highest: 1 for the first, then 1/2, 1/3. */
function ranksOf(values: readonly number[]): number[] {
  const order = values.map((_, index) => index).sort((one, other) => (values[other] ?? 0) - (values[one] ?? 0));
  const ranks = values.map(() => 0);
  for (const [place, index] of order.entries()) ranks[index] = 1 / (place + 1);
  return ranks;
}

/**
 * What the network sees of each candidate.
 * @param words all words of the question that a report can have
 */
export function signsOf(query: TypedQuery, words: readonly string[], candidates: readonly Candidate[]): number[][] {
  const all = candidates.map(({ evidence }) => evidence);
  const levels = all.map(({ stems }) => levelsOf(words, stems));
  const levelsLeft = all.map(({ stems }) => levelsOf(query.words, stems));
  const [rarity, left] = [rarityOf(words, levels), rarityOf(query.words, levelsLeft)];
  const shares = levels.map((of) => shareOf(rarity, of, SYNONYM));
  const most = Math.max(0, ...shares);
  const scores = wordScores(words, rarity, all, levels);
  const cosines = candidates.map(({ cosine }) => cosine ?? 0);
  const nearest = Math.max(0, ...cosines);
  const [byScore, byCosine] = [ranksOf(scores), ranksOf(cosines)];
  const asked = PARTS.filter((part) => candidates.some(({ fit }) => fit[part] !== null)).length;
  const hasAll = candidates.filter(({ fit }) => PARTS.every((part) => (fit[part] ?? 1) >= 0.5)).length;
  const newest = Math.max(0, ...all.map(({ moved_at }) => Date.parse(moved_at)));
  return candidates.map(({ evidence, fit, cosine }, index) => {
    const { titleStems, signal, salience, moved_at } = evidence;
    const [own, ownLeft] = [levels[index] ?? [], levelsLeft[index] ?? []];
    const days = (newest - Date.parse(moved_at)) / DAY;
    return [
      ...PARTS.flatMap((part) => [fit[part] === null ? 0 : (fit[part] ?? 0) * 2 - 1, fit[part] === null ? 0 : 1]),
      scores[index] ?? 0,
      byScore[index] ?? 0,
      shares[index] ?? 0,
      shareOf(rarity, own, 1),
      shareOf(rarity, levelsOf(words, titleStems), SYNONYM),
      shareOf(left, ownLeft, SYNONYM),
      shareOf(left, ownLeft, 1),
      Math.min(query.words.length, 6) / 6,
      cosine === null ? 0 : 1,
      cosine === null ? 0 : (cosine - 0.6) * 5,
      cosine === null ? 0 : (nearest - 0.6) * 5,
      cosine === null ? 0 : (cosine - nearest) * 5,
      cosine === null ? 0 : (byCosine[index] ?? 0),
      Math.min(1, Math.log2(signal.outlets) / 3),
      Math.min(1, salience / 100),
      Math.min(1, days / 30),
      query.order === 'newest' ? Math.min(1, days / 30) : 0,
      query.period === null ? 0 : 1,
      asked / 4,
      Math.min(1, Math.log10(1 + hasAll) / 2),
      Math.min(1, words.length / 12),
      most,
      ...INTENTS.map((intent) => Number(query.intent === intent)),
    ];
  });
}

/** A network of one hidden layer: a row of weights for each hidden unit with what is added, and one for the answer. */
export interface Network {
  readonly hidden: readonly (readonly number[])[];
  readonly out: readonly number[];
}

/** The chance, from 0 to 1, that a network gives to signs. */
export function chanceOf({ hidden, out }: Network, signs: readonly number[]): number {
  let sum = out.at(-1) ?? 0;
  for (const [unit, row] of hidden.entries()) {
    let inner = row.at(-1) ?? 0;
    for (let index = 0; index < signs.length; index++) inner += (row[index] ?? 0) * (signs[index] ?? 0);
    sum += (out[unit] ?? 0) * Math.tanh(inner);
  }
  return 1 / (1 + Math.exp(-sum));
}

/** How likely each candidate answers the question, from 0 to 1, in their order. */
export const chancesOf = (query: TypedQuery, words: readonly string[], candidates: readonly Candidate[]): number[] =>
  signsOf(query, words, candidates).map((signs) => chanceOf(weights.network, signs));

/** What is added to the meaning of a question to come nearer to what answers it: `out` times what `into` makes of it. */
export interface Turn {
  /** A row for each number of a meaning, with as many columns as the turn has directions. */
  readonly into: readonly (readonly number[])[];
  readonly out: readonly (readonly number[])[];
}

/** The meaning of a question turned towards the reports that answer such questions, which say things and ask nothing. */
export function towardsReports(meaning: ItemVector, { into, out }: Turn = weights.turn): ItemVector {
  const numbers = [...bytesOf(meaning.values)];
  const length = Math.hypot(...numbers) || 1;
  const inner = (into[0] ?? []).map((_, column) =>
    numbers.reduce((sum, value, row) => sum + (value / length) * (into[row]?.[column] ?? 0), 0),
  );
  const moved = numbers.map(
    (value, row) => value / length + inner.reduce((sum, part, column) => sum + part * (out[row]?.[column] ?? 0), 0),
  );
  const most = Math.max(...moved.map(Math.abs)) || 1;
  const values = Int8Array.from(moved, (value) => Math.round((127 * value) / most));
  return { by: meaning.by, values: Buffer.from(values.buffer).toString('base64') };
}
