/**
 * Which sentence of an outlet's text sums up its story. A small logistic model weighs what the sentence has in common with
 * headline and item: their vectors, words and numbers. A sentence of background, of one side or of another matter is no summary,
 * and a story has rather none than such a one. The weights are written by `eval/train-summary.ts`.
 */
import type { ItemText } from '../../facts/text/item-reading.ts';
import { isExcerpt, summaryCandidates } from '../../facts/text/key-sentences.ts';
import { foldName } from '../../schemas/name-search.ts';
import type { Move } from '../../schemas/scalar.ts';
import type { ItemVector } from '../../schemas/story.ts';
import { bytesOf, nearness } from '../../signal/meaning.ts';
import type { EncodedItem, ItemEncoder } from './encoder/item-encoder.ts';
import shipped from './model/summary.json' with { type: 'json' };

/** The weights of the signs. */
export interface SummaryModel {
  readonly bias: number;
  readonly weights: Readonly<Record<string, number>>;
}

/** A sentence with less is no summary: with weeks left out, 7 % of those above are wrong (16 % of all) and 9 % of the right ones are dropped. */
const LEAST = 0.74;
/** Inflected forms have one beginning: `raise`, `raised`, `raising`. */
const STEM = 5;

const stemsOf = (text: string): Set<string> =>
  new Set(
    foldName(text)
      .split(' ')
      .filter((word) => word.length > 3 || /\d/.test(word))
      .map((word) => word.slice(0, STEM)),
  );
const numbersIn = (stems: ReadonlySet<string>): Set<string> => new Set([...stems].filter((stem) => /\d/.test(stem)));

const nearnessOf = (one: ItemVector | null, other: ItemVector | null): number =>
  (one && other && nearness(bytesOf(one.values), bytesOf(other.values))) ?? 0;

function probabilitiesOf(move: EncodedItem['move']): Record<string, number> {
  const top = Math.max(...Object.values(move));
  const powers = Object.entries(move).map(([name, logit]) => [name, Math.exp(logit - top)] as const);
  const total = powers.reduce((sum, [, power]) => sum + power, 0);
  return Object.fromEntries(powers.map(([name, power]) => [name, power / total]));
}

/** What an item and one of its sentences are compared by. */
interface Sentence {
  readonly headline: string;
  readonly item: EncodedItem;
  readonly text: string;
  /** The sentence, encoded as a headline of its own. */
  readonly encoded: EncodedItem;
}

/** The signs of a sentence, each about from -1 to 1. */
export function summarySigns({ headline, item, text, encoded }: Sentence): Map<string, number> {
  const [wanted, stems] = [stemsOf(headline), stemsOf(text)];
  const shared = wanted.intersection(stems).size;
  const [wantedNumbers, numbers] = [numbersIn(wanted), numbersIn(stems)];
  const [ofItem, ofSentence] = [probabilitiesOf(item.move), probabilitiesOf(encoded.move)];
  const overlap = Object.entries(ofItem).reduce(
    (sum, [move, share]) => sum + share * (ofSentence[move as Move] ?? 0),
    0,
  );
  return new Map([
    ['meaning', (nearnessOf(item.meaning, encoded.meaning) - 0.75) * 8],
    ['vector', (nearnessOf(item.vector, encoded.vector) - 0.7) * 5],
    ['words of the headline', (shared / Math.max(1, wanted.size)) * 2],
    ['words', shared / 3],
    ['numbers', (wantedNumbers.intersection(numbers).size - 0.5 * wantedNumbers.difference(numbers).size) / 2],
    ['a move by itself', Math.max(-6, Math.min(6, encoded.relevance)) / 4],
    ['kind of move', overlap],
    ['excerpt', Number(isExcerpt(text))],
    ['length', Math.log(text.length / 150)],
  ]);
}

/** The probability that a sentence with these signs sums up its story. */
export const worthOf = ({ bias, weights }: SummaryModel, signs: ReadonlyMap<string, number>): number => {
  let sum = bias;
  signs.forEach((strength, name) => {
    sum += strength * (weights[name] ?? 0);
  });
  return 1 / (1 + Math.exp(-sum));
};

/** A sentence with the probability that it sums up its story. */
export interface JudgedSentence {
  readonly text: string;
  readonly signs: ReadonlyMap<string, number>;
  readonly worth: number;
}

/**
 * Judges the sentences of an outlet's text that can be a summary.
 * @param text the outlet's plain text
 * @param item the item, encoded
 * @returns in the order of the text
 */
export async function judgeSentences(
  headline: string,
  text: string,
  item: EncodedItem,
  encode: ItemEncoder,
  model: SummaryModel = shipped,
): Promise<JudgedSentence[]> {
  const judged: JudgedSentence[] = [];
  for (const sentence of summaryCandidates(headline, text)) {
    const encoded = await encode({ title: sentence, summary: null } satisfies Pick<ItemText, 'title' | 'summary'>);
    const signs = summarySigns({ headline, item, text: sentence, encoded });
    judged.push({ text: sentence, signs, worth: worthOf(model, signs) });
  }
  return judged;
}

/** The sentence that sums up a story best; null where none does. */
export function chooseSummary(judged: readonly JudgedSentence[]): string | null {
  const [best] = judged.toSorted((one, other) => other.worth - one.worth);
  return best && best.worth >= LEAST ? best.text : null;
}
