/**
 * The event store on EventStoreDB or KurrentDB, version 22.10 or later.
 * The server must be set to take appends of more than an event of 1 MB: MaxAppendSize is 1 MB where it is not set.
 */
import {
  AccessDeniedError,
  type AllStreamResolvedEvent,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { backoff, pause } from '../backoff.ts';
import type { EventStore, Page, Position, ReadAll, StoredEvent } from '../event-store.ts';
import { appender, knownStreams, type Written } from './eventstore-appending.ts';
import { type Address, type Connection, connect, readAddress } from './eventstore-connection.ts';
import {
  AppendTooLarge,
  EventStoreUnavailable,
  isNotReady,
  isWrongPassword,
  StreamTombstoned,
} from './eventstore-errors.ts';
import { eventOf, type ProposedRecord, placeOf, positionAt } from './eventstore-records.ts';
import { type Arrived, live, type PageAndHead, type Wire } from './eventstore-subscription.ts';

export { AppendTooLarge, EventStoreUnavailable, StreamTombstoned } from './eventstore-errors.ts';

export interface EventStoreSettings {
  /** The connection string, with credentials, TLS and cluster. */
  readonly url: string;
  /** Called with every failure that a subscription survives. */
  readonly report?: (error: unknown) => void;
  /** Milliseconds that a call is retried while the server is unavailable, 10,000 by default: a restart or an election. */
  readonly retryFor?: number;
}

/** Milliseconds that the first answer of the server is awaited. */
const OPENING = 8_000;
/** Milliseconds that a call is retried, by default. */
const RETRY_FOR = 10_000;
/** Milliseconds between two questions to a server that says that it is not ready yet. */
const NOT_READY = 200;
/** The oldest server that names positions in streams, which appends need. */
const OLDEST = { year: 22, month: 10 } as const;

/** What the service cannot do without, as its refusal names it. */
const READ_ALL = 'read $all';

const isOurs = (stream: string, prefixes?: readonly string[]): boolean =>
  !stream.startsWith('$') && (!prefixes || prefixes.some((prefix) => stream.startsWith(prefix)));

function arrivedOf({ event, commitPosition }: AllStreamResolvedEvent, prefixes?: readonly string[]): Arrived {
  const position = positionAt(commitPosition ?? event?.position.commit ?? 0n);
  return { position, event: event && isOurs(event.streamId, prefixes) ? eventOf(event, position) : null };
}

/**
 * Connects to the server, and asks it for its version and its last record.
 * @throws EventStoreUnavailable within 10 s when the address cannot be read, no server answers there, it is too old, or
 *   it refuses the credentials; the message never contains the password
 */
export async function eventStoreDb({ url, report, retryFor = RETRY_FOR }: EventStoreSettings): Promise<EventStore> {
  const address = readAddress(url);
  const connection = connect(address, retryFor);
  const { retried } = connection;
  // The latest known record. An append that the server places at or before it was stored earlier.
  let latest: Position = 0n;
  const meet = (position: Position): Position => {
    if (position > latest) latest = position;
    return position;
  };
  /** Retried while the server is unavailable; an error names what the user of the URL may not do. */
  const permitted = async <Result>(what: string, work: () => Promise<Result>): Promise<Result> => {
    try {
      return await retried(work);
    } catch (error) {
      throw error instanceof AccessDeniedError ? refused(address, error, what) : error;
    }
  };
  const readHead = async (leader = false): Promise<Position> => {
    const [last] = await connection.readAll({ from: 'end', backwards: true, maximum: 1, leader });
    return last ? arrivedOf(last).position : 0n;
  };
  const head = async (): Promise<Position> => meet(await readHead());
  /** Whether the log ends before a record that was known: it was restored to an earlier point. Resets `latest` then. */
  const wasRestored = async (known: Position): Promise<boolean> => {
    const end = await permitted(READ_ALL, () => readHead(true));
    if (end >= known) return false;
    latest = end;
    return true;
  };
  try {
    await opening(connection, head, address);
  } catch (error) {
    await connection.close();
    throw error;
  }

  const streams = knownStreams();
  const readRecords = async (stream: string, from: number, leader = false) => {
    const records = await permitted(`read ${stream}`, () => connection.readStream(stream, from, leader));
    return records.flatMap(({ event }) => {
      if (!event?.position) return [];
      const position = meet(positionAt(event.position.commit));
      return [{ event: eventOf(event, position), id: event.id, revision: Number(event.revision), position }];
    });
  };

  const read = async (stream: string, fromRevision = 0): Promise<readonly StoredEvent[]> => {
    const records = await readRecords(stream, fromRevision);
    streams.learn(stream, streams.open(stream), fromRevision, records);
    return records.flatMap(({ event }) => event ?? []);
  };

  const write = async (stream: string, events: readonly ProposedRecord[], after: number): Promise<Written> => {
    // The server answers a repeated append like the one that stored the events: only their position differs. A retry of an
    // attempt of this call that did store them is no repetition, and its position is after `before`.
    const before = latest;
    try {
      const answer = await retried(() => connection.append(stream, events, after));
      const revision = Number(answer.nextExpectedRevision);
      // A server that had the events already may not say where.
      const position = answer.position
        ? meet(positionAt(answer.position.commit))
        : ((await readRecords(stream, revision, true))[0]?.position ?? (await permitted(READ_ALL, head)));
      return { revision, position, repeated: position <= before && !(await wasRestored(before)) };
    } catch (error) {
      if (error instanceof WrongExpectedVersionError)
        return { actual: typeof error.actualVersion === 'bigint' ? Number(error.actualVersion) : -1 };
      if (error instanceof MaxAppendSizeExceededError) throw new AppendTooLarge(stream, error.maxAppendSize);
      if (error instanceof StreamDeletedError) throw new StreamTombstoned(stream);
      if (error instanceof AccessDeniedError) throw refused(address, error, `append to ${stream}`);
      throw error;
    }
  };

  const readPage = async ({ after, prefixes, limit = 1_000 }: ReadAll): Promise<PageAndHead> => {
    // First: of what is appended while the page is read, the page may have a part.
    const end = await head();
    if (end <= after) return { events: [], position: after, head: end, complete: true };
    // One more than asked for, as the server includes the record at the place that it reads from.
    const maximum = limit + 1;
    const records = await connection.readAll({ from: placeOf(after), maximum, prefixes: prefixes ?? null });
    const fresh = records.map((record) => arrivedOf(record, prefixes)).filter(({ position }) => position > after);
    const last = fresh.at(limit - 1)?.position ?? fresh.at(-1)?.position ?? after;
    // Fewer than asked for: the server has searched to the end.
    const complete = records.length < maximum;
    return {
      events: fresh.slice(0, limit).flatMap(({ event }) => event ?? []),
      position: complete && end > last ? end : last,
      head: end,
      complete,
    };
  };

  async function* subscribe({ signal, ...options }: ReadAll & { signal: AbortSignal }): AsyncIterable<Page> {
    let { after } = options;
    let reported = '';
    for (let failures = 0; !signal.aborted; ) {
      try {
        const pages = live({
          after,
          limit: options.limit ?? 1_000,
          signal,
          open: (from) => wireOf(connection, from, options.prefixes),
          readPage: (from) => readPage({ ...options, after: from }),
        });
        for await (const page of pages) {
          failures = 0;
          reported = '';
          after = page.position;
          meet(page.events.at(-1)?.position ?? 0n);
          if (!signal.aborted) yield page;
        }
      } catch (error) {
        if (error instanceof AccessDeniedError) throw refused(address, error);
        // Once for each failure, not for each attempt.
        if (String(error) !== reported) report?.(error);
        reported = String(error);
      }
      if (!signal.aborted) await pause(backoff(failures++, { base: 50, maximum: 2_000 }, Math.random), signal);
    }
  }

  return {
    append: appender({ streams, readRecords, write }),
    read,
    readAll: async (options) => {
      const { events, position } = await permitted(READ_ALL, () => readPage(options));
      return { events, position };
    },
    subscribe,
    head: () => permitted(READ_ALL, head),
    close: connection.close,
  };
}

const refused = ({ shown }: Address, error: AccessDeniedError, what = READ_ALL): EventStoreUnavailable =>
  new EventStoreUnavailable(
    isWrongPassword(error)
      ? `the event store at ${shown} refuses the user or password of EVENTSTORE_URL`
      : `the event store at ${shown} does not allow the user of EVENTSTORE_URL to ${what}; ` +
          'clarity eventstore prepare --as admin grants what is needed',
    true,
  );

/** @throws EventStoreUnavailable for a version before the oldest supported one, and for a server that names none */
function checkVersion(version: string, { shown }: Address): void {
  const [, year = 0, month = 0] = (/^(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
  if (year > OLDEST.year || (year === OLDEST.year && month >= OLDEST.month)) return;
  const oldest = `${OLDEST.year}.${OLDEST.month}`;
  throw new EventStoreUnavailable(
    `the event store at ${shown} has version ${version}; EventStoreDB ${oldest} or later is needed`,
    true,
  );
}

async function opening(connection: Connection, head: () => Promise<Position>, address: Address): Promise<void> {
  const late = new AbortController();
  const end = performance.now() + OPENING;
  const ask = async (): Promise<EventStoreUnavailable | null> => {
    for (;;)
      try {
        checkVersion(await connection.version(), address);
        await head();
        return null;
      } catch (error) {
        // A server that has just started answers soon.
        if (isNotReady(error) && performance.now() + NOT_READY < end) {
          await pause(NOT_READY, late.signal);
          continue;
        }
        if (error instanceof EventStoreUnavailable) return error;
        if (error instanceof AccessDeniedError) return refused(address, error);
        const why = address.hide(error instanceof Error ? error.message : String(error));
        return new EventStoreUnavailable(`no event store answers at ${address.shown} (EVENTSTORE_URL): ${why}`);
      }
  };
  const silence = pause(OPENING, late.signal).then(
    () => new EventStoreUnavailable(`nothing answers at ${address.shown} (EVENTSTORE_URL) within ${OPENING / 1_000} s`),
  );
  const failure = await Promise.race([ask(), silence]);
  late.abort();
  if (failure) throw failure;
}

function wireOf(connection: Connection, after: Position, prefixes: readonly string[] | undefined): Wire {
  const stream = connection.subscribe(placeOf(after), prefixes ?? null);
  return {
    stream,
    read: (): Arrived | null => {
      const resolved: AllStreamResolvedEvent | null = stream.read();
      return resolved && arrivedOf(resolved, prefixes);
    },
    // Not awaited: a connection that cannot be made has nothing to end.
    end: () => void stream.unsubscribe().catch(() => undefined),
  };
}
