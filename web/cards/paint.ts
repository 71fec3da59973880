/** Has pictures made in a thread of their own, so that no other answer waits for them. */
import { Worker } from 'node:worker_threads';
import type { Painted, ToPaint } from './painter.ts';

/** Pictures that may wait; more would only be too late. */
const MOST_WAITING = 32;
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

export interface Painter {
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
        if (waiting.size >= MOST_WAITING) return failed(new NotPainted('too many pictures wait'));
        worker ??= start();
        count += 1;
        waiting.set(count, { svg, done, failed });
        if (waiting.size === 1) watch();
        worker.postMessage({ number: count, svg } satisfies ToPaint);
      }),
    close: async () => end('the service is stopping'),
  };
}
