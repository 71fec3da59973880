/** The event store in PostgreSQL. */
import { z } from 'zod';
import { backoff, pause } from '../backoff.ts';
import { batched } from '../batch.ts';
import {
  type EventStore,
  type Page,
  type Position,
  type ReadAll,
  type StoredEvent,
  TEXT_SEPARATOR,
} from '../event-store.ts';
import { appender } from './append.ts';
import type { Database } from './database.ts';
import { query } from './database.ts';
import { passes } from './failures.ts';
import { listen } from './listener.ts';

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
