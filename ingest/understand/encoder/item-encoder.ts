/**
 * The encoder: a small transformer, fine-tuned on headlines. One pass over the words of an item gives the log-odds
 * that it is a move, a score for each kind of move, the role of each word of the headline, a vector by which reports
 * of one event are found, and one by which questions find them. Its input is the texts of an item as WordPiece tokens,
 * each with its place in the text. It runs on the native ONNX runtime; on a platform that lacks it, understanding
 * works without the encoder.
 */
import { access, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../../log/errors.ts';
import type { Move } from '../../../schemas/scalar.ts';
import type { ItemVector } from '../../../schemas/story.ts';
import type { ItemText } from '../item-reading.ts';
import { fold, plainText } from '../tokens.ts';

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
const WORD = /[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}\p{M}]/gu;
const LONGEST_WORD = 100;

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
    if (folded.length > LONGEST_WORD) return [unknown];
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
      for (const match of text.matchAll(WORD)) {
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

/** Name and version of the weights; it changes with every training, because vectors of two trainings are not comparable. */
export const ENCODER = 'bge-small-news-1';
/** Name and version of the branch that gives meanings: the layers of the encoder and of its base, and a number. */
export const MEANING = 'bge-small-4-8-1';

/** The role of one word of the headline, as probabilities; what is missing to 1 is "no brand". */
export interface WordRole {
  /** Offsets in `EncodedItem.title`. */
  readonly start: number;
  readonly end: number;
  readonly primary: number;
  readonly secondary: number;
}

/** What the encoder says of one item. */
export interface EncodedItem {
  /** Log-odds that the item is a move. */
  readonly relevance: number;
  /** Logits by kind of move: their softmax gives probabilities, provided that the item is a move. */
  readonly move: Readonly<Record<Move, number>>;
  /** The headline as the encoder read it: plain text with the outlet's prefixes. */
  readonly title: string;
  /** The words of the headline, in order. */
  readonly roles: readonly WordRole[];
  /** What is stored with the story, for matching. */
  readonly vector: ItemVector;
  /** What is stored with the story, for questions; null for weights without that branch, such as those of a fold. */
  readonly meaning: ItemVector | null;
}

/** Encodes items one by one, each in a few milliseconds on the calling thread. */
export type ItemEncoder = (item: Pick<ItemText, 'title' | 'summary'>) => Promise<EncodedItem>;

/** The native runtime does not load on this platform, or the weights were left out of the installation. */
export class EncoderUnavailable extends Error {
  override name = 'EncoderUnavailable';
}

/** The order of the outputs `move` and `roles` of the weights. */
const MOVE_ORDER: readonly Move[] = ['stores', 'deals', 'people', 'results', 'launches', 'strategy', 'rules', 'other'];
const [PRIMARY, SECONDARY, ROLES] = [1, 2, 3];

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const SHIPPED_WEIGHTS = fileOf('encoder.onnx');
const toInput = (values: readonly number[]): BigInt64Array => BigInt64Array.from(values, BigInt);

/** Cosines keep two digits when a vector of length 1 is stored as whole numbers from -127 to 127. */
const SCALE = 127;
const packVector = (vector: Float32Array): string => {
  const maximum = Math.max(...vector.map(Math.abs)) || 1;
  return Buffer.from(Int8Array.from(vector, (value) => Math.round((value / maximum) * SCALE)).buffer).toString(
    'base64',
  );
};

function softmax(logits: ArrayLike<number>, from: number, count: number): number[] {
  const own = Array.from({ length: count }, (_, index) => logits[from + index] ?? 0);
  const top = Math.max(...own);
  const powers = own.map((value) => Math.exp(value - top));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

/** Loads the native runtime, and finds the weights. @throws EncoderUnavailable */
async function loadRuntime(weights: string) {
  await access(weights).catch((cause) => {
    throw new EncoderUnavailable('the weights of the encoder are missing', { cause });
  });
  const runtime = await import('onnxruntime-node').catch((cause) => {
    const platform = `${process.platform}-${process.arch}`;
    throw new EncoderUnavailable(`the native ONNX runtime does not load on ${platform}`, { cause });
  });
  return runtime;
}

/** Why the encoder is unavailable on this machine; null where it is available. Does not load the weights. */
export async function findEncoderProblem(): Promise<string | null> {
  try {
    await loadRuntime(SHIPPED_WEIGHTS);
    return null;
  } catch (error) {
    if (!(error instanceof EncoderUnavailable)) throw error;
    return error.message;
  }
}

/**
 * Loads the weights.
 * @param weights their file; the shipped ones when unset
 * @throws EncoderUnavailable
 */
export async function openItemEncoder(weights = SHIPPED_WEIGHTS): Promise<ItemEncoder> {
  const { InferenceSession, Tensor } = await loadRuntime(weights);
  const tokenise = createEncoderTokeniser(await readFile(fileOf('vocabulary.txt'), 'utf8'));
  // One thread: an item is too short to share, and the other processors have other work.
  const session = await InferenceSession.create(weights, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    // Memory is returned after each item: 65 MB instead of 79, at the same speed.
    enableCpuMemArena: false,
  });

  return async (item) => {
    const { title, ids, types, words } = tokenise(item);
    const shape = [1, ids.length];
    const outputs = await session.run({
      input_ids: new Tensor('int64', toInput(ids), shape),
      attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
      token_type_ids: new Tensor('int64', toInput(types), shape),
    });
    const read = (name: string): Float32Array => {
      const output = outputs[name];
      if (!output) throw new Error(`the weights of the encoder have no output ${name}`);
      return output.data;
    };
    const [relevance, move, roles] = [read('relevance'), read('move'), read('roles')];
    return {
      relevance: relevance[0] ?? 0,
      move: Object.fromEntries(MOVE_ORDER.map((name, index) => [name, move[index] ?? 0])) as Record<Move, number>,
      title,
      roles: words
        .filter(({ part, token }) => part === 'title' && token < ids.length)
        .map(({ start, end, token }) => {
          const said = softmax(roles, token * ROLES, ROLES);
          return { start, end, primary: said[PRIMARY] ?? 0, secondary: said[SECONDARY] ?? 0 };
        }),
      vector: { by: ENCODER, values: packVector(read('vector')) },
      meaning: outputs.meaning ? { by: MEANING, values: packVector(outputs.meaning.data) } : null,
    };
  };
}

let shared: Promise<ItemEncoder> | undefined;

/** The encoder of the process: the shipped weights, loaded when they are first needed. @throws EncoderUnavailable */
export async function sharedEncoder(): Promise<ItemEncoder> {
  shared ??= openItemEncoder();
  return shared;
}

/** What a question says, to be compared with what items say; null where the encoder is unavailable. */
export type MeaningOf = (text: string) => Promise<ItemVector | null>;

/**
 * Gives the meanings of questions by the encoder of the process, which the first question loads.
 * @param onUnavailable is called once where the native runtime does not load, with the reason: words alone serve there
 */
export function meaningsByEncoder(onUnavailable: (reason: string) => void): MeaningOf {
  let isUnavailable = false;
  return async (text) => {
    if (isUnavailable) return null;
    try {
      return (await (await sharedEncoder())({ title: text, summary: null })).meaning;
    } catch (error) {
      if (!(error instanceof EncoderUnavailable)) throw error;
      isUnavailable = true;
      onUnavailable(messageOf(error));
      return null;
    }
  };
}
