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
} from '../event-store.ts';
import { encodeEvent } from '../topic.ts';
import { type Database, type Queryable, queryValue } from './database.ts';
import { type Listener, listen } from './listener.ts';
import { isDatabaseUnavailable, isTransientPostgresError } from './postgres-errors.ts';

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * JSON with every character outside ASCII escaped as `\uXXXX`. Events are read many times, and pure ASCII is decoded more
 * than ten times as fast as text with one rupee sign in it.
 */
export const asciiJson = (json: string): string => json.replace(/[^\0-\x7f]/g, escaped);

// Concurrent appends share a commit. An append holds its lock until its commit is on disk, so one commit for each append
// would be limited by the disk. While a commit is in progress, the next appends wait in a queue.

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

const MAX_APPENDS = 200;
const MAX_BYTES = 8 * 1_048_576;
const CODES = { none: -1, any: -2 } as const;

// Joined by a character that JSON text never contains (RFC 7464): in an array parameter the driver would have to escape
// every quote of every event, and the server to parse the escapes.
const TEXT_SEPARATOR = '\u001e';
const APPEND = `SELECT * FROM log.append_events_many($1::text[], $2::int[], $3::int[], $4::uuid[], string_to_array($5, $6))`;

const codeOf = (expected: ExpectedRevision): number => (typeof expected === 'number' ? expected : CODES[expected]);

/** The next appends of one commit, oldest first: at most one for each stream, so that none depends on another. */
function takeGroup(queue: Waiting[]): Waiting[] {
  const group: Waiting[] = [];
  const later: Waiting[] = [];
  const streams = new Set<string>();
  let bytes = 0;
  for (const append of queue) {
    const fits = group.length === 0 || (group.length < MAX_APPENDS && bytes + append.bytes <= MAX_BYTES);
    // Also recorded for an append that has to wait, so that appends to one stream keep their order.
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
      const before = new Set(outcome.known_ids);
      const stored = append.ids.filter((id) => !before.has(id));
      append.resolve({ revision: outcome.last_revision, position: outcome.last_position, stored });
    } else append.reject(new RevisionConflict(append.stream, append.expected, outcome?.last_revision ?? -1));
  });
}

/**
 * Creates the append operation of an event store.
 * @param onCommit called after each commit
 */
