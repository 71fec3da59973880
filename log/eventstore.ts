/**
 * The event store on EventStoreDB or KurrentDB, version 22.10 or later. The only file that knows its client.
 * The server must be set to take appends of more than an event of 1 MB: MaxAppendSize is 1 MB where it is not set.
 */
import {
  AccessDeniedError,
  type AllStreamResolvedEvent,
  CancelledError,
  DeadlineExceededError,
  EventStoreDBClient,
  type Filter,
  type JSONEventData,
  type JSONType,
  jsonEvent,
  MaxAppendSizeExceededError,
  NO_STREAM,
  NotLeaderError,
  StreamNotFoundError,
  streamNameFilter,
  TimeoutError,
  UnavailableError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { backoff, pause } from './backoff.ts';
import type { EventStore, Page, Position, ReadAll, StoredEvent } from './event-store.ts';
import { type Address, readAddress } from './eventstore/address.ts';
import { appender } from './eventstore/append.ts';
import type { Appended, Known } from './eventstore/decide.ts';
import { knownStreams } from './eventstore/known.ts';
import { live, type Met, type Wire } from './eventstore/live.ts';
import { placeOf, positionAt, positionOfCheckpoint } from './eventstore/position.ts';
import { type Proposed, stored } from './eventstore/record.ts';
import { AppendTooLarge, EventStoreUnavailable } from './eventstore/unavailable.ts';

export { AppendTooLarge, EventStoreUnavailable } from './eventstore/unavailable.ts';

export interface EventStoreSettings {
  /** The connection string, with credentials, TLS and cluster. */
  readonly url: string;
  /** Told of every failure that a subscription survives. */
  readonly report?: (error: unknown) => void;
  /** Milliseconds that a call is tried again while the server is away; 10,000 when unset: a restart or an election. */
  readonly patience?: number;
}

type FilterOptions = Pick<Filter, 'maxSearchWindow' | 'checkpointReached'>;

/** How long an answer is waited for at the start, in milliseconds. */
const OPENING = 8_000;
/** How long a call is tried again while the server is away, in milliseconds: the time of a restart or an election. */
const PATIENCE = 10_000;
/** How many records the server searches for a match at once; it tells a checkpoint after so many without a match. */
const SEARCH_WINDOW = 1_000;
/** How long the end of calls under way is waited for, in milliseconds. */
const CLOSING = 500;
/** Most events read ahead of the consumer. */
const READ_AHEAD = 256;

const PASSING = [UnavailableError, CancelledError, DeadlineExceededError, TimeoutError, NotLeaderError];
const passes = (error: unknown): boolean => PASSING.some((kind) => error instanceof kind);
const isOurs = (stream: string, prefixes?: readonly string[]): boolean =>
  !stream.startsWith('$') && (!prefixes || prefixes.some((prefix) => stream.startsWith(prefix)));

/** Does it again while the server is away. All that is done is reading, or appending ids that are kept once. */
const persisting =
  (patience: number, { shown, hide }: Address) =>
  async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const end = performance.now() + patience;
    for (let failures = 0; ; failures++) {
      try {
        return await work();
      } catch (error) {
        if (!passes(error)) throw error;
        const wait = backoff(failures, { base: 50, maximum: 1_000 }, Math.random);
        if (performance.now() + wait > end)
          throw new EventStoreUnavailable(`the event store at ${shown} does not answer: ${hide(String(error))}`);
        await pause(wait);
      }
    }
  };

/**
 * Connects to the server and asks it for one record.
 * @throws EventStoreUnavailable within 10 s when the address cannot be read, nobody answers there, or the credentials
 *   are refused; the message never shows the password
 */
