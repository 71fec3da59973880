/**
 * Parts of rebuilds that are folded in other threads. This file is loaded by both sides: the thread that reads the log
 * calls `openInThread`, and each worker thread answers its calls.
 */
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import pg, { type ClientConfig } from 'pg';
import type { Position } from '../../log/event-store.ts';
import type { Refused } from '../apply-page.ts';
import type { Model, ModelSource } from '../read-model.ts';
import { type Part, PartFold, type PartOptions, type PlacedEvent } from './bulk-fold.ts';

/** A part as a thread is given it: the model by its name. */
interface PartCall extends Omit<PartOptions, 'model'> {
  readonly model: string;
  readonly version: string;
  readonly source: ModelSource;
  readonly connection: ClientConfig;
}

type End = 'settle' | 'finish' | 'close';

/** A call of one side, numbered, to one of the thread's parts. */
type Call = { readonly id: number; readonly part: number } & (
  | { readonly open: PartCall }
  | { readonly events: readonly PlacedEvent[]; readonly to: Position }
  | { readonly end: End }
);

interface Answered {
  readonly id: number;
  /** Null when another process folds the part. */
  readonly position: Position | null;
  readonly refused: Refused | null;
}

type Answer = Answered | { readonly id: number; readonly failure: unknown };

/** Marks a worker that was started for folding: other threads of the process may load this file too. */
const FOLDING = 'folds parts of rebuilds';

/** A thread with the parts that are open in it; it ends with the last one. */
class FoldThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, { resolve(answer: Answer): void; reject(error: unknown): void }>();
  #calls = 0;
  /** Why it ended. */
  #failure: unknown;
  open = 0;

  constructor(onEnd: () => void) {
    // Flags of the process, such as those of a test runner, are not for it.
    this.#worker = new Worker(new URL(import.meta.url), { workerData: FOLDING, execArgv: [] });
    this.#worker.on('message', (answer: Answer) => {
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if ('failure' in answer) waiting?.reject(answer.failure);
      else waiting?.resolve(answer);
    });
    this.#worker.once('error', (error) => {
      this.#failure = error;
    });
    this.#worker.once('exit', () => {
      onEnd();
      this.#failure ??= new Error('a thread that folded a rebuild ended');
      for (const { reject } of this.#waiting.values()) reject(this.#failure);
      this.#waiting.clear();
    });
  }

  async call(part: number, call: PartCall | { events: readonly PlacedEvent[]; to: Position } | End) {
    if (this.#failure) throw this.#failure;
    const id = this.#calls++;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.set(id, { resolve, reject });
    const what = typeof call === 'string' ? { end: call } : 'events' in call ? call : { open: call };
    this.#worker.postMessage({ id, part, ...what } satisfies Call);
    const answer = await promise;
    if ('failure' in answer) throw answer.failure;
    return answer;
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** The threads of this process, by number. */
const threads = new Map<number, FoldThread>();
let numbers = 0;

/**
 * Opens a part in another thread, which is started when it is needed. Parts with one number share a thread.
 * @param connection how the thread opens the connection of the part
 * @returns null when another process folds the part
 * @throws when the thread cannot load the same version of the model
 */
export async function openInThread(
  connection: ClientConfig,
  { model, ...about }: PartOptions & { readonly model: Model & { readonly source: ModelSource } },
): Promise<Part | null> {
  const place = about.part % Math.max(1, availableParallelism() * 2);
  let thread = threads.get(place);
  if (!thread) {
    const started: FoldThread = new FoldThread(() => {
      if (threads.get(place) === started) threads.delete(place);
    });
    threads.set(place, started);
    thread = started;
  }
  const own = thread;
  own.open++;
  const part = numbers++;
  const close = async (): Promise<void> => {
    await own.call(part, 'close').catch(() => undefined);
    if (--own.open > 0) return;
    if (threads.get(place) === own) threads.delete(place);
    await own.end();
  };
  try {
    const { name, version, source } = model;
    const first = (await own.call(part, { ...about, model: name, version, source, connection })).position;
    if (first === null) {
      await close();
      return null;
    }
    let position = first;
    return {
      get position() {
        return position;
      },
      async add(events, to) {
        const answer = await own.call(part, { events, to });
        position = answer.position ?? position;
        return answer.refused;
      },
      async settle() {
        await own.call(part, 'settle');
      },
      async finish() {
        position = (await own.call(part, 'finish')).position ?? position;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

// The side of the worker thread.

interface ModelsModule {
  readonly readModels: (options: unknown) => readonly Model[];
}

async function openPart({ connection, source, model: name, version, ...about }: PartCall): Promise<PartFold | null> {
  const { readModels } = (await import(source.module)) as ModelsModule;
  const model = readModels(source.options).find((one) => one.name === name && one.version === version);
  if (!model) throw new Error(`${source.module} has no read model ${name} of version ${version}`);
  const session = new pg.Client(connection);
  session.on('error', () => undefined);
  await session.connect();
  try {
    return await PartFold.open(session, { ...about, model });
  } catch (error) {
    await session.end().catch(() => undefined);
    throw error;
  }
}

/** Answers the calls of each part one after the other. */
function serveParts(port: NonNullable<typeof parentPort>): void {
  const parts = new Map<number, PartFold>();
  const last = new Map<number, Promise<void>>();
  const handle = async (call: Call): Promise<Pick<Answered, 'position' | 'refused'>> => {
    if ('open' in call) {
      const opened = await openPart(call.open);
      if (!opened) return { position: null, refused: null };
      parts.set(call.part, opened);
    }
    const part = parts.get(call.part);
    if (!part) {
      if ('end' in call) return { position: 0n, refused: null };
      throw new Error('the part is not open');
    }
    let refused: Refused | null = null;
    if ('events' in call) refused = await part.add(call.events, call.to);
    if ('end' in call) {
      await part[call.end]();
      if (call.end === 'close') {
        parts.delete(call.part);
        last.delete(call.part);
      }
    }
    return { position: part.position, refused };
  };
  port.on('message', (call: Call) => {
    const answered = (last.get(call.part) ?? Promise.resolve())
      .then(() => handle(call))
      .then(
        (answer) => port.postMessage({ id: call.id, ...answer } satisfies Answer),
        (failure: unknown) => port.postMessage({ id: call.id, failure } satisfies Answer),
      );
    last.set(call.part, answered);
  });
}

if (!isMainThread && parentPort && workerData === FOLDING) serveParts(parentPort);