function appender(database: Database, onCommit: () => void) {
  const queue: Waiting[] = [];
  let busy = false;

  const work = async (): Promise<void> => {
    if (busy) return;
    busy = true;
    while (queue.length > 0) {
      // A caller that waited for the last commit may append again immediately: include that in the next commit.
      await setImmediate();
      const group = takeGroup(queue);
      try {
        await commit(database, group);
        onCommit();
      } catch (error) {
        // One bad append must not fail the others of its group: each is retried alone and fails for its own reason.
        // An unreachable server would fail all of them one by one, so they fail together.
        if (group.length === 1 || isDatabaseUnavailable(error)) for (const append of group) append.reject(error);
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

/** Milliseconds between polls, by default. */
const POLL = 500;
/** The subject of all notifications: appends do not name their streams. */
const ALL = '';
/** Positions that one page searches: matches of a prefix may be rare in a long log. */
const WINDOW = 100_000n;

const READ = 'SELECT position, stream, revision, body FROM log.event WHERE stream = $1 AND revision >= $2';
const READ_MANY = 'SELECT position, stream, revision, body FROM log.event WHERE stream = ANY ($1::text[])';
const HEAD = 'SELECT coalesce(max(position), 0::bigint) AS head FROM log.event';
// The head comes from the same snapshot: positions follow the order of commits, so every event up to it is visible.
const READ_PAGE = `SELECT log.head, page.until, (SELECT id FROM log.event WHERE position = page.until) AS id, e.position, e.stream, e.revision, e.body
  FROM (SELECT coalesce(max(position), 0::bigint) AS head FROM log.event) log
  CROSS JOIN LATERAL (SELECT least(log.head, $2) AS until) page
  LEFT JOIN LATERAL (
    SELECT position, stream, revision, body FROM log.event
     WHERE position > $1 AND position <= page.until AND ($4::text[] IS NULL OR stream ^@ ANY ($4))
     ORDER BY position LIMIT $3) e ON true`;
interface Row {
  readonly position: bigint;
  readonly stream: string;
  readonly revision: number;
  readonly body: Omit<StoredEvent, 'stream' | 'revision' | 'position'>;
}

/** With the position of the last event of the log in `head`; the columns of an event are null where none matched. */
type PageRow = { readonly head: Position; readonly until: Position; readonly id: string | null } & (
  | Row
  | { readonly position: null }
);

const storedIn = ({ position, stream, revision, body }: Row): StoredEvent =>
  Object.assign(body, { stream, revision, position });

const inOrder = (one: StoredEvent, other: StoredEvent): number => (one.position < other.position ? -1 : 1);

/** Reads streams. Rows are not validated one by one: the caller reads each event with `readEvent`, which validates it. */
async function readRows(
  database: Database,
  name: string,
  text: string,
  values: unknown[],
): Promise<Map<string, StoredEvent[]>> {
  const { rows } = await database.query<Row>({ name, text, values });
  const streams = new Map<string, StoredEvent[]>();
  for (const row of rows) {
    const events = streams.get(row.stream);
    if (events) events.push(storedIn(row));
    else streams.set(row.stream, [storedIn(row)]);
  }
  for (const events of streams.values()) events.sort((one, other) => one.revision - other.revision);
  return streams;
}

/** Reads a page, and whether it reached the end of the log. */
async function readPage(
  database: Database,
  { after, prefixes, limit = 1_000 }: ReadAll,
): Promise<{ page: Page; atEnd: boolean }> {
  const values = [after, after + WINDOW, limit, prefixes ?? null];
  const { rows } = await database.query<PageRow>({ name: 'log_read_page', text: READ_PAGE, values });
  const [first] = rows;
  if (!first || first.head <= after) return { page: { events: [], position: after }, atEnd: true };
  // SQL guarantees the order of the inner query only.
  const events = rows.flatMap((row) => (row.position === null ? [] : storedIn(row))).sort(inOrder);
  const [last, whole] = [events.at(-1), events.length < limit];
  const position = whole ? first.until : (last?.position ?? after);
  const id = last?.position === position ? last.id : whole ? (first.id ?? undefined) : undefined;
  return { page: { events, position, id }, atEnd: position === first.head };
}

/** @param poll milliseconds between polls where no notification comes */
async function* subscribe(
  database: Database,
  listener: Listener,
  poll: number,
  { signal, ...options }: ReadAll & { signal: AbortSignal },
): AsyncIterable<Page> {
  let after = options.after;
  for (let failures = 0; !signal.aborted; ) {
    const seen = listener.seen(ALL);
    try {
      const { page, atEnd } = await readPage(database, { ...options, after });
      failures = 0;
      if (page.position > after) {
        after = page.position;
        if (!signal.aborted) yield page;
      }
      if (atEnd) await listener.wait(ALL, seen, poll, signal);
    } catch (error) {
      if (!isTransientPostgresError(error)) throw error;
      await pause(backoff(failures++, { base: 50, maximum: 2_000 }, Math.random), signal);
    }
  }
}

const ARCHIVED = 'SELECT EXISTS (SELECT FROM log.event_partition WHERE archived_at IS NOT NULL)';

/** Whether an earlier release has moved events of this database to an archive: reading would skip them without a sign. */
export const hasArchivedEvents = async (database: Queryable): Promise<boolean> =>
  (await queryValue(database, ARCHIVED, [], z.boolean())) ?? false;

/**
 * The event store in a database that `migrateLog` has prepared.
 * @param database closed by the caller
 * @param options.poll milliseconds between polls of a subscription that receives no notification
 */
export function postgresEventStore(database: Database, { poll = POLL }: { readonly poll?: number } = {}): EventStore {
  const listener = listen(database, 'log_event');

  /** Reads whole streams; concurrent requests share one query. */
  const readWhole = batched(
    async (streams) => {
      // One stream alone has a statement that is planned once: an array is planned again for its length, over all partitions.
      const events =
        streams.length === 1
          ? await readRows(database, 'log_read', READ, [streams[0], 0])
          : await readRows(database, 'log_read_many', READ_MANY, [streams]);
      return streams.map((stream) => events.get(stream) ?? []);
    },
    { maximum: 64 },
  );

  return {
    append: appender(database, () => listener.wake(ALL)),
    async read(stream, fromRevision = 0) {
      if (fromRevision <= 0) return readWhole(stream);
      return (await readRows(database, 'log_read', READ, [stream, fromRevision])).get(stream) ?? [];
    },
    readAll: async (options) => (await readPage(database, options)).page,
    subscribe: (options) => subscribe(database, listener, poll, options),
    async head() {
      const { rows } = await database.query<{ head: Position }>({ name: 'log_head', text: HEAD });
      return rows[0]?.head ?? 0n;
    },
    async has(position, id) {
      const { rows } = await database.query<{ id: string }>('SELECT id FROM log.event WHERE position = $1', [position]);
      // An event that is not there may have been removed.
      return id === null || (rows[0]?.id ?? id) === id;
    },
    close: () => listener.close(),
  };
}

/**
 * Stores other data under events that are in PostgreSQL. The only use is to encrypt what was stored as it was.
 * @returns how many of them are there
 */
export async function rewriteEvents(database: Queryable, events: readonly StoredEvent[]): Promise<number> {
  let changed = 0;
  for (const event of events) {
    const values = [event.position, event.id, asciiJson(encodeEvent(event))];
    const { rowCount } = await database.query('UPDATE log.event SET body = $3 WHERE position = $1 AND id = $2', values);
    changed += rowCount ?? 0;
  }
  return changed;
}