export async function eventStoreDb({ url, report, patience = PATIENCE }: EventStoreSettings): Promise<EventStore> {
  const address = readAddress(url);
  const client = connect(address);
  const persist = persisting(patience, address);
  const head = async (): Promise<Position> => {
    let position = 0n;
    for await (const last of client.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 1 }))
      position = meet(last).position;
    return position;
  };
  await opening(head(), address);

  const streams = knownStreams();
  const readRecords = async (stream: string, from: number) => {
    const records: { event: StoredEvent | null; id: string; place: Appended }[] = [];
    try {
      for await (const { event } of client.readStream(stream, { fromRevision: BigInt(from) })) {
        if (!event) continue;
        if (!event.position) throw new EventStoreUnavailable('the event store is older than version 22.10');
        const position = positionAt(event.position.commit);
        records.push({
          event: stored(event, position),
          id: event.id,
          place: { revision: Number(event.revision), position },
        });
      }
    } catch (error) {
      if (!(error instanceof StreamNotFoundError)) throw error;
    }
    return records;
  };

  const read = async (stream: string, fromRevision = 0): Promise<readonly StoredEvent[]> => {
    const records = await persist(() => readRecords(stream, fromRevision));
    const known = streams.open(stream);
    for (const { id, place } of records) streams.learn(stream, known, id, place);
    return records.flatMap(({ event }) => event ?? []);
  };

  const refresh = async (stream: string, known: Known): Promise<void> => {
    const records = await persist(() => readRecords(stream, known.revision + 1));
    for (const { id, place } of records) streams.learn(stream, known, id, place);
    known.behind = false;
  };

  /** @returns null when the stream has moved on */
  const write = async (stream: string, events: readonly Proposed[], known: Known): Promise<Appended | null> => {
    const expectedRevision = known.revision < 0 ? NO_STREAM : BigInt(known.revision);
    try {
      const result = await persist(() => client.appendToStream(stream, events.map(written), { expectedRevision }));
      const revision = Number(result.nextExpectedRevision);
      const [only] = events;
      // Told that it had them already, the server may not say where.
      if (!result.position) return null;
      const appended = { revision, position: positionAt(result.position.commit) };
      // Of several events the answer names the place of the last alone; the others are read when they are needed.
      if (events.length === 1 && only) streams.learn(stream, known, only.id, appended);
      else known.behind = true;
      return appended;
    } catch (error) {
      if (error instanceof WrongExpectedVersionError) return null;
      if (error instanceof MaxAppendSizeExceededError) throw new AppendTooLarge(stream, error.maxAppendSize);
      throw error;
    }
  };

  const readAllOnce = async ({ after, prefixes, limit = 1_000 }: ReadAll): Promise<Page> => {
    const events: StoredEvent[] = [];
    let position = after;
    // One more than asked for: the server includes the place that it reads from.
    for await (const resolved of client.readAll({ fromPosition: placeOf(after), maxCount: limit + 1 })) {
      const met = meet(resolved, prefixes);
      // All are taken from the wire, also when there are enough: a read that is left keeps its call open.
      if (met.position <= after || events.length === limit) continue;
      position = met.position;
      if (met.event) events.push(met.event);
    }
    return { events, position };
  };

  async function* subscribe({ signal, ...options }: ReadAll & { signal: AbortSignal }): AsyncIterable<Page> {
    let { after } = options;
    let told = '';
    for (let failures = 0; !signal.aborted; ) {
      try {
        const pages = live({
          after,
          limit: options.limit ?? 1_000,
          signal,
          open: (from, onCheckpoint) => subscribeTo(client, from, options.prefixes, onCheckpoint),
          look: (from) => readAllOnce({ ...options, after: from }),
        });
        for await (const page of pages) {
          failures = 0;
          told = '';
          after = page.position;
          if (!signal.aborted) yield page;
        }
      } catch (error) {
        if (error instanceof AccessDeniedError) throw refused(address);
        // Once for each trouble, not for each try.
        if (String(error) !== told) report?.(error);
        told = String(error);
      }
      if (!signal.aborted) await pause(backoff(failures++, { base: 50, maximum: 2_000 }, Math.random), signal);
    }
  }

  return {
    append: appender({ streams, refresh, write }),
    read,
    readAll: (options) => persist(() => readAllOnce(options)),
    subscribe,
    head: () => persist(head),
    close: () => dispose(client),
  };
}

/** The client's own errors show the connection string, so they are not passed on. */
function connect(address: Address): EventStoreDBClient {
  try {
    return EventStoreDBClient.connectionString(address.connectionString);
  } catch (error) {
    const why = error instanceof Error ? address.hide(error.message) : 'unknown';
    throw new EventStoreUnavailable(`EVENTSTORE_URL cannot be used: ${why}`, true);
  }
}

const refused = ({ shown }: Address): EventStoreUnavailable =>
  new EventStoreUnavailable(`the event store at ${shown} refuses the user or password of EVENTSTORE_URL`, true);

async function opening(asked: Promise<unknown>, address: Address): Promise<void> {
  const late = new AbortController();
  const answer = asked.then(
    () => null,
    (error: unknown) => {
      if (error instanceof AccessDeniedError) return refused(address);
      const why = address.hide(error instanceof Error ? error.message : String(error));
      return new EventStoreUnavailable(`no event store answers at ${address.shown} (EVENTSTORE_URL): ${why}`);
    },
  );
  const silence = pause(OPENING, late.signal).then(
    () => new EventStoreUnavailable(`nothing answers at ${address.shown} (EVENTSTORE_URL) within ${OPENING / 1_000} s`),
  );
  const failure = await Promise.race([answer, silence]);
  late.abort();
  if (failure) throw failure;
}

/** Cancels what is under way. A call that nobody reads any more never tells the client that it has ended. */
async function dispose(client: EventStoreDBClient): Promise<void> {
  const done = new AbortController();
  await Promise.race([client.dispose(), pause(CLOSING, done.signal)]);
  done.abort();
}

/** The client's type asks for an object or a list; the wire takes any JSON. */
const written = ({ data, ...rest }: Proposed): JSONEventData => jsonEvent({ ...rest, data: data as JSONType });

function meet({ event, commitPosition }: AllStreamResolvedEvent, prefixes?: readonly string[]): Met {
  const position = positionAt(commitPosition ?? event?.position.commit ?? 0n);
  return { position, event: event && isOurs(event.streamId, prefixes) ? stored(event, position) : null };
}

function subscribeTo(
  client: EventStoreDBClient,
  after: Position,
  prefixes: readonly string[] | undefined,
  onCheckpoint: (position: Position) => void,
): Wire {
  const options: FilterOptions = {
    maxSearchWindow: SEARCH_WINDOW,
    checkpointReached: (_, place) => onCheckpoint(positionOfCheckpoint(place)),
  };
  const filter = prefixes
    ? streamNameFilter({ ...options, prefixes: [...prefixes] })
    : streamNameFilter({ ...options, regex: '^[^$]' });
  const stream = client.subscribeToAll({ fromPosition: placeOf(after), filter }, { highWaterMark: READ_AHEAD });
  return {
    stream,
    read: (): Met | null => {
      const resolved: AllStreamResolvedEvent | null = stream.read();
      return resolved && meet(resolved, prefixes);
    },
    // Not waited for: a connection that cannot be made has nothing to end.
    end: () => void stream.unsubscribe().catch(() => undefined),
  };
}
