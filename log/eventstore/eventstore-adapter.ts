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
import { z } from 'zod';
import { backoff, pause } from '../backoff.ts';
import type { EventStore, Page, Position, ReadAll, StoredEvent } from '../event-store.ts';
import { appender, KnownStreams, type Written } from './eventstore-appending.ts';
import {
  type Address,
  Connection,
  EVERY,
  type Patience,
  readAddress,
  unreachable,
  within,
} from './eventstore-connection.ts';
import {
  AppendTooLarge,
  AttemptTimedOut,
  EventStoreUnavailable,
  ForeignPosition,
  isInvalidPosition,
  isWrongPassword,
  NotYetReadable,
  StreamTombstoned,
} from './eventstore-errors.ts';
import { appendOf, eventOf, type ProposedRecord, placeOf, positionAt } from './eventstore-records.ts';
import { type Arrived, Incidents, live, type PageAndHead, type Wire } from './eventstore-subscription.ts';

export { AppendTooLarge, EventStoreUnavailable, StreamTombstoned } from './eventstore-errors.ts';

export interface EventStoreSettings {
  /** The connection string, with credentials, TLS and cluster. */
  readonly url: string;
  /** Called with failures that subscriptions survive, once for each reason of an incident. */
  readonly report?: (error: unknown) => void;
  /** Called when all subscriptions that an incident has ended receive again. */
  readonly resumed?: (about: { readonly subscriptions: number; readonly reason: string }) => void;
  /** Milliseconds that a call is retried while the server is unavailable, 10,000 by default: a restart or an election. */
  readonly retryFor?: number;
}

/** Milliseconds that the first answer of the server is awaited. */
const OPENING = 8_000;
/** Milliseconds that a call is retried, by default. */
const RETRY_FOR = 10_000;
/** The oldest server that names positions in streams, which appends need. */
const OLDEST = { year: 22, month: 10 } as const;

/** What the service cannot do without, as its refusal names it. */
const READ_ALL = 'read $all';

const isOurs = (stream: string, prefixes?: readonly string[]): boolean =>
  !stream.startsWith('$') && (!prefixes || prefixes.some((prefix) => stream.startsWith(prefix)));

function arrivedOf({ event, commitPosition }: AllStreamResolvedEvent, prefixes?: readonly string[]): Arrived {
  const position = positionAt(commitPosition ?? event?.position.commit ?? 0n);
  return {
    position,
    id: event?.id,
    event: event && isOurs(event.streamId, prefixes) ? eventOf(event, position) : null,
  };
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
  patience?: Patience,
): Promise<Result> {
  try {
    return await connection.retried(work, patience);
  } catch (error) {
    throw error instanceof AccessDeniedError ? refused(address, error, what) : error;
  }
}

const START: Arrived = { position: 0n, id: undefined, event: null };

/** The last record of all. */
async function lastOf({ connection }: Server): Promise<Arrived> {
  const [last] = await connection.readAll({ from: 'end', backwards: true, maximum: 1 });
  return last ? arrivedOf(last) : START;
}

const head = async (server: Server): Promise<Position> => (await lastOf(server)).position;

/** Whether the record at a position has an id. Unfiltered: a record of the server itself may be the last of a log. */
async function hasRecord({ connection }: Server, position: Position, id: string | null): Promise<boolean> {
  try {
    const [record] = await connection.readAll({ from: placeOf(position), maximum: 1, prefixes: EVERY });
    const { position: place, id: there } = record ? arrivedOf(record) : START;
    return place !== position || id === null || there === id;
  } catch (error) {
    if (isInvalidPosition(error)) return false;
    throw error;
  }
}

const Metadata = z.object({ $tb: z.number().default(0), $maxAge: z.number().optional() });

/** Whether the end of a stream from a revision on is not returned any more, by what its metadata say. */
async function isCut({ connection }: Server, stream: string, revision: number): Promise<boolean> {
  const last = (await connection.readStream(`$$${stream}`, 0, true)).at(-1)?.event;
  const { data: metadata } = Metadata.safeParse(last?.data);
  return metadata !== undefined && (metadata.$tb > revision || metadata.$maxAge !== undefined);
}

/**
 * Reads the records of a stream from a revision to its end.
 * @param least a revision that the stream has. A leader knows it before reads return its record, so that one that is not
 *   returned is not there yet, unless it is cut off
 * @param leader false: any node of a cluster may answer
 */
