/** Deck, summary and key facts: whole sentences of the source's own text, never rewritten. */

const SENTENCE = /[^.!?…]+(?:[.!?…](?![\s"'”’)]|$)[^.!?…]*)*[.!?…]*["'”’)]*/gu;
const ABBREVIATED = /(?:\b(?:rs|mr|mrs|ms|dr|st|no|vs|inc|ltd|co|pvt|jr|sr|u\.s|i\.e|e\.g|approx|etc)|\b\p{Lu})\.$/iu;

/** Splits plain text into sentences; a sentence that the feed cut short is left out. */
export const sentencesOf = (text: string): string[] => piecesOf(text).filter(isWhole);

const isWhole = (sentence: string): boolean =>
  /[.!?]["'”’)]*$/.test(sentence) && !/(?:…|\.\.\.)["'”’)]*$/.test(sentence);

/** Sentences as they stand, also one at the end that was cut short. */
function piecesOf(text: string): string[] {
  const sentences: string[] = [];
  let open = '';
  for (const [piece] of text.matchAll(SENTENCE)) {
    open = open ? `${open} ${piece.trim()}` : piece.trim();
    if (ABBREVIATED.test(open)) continue;
    if (open) sentences.push(open);
    open = '';
  }
  if (open) sentences.push(open);
  return sentences;
}

export interface Facts {
  readonly deck: string | null;
  readonly summary: string | null;
  readonly key_facts: string[];
}

/**
 * Takes deck, summary and up to five facts from a summary; nothing when it only says the headline again. Where the feed
 * gives only an excerpt without a whole sentence, that is the deck, with its ellipsis, but no fact.
 */
export function factsOf(headline: string, summary: string): Facts {
  const same = (text: string): boolean =>
    text.toLowerCase().replace(/\W+/g, ' ').includes(headline.toLowerCase().replace(/\W+/g, ' ').trim());
  const pieces = piecesOf(summary).filter((piece) => piece.length >= 25 && piece.length <= 500 && !same(piece));
  const sentences = pieces.filter(isWhole);
  const deck = sentences[0] ?? pieces[0] ?? null;
  const figures = sentences.filter((sentence) => /\d/.test(sentence));
  return {
    deck,
    summary: deck,
    key_facts: [...new Set([...figures, ...sentences])].slice(0, 5),
  };
}
