/**
 * Deck, summary and key facts: sentences of an outlet's own text, never rewritten. And the sentence that states the facts
 * of a story, for one of which no report has a summary.
 */
import { splitSentences } from '../../language/prose.ts';
import { foldName } from '../../schemas/name-search.ts';

/** False for a sentence that the feed cut short. */
const isWhole = (sentence: string): boolean =>
  /[.!?]["'”’)]*$/.test(sentence) && !/(?:…|\.\.\.)["'”’)]*$/.test(sentence);

/** What is written under or beside a picture: its credit, who is on it, or what it is. */
const CAPTION =
  /^\W*(?:(?:file|representat\w+|representational|illustrative)\s+(?:photo|image|picture)|(?:image|photo|picture|pic)\s*(?:credits?|courtesy|source|by|:)|credits?:|(?:from )?left to right|from left|\(?l[- ]?(?:to[- ])?r\)?\b\s*[:)(-]?)|\((?:l[- ]?(?:to[- ])?r|left|right|cent(?:re|er)|(?:file )?(?:photo|image|pic)[^)]*|representat\w+[^)]*)\)|\b(?:getty images|shutterstock|istock|unsplash|pti photo)\b/iu;

/** The words by which a sentence and a headline are compared: numbers, and words of four letters or more. */
const wordsOf = (text: string): Set<string> =>
  new Set(
    foldName(text)
      .split(' ')
      .filter((word) => word.length > 3 || /\d/.test(word)),
  );

/** Whether a text says no more than the headline: it is in it, or has nearly all of its words and hardly others. */
function isHeadline(text: string, headline: string): boolean {
  const [one, other] = [foldName(text), foldName(headline)];
  if (other === '' || one.includes(other) || other.includes(one)) return true;
  const [words, told] = [wordsOf(text), wordsOf(headline)];
  const shared = words.intersection(told).size;
  return shared >= 0.9 * told.size && words.size - shared <= 1;
}

/** How well a sentence sums up a story: it is whole, about what the headline is about, and no quotation. */
function worthOf(sentence: string, headline: string): number {
  const shared = wordsOf(sentence).intersection(wordsOf(headline)).size;
  return (isWhole(sentence) ? 2 : 0) + Math.min(3, shared) - (/^["'“‘]/.test(sentence) ? 3 : 0);
}

/** The better of two summaries of a story, the first where both are equal. */
export const betterSummary = (headline: string, one: string | null, other: string | null): string | null =>
  other !== null && !isHeadline(other, headline) && (one === null || worthOf(other, headline) > worthOf(one, headline))
    ? other
    : one;

interface KeySentences {
  readonly deck: string | null;
  readonly summary: string | null;
  readonly key_facts: string[];
}

/**
 * Takes deck, summary and up to five key facts from a text of an outlet: the first sentence, the one that sums it up
 * best, and the others, those with figures first. Neither a caption nor a sentence that repeats the headline counts. An
 * excerpt without a whole sentence becomes the deck, with its ellipsis, but no key fact.
 */
export function readKeySentences(headline: string, text: string): KeySentences {
  const own = text.startsWith(headline) ? text.slice(headline.length) : text;
  const pieces = splitSentences(own).filter(
    (piece) => piece.length >= 25 && piece.length <= 500 && !CAPTION.test(piece) && !isHeadline(piece, headline),
  );
  const sentences = pieces.filter(isWhole);
  const deck = sentences[0] ?? pieces[0] ?? null;
  const figures = sentences.filter((sentence) => /\d/.test(sentence));
  return {
    deck,
    summary: sentences.slice(0, 3).reduce((best, one) => betterSummary(headline, best, one), deck),
    key_facts: [...new Set([...figures, ...sentences])].slice(0, 5),
  };
}
