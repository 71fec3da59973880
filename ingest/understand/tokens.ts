/** Text as the rules and the encoder read it: decoded, cut to a bounded length, and split into words with their places. */

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

// The input of the encoder: the texts of an item as WordPiece tokens, each with its place in the text.

/** The encoder reads this many tokens; the rest is cut. */
export const MAXIMUM_TOKENS = 96;
const MAXIMUM_TITLE = 400;
/** The summaries of the training data are cut at about this length. */
const MAXIMUM_SUMMARY = 240;

/** Where a word of the input is: offsets in the plain title or summary. */
export interface WordPlace {
  readonly part: 'title' | 'summary';
  readonly start: number;
  readonly end: number;
  /** The index of the word's first token. */
  readonly token: number;
}

/** What the encoder takes for one item. */
export interface EncoderInput {
  readonly title: string;
  readonly summary: string;
  readonly ids: readonly number[];
  /** 0 for the tokens of the title, 1 for those of the summary. */
  readonly types: readonly number[];
  readonly words: readonly WordPlace[];
}

/** A run of letters, digits and accents, or any other single character. */
const ENCODED_WORD = /[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}\p{M}]/gu;
const LONGEST_ENCODED_WORD = 100;

/**
 * Creates the function that converts an item's texts to tokens. Pure; remembers the pieces of words that it has seen.
 * @param vocabulary the WordPiece vocabulary, one piece a line; the line number is the id
 */
export function createEncoderTokeniser(
  vocabulary: string,
): (item: { readonly title: string; readonly summary: string | null }) => EncoderInput {
  const ids = new Map(vocabulary.split('\n').map((piece, id) => [piece, id]));
  const idOf = (piece: string): number => {
    const id = ids.get(piece);
    if (id === undefined) throw new Error(`the vocabulary of the encoder has no ${piece}`);
    return id;
  };
  const [unknown, start, separator] = [idOf('[UNK]'), idOf('[CLS]'), idOf('[SEP]')];

  /** Splits a word into the longest pieces of the vocabulary, from left to right. */
  const split = (word: string): readonly number[] => {
    const folded = /[\p{L}\p{N}]/u.test(word) ? fold(word) : word;
    if (folded.length > LONGEST_ENCODED_WORD) return [unknown];
    const pieces: number[] = [];
    for (let from = 0; from < folded.length; ) {
      let to = folded.length;
      let id: number | undefined;
      for (; to > from; to--) {
        id = ids.get(from ? `##${folded.slice(from, to)}` : folded.slice(0, to));
        if (id !== undefined) break;
      }
      if (id === undefined) return [unknown];
      pieces.push(id);
      from = to;
    }
    return pieces.length ? pieces : [unknown];
  };
  const known = new Map<string, readonly number[]>();
  const piecesOf = (word: string): readonly number[] => {
    let pieces = known.get(word);
    if (!pieces) {
      if (known.size >= 50_000) known.clear();
      pieces = split(word);
      known.set(word, pieces);
    }
    return pieces;
  };

  return (item) => {
    const title = plainText(item.title, MAXIMUM_TITLE);
    const summary = plainText(item.summary ?? '', MAXIMUM_SUMMARY);
    const tokens = [start];
    const types = [0];
    const words: WordPlace[] = [];
    for (const [part, text] of [['title', title] as const, ['summary', summary] as const]) {
      if (part === 'summary' && !text) continue;
      const type = part === 'title' ? 0 : 1;
      for (const match of text.matchAll(ENCODED_WORD)) {
        if (tokens.length >= MAXIMUM_TOKENS) break;
        const pieces = piecesOf(match[0]);
        words.push({ part, start: match.index, end: match.index + match[0].length, token: tokens.length });
        for (const piece of pieces) {
          tokens.push(piece);
          types.push(type);
        }
      }
      tokens.push(separator);
      types.push(type);
    }
    return { title, summary, ids: tokens.slice(0, MAXIMUM_TOKENS), types: types.slice(0, MAXIMUM_TOKENS), words };
  };
}
