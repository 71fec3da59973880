/** The event store in PostgreSQL. */
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { Event } from '../../schemas/events.ts';
import { backoff, pause } from '../backoff.ts';
import { batched } from '../batched-requests.ts';
import {
  type Appended,
  type EventStore,
  type ExpectedRevision,
  type Page,
  type Position,
  type ReadAll,
  RevisionConflict,
  type StoredEvent,
  TEXT_SEPARATOR,
} from '../event-store.ts';
import { encodeEvent } from '../topic.ts';
import { type Database, query } from './database.ts';
import { listen } from './listener.ts';
import { isUnavailable, passes } from './postgres-errors.ts';

/** JSON text in plain ASCII. */

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * The same JSON with every other character written as `\uXXXX`. Every event is read many times: text that is ASCII
 * throughout is decoded more than ten times as fast as text with one rupee sign in it.
 */
export const asciiJson = (json: string): string => json.replace(/[^\0-\x7f]/g, escaped);

// Appends that come at the same time share a commit. The lock of an append is held until its commit is on disk, so
// one commit each would be as slow as the disk; while one is under way the next ones gather here.

interface Waiting {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly ids: readonly string[];
  readonly bodies: readonly string[];
  readonly bytes: number;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: unknown) => void;
}

const Outcome = z.object({
  outcome: z.enum(['appended', 'conflict']),
  last_revision: z.int(),
  last_position: z.bigint().nullable(),
  known_ids: z.array(z.string()),
});

const MOST_APPENDS = 200;
const MOST_BYTES = 8 * 1_048_576;
const CODES = { none: -1, any: -2 } as const;

// The texts come as one: the driver would write every quote of an array's elements twice, and the server read it so.
const APPEND = `SELECT * FROM log.append_events_many($1::text[], $2::int[], $3::int[], $4::uuid[], string_to_array($5, $6))`;

const codeOf = (expected: ExpectedRevision): number => (typeof expected === 'number' ? expected : CODES[expected]);

/** The next appends for one commit, oldest first: each stream once, so that none depends on another. */
function takeGroup(queue: Waiting[]): Waiting[] {
  const group: Waiting[] = [];
  const later: Waiting[] = [];
  const streams = new Set<string>();
  let bytes = 0;
  for (const append of queue) {
    const fits = group.length === 0 || (group.length < MOST_APPENDS && bytes + append.bytes <= MOST_BYTES);
    // Marked also when it has to wait, so that appends to one stream never overtake each other.
    if (fits && !streams.has(append.stream)) {
      group.push(append);
      bytes += append.bytes;
    } else later.push(append);
    streams.add(append.stream);
  }
  queue.splice(0, queue.length, ...later);
  return group;
}

async function commit(database: Database, group: readonly Waiting[]): Promise<void> {
  const values = [
    group.map(({ stream }) => stream),
    group.map(({ expected }) => codeOf(expected)),
    group.map(({ ids }) => ids.length),
    group.flatMap(({ ids }) => ids),
    group.flatMap(({ bodies }) => bodies).join(TEXT_SEPARATOR),
    TEXT_SEPARATOR,
  ];
  const { rows } = await database.query({ name: 'log_append_events', text: APPEND, values });
  const outcomes = rows.map((row) => Outcome.parse(row));
  group.forEach((append, index) => {
    const outcome = outcomes[index];
    if (outcome?.outcome === 'appended' && outcome.last_position !== null) {
      const known = new Set(outcome.known_ids);
      const stored = append.ids.filter((id) => !known.has(id));
      append.resolve({ revision: outcome.last_revision, position: outcome.last_position, stored });
    } else append.reject(new RevisionConflict(append.stream, append.expected, outcome?.last_revision ?? -1));
  });
}

/**
 * Makes the append of an event store.
 * @param onCommit called after each commit
 */
function appender(database: Database, onCommit: () => void) {
  const queue: Waiting[] = [];
  let busy = false;

  const work = async (): Promise<void> => {
    if (busy) return;
    busy = true;
    while (queue.length > 0) {
      // Whoever waited for the last commit may append again at once: that goes with the next one.
      await setImmediate();
      const group = takeGroup(queue);
      try {
        await commit(database, group);
        onCommit();
      } catch (error) {
        // One bad append must not fail its neighbours: each is tried by itself, and fails for its own reason.
        // A server that is away would fail all of them, one after the other.
        if (group.length === 1 || isUnavailable(error)) for (const append of group) append.reject(error);
        else for (const append of group) await commit(database, [append]).catch(append.reject);
      }
    }
    busy = false;
  };

  return async (stream: string, given: readonly Event[], expected: ExpectedRevision): Promise<Appended> => {
    const events = [...new Map(given.toReversed().map((event) => [event.id, event])).values()].toReversed();
    const bodies = events.map((event) => asciiJson(encodeEvent(event)));
    return new Promise((resolve, reject) => {
      const bytes = bodies.reduce((sum, body) => sum + body.length, 0);
      queue.push({ stream, expected, ids: events.map(({ id }) => id), bodies, bytes, resolve, reject });
      void work();
    });
  };
}

// The event store in PostgreSQL.

/** How often a subscription looks when nothing wakes it, in milliseconds. */
const POLL = 500;
/** The subject of all news: appends do not tell their streams. */
const ALL = '';
/** How many positions one page looks through: matches of a prefix may be rare in a long log. */
const WINDOW = 100_000n;

const READ = `SELECT position, stream, revision, body FROM log.event
  WHERE stream = $1 AND revision >= $2 ORDER BY revision`;
const READ_MANY = `SELECT position, stream, revision, body FROM log.event
  WHERE stream = ANY ($1::text[]) ORDER BY stream, revision`;
