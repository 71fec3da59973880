/**
 * Deck, summary and key facts: sentences of an outlet's own text, never rewritten. And the sentence that states the facts
 * of a story, for one of which no report has a summary.
 */
import { splitSentences } from '../../language/prose.ts';
import { foldName } from '../../schemas/name-search.ts';

/** False for a sentence that the feed cut short. */
const isWhole = (sentence: string): boolean => /[.!?]["'”’)]*$/.test(sentence) && !isExcerpt(sentence);

/** True for a sentence that ends in an ellipsis: a feed cut it. */
export const isExcerpt = (sentence: string): boolean => /(?:…|\.\.\.)["'”’)]*$/.test(sentence);

/** What is written under or next to a picture: its credit, who is on it, or what it is. */
const CAPTION =
  /^\W*(?:(?:file|representat\w+|representational|illustrative)\s+(?:photo|image|picture)|(?:image|photo|picture|pic)\s*(?:credits?|courtesy|source|by|:)|credits?:|(?:from )?left to right|from left|\(?l[- ]?(?:to[- ])?r\)?\b\s*[:)(-]?)|\((?:l[- ]?(?:to[- ])?r|left|right|cent(?:re|er)|(?:file )?(?:photo|image|pic)[^)]*|representat\w+[^)]*)\)|\b(?:getty images|shutterstock|istock|unsplash|pti photo)\b/iu;

/** What a sentence of an article begins with that says nothing of the move: who somebody was before, when a company was founded, what else goes on. */
const BACKGROUND =
  /^(?:founded|established|started|incorporated|headquartered|set up) (?:in|by)\b|^(?:in (?:his|her|their) (?:previous|earlier|last|new|current|former) \w+|prior to|before joining|(?:currently|previously|earlier|formerly),? (?:serving|he|she|they|with|at|the)|(?:he|she) (?:has|had|was|is|brings|joins|joined|holds|previously|earlier|also)\b)|\bbrings (?:with (?:him|her) )?(?:more than|over|nearly|about|around)? ?[\w-]+ (?:years|decades) of\b|\bcomes (?:amid|barely|just|days|weeks|months|at a time|as|after|on the (?:back|heels)|against)\b|\bshares (?:have|has|had|were|closed|opened|settled|ended|declined|fell|rose|gained)\b|\b(?:had (?:posted|reported|clocked|recorded)|in the (?:same|corresponding|year-ago) (?:period|quarter))\b.{0,60}\b(?:ago|earlier|last (?:year|fiscal))\b|^(?:the|this) (?:document|article|story|report|interview|episode|piece) (?:reveals?|shows?|explores?|looks?|says?)\b/iu;
