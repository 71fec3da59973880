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
import { appender, KnownStreams, type Written } from './eventstore-appending.ts';
import { type Address, Connection, readAddress, unreachable } from './eventstore-connection.ts';
import {
  AppendTooLarge,
  EventStoreUnavailable,
  isNotReady,
  isWrongPassword,
  StreamTombstoned,
} from './eventstore-errors.ts';
import { appendOf, eventOf, type ProposedRecord, placeOf, positionAt } from './eventstore-records.ts';
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

interface Server {
  readonly address: Address;
  readonly connection: Connection;
}

/** Retried while the server is unavailable; an error names what the user of the URL may not do. */
async function permitted<Result>(
  { address, connection }: Server,
  what: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await connection.retried(work);
  } catch (error) {
    throw error instanceof AccessDeniedError ? refused(address, error, what) : error;
  }
}

async function head({ connection }: Server): Promise<Position> {
  const [last] = await connection.readAll({ from: 'end', backwards: true, maximum: 1 });
  return last ? arrivedOf(last).position : 0n;
}

async function readRecords(server: Server, stream: string, from: number, leader = false) {
  const read = () => server.connection.readStream(stream, from, leader);
  return (await permitted(server, `read ${stream}`, read)).flatMap(({ event }) => {
    if (!event?.position) return [];
    const position = positionAt(event.position.commit);
    const revision = Number(event.revision);
    return [{ event: eventOf(event, position), id: event.id, revision, position, append: appendOf(event) }];
  });
}

/** Appends after a revision. @throws AppendTooLarge, StreamTombstoned */
async function write(
  server: Server,
  stream: string,
  events: readonly ProposedRecord[],
  after: number,
): Promise<Written> {
  try {
    const append = () => server.connection.append(stream, events, after);
    const answer = await permitted(server, `append to ${stream}`, append);
    const revision = Number(answer.nextExpectedRevision);
    // The server answers an append whose events it had already like the one that stored them, also where another process
    // stored them at the same time. The record itself names the append; a retry of this call has the same name.
    const [last] = await readRecords(server, stream, revision, true);
    const repeated = last !== undefined && last.append !== events.at(-1)?.metadata.append;
    // No record is read from a stream that was truncated meanwhile, and a server may not say where a repeated one is.
    const place = answer.position ? positionAt(answer.position.commit) : undefined;
    const position = last?.position ?? place ?? (await permitted(server, READ_ALL, () => head(server)));
    return { revision, position, repeated };
  } catch (error) {
    if (error instanceof WrongExpectedVersionError)
      return { actual: typeof error.actualVersion === 'bigint' ? Number(error.actualVersion) : -1 };
    if (error instanceof MaxAppendSizeExceededError) throw new AppendTooLarge(stream, error.maxAppendSize);
    if (error instanceof StreamDeletedError) throw new StreamTombstoned(stream);
    throw error;
  }
}

async function readPage(server: Server, { after, prefixes, limit = 1_000 }: ReadAll): Promise<PageAndHead> {
  // First: of what is appended while the page is read, the page may have a part.
  const end = await head(server);
  if (end <= after) return { events: [], position: after, head: end, complete: true };
  // One more than the limit, as the server includes the record at the place that it reads from.
  const maximum = limit + 1;
  const records = await server.connection.readAll({ from: placeOf(after), maximum, prefixes: prefixes ?? null });
  const fresh = records.map((record) => arrivedOf(record, prefixes)).filter(({ position }) => position > after);
  const last = fresh.at(limit - 1)?.position ?? fresh.at(-1)?.position ?? after;
  // Fewer than the maximum: the server has searched to the end.
  const complete = records.length < maximum;
  return {
    events: fresh.slice(0, limit).flatMap(({ event }) => event ?? []),
    position: complete && end > last ? end : last,
    head: end,
    complete,
  };
}

async function* subscribe(
  server: Server,
  { signal, ...options }: ReadAll & { signal: AbortSignal },
  report: EventStoreSettings['report'],
): AsyncIterable<Page> {
  let { after } = options;
  let reported = '';
  for (let failures = 0; !signal.aborted; ) {
    try {
      const pages = live({
        after,
        limit: options.limit ?? 1_000,
        signal,
        open: (from) => wireOf(server.connection, from, options.prefixes),
        readPage: (from) => readPage(server, { ...options, after: from }),
      });
      for await (const page of pages) {
        failures = 0;
        reported = '';
        after = page.position;
        if (!signal.aborted) yield page;
      }
    } catch (error) {
      if (error instanceof AccessDeniedError) throw refused(server.address, error);
      // Once for each failure, not for each attempt.
      if (String(error) !== reported) report?.(error);
      reported = String(error);
    }
    if (!signal.aborted) await pause(backoff(failures++, { base: 50, maximum: 2_000 }, Math.random), signal);
  }
}

/**
 * Connects to the server, and asks it for its version and its last record.
 * @throws EventStoreUnavailable within 10 s when the address cannot be read, no server answers there, it is too old, or
 *   it refuses the credentials; the message never contains the password
 */
export async function eventStoreDb({ url, report, retryFor = RETRY_FOR }: EventStoreSettings): Promise<EventStore> {
  const address = readAddress(url);
  const server: Server = { address, connection: new Connection(address, retryFor) };
  try {
    await opening(server);
  } catch (error) {
    await server.connection.close();
    throw error;
  }
  const streams = new KnownStreams();
  return {
    append: appender({
      streams,
      readRecords: (stream, from, leader) => readRecords(server, stream, from, leader),
      write: (stream, events, after) => write(server, stream, events, after),
    }),
    async read(stream, fromRevision = 0): Promise<readonly StoredEvent[]> {
      const records = await readRecords(server, stream, fromRevision);
      streams.learn(stream, streams.open(stream), fromRevision, records);
      return records.flatMap(({ event }) => event ?? []);
    },
    async readAll(options) {
      const { events, position } = await permitted(server, READ_ALL, () => readPage(server, options));
      return { events, position };
    },
    subscribe: (options) => subscribe(server, options, report),
    head: () => permitted(server, READ_ALL, () => head(server)),
    close: () => server.connection.close(),
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

async function opening(server: Server): Promise<void> {
  const { address, connection } = server;
  const late = new AbortController();
  const end = performance.now() + OPENING;
  const ask = async (): Promise<EventStoreUnavailable | null> => {
    for (;;)
      try {
        checkVersion(await connection.version(), address);
        await head(server);
        return null;
      } catch (error) {
        // A server that has just started answers soon.
        if (isNotReady(error) && performance.now() + NOT_READY < end) {
          await pause(NOT_READY, late.signal);
          continue;
        }
        if (error instanceof EventStoreUnavailable) return error;
        if (error instanceof AccessDeniedError) return refused(address, error);
        return unreachable(error, address);
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
