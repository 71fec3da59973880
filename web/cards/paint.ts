/** Makes PNG of drawn cards, in a thread of its own so that no other answer waits, and keeps the last ones. */
import { Worker } from 'node:worker_threads';
import type { Painted, ToPaint } from './painter.ts';

// Has pictures made in a thread of their own, so that no other answer waits for them.

/** Pictures that may wait; more would only be too late. */
const MAXIMUM_WAITING = 32;
/** A thread that takes longer for one picture, its own start counted, is ended, and the next one begins anew. */
const LONGEST_MS = 30_000;
/** A thread without work for so long is ended: it holds some 60 MB. */
const IDLE_MS = 60_000;

/** Why there is no picture: too many wait, or the thread failed. Asking again later may help. */
export class NotPainted extends Error {
  override name = 'NotPainted';
}

interface Waiting {
  readonly svg: string;
  readonly done: (png: Uint8Array) => void;
  readonly failed: (error: NotPainted) => void;
}

interface Painter {
  /**
   * @returns a PNG
   * @throws NotPainted
   */
  paint(svg: string): Promise<Uint8Array>;
  /** Ends the thread; what waits fails. */
  close(): Promise<void>;
}

/** A thread that starts with the first picture. */
export function painter(settings: { readonly longestMs?: number; readonly idleMs?: number } = {}): Painter {
  const { longestMs = LONGEST_MS, idleMs = IDLE_MS } = settings;
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let timer: NodeJS.Timeout | undefined;
  let count = 0;

  const end = (reason: string, current = worker): void => {
    if (current !== worker) return;
    clearTimeout(timer);
    worker = null;
    for (const { failed } of waiting.values()) failed(new NotPainted(reason));
    waiting.clear();
    void current?.terminate();
  };

  /** One clock for both: how long a picture may take, and how long the thread may wait for one. */
  const watch = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => end('the thread took too long'), waiting.size > 0 ? longestMs : idleMs).unref();
  };

  const start = (): Worker => {
    const started = new Worker(new URL('./painter.ts', import.meta.url), { execArgv: [], env: {} });
    started.unref();
    started.on('message', ({ number, png }: Painted) => {
      const one = waiting.get(number);
      waiting.delete(number);
      if (png) one?.done(png);
      else one?.failed(new NotPainted('the drawing could not be read'));
      watch();
    });
    started.on('error', () => end('the thread failed', started));
    started.on('exit', () => end('the thread ended', started));
    return started;
  };

  return {
    paint: (svg) =>
      new Promise((done, failed) => {
        if (waiting.size >= MAXIMUM_WAITING) return failed(new NotPainted('too many pictures wait'));
        worker ??= start();
        count += 1;
        waiting.set(count, { svg, done, failed });
        if (waiting.size === 1) watch();
        worker.postMessage({ number: count, svg } satisfies ToPaint);
      }),
    close: async () => end('the service is stopping'),
  };
}

// The pictures that were asked for last, each made once.

/** Some 30 kB each. */
const MAXIMUM_KEPT = 256;

/** @returns the PNG of a drawing, kept by what it is a hash of; who asks for one that is being made waits for it */
export function gallery({ paint }: Pick<Painter, 'paint'>, mostKept = MAXIMUM_KEPT) {
  const kept = new Map<string, Promise<Uint8Array>>();
  return (tag: string, svg: string): Promise<Uint8Array> => {
    const picture = kept.get(tag) ?? paint(svg);
    // The newest stand last, so the first is the one that nobody asked for the longest.
    kept.delete(tag);
    kept.set(tag, picture);
    for (const oldest of kept.keys()) if (kept.size > mostKept) kept.delete(oldest);
    picture.catch(() => kept.get(tag) === picture && kept.delete(tag));
    return picture;
  };
}