/** Somebody speaks: `We will begin with a pilot`, with or without marks. */
const SPEECH = /^["'“‘]|\b(?:we|we['’](?:re|ll|ve)|our|i['’](?:m|ve|ll)|my)\b/i;

/** `New Delhi, Jul 14 (PTI) `, with or without the reference of an agency before it. */
const DATELINE =
  /^(?:[A-Z]+(?:-[A-Z]+)+ .{0,60}?\d+ Words )?(?:\p{Lu}[\p{L}]*(?:[ /]\p{Lu}[\p{L}]*){0,2},? (?:\p{Lu}\p{Ll}{2,8}\.? \d{1,2},? )?)?\((?:PTI|IANS|ANI|UNI|Reuters|Bloomberg)\)\s*[:,–—-]?\s*/u;

/** The words by which a sentence and a headline are compared: numbers, and words of four letters or more. */
export const wordsOf = (text: string): Set<string> =>
  new Set(
    foldName(text)
      .split(' ')
      .filter((word) => word.length > 3 || /\d/.test(word)),
  );

/** Whether a text says no more than the headline: it is in it, or has nearly all of its words and hardly others. */
function isHeadline(text: string, headline: string): boolean {
  const [one, other] = [foldName(text), foldName(headline)];
  if (other === '' || one.includes(other) || other.includes(one)) return true;
  const [words, headlineWords] = [wordsOf(text), wordsOf(headline)];
  const shared = words.intersection(headlineWords).size;
  return shared >= 0.9 * headlineWords.size && words.size - shared <= 1;
}

/** Whether a sentence can sum up a story: it says what happened. */
const isOfMove = (sentence: string): boolean => !BACKGROUND.test(sentence) && !SPEECH.test(sentence);

/** Refers to a sentence before it: `This will`, `The proposal is`. */
const REFERRING =
  /^(?:which|who|this|these|that|those|it|they|he|she|their|its|his|her|the (?:move|deal|proposal|plan|transaction|round|funding|funds|proceeds|capital|company|firm|brand|startup|platform|retailer|development|decision|latest|new))\b/i;

/** How well a sentence sums up a story: it needs no other, is whole and about what the headline is about. */
function worthOf(sentence: string, headline: string): number {
  const shared = wordsOf(sentence).intersection(wordsOf(headline)).size;
  const isReferring = REFERRING.test(sentence);
  return (isWhole(sentence) ? 2 : 0) + Math.min(3, shared) - (isReferring ? 2 : 0);
}

/** A whole sentence that needs no other and has three words of the headline. */
const SURE = 5;

/** Whether the words of a sentence alone show that it sums up a story, where nobody read the two together. */
export const isSureSummary = (headline: string, sentence: string): boolean => worthOf(sentence, headline) >= SURE;

/** Words that no sentence ends with. */
const CUT = /(?:[,;:]|\s(?:a|an|the|of|in|and|or|to|for|with|by|from|at|on|as|its|that|which))$/i;
/** A description as long as this that ends without a mark was cut to a length. */
const CUT_LENGTH = 200;

/** An outlet's own text, without the headline and the dateline before it and marks of emphasis; where it was cut, it ends in an ellipsis. */
function ownText(headline: string, text: string): string {
  const at = text.indexOf(headline);
  const own = (at >= 0 ? text.slice(at + headline.length) : text)
    .trim()
    .replace(DATELINE, '')
    .replaceAll('**', '')
    .replace(/([.!?]["'”’)]*)\s*(?:…|\.\.\.)$/, '$1');
  const isCut = CUT.test(own) || (text.length >= CUT_LENGTH && /[\p{L}\d]$/u.test(own));
  return isCut ? `${own.replace(/[,;:]$/, '')}…` : own;
}

/** The better of two summaries of a story, the first where both are equal. */
export const betterSummary = (headline: string, one: string | null, other: string | null): string | null =>
  other !== null &&
  isOfMove(other) &&
  !isHeadline(other, headline) &&
  (one === null || worthOf(other, headline) > worthOf(one, headline))
    ? other
    : one;

interface KeySentences {
  readonly deck: string | null;
  readonly summary: string | null;
  readonly key_facts: string[];
}

/** The sentences of an outlet's own text, with an excerpt at its end; neither captions nor what repeats the headline. */
const piecesOf = (headline: string, text: string): string[] =>
  splitSentences(ownText(headline, text)).filter(
    (piece) => piece.length >= 25 && piece.length <= 500 && !CAPTION.test(piece) && !isHeadline(piece, headline),
  );

/** Those that can be a summary: of the first ones, those that say what happened. */
const candidatesIn = (pieces: readonly string[]): string[] => [
  ...new Set([...pieces.slice(0, 1), ...pieces.filter(isWhole).slice(0, 3)].filter(isOfMove)),
];

/** The sentences of an outlet's text of which one may sum up the story, in their order. */
export const summaryCandidates = (headline: string, text: string): string[] => candidatesIn(piecesOf(headline, text));

/**
 * Takes deck, summary and up to five key facts from a text of an outlet: the first sentence, the one that sums it up
 * best, and the others, those with figures first. Neither a caption nor a sentence that repeats the headline counts; a quotation
 * and a sentence of background are no summary. An excerpt without a whole sentence becomes the deck, with its ellipsis, but no
 * key fact.
 */
export function readKeySentences(headline: string, text: string): KeySentences {
  const pieces = piecesOf(headline, text);
  const sentences = pieces.filter(isWhole);
  const figures = sentences.filter((sentence) => /\d/.test(sentence));
  return {
    deck: sentences[0] ?? pieces[0] ?? null,
    summary: candidatesIn(pieces).reduce<string | null>((best, one) => betterSummary(headline, best, one), null),
    key_facts: [...new Set([...figures, ...sentences])].slice(0, 5),
  };
}
