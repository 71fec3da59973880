/**
 * The encoder: a small transformer, fine-tuned on headlines. One pass over the words of an item gives the log-odds
 * that it is a move, a score for each kind of move, the role of each word of the headline, a vector by which reports
 * of one event are found, and one by which questions find them. It runs on the native ONNX runtime; on a platform that
 * lacks it, understanding works without the encoder.
 *
 * The runtime occupies the calling thread for each item, and can end its process. So the service runs it in a child
 * process, which is this file again. A thread would be lighter, but the runtime cannot be loaded again in a process whose
 * thread has ended.
 */
import { access, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { classesOf, type TextTags, tagsOf } from '../../../facts/tagged-text.ts';
import type { ItemText } from '../../../facts/text/item-reading.ts';
import { ChildJobs, JobFailed, serveJobs } from '../../../log/child-jobs.ts';
import { partFailed } from '../../../schemas/observation.ts';
import type { Move } from '../../../schemas/scalar.ts';
import type { ItemVector, MeaningOf } from '../../../schemas/story.ts';
import { createEncoderTokeniser } from './encoder-tokens.ts';

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
  /** The facts as it reads them. */
  readonly tags: TextTags;
  /** What is stored with the story, for matching. */
  readonly vector: ItemVector;
  /** What is stored with the story, for questions; null for weights without that branch, such as those of a fold. */
  readonly meaning: ItemVector | null;
}

type EncodedText = Pick<ItemText, 'title' | 'summary'>;

/** Encodes items one by one, each in a few milliseconds of a processor. */
export type ItemEncoder = (item: EncodedText) => Promise<EncodedItem>;

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
 * Loads the weights into this process; each item then occupies the calling thread. See `startEncoder`.
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
    const { title, summary, ids, types, words } = tokenise(item);
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
    const [relevance, move, roles, tags] = [read('relevance'), read('move'), read('roles'), read('tags')];
    const wordsRead = words.filter(({ token }) => token < ids.length);
    return {
      relevance: relevance[0] ?? 0,
      move: Object.fromEntries(MOVE_ORDER.map((name, index) => [name, move[index] ?? 0])) as Record<Move, number>,
      title,
      roles: wordsRead
        .filter(({ part }) => part === 'title')
        .map(({ start, end, token }) => {
          const likely = softmax(roles, token * ROLES, ROLES);
          return { start, end, primary: likely[PRIMARY] ?? 0, secondary: likely[SECONDARY] ?? 0 };
        }),
      tags: {
        title,
        summary,
        words: wordsRead.flatMap(({ part, start, end, token }) => {
          const own = tagsOf(tags, token);
          return own ? [{ part, start, end, tags: own }] : [];
        }),
        classes: classesOf(read('classes')),
      },
      vector: { by: ENCODER, values: packVector(read('vector')) },
      meaning: outputs.meaning ? { by: MEANING, values: packVector(outputs.meaning.data) } : null,
    };
  };
}

/** No process of the encoder starts any more, or it is closed: a transient error. */
export class EncoderStopped extends Error {
  override name = 'EncoderStopped';
  readonly isTransient = true;
}

/** Two processes of the encoder ended at this item: a defect. */
export class EncoderCrashed extends Error {
  override name = 'EncoderCrashed';
}

export interface EncoderOptions {
  /** The file of the weights; the shipped ones when unset. */
  readonly weights?: string;
  /** Called when a process is ready, the first one and those that replace it. */
  readonly onReady?: (pid: number | undefined) => void;
}

export interface EncoderProcess {
  readonly encode: ItemEncoder;
  /** Ends the process; items that wait fail. */
  close(): Promise<void>;
}

/** Milliseconds for one item, also on a machine that has much else to do. */
const DEADLINE = 60_000;
/** Items that the process has at once, so that it need not wait while this one is busy. */
const AT_ONCE = 64;

function toEncoderError(error: unknown): never {
  if (!(error instanceof JobFailed)) throw error;
  const { reason, message } = error;
  if (reason === 'thrown') throw new Error(`an item could not be encoded: ${message}`);
  if (reason === 'closed') throw new EncoderStopped('the encoder is closed');
  if (reason === 'not started') throw new EncoderStopped(`the process of the encoder does not start: ${message}`);
  throw new EncoderCrashed(`the process of the encoder ended twice at this item: ${message}`);
}

/**
 * Starts the encoder in a process of its own. A process that ends is replaced, and what it had not encoded is sent again:
 * an item fails with `EncoderCrashed` when two processes ended at it, all items fail with `EncoderStopped` when three in
 * a row did not start.
 * @throws EncoderUnavailable
 */
export async function startEncoder({ weights, onReady }: EncoderOptions = {}): Promise<EncoderProcess> {
  const jobs = new ChildJobs<EncodedText, EncodedItem>({
    program: new URL(import.meta.url),
    parameters: weights === undefined ? [] : [weights],
    atOnce: AT_ONCE,
    attempts: 2,
    deadlineMs: DEADLINE,
    onReady,
    onFailure: () => partFailed.emit({ part: 'encoder' }),
  });
  await jobs.start().catch(async (error: Error) => {
    await jobs.close();
    throw new EncoderUnavailable(error.message);
  });
  return {
    encode: ({ title, summary }) => jobs.run({ title, summary }).catch(toEncoderError),
    close: () => jobs.close(),
  };
}

let shared: Promise<EncoderProcess> | undefined;

/** The encoder that serves this process: the shipped weights, loaded when they are first needed. @throws EncoderUnavailable */
export async function sharedEncoder(): Promise<ItemEncoder> {
  shared ??= startEncoder();
  return (await shared).encode;
}

/**
 * Gives the meanings of questions by the encoder, which the first question starts.
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
      onUnavailable(error.message);
      return null;
    }
  };
}

if (import.meta.main) await serveJobs(() => openItemEncoder(process.argv[2]));
