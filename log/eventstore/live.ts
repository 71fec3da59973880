/** One live subscription turned into pages. */
import { setImmediate } from 'node:timers/promises';
import type { Page, Position, StoredEvent } from '../event-store.ts';

/** A record that was met; null for one that is not ours. */
export interface Met {
  readonly position: Position;
  readonly event: StoredEvent | null;
}

/** One subscription on the wire. */
export interface Wire {
  readonly stream: {
    on(name: 'readable' | 'end' | 'close', listener: () => void): unknown;
    on(name: 'error', listener: (error: Error) => void): unknown;
  };
  /** What is at hand next, null when nothing is. */
  read(): Met | null;
  end(): void;
}

export interface Live {
  readonly after: Position;
  readonly limit: number;
  readonly signal: AbortSignal;
  /** Subscribes. Events come in their order; a checkpoint is told once those that stand before it are at hand. */
  open(after: Position, onCheckpoint: (position: Position) => void): Wire;
  /** A page read without the subscription. */
  look(after: Position): Promise<Page>;
}

/**
 * How long nothing came before the end of the log is looked at, in milliseconds. The server tells a checkpoint only
 * after a whole search window without a match; a model that waits for the head would wait long in a quiet log.
 */
const QUIET = 250;

/**
 * Pages of what arrived together, until the signal aborts or the connection ends. Reading stops while a page is in
 * work, which holds the server back.
 * @throws what the subscription fails with, after the events that came before
 */
export async function* live({ after, limit, signal, open, look }: Live): AsyncGenerator<Page> {
  let position = after;
  let checkpoint = after;
  let failure: { readonly error: unknown } | undefined;
  let ended = false;
  let wake = Promise.withResolvers<void>();
  const rouse = (): void => wake.resolve();
  const aborted = Promise.withResolvers<undefined>();
  const onAbort = (): void => {
    aborted.resolve(undefined);
    rouse();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  const wire = open(after, (reached) => {
    checkpoint = reached;
    rouse();
  });
  wire.stream.on('readable', rouse);
  wire.stream.on('error', (error) => {
    failure ??= { error };
    rouse();
  });
  for (const name of ['end', 'close'] as const)
    wire.stream.on(name, () => {
      ended = true;
      rouse();
    });
  try {
    for (let quiet = false; !signal.aborted; ) {
      wake = Promise.withResolvers();
      const { events, position: last, drained } = take(wire, position, limit);
      const reached = drained && checkpoint > last ? checkpoint : last;
      if (reached > position) {
        position = reached;
        yield { events, position };
      } else if (failure) throw failure.error;
      else if (ended) return;
      else if (quiet) {
        quiet = false;
        const looking = look(position);
        looking.catch(() => undefined);
        const page = await Promise.race([looking, aborted.promise]);
        if (page && page.position > position) {
          position = page.position;
          yield page;
        }
      } else {
        const timer = setTimeout(() => {
          quiet = true;
          rouse();
        }, QUIET);
        await wake.promise;
        clearTimeout(timer);
        // What came off the wire together becomes one page.
        await setImmediate();
      }
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    wire.end();
  }
}

/** What the wire has at hand. A look may have been ahead of it: what stands up to `after` was told already. */
function take(wire: Wire, after: Position, limit: number): Page & { drained: boolean } {
  const events: StoredEvent[] = [];
  let last = after;
  while (events.length < limit) {
    const met = wire.read();
    if (met === null) return { events, position: last, drained: true };
    if (met.position <= last) continue;
    last = met.position;
    if (met.event) events.push(met.event);
  }
  return { events, position: last, drained: false };
}