async function readRecords(
  server: Server,
  stream: string,
  from: number,
  patience: Patience,
  { least = -1, leader = true } = {},
) {
  const read = async () => {
    const records = await server.connection.readStream(stream, from, leader);
    const last = Number(records.at(-1)?.event?.revision ?? -1);
    if (least < from || last >= least || (await isCut(server, stream, least))) return records;
    throw new NotYetReadable(stream, least);
  };
  return (await permitted(server, `read ${stream}`, read, patience)).flatMap(({ event }) => {
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
  patience: Patience,
): Promise<Written> {
  try {
    const append = () => server.connection.append(stream, events, after);
    const answer = await permitted(server, `append to ${stream}`, append, patience);
    const revision = Number(answer.nextExpectedRevision);
    // The server answers an append whose events it had already like the one that stored them, also where another process
    // stored them at the same time. The record itself names the append; a retry of this call has the same name.
    const [last] = await readRecords(server, stream, revision, patience, { least: revision });
    const repeated = last !== undefined && last.append !== events.at(-1)?.metadata.append;
    // No record is read from a stream that was truncated meanwhile, and a server may not say where a repeated one is.
    const place = answer.position ? positionAt(answer.position.commit) : undefined;
    const position = last?.position ?? place ?? (await permitted(server, READ_ALL, () => head(server), patience));
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
  const end = await lastOf(server);
  if (end.position <= after) return { events: [], position: after, head: end.position, complete: true };
  // One more than the limit, as the server includes the record at the place that it reads from.
  const maximum = limit + 1;
  const from = placeOf(after);
  const records = await server.connection.readAll({ from, maximum, prefixes: prefixes ?? null }).catch((error) => {
    throw isInvalidPosition(error) ? new ForeignPosition(after, 'no place of a record') : error;
  });
  const fresh = records.map((record) => arrivedOf(record, prefixes)).filter(({ position }) => position > after);
  const last = fresh.at(limit - 1) ?? fresh.at(-1);
  // Fewer than the maximum: the server has searched to the end.
  const complete = records.length < maximum;
  const { position, id } = complete && end.position > (last?.position ?? after) ? end : (last ?? START);
  return {
    events: fresh.slice(0, limit).flatMap(({ event }) => event ?? []),
    position: position > after ? position : after,
    id,
    head: end.position,
    complete,
  };
}

async function* subscribe(
  server: Server,
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
            return wireOf(server.connection, from, options.prefixes);
          },
          readPage: (from) => readPage(server, { ...options, after: from }),
        });
        for await (const page of pages) {
          failures = 0;
          after = page.position;
          if (!signal.aborted) yield page;
        }
      } catch (error) {
        if (error instanceof AccessDeniedError) throw refused(server.address, error);
        if (!signal.aborted) incidents.failed(about, server.connection.reasonOf(error));
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
  const address = readAddress(url);
  const server: Server = { address, connection: new Connection(address, retryFor) };
  try {
    await opening(server);
  } catch (error) {
    await server.connection.close();
    throw error;
  }
  const streams = new KnownStreams();
  const incidents = new Incidents({ report, resumed });
  return {
    append: appender({
      streams,
      patience: server.connection.patience,
      readRecords: (stream, from, patience, least = -1) => readRecords(server, stream, from, patience, { least }),
      write: (...append) => write(server, ...append),
    }),
    async read(stream, fromRevision = 0): Promise<readonly StoredEvent[]> {
      const patience = server.connection.patience();
      let records = await readRecords(server, stream, fromRevision, patience, { leader: false });
      // A follower may not have yet what this process has written.
      const end = streams.get(stream)?.revision ?? -1;
      if (end >= fromRevision && end > (records.at(-1)?.revision ?? -1))
        records = await readRecords(server, stream, fromRevision, patience);
      streams.learn(stream, streams.open(stream), fromRevision, records);
      return records.flatMap(({ event }) => event ?? []);
    },
    async readAll(options) {
      const { events, position, id } = await permitted(server, READ_ALL, () => readPage(server, options));
      return { events, position, id };
    },
    subscribe: (options) => subscribe(server, options, incidents),
    head: () => permitted(server, READ_ALL, () => head(server)),
    has: (position, id) => permitted(server, READ_ALL, () => hasRecord(server, position, id)),
    takesAppends: () => server.connection.takesAppends(),
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

async function opening({ address, connection }: Server): Promise<void> {
  let last: unknown;
  const begin = async (): Promise<void> => {
    try {
      checkVersion(await connection.version(), address);
      await lastOf({ address, connection });
    } catch (error) {
      last = error;
      throw error;
    }
  };
  try {
    // A server that starts, elects a leader or cannot be reached yet answers soon.
    await within(connection.retried(begin, { milliseconds: OPENING, since: performance.now() }), OPENING, 'a start');
  } catch (error) {
    if (error instanceof AccessDeniedError) throw refused(address, error);
    if (error instanceof EventStoreUnavailable && error.bySettings) throw error;
    if (!(error instanceof AttemptTimedOut)) throw await unreachable(error, address);
    throw await unreachable(
      last && !(last instanceof AttemptTimedOut) ? last : `nothing within ${OPENING / 1_000} s`,
      address,
    );
  }
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
