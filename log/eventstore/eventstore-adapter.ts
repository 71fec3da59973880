/**
 * The event store on EventStoreDB or KurrentDB, version 22.10 or later.
 * The server must be set to take appends of more than an event of 1 MB: MaxAppendSize is 1 MB where it is not set.
 */
import { AccessDeniedError, type ResolvedEvent } from '@eventstore/db-client';
import { backoff, pause } from '../backoff.ts';
import type { EventStore, Page, Position, ReadAll, StoredEvent } from '../event-store.ts';
import { appender, KnownStreams, readRecords } from './eventstore-appending.ts';
import { Connection, EVERY, inTime, readAddress, refused, unreachable } from './eventstore-connection.ts';
import { AttemptTimedOut, EventStoreUnavailable, ForeignPosition, isInvalidPosition } from './eventstore-errors.ts';
import { eventOf, placeOf, positionAt } from './eventstore-records.ts';
import { type Arrived, Incidents, live, type PageAndHead, type Reports, type Wire } from './eventstore-subscription.ts';

export interface EventStoreSettings extends Reports {
  /** The connection string, with credentials, TLS and cluster. */
  readonly url: string;
  /** Milliseconds that a call is retried while the server is unavailable, 10,000 by default: a restart or an election. */
  readonly retryFor?: number;
}

/** Milliseconds that the first answer of the server is awaited. */
const OPENING = 8_000;
/** Milliseconds that a call is retried, by default. */
const RETRY_FOR = 10_000;
/** The oldest server that names positions in streams, which appends need: its year and month. */
const OLDEST = 2210;

function arrivedOf(record: ResolvedEvent | undefined): Arrived {
  if (!record) return { position: 0n, id: undefined, event: null };
  const { event, commitPosition } = record;
  const position = positionAt(commitPosition ?? event?.position?.commit ?? 0n);
  return { position, id: event?.id, event: event ? eventOf(event, position) : null };
}

/** The last record of all. */
const lastOf = async (connection: Connection): Promise<Arrived> => arrivedOf(await connection.lastRecord());

/** Whether the record at a position has an id. Unfiltered: a record of the server itself may be the last of a log. */
async function hasRecord(connection: Connection, position: Position, id: string | null): Promise<boolean> {
  try {
    const [record] = await connection.readAll(placeOf(position), 1, EVERY);
    const { position: place, id: there } = arrivedOf(record);
    return place !== position || id === null || there === id;
  } catch (error) {
    if (isInvalidPosition(error)) return false;
    throw error;
  }
}

async function readPage(connection: Connection, { after, prefixes, limit = 1_000 }: ReadAll): Promise<PageAndHead> {
  // First: of what is appended while the page is read, the page may have a part.
  const end = await lastOf(connection);
  if (end.position <= after) return { events: [], position: after, head: end.position, complete: true };
  // One more than the limit, as the server includes the record at the place that it reads from.
  const maximum = limit + 1;
  const records = await connection.readAll(placeOf(after), maximum, prefixes ?? null).catch((error) => {
    throw isInvalidPosition(error) ? new ForeignPosition(after, 'no place of a record') : error;
  });
  const fresh = records.map(arrivedOf).filter(({ position }) => position > after);
  const last = fresh.at(limit - 1) ?? fresh.at(-1);
  // Fewer than the maximum: the server has searched to the end.
  const complete = records.length < maximum;
  const { position, id } = complete && end.position > (last?.position ?? after) ? end : (last ?? arrivedOf(undefined));
  return {
    events: fresh.slice(0, limit).flatMap(({ event }) => event ?? []),
    position: position > after ? position : after,
    id,
    head: end.position,
    complete,
  };
}

