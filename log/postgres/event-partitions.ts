/**
 * Partitions of the event store in PostgreSQL: which there are, how an old one moves to the archive, and back. An append
 * creates new ones (migrations/0008_event_partitions.sql).
 */
import { z } from 'zod';
import { type EventRow, hashOfRows, rowsOf, storeEvents, verifyEvents } from '../archive/event-archive.ts';
import type { ObjectStore } from '../archive/object-store.ts';
import {
  type Database,
  isLockTimeout,
  type Queryable,
  query,
  queryNumber,
  queryOne,
  queryValue,
  transaction,
  untilLocked,
} from './database.ts';
import { whileLocked } from './lock-session.ts';

/** Held by the one archiver. */
const ARCHIVE_LOCK = '7165310202';
/** Held by every append (`append_events`). */
const APPEND_LOCK = '7165310201';

const Name = z.object({ name: z.string() });

/** Streams whose events are archived. The others are few, are read by every command on them, and stay in PostgreSQL. */
const ARCHIVED_PREFIXES = ['signal-'] as const;

// A later event proves that no transaction is still appending to the partition: appends take turns.
const PARTITIONS = `SELECT p.first_position, p.end_position, p.archived_at,
    (SELECT count(*)::int FROM log.event e WHERE e.position >= p.first_position AND e.position < p.end_position) AS events,
    CASE WHEN p.archived_at IS NULL THEN 0 ELSE
      (SELECT coalesce(sum(o.events), 0)::int FROM log.archived_object o WHERE o.partition = p.first_position) END AS archived,
    pg_total_relation_size(to_regclass('log.' || log.event_partition_name(p.first_position)))::float8 AS bytes,
    (SELECT e.body ->> 'time' FROM log.event e WHERE e.position >= p.first_position AND e.position < p.end_position
      ORDER BY e.position DESC LIMIT 1) AS last_time,
    EXISTS (SELECT FROM log.event e WHERE e.position >= p.end_position) AS complete
  FROM log.event_partition p ORDER BY p.first_position`;
const EventPartition = z.object({
  first_position: z.bigint(),
  end_position: z.bigint(),
  archived_at: z.date().nullable(),
  /** Events in PostgreSQL. */
  events: z.int(),
  /** Events in the archive; 0 before all of the partition is there. */
  archived: z.int(),
  /** On disk, with indexes. */
  bytes: z.number(),
  /** When the last event was appended; null without events. */
  last_time: z.string().nullable(),
  /** False for the one that is being written, and later ones. */
  complete: z.boolean(),
});
export type EventPartition = Readonly<z.infer<typeof EventPartition>>;

/** All partitions, oldest first. Counts their events. */
export const eventPartitions = (database: Queryable): Promise<EventPartition[]> =>
  query(database, PARTITIONS, [], EventPartition);

/**
 * The partitions that may be archived, oldest first: complete, and without an event of this time or later. One that is too
 * young ends the search.
 */
export function archivable(partitions: readonly EventPartition[], before: Date): EventPartition[] {
  const left = partitions.filter(({ archived_at }) => archived_at === null);
  const young = left.findIndex(
    ({ complete, last_time }) => !complete || (last_time !== null && new Date(last_time) >= before),
  );
  return young < 0 ? left : left.slice(0, young);
}

/** The partition cannot be archived, for the reason in the message. Nothing is lost. */
export class EventsNotArchived extends Error {
  override name = 'EventsNotArchived';
}

/** Events and characters of an object: a page of a reader is one object. */
const BATCH = 1_000;
const MAXIMUM_CHARACTERS = 8_000_000;

const EVENTS = `SELECT position, stream, revision, id, body FROM (
    SELECT position, stream, revision, id, body::text AS body,
      sum(octet_length(body::text)) OVER (ORDER BY position ROWS UNBOUNDED PRECEDING) - octet_length(body::text) AS before
    FROM (SELECT * FROM log.event WHERE position >= $1 AND position < $2 AND stream ^@ ANY ($3::text[])
      ORDER BY position LIMIT ${BATCH}) e) e
  WHERE before < ${MAXIMUM_CHARACTERS} ORDER BY position`;
const Row = z.object({ position: z.bigint(), stream: z.string(), revision: z.int(), id: z.string(), body: z.string() });
type Row = z.infer<typeof Row> & EventRow;

const OBJECTS = `SELECT first_position, last_position, name, hash, events FROM log.archived_object
  WHERE partition = $1 ORDER BY first_position`;
const Stored = z.object({
  first_position: z.bigint(),
  last_position: z.bigint(),
  name: z.string(),
  hash: z.string(),
  events: z.int(),
});

