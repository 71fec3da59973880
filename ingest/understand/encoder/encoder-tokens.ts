/** The input of the encoder: the texts of an item as WordPiece tokens, each with its place in the text. */
import { fold, plainText } from '../../../language/tokens.ts';

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

/** Splits a word into the longest pieces of a vocabulary, from left to right; null where there are none. */
function splitWord(word: string, ids: ReadonlyMap<string, number>): readonly number[] | null {
  const folded = /[\p{L}\p{N}]/u.test(word) ? fold(word) : word;
  if (folded.length > LONGEST_ENCODED_WORD) return null;
  const pieces: number[] = [];
  for (let from = 0; from < folded.length; ) {
    let to = folded.length;
    let id: number | undefined;
    for (; to > from; to--) {
      id = ids.get(from ? `##${folded.slice(from, to)}` : folded.slice(0, to));
      if (id !== undefined) break;
    }
    if (id === undefined) return null;
    pieces.push(id);
    from = to;
  }
  return pieces.length > 0 ? pieces : null;
}

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

  const piecesByWord = new Map<string, readonly number[]>();
  const piecesOf = (word: string): readonly number[] => {
    let pieces = piecesByWord.get(word);
    if (!pieces) {
      if (piecesByWord.size >= 50_000) piecesByWord.clear();
      pieces = splitWord(word, ids) ?? [unknown];
      piecesByWord.set(word, pieces);
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
