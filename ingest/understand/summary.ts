/**
 * Which sentence of an outlet's text sums up its story. A small logistic model weighs what the sentence has in common with
 * headline and item: their vectors, words and numbers. A sentence of background, of one side or of another matter is no summary,
 * and a story has rather none than such a one. The weights are written by `eval/train-summary.ts`.
 */
import { type ConfidenceModel, probabilityOf } from '../../facts/confidence.ts';
import type { ItemText } from '../../facts/text/item-reading.ts';
import { isExcerpt, summaryCandidates, wordsOf } from '../../facts/text/key-sentences.ts';
import type { ItemVector } from '../../schemas/story.ts';
import { bytesOf, nearness } from '../../signal/meaning.ts';
import type { EncodedItem, ItemEncoder } from './encoder/item-encoder.ts';
import { fromLogs } from './model/linear-model.ts';
import shipped from './model/summary.json' with { type: 'json' };

/** A sentence with less is no summary: with weeks left out, 7 % of those above are wrong (16 % of all) and 9 % of the right ones are dropped. */
const LEAST = 0.74;
/** Inflected forms have one beginning: `raise`, `raised`, `raising`. */
const STEM = 5;

const stemsOf = (text: string): Set<string> => new Set([...wordsOf(text)].map((word) => word.slice(0, STEM)));
const numbersIn = (stems: ReadonlySet<string>): Set<string> => new Set([...stems].filter((stem) => /\d/.test(stem)));

const nearnessOf = (one: ItemVector | null, other: ItemVector | null): number =>
  (one && other && nearness(bytesOf(one.values), bytesOf(other.values))) ?? 0;

/** What the sentences of an item are compared with. */
const comparedWith = (headline: string, item: EncodedItem) => ({
  stems: stemsOf(headline),
  meaning: item.meaning,
  vector: item.vector,
  moves: fromLogs(item.move).probabilities,
});

/**
 * The signs of a sentence, each about from -1 to 1.
 * @param encoded the sentence, encoded as a headline of its own
 */
function signsOf(item: ReturnType<typeof comparedWith>, text: string, encoded: EncodedItem): Map<string, number> {
  const stems = stemsOf(text);
  const shared = item.stems.intersection(stems).size;
  const [wanted, numbers] = [numbersIn(item.stems), numbersIn(stems)];
  const { probabilities } = fromLogs(encoded.move);
  const overlap = Object.entries(item.moves).reduce(
    (sum, [move, share]) => sum + share * (probabilities[move] ?? 0),
    0,
  );
  return new Map([
    ['meaning', (nearnessOf(item.meaning, encoded.meaning) - 0.75) * 8],
    ['vector', (nearnessOf(item.vector, encoded.vector) - 0.7) * 5],
    ['words of the headline', (shared / Math.max(1, item.stems.size)) * 2],
    ['words', shared / 3],
    ['numbers', (wanted.intersection(numbers).size - 0.5 * wanted.difference(numbers).size) / 2],
    ['a move by itself', Math.max(-6, Math.min(6, encoded.relevance)) / 4],
    ['kind of move', overlap],
    ['excerpt', Number(isExcerpt(text))],
    ['length', Math.log(text.length / 150)],
  ]);
}

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
  model: ConfidenceModel = shipped,
): Promise<JudgedSentence[]> {
  const compared = comparedWith(headline, item);
  const judged: JudgedSentence[] = [];
  for (const sentence of summaryCandidates(headline, text)) {
    const encoded = await encode({ title: sentence, summary: null } satisfies Pick<ItemText, 'title' | 'summary'>);
    const signs = signsOf(compared, sentence, encoded);
    judged.push({ text: sentence, signs, worth: probabilityOf(model, signs) });
  }
  return judged;
}

/** The sentence that sums up a story best; null where none does. */
export function chooseSummary(judged: readonly JudgedSentence[]): string | null {
  const [best] = judged.toSorted((one, other) => other.worth - one.worth);
  return best && best.worth >= LEAST ? best.text : null;
}
