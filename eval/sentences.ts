/** Checks an answer sentence by sentence against the signals as the record stores them, apart from the answerer's own check. */
import type { Citation } from '../schemas/ask.ts';

export interface Checked {
  /** Sentences that claim something of the record. */
  readonly claims: number;
  /** Claims with a citation. */
  readonly cited: number;
  /** Citations of sentences, and those whose signal carries the sentence. */
  readonly citations: number;
  readonly carried: number;
}

const ID = /\[(sig_[0-9a-f]{16})\]/g;
/** Sentences that speak of the answer, not of the record. */
const SAYS_NOTHING =
  /^(?:A store that is told without|Amounts in several|What stands near|I found no|“[^”]+” was read as|That is not something)/;

const withoutEscapes = (markdown: string): string => markdown.replace(/\\([\\`*_[\]<>|#~])/g, '$1');
const quotesIn = (text: string): string[] =>
  [...text.matchAll(/“([^“”]*(?:“[^”]*”[^“”]*)*)”/g)].map(([, quote]) => quote ?? '');

/** Pieces of content that end with their citations: a bullet, or a sentence of the lead. */
function sentencesOf(content: string): { text: string; ids: string[] }[] {
  return content
    .split('\n')
    .flatMap((line) => {
      const parts = line.split(/(?<=\[sig_[0-9a-f]{16}\]) (?!\[sig_)/);
      return parts.map((part) => ({
        text: part.replace(ID, '').replace(/^- /, '').trim(),
        ids: [...part.matchAll(ID)].map(([, id]) => id ?? ''),
      }));
    })
    .filter(({ text }) => text !== '');
}

/** A citation carries a sentence when every quote of it stands in one of the sentence's signals, or it was counted. */
export function checkSentences(
  content: string,
  citations: readonly Citation[],
  stored: ReadonlyMap<string, string>,
): Checked {
  const checked = { claims: 0, cited: 0, citations: 0, carried: 0 };
  const known = new Set(citations.map(({ id }) => id));
  for (const { text, ids } of sentencesOf(content)) {
    if (SAYS_NOTHING.test(text)) continue;
    checked.claims += 1;
    if (ids.length > 0) checked.cited += 1;
    const quotes = quotesIn(withoutEscapes(text));
    for (const id of ids) {
      checked.citations += 1;
      const own = stored.get(id);
      const carries =
        own !== undefined && known.has(id) && (quotes.length === 0 || quotes.some((quote) => own.includes(quote)));
      if (carries && quotes.every((quote) => ids.some((one) => stored.get(one)?.includes(quote)))) checked.carried += 1;
    }
  }
  return checked;
}
