/**
 * A live subscription turned into pages.
 *
 * It catches up by reading, and opens the subscription of the server only at the end of the log. That avoids what
 * servers do with a subscription that resumes further back: 23.10 finds its place by reading one record, and skips that
 * record when the one it was to resume after was removed by a scavenge, or when the place was between records; 24.2 to
 * 24.10 send the checkpoint 2^64-1 when nothing matched. So a subscription begins after a record that was read just
 * now, and checkpoints of the server are not used: in a quiet or foreign log, reading moves the position on.
 */
import { setImmediate } from 'node:timers/promises';
import { pause } from '../backoff.ts';
import type { Page, Position, StoredEvent } from '../event-store.ts';
import { ForeignPosition } from './eventstore-errors.ts';

/** A record that arrived; the event is null for one that is not ours. */
export interface Arrived {
  readonly position: Position;
  readonly id: string | undefined;
  readonly event: StoredEvent | null;
}

/** One subscription on the wire. */
export interface Wire {
  readonly stream: {
    on(name: 'readable' | 'end' | 'close' | 'error', listener: (error?: Error) => void): unknown;
  };
  /** The next record that has arrived, null when there is none. */
  read(): Arrived | null;
  end(): void;
}

/** A page, and what is known of the end of the log. */
export interface PageAndHead extends Page {
  /** The last record of all, before the page was read. */
  readonly head: Position;
  /** Whether the page contains everything up to the head. */
  readonly complete: boolean;
}

export interface Live {
  readonly after: Position;
  readonly limit: number;
  readonly signal: AbortSignal;
  /** Subscribes after a record that exists; 0n for the start of an empty log. */
  open(after: Position): Wire;
  /** Reads the next page without the subscription. */
  readPage(after: Position): Promise<PageAndHead>;
}

/** Milliseconds without a record until the end of the log is read, so that the position moves on when nothing matches. */
const QUIET = 250;

/** Even positions were checkpoints of earlier releases, at the place where the next record will be. @throws ForeignPosition */
function assertReached(position: Position, page: PageAndHead): void {
  if (position > page.head && position % 2n === 1n && page.position <= position)
    throw new ForeignPosition(position, `beyond the end of the event store (${page.head})`);
}

/**
 * Pages of what arrived together, until the signal aborts or the connection ends. Reading stops while a page is being
 * handled, which holds the server back.
 * @throws what a read or the subscription fails with, after the events that came before; ForeignPosition
 */
export async function* live({ after, limit, signal, open, readPage }: Live): AsyncGenerator<Page> {
  let position = after;
  let idle = new AbortController();
  const rouse = (): void => idle.abort();
  const aborted = Promise.withResolvers<undefined>();
  const onAbort = (): void => {
    aborted.resolve(undefined);
    rouse();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  let wire: Wire | undefined;
  let failure: Error | undefined;
  let isOver = false;
  const connect = (from: Position): Wire => {
    const opened = open(from);
    opened.stream.on('readable', rouse);
    for (const name of ['error', 'end', 'close'] as const)
      opened.stream.on(name, (error) => {
        failure ??= error;
        isOver = true;
        rouse();
      });
    return opened;
  };
  try {
    for (let isQuiet = true; !signal.aborted; ) {
      idle = new AbortController();
      const arrived = wire && take(wire, position, limit);
      if (arrived && arrived.position > position) {
        position = arrived.position;
        yield arrived;
      } else if (failure) throw failure;
      else if (isOver) return;
      else if (isQuiet) {
        const reading = readPage(position);
        // After an abort the reading is not awaited by anyone; before, the race gives its failure to the caller.
        reading.catch(() => undefined);
        const page = await Promise.race([reading, aborted.promise]);
        if (!page) return;
        if (!wire) assertReached(position, page);
        if (page.position > position) {
          position = page.position;
          yield { events: page.events, position, id: page.id };
        }
        isQuiet = !page.complete;
        // An event of the page may be later than the head, which was read before.
        const last = page.events.at(-1)?.position ?? 0n;
        if (page.complete) wire ??= connect(last > page.head ? last : page.head);
      } else {
        await pause(QUIET, idle.signal);
        isQuiet = !idle.signal.aborted;
        // What came off the wire together becomes one page.
        await setImmediate();
      }
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    wire?.end();
  }
}

/** What has arrived. A read may have been ahead of it: what is stored up to `after` was returned already. */
function take(wire: Wire, after: Position, limit: number): Page {
  const events: StoredEvent[] = [];
  let position = after;
  let id: string | undefined;
  while (events.length < limit) {
    const arrived = wire.read();
    if (arrived === null) break;
    if (arrived.position <= position) continue;
    ({ position, id } = arrived);
    if (arrived.event) events.push(arrived.event);
  }
  return { events, position, id };
}

/** A subscription that the server has ended by itself, as it does at a scavenge and after a stall: nothing is wrong. */
const ENDED = /consumer too slow/i;
/** Milliseconds without another failure after which an incident is over: the subscriptions of a process fail one after the other. */
const CALM = 1_000;

export interface Reports {
  /** Called with failures that subscriptions survive, once for each reason of an incident. */
  readonly report?: ((error: unknown) => void) | undefined;
  /** Called when all subscriptions that an incident has ended receive again. */
  readonly resumed?: ((about: { readonly subscriptions: number; readonly reason: string }) => void) | undefined;
}

/** What the subscriptions of a process survive, together. */
export class Incidents {
  readonly #reports: Reports;
  readonly #failed = new Set<object>();
  readonly #reasons = new Set<string>();
  #subscriptions = 0;
  #calm: NodeJS.Timeout | undefined;

  constructor(reports: Reports) {
    this.#reports = reports;
  }

  /** @param subscription identifies it */
  failed(subscription: object, error: Error): void {
    clearTimeout(this.#calm);
    if (!this.#failed.has(subscription)) this.#subscriptions++;
    this.#failed.add(subscription);
    const isNew = !this.#reasons.has(error.message);
    this.#reasons.add(error.message);
    if (isNew && !ENDED.test(error.message)) this.#reports.report?.(error);
  }

  /** The subscription receives again, or its reader has left. */
  over(subscription: object): void {
    if (!this.#failed.delete(subscription) || this.#failed.size > 0) return;
    this.#calm = setTimeout(() => {
      const [reason = ''] = this.#reasons;
      this.#reports.resumed?.({ subscriptions: this.#subscriptions, reason });
      this.#subscriptions = 0;
      this.#reasons.clear();
    }, CALM).unref();
  }
}