const HEAD = 'SELECT coalesce(max(position), 0::bigint) AS head FROM log.event';
// The head in the same snapshot: as positions are in the order of commits, everything up to it is there to be read.
const READ_PAGE = `SELECT log.head, e.position, e.stream, e.revision, e.body
  FROM (SELECT coalesce(max(position), 0::bigint) AS head FROM log.event) log
  LEFT JOIN LATERAL (
    SELECT position, stream, revision, body FROM log.event
     WHERE position > $1 AND position <= least(log.head, $2) AND ($4::text[] IS NULL OR stream ^@ ANY ($4))
     ORDER BY position LIMIT $3) e ON true`;
// One value for many events costs the server and the driver far less than a row for each. Some 100 KB of text still fit
// the driver's buffer: larger ones would make it another one each time. Looked up one stretch after the other, as they
// lie in the table, the events need no sorting. json_send gives the text as it is stored; a cast to text would copy it
// twice more.
const READ_TEXTS = `SELECT stretch.texts
  FROM generate_series($1::bigint, $2::bigint - 1, 64) AS start, LATERAL (
    SELECT string_agg(json_send(body), $4) AS texts FROM (
      SELECT body FROM log.event WHERE position > start AND position <= least(start + 64, $2)
        AND ($3::text[] IS NULL OR stream ^@ ANY ($3)) ORDER BY position) ordered) AS stretch
  WHERE stretch.texts IS NOT NULL ORDER BY start`;
// Asked for in binary, the bytes come as they are and not as hexadecimal digits; the driver has decoded them as UTF-8.
const AS_DECODED = { getTypeParser: () => String };

type Row = [
  position: bigint,
  stream: string,
  revision: number,
  body: Omit<StoredEvent, 'stream' | 'revision' | 'position'>,
];

/** With the position of the last event of all before it; all else is null where no event was found. */
type RowOfPage = [head: Position, ...Row] | [head: Position, null, null, null, null];

const storedIn = ([position, stream, revision, body]: Row): StoredEvent =>
  Object.assign(body, { stream, revision, position });

/** Stored rows are not checked one by one here: the caller reads each with `readEvent`, which does. */
async function readRows(database: Database, name: string, text: string, values: unknown[]): Promise<StoredEvent[]> {
  const { rows } = await database.query<Row>({ name, text, values, rowMode: 'array' });
  return rows.map(storedIn);
}

/**
 * The event store in a database that `migrateLog` has prepared.
 * @param database stays the caller's to close
 */
export function postgresEventStore(database: Database): EventStore {
  const listener = listen(database, 'log_event');

  const head = async (): Promise<Position> => {
    const [row] = await query(database, HEAD, [], z.object({ head: z.bigint() }));
    return row?.head ?? 0n;
  };

  /** A page, and whether it reached what was the end of the log. */
  const readPage = async ({ after, prefixes, limit = 1_000 }: ReadAll): Promise<{ page: Page; atEnd: boolean }> => {
    const { rows } = await database.query<RowOfPage>({
      name: 'log_read_page',
      text: READ_PAGE,
      values: [after, after + WINDOW, limit, prefixes ?? null],
      ...{ rowMode: 'array' },
    });
    const end = rows[0]?.[0] ?? 0n;
    if (end <= after) return { page: { events: [], position: after }, atEnd: true };
    const events = rows
      .flatMap(([, ...row]) => (row[0] === null ? [] : storedIn(row)))
      // They come so; only that of the inner query is an order that SQL promises.
      .sort((one, other) => (one.position < other.position ? -1 : 1));
    const until = after + WINDOW < end ? after + WINDOW : end;
    const position = events.length < limit ? until : (events.at(-1)?.position ?? after);
    return { page: { events, position }, atEnd: position === end };
  };

  /** Whole streams: those that are asked for at the same time are read in one go. */
  const readWhole = batched(
    async (streams) => {
      const found = Map.groupBy(
        await readRows(database, 'log_read_many', READ_MANY, [streams]),
        (event) => event.stream,
      );
      return streams.map((stream) => found.get(stream) ?? []);
    },
    { most: 64 },
  );

  async function* subscribe({ signal, ...options }: ReadAll & { signal: AbortSignal }): AsyncIterable<Page> {
    let after = options.after;
    for (let failures = 0; !signal.aborted; ) {
      const seen = listener.seen(ALL);
      try {
        const { page, atEnd } = await readPage({ ...options, after });
        failures = 0;
        if (page.position > after) {
          after = page.position;
          if (!signal.aborted) yield page;
        }
        if (atEnd) await listener.wait(ALL, seen, POLL, signal);
      } catch (error) {
        if (!passes(error)) throw error;
        await pause(backoff(failures++, { base: 50, maximum: 2_000 }, Math.random), signal);
      }
    }
  }

  return {
    append: appender(database, () => listener.wake(ALL)),
    read: (stream, fromRevision = 0) =>
      fromRevision > 0 ? readRows(database, 'log_read', READ, [stream, fromRevision]) : readWhole(stream),
    readAll: async (options) => (await readPage(options)).page,
    async readTexts({ after, until, prefixes, limit = 1_000, over = database }) {
      const position = after + BigInt(limit) < until ? after + BigInt(limit) : until;
      const { rows } = await over.query<[string]>({
        name: 'log_read_texts',
        text: READ_TEXTS,
        values: [after, position, prefixes ?? null, Buffer.from(TEXT_SEPARATOR)],
        ...{ rowMode: 'array', binary: true, types: AS_DECODED },
      });
      return { texts: rows.map(([texts]) => texts), position };
    },
    subscribe,
    head,
    close: () => listener.close(),
  };
}