export interface Archiving {
  readonly database: Database;
  readonly objects: ObjectStore;
  readonly before: Date;
  /** Stops between two objects when it aborts; a next run continues. */
  readonly signal: AbortSignal;
  /** The beginnings of the names of the streams whose events are archived. */
  readonly prefixes?: readonly string[];
  /** Called with the events done so far in a partition, of those to do. */
  readonly onProgress?: (phase: 'storing' | 'verifying', done: number, total: number) => void;
}

/** Records an object with the streams in it, in one transaction. */
async function record(
  database: Database,
  partition: EventPartition,
  rows: readonly Row[],
  object: { from: bigint; to: bigint; name: string; hash: string; bytes: number },
): Promise<void> {
  const streams = [...Map.groupBy(rows, ({ stream }) => stream)];
  for (const [stream, own] of streams)
    if (own.some(({ revision }, index) => revision !== (own[0]?.revision ?? 0) + index))
      throw new EventsNotArchived(`events of ${stream} are missing in PostgreSQL; the partition stays as it is`);
  await transaction(database, async (client) => {
    await client.query(
      `INSERT INTO log.archived_object (first_position, last_position, partition, name, hash, events, bytes)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [object.from, object.to, partition.first_position, object.name, object.hash, rows.length, object.bytes],
    );
    await client.query(
      `INSERT INTO log.archived_stream (stream, first_revision, object, ids, positions)
       SELECT s.stream, s.first_revision, $1, s.ids, s.positions
         FROM json_to_recordset($2) s(stream text, first_revision int, ids uuid[], positions bigint[])`,
      [
        object.from,
        JSON.stringify(
          streams.map(([stream, own]) => ({
            stream,
            first_revision: own[0]?.revision,
            ids: own.map(({ id }) => id),
            positions: own.map(({ position }) => String(position)),
          })),
        ),
      ],
    );
  });
}

/** Stores what the archive lacks of a partition, object by object. A killed process has stored one unrecorded at most. */
async function store(
  { database, objects, signal, onProgress }: Archiving,
  partition: EventPartition,
  prefixes: readonly string[],
): Promise<void> {
  const stored = await query(database, OBJECTS, [partition.first_position], Stored);
  let done = stored.reduce((sum, { events }) => sum + events, 0);
  for (let from = (stored.at(-1)?.last_position ?? partition.first_position - 1n) + 1n; ; ) {
    signal.throwIfAborted();
    const rows = await query(database, EVENTS, [from, partition.end_position, prefixes], Row);
    const to = rows.at(-1)?.position;
    if (to === undefined) return;
    await record(database, partition, rows, { from, to, ...(await storeEvents(objects, rows, { from, to })) });
    done += rows.length;
    onProgress?.('storing', done, partition.events);
    from = to + 1n;
  }
}

/**
 * Reads every object of a partition back.
 * @param onProgress called with the events read so far
 * @returns the number of events
 * @throws ArchiveDamaged, EventsNotArchived, ObjectStoreError
 */
async function verify(
  { database, objects, signal }: Pick<Archiving, 'database' | 'objects' | 'signal'>,
  partition: EventPartition,
  onProgress: (done: number) => void,
): Promise<number> {
  let done = 0;
  for (const object of await query(database, OBJECTS, [partition.first_position], Stored)) {
    signal.throwIfAborted();
    const events = await verifyEvents(objects, object);
    if (events !== object.events)
      throw new EventsNotArchived(`${object.name} has ${events} events instead of ${object.events}`);
    done += events;
    onProgress(done);
  }
  return done;
}

/** Copies the events that stay into a table that will replace the partition. @returns their number */
async function keepOthers(
  database: Database,
  { first_position, end_position }: EventPartition,
  name: string,
  prefixes: readonly string[],
) {
  return transaction(database, async (client) => {
    await client.query(`DROP TABLE IF EXISTS log.${name}`);
    await client.query('SELECT log.create_event_table($1, $2, $3)', [name, first_position, end_position]);
    const { rowCount } = await client.query(
      `INSERT INTO log.${name} SELECT * FROM log.event
        WHERE position >= $1 AND position < $2 AND NOT stream ^@ ANY ($3::text[]) ORDER BY position`,
      [first_position, end_position, prefixes],
    );
    await client.query(`ANALYZE log.${name}`);
    return rowCount ?? 0;
  });
}

/**
 * Replaces a partition by another table of its events, and marks it as archived or not: in one transaction, so that every
 * reader sees either.
 */
async function replace(
  { database, signal }: Pick<Archiving, 'database' | 'signal'>,
  { first_position, end_position }: EventPartition,
  { table, archived }: { readonly table: string; readonly archived: boolean },
): Promise<void> {
  const name = await query(database, 'SELECT log.event_partition_name($1) AS name', [first_position], Name).then(
    ([row]) => row?.name ?? '',
  );
  const attempt = () =>
    transaction(database, async (client) => {
      await client.query("SET LOCAL lock_timeout = '2s'");
      // The statements of an append take their snapshots before they wait for the lock of the table.
      await client.query('SELECT pg_advisory_xact_lock($1)', [APPEND_LOCK]);
      await client.query('LOCK TABLE log.event IN ACCESS EXCLUSIVE MODE');
      const { rowCount } = await client.query(
        `UPDATE log.event_partition SET archived_at = CASE WHEN $2 THEN now() END
          WHERE first_position = $1 AND (archived_at IS NULL) = $2`,
        [first_position, archived],
      );
      if (rowCount !== 1)
        throw new EventsNotArchived(`another process has ${archived ? 'archived' : 'restored'} the partition ${name}`);
      await client.query(`ALTER TABLE log.event DETACH PARTITION log.${name}`);
      await client.query(`DROP TABLE log.${name}`);
      await client.query(`ALTER TABLE log.${table} RENAME TO ${name}`);
      await client.query('SELECT log.attach_event_table($1, $2, $3)', [name, first_position, end_position]);
    });
  await untilLocked(attempt, signal).catch((error: unknown) => {
    if (!isLockTimeout(error)) throw error;
    const message = 'log.event is locked by a long transaction, such as pg_dump; run it again when that has ended';
    throw new EventsNotArchived(message, { cause: error });
  });
}

async function archivePartition(archiving: Archiving, partition: EventPartition): Promise<void> {
  const { database } = archiving;
  // A run that was killed may have begun with other prefixes, by another release.
  const chosen = await queryValue(
    database,
    `UPDATE log.event_partition SET prefixes = coalesce(prefixes, $2::text[]) WHERE first_position = $1 RETURNING prefixes`,
    [partition.first_position, archiving.prefixes ?? ARCHIVED_PREFIXES],
    z.array(z.string()),
  );
  const prefixes = chosen ?? [];
  await store(archiving, partition, prefixes);
  const archived = await verify(archiving, partition, (done) =>
    archiving.onProgress?.('verifying', done, partition.events),
  );
  const kept = `event_kept_${partition.first_position}`;
  const left = await keepOthers(database, partition, kept, prefixes);
  if (archived + left !== partition.events)
    throw new EventsNotArchived(
      `${partition.events} events are in the partition, but ${archived} in the archive and ${left} stay`,
    );
  await replace(archiving, partition, { table: kept, archived: true });
}

/** Runs `work` while no other process archives or restores. @throws EventsNotArchived while one does */
const whileArchiving = <Result>(
  { database, signal }: Pick<Archiving, 'database' | 'signal'>,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const busy = async () => {
    throw new EventsNotArchived('another process archives or restores events; wait until it has ended');
  };
  return whileLocked(database, { key: { number: ARCHIVE_LOCK }, signal, busy }, work);
};

/**
 * Archives every partition that is complete and older than `before`: stores its events, reads them back, and only then
 * replaces the partition. A run that was killed is continued by the next one.
 * @returns the partitions that were archived
 * @throws EventsNotArchived, ArchiveDamaged, what the object store or the driver throws, or the reason of `signal`
 */
export const archiveEvents = (archiving: Archiving): Promise<EventPartition[]> =>
  whileArchiving(archiving, async (signal) => {
    const partitions = archivable(await eventPartitions(archiving.database), archiving.before);
    for (const partition of partitions) await archivePartition({ ...archiving, signal }, partition);
    return partitions;
  });

// Back from the archive.

/** The archived partitions that contain a position of a range, oldest first. */
export const restorable = (
  partitions: readonly EventPartition[],
  { from, to }: { readonly from: bigint; readonly to: bigint },
): EventPartition[] =>
  partitions.filter(
    ({ archived_at, first_position, end_position }) =>
      archived_at !== null && first_position <= to && end_position > from,
  );

export interface Restoring {
  readonly database: Database;
  readonly objects: ObjectStore;
  /** Partitions with a position from here on, */
  readonly from: bigint;
  /** and up to here are restored. */
  readonly to: bigint;
  /** Stops between two objects when it aborts; a next run continues. */
  readonly signal: AbortSignal;
  /** Called with the archived events done so far in a partition, of those to do. */
  readonly onProgress?: (phase: 'verifying' | 'restoring', done: number, total: number) => void;
  /** Called when all objects are known to be whole, before anything is changed. */
  readonly onVerified?: () => Promise<void>;
}

const INSERT_ROWS = `INSERT INTO log.%TABLE% (position, stream, revision, id, body)
  SELECT u.position, u.stream, u.revision, u.id, u.body::json
    FROM unnest($1::bigint[], $2::text[], $3::int[], $4::uuid[], $5::text[]) u(position, stream, revision, id, body)`;
const RESTORED_ROWS = `SELECT position, stream, revision, id, body::text AS body FROM log.%TABLE%
  WHERE position >= $1 AND position <= $2 AND stream ^@ ANY ($3::text[]) ORDER BY position`;

/** Inserts the events of an object, and reads them back: one transaction. @throws ArchiveDamaged, EventsNotArchived */
async function restoreObject(
  { database, objects }: Restoring,
  object: z.infer<typeof Stored>,
  { table, prefixes }: { readonly table: string; readonly prefixes: readonly string[] },
): Promise<void> {
  const rows = await rowsOf(objects, object);
  await transaction(database, async (client) => {
    await client.query(INSERT_ROWS.replace('%TABLE%', table), [
      rows.map(({ position }) => position),
      rows.map(({ stream }) => stream),
      rows.map(({ revision }) => revision),
      rows.map(({ id }) => id),
      rows.map(({ body }) => body),
    ]);
    const range = [object.first_position, object.last_position, prefixes];
    const stored = await query(client, RESTORED_ROWS.replace('%TABLE%', table), range, Row);
    if (stored.length !== object.events || hashOfRows(stored) !== object.hash)
      throw new EventsNotArchived(`the events of ${object.name} in PostgreSQL differ from those that were archived`);
  });
}

const RESTORE_TABLE = `SELECT p.prefixes, to_regclass('log.' || $2) IS NOT NULL AS there FROM log.event_partition p
  WHERE p.first_position = $1`;
const RestoreTable = z.object({ prefixes: z.array(z.string()), there: z.boolean() });

async function restorePartition(restoring: Restoring, partition: EventPartition): Promise<void> {
  const { database, signal, onProgress } = restoring;
  const { first_position, end_position } = partition;
  const table = `event_restored_${first_position}`;
  const target = await queryOne(database, RESTORE_TABLE, [first_position, table], RestoreTable);
  if (!target) throw new EventsNotArchived(`the partition of position ${first_position} is not archived`);
  if (!target.there)
    await database.query('SELECT log.create_event_table($1, $2, $3)', [table, first_position, end_position]);
  const done = await queryValue(database, `SELECT max(position) FROM log.${table}`, [], z.bigint().nullable());
  let events = 0;
  for (const object of await query(database, OBJECTS, [first_position], Stored)) {
    signal.throwIfAborted();
    // A killed run has inserted whole objects, in their order.
    if (done === null || object.last_position > done) await restoreObject(restoring, object, { table, ...target });
    events += object.events;
    onProgress?.('restoring', events, partition.archived);
  }
  // Nothing is appended to a complete partition. A killed run may have inserted these.
  await database.query(
    `INSERT INTO log.${table} SELECT * FROM log.event WHERE position >= $1 AND position < $2 ORDER BY position
       ON CONFLICT (position) DO NOTHING`,
    [first_position, end_position],
  );
  await database.query(`ANALYZE log.${table}`);
  const restored = await queryNumber(database, `SELECT count(*)::int FROM log.${table}`);
  if (restored !== events + partition.events)
    throw new EventsNotArchived(
      `${events} events are archived and ${partition.events} in PostgreSQL, but ${restored} were restored`,
    );
  await replace({ database, signal }, partition, { table, archived: false });
}

/**
 * Moves archived partitions back into PostgreSQL: all that contain a position of the range. All objects are read before
 * anything is changed, so that an archive that is incomplete or damaged changes nothing. Each is compared with its hash again
 * before its events are inserted, and what was inserted after that. The objects stay, and a later `archiveEvents` stores none
 * of them again. A run that was killed is continued by the next one.
 * @returns the partitions that were restored, as they were before
 * @throws EventsNotArchived, ArchiveDamaged, what the object store or the driver throws, or the reason of `signal`
 */
export const restoreEvents = (restoring: Restoring): Promise<EventPartition[]> =>
  whileArchiving(restoring, async (signal) => {
    const partitions = restorable(await eventPartitions(restoring.database), restoring);
    const { onProgress, onVerified } = restoring;
    for (const partition of partitions)
      await verify({ ...restoring, signal }, partition, (done) => onProgress?.('verifying', done, partition.archived));
    await onVerified?.();
    for (const partition of partitions) await restorePartition({ ...restoring, signal }, partition);
    return partitions;
  });
