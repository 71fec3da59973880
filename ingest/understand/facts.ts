/** Deck, summary and key facts: whole sentences of the source's own text, never rewritten. */

const SENTENCE = /[^.!?…]+(?:[.!?…](?![\s"'”’)]|$)[^.!?…]*)*[.!?…]*["'”’)]*/gu;
const ABBREVIATED = /(?:\b(?:rs|mr|mrs|ms|dr|st|no|vs|inc|ltd|co|pvt|jr|sr|u\.s|i\.e|e\.g|approx|etc)|\b\p{Lu})\.$/iu;

/** Splits plain text into sentences; a sentence that the feed cut short is left out. */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  let open = '';
  for (const [piece] of text.matchAll(SENTENCE)) {
    open = open ? `${open} ${piece.trim()}` : piece.trim();
    if (ABBREVIATED.test(open)) continue;
    if (open) sentences.push(open);
    open = '';
  }
  if (open) sentences.push(open);
  const whole = sentences.filter(
    (sentence) => /[.!?]["'”’)]*$/.test(sentence) && !/(?:…|\.\.\.)["'”’)]*$/.test(sentence),
  );
  return whole.length > 0 ? whole : [];
}

export interface Facts {
  readonly deck: string | null;
  readonly summary: string | null;
  readonly key_facts: string[];
}

/** Takes deck, summary and up to five facts from a summary; nothing when it only says the headline again. */
export function factsOf(headline: string, summary: string): Facts {
  const same = (text: string): boolean =>
    text.toLowerCase().replace(/\W+/g, ' ').includes(headline.toLowerCase().replace(/\W+/g, ' ').trim());
  const sentences = sentencesOf(summary).filter(
    (sentence) => sentence.length >= 25 && sentence.length <= 500 && !same(sentence),
  );
  const figures = sentences.filter((sentence) => /\d/.test(sentence));
  return {
    deck: sentences[0] ?? null,
    summary: sentences[0] ?? null,
    key_facts: [...new Set([...figures, ...sentences])].slice(0, 5),
  };
}