async function* subscribe(
  connection: Connection,
  { signal, ...options }: ReadAll & { signal: AbortSignal },
  incidents: Incidents,
): AsyncIterable<Page> {
  let { after } = options;
  const about = {};
  try {
    for (let failures = 0; !signal.aborted; ) {
      try {
        const pages = live({
          after,
          limit: options.limit ?? 1_000,
          signal,
          open: (from) => {
            incidents.over(about);
            return wireOf(connection, from, options.prefixes);
          },
          readPage: (from) => readPage(connection, { ...options, after: from }),
        });
        for await (const page of pages) {
          failures = 0;
          after = page.position;
          if (!signal.aborted) yield page;
        }
      } catch (error) {
        if (error instanceof AccessDeniedError) throw refused(connection.address, error);
        if (!signal.aborted) incidents.failed(about, connection.reasonOf(error));
      }
      if (!signal.aborted) await pause(backoff(failures++, { base: 50, maximum: 2_000 }, Math.random), signal);
    }
  } finally {
    incidents.over(about);
  }
}

/**
 * Connects to the server, and asks it for its version and its last record.
 * @throws EventStoreUnavailable within 10 s when the address cannot be read, no server answers there, it is too old, or
 *   it refuses the credentials; the message never contains the password
 */
export async function eventStoreDb({
  url,
  report,
  resumed,
  retryFor = RETRY_FOR,
}: EventStoreSettings): Promise<EventStore> {
  const connection = new Connection(readAddress(url), retryFor);
  await opening(connection).catch((error: unknown) => {
    connection.close();
    throw error;
  });
  const streams = new KnownStreams();
  const incidents = new Incidents({ report, resumed });
  return {
    append: appender(connection, streams),
    async read(stream, fromRevision = 0): Promise<readonly StoredEvent[]> {
      const patience = connection.patience();
      let records = await readRecords(connection, stream, fromRevision, patience, { leader: false });
      // A follower may not have yet what this process has written.
      const end = streams.get(stream)?.revision ?? -1;
      if (end >= fromRevision && end > (records.at(-1)?.revision ?? -1))
        records = await readRecords(connection, stream, fromRevision, patience);
      streams.learn(stream, fromRevision, records);
      return records.flatMap(({ event }) => event ?? []);
    },
    async readAll(options) {
      const { events, position, id } = await connection.retried(() => readPage(connection, options));
      return { events, position, id };
    },
    subscribe: (options) => subscribe(connection, options, incidents),
    head: async () => (await connection.retried(() => lastOf(connection))).position,
    has: (position, id) => connection.retried(() => hasRecord(connection, position, id)),
    takesAppends: () => connection.takesAppends(),
    close: async () => connection.close(),
  };
}

async function opening(connection: Connection): Promise<void> {
  let last: unknown = `nothing within ${OPENING / 1_000} s`;
  const begin = async (): Promise<void> => {
    try {
      const { version } = await connection.version();
      const [, year = 0, month = 0] = (/^(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
      const needs = `version ${version}; EventStoreDB 22.10 or later is needed`;
      if (year * 100 + month < OLDEST)
        throw new EventStoreUnavailable(`the event store at ${connection.address.shown} has ${needs}`, true);
      await connection.lastRecord();
    } catch (error) {
      // Silence: whether this process or gRPC notices first that the time is over.
      if (!(error instanceof AttemptTimedOut) && !/deadline.exceeded/i.test(String(error))) last = error;
      throw error;
    }
  };
  try {
    // A server that starts, elects a leader or cannot be reached yet answers soon.
    await inTime(connection.retried(begin), OPENING, 'a start');
  } catch (error) {
    throw error instanceof EventStoreUnavailable && error.bySettings
      ? error
      : await unreachable(last, connection.address);
  }
}

function wireOf(connection: Connection, after: Position, prefixes: readonly string[] | undefined): Wire {
  const stream = connection.subscribe(placeOf(after), prefixes ?? null);
  return {
    stream,
    read: (): Arrived | null => {
      const resolved: ResolvedEvent | null = stream.read();
      return resolved && arrivedOf(resolved);
    },
    // Not awaited: a connection that cannot be made has nothing to end.
    end: () => void stream.unsubscribe().catch(() => undefined),
  };
}
