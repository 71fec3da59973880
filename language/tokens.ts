/** Text as rules read it: decoded, cut to a bounded length, and split into words with their places. */

/** One word: a run of letters and digits. Apostrophes, dots and `&` separate words, so `Flipkart's` is `flipkart` and `s`. */
interface Token {
  readonly index: number;
  readonly text: string;
  /** Lower case, without accents. */
  readonly fold: string;
  readonly start: number;
  readonly end: number;
  /** Begins with a capital letter or a digit. */
  readonly capital: boolean;
}

export interface Text {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** The folded words with one space before, between and after them: what names are looked up in. */
  readonly folded: string;
  /** For each offset of a space in `folded`, the index of the word after it. */
  readonly wordAt: ReadonlyMap<number, number>;
}

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  rsquo: '’',
  lsquo: '‘',
  ldquo: '“',
  rdquo: '”',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  rupee: '₹',
  eacute: 'é',
};

const decodeOnce = (text: string): string =>
  text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = name[1]?.toLowerCase() === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 31 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : ' ';
  });

/**
 * Converts what an outlet sent to plain text: entities decoded (twice, because feeds encode them twice), tags, zero-width
 * and control characters removed, white space collapsed.
 * @param limit maximum number of characters; the rest is cut, so that the cost is bounded
 */
export function plainText(text: string, limit: number): string {
  return decodeOnce(decodeOnce(text.slice(0, limit * 2)))
    .replace(/<[^<>]{0,300}>/g, ' ')
    .replace(/[\u200b-\u200f\u2028-\u202e\u2060\ufeff\u00ad]/g, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .slice(0, limit)
    .trim();
}

const ASCII = /^[ -~]*$/;

/** Lower case without accents: `Nestlé` is `nestle`. Keeps one character per character where it can. */
export const fold = (text: string): string =>
  ASCII.test(text)
    ? text.toLowerCase()
    : text
        .normalize('NFKD')
        .replace(/[\u0300-\u036f]/g, '')
        .toLowerCase();

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** The same for plain ASCII, where it takes a third of the time. */
const ASCII_WORD = /[A-Za-z0-9]+/g;
const CAPITAL = /^[\p{Lu}\p{N}]/u;
/** A digit or a capital letter of ASCII. */
const isCapital = (code: number): boolean => (code >= 65 && code <= 90) || (code >= 48 && code <= 57);

/** Splits text into words. Pure, linear in its length. */
export function tokenise(text: string): Text {
  const tokens: Token[] = [];
  const wordAt = new Map<number, number>();
  let folded = ' ';
  const ascii = ASCII.test(text);
  for (const match of text.matchAll(ascii ? ASCII_WORD : WORD)) {
    const word = match[0];
    wordAt.set(folded.length - 1, tokens.length);
    const token = {
      index: tokens.length,
      text: word,
      fold: ascii ? word.toLowerCase() : fold(word),
      start: match.index,
      end: match.index + word.length,
      capital: ascii ? isCapital(word.charCodeAt(0)) : CAPITAL.test(word),
    };
    tokens.push(token);
    folded += `${token.fold} `;
  }
  return { text, tokens, folded, wordAt };
}

/** The key by which a name is looked up: its folded words with one space around each. */
export const nameKey = (name: string): string => tokenise(name).folded;

/** The text from one word to another, both included. */
export const sliceOf = (text: Text, first: number, last: number): string =>
  text.text.slice(text.tokens[first]?.start ?? 0, text.tokens[last]?.end ?? 0);

/** The text between a word and the next one, such as `, ` or `: `. */
export const gapAfter = (text: Text, index: number): string =>
  text.text.slice(text.tokens[index]?.end ?? text.text.length, text.tokens[index + 1]?.start ?? text.text.length);
