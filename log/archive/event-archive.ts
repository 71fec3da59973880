/**
 * The archive of events: ranges of the event store as gzipped JSON Lines in an object store. Which events are in which object
 * is recorded in PostgreSQL (`postgres/event-partitions.ts`), with the hash of each object.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { createGunzip, gunzip, gzip } from 'node:zlib';
import type { StoredEvent } from '../event-store.ts';
import { type ObjectStore, ObjectStoreError } from './object-store.ts';
import { ArchiveDamaged } from './topic-archive.ts';

/** An event as it is stored in PostgreSQL, with the JSON of its envelope. */
export interface EventRow {
  readonly position: bigint;
  readonly stream: string;
  readonly revision: number;
  readonly body: string;
}

/** An object that the database records. */
export interface ArchivedObject {
  /** Such as `events/000000000001-000000001000-8f3a….jsonl.gz`: positions, and the beginning of the hash. */
  readonly name: string;
  /** SHA-256 of the text, in hexadecimal. */
  readonly hash: string;
}

const FOLDER = 'events';
/** The text of an object is some MB; one that unpacks to more is not what was stored. */
const MAXIMUM_TEXT = 500_000_000;
/** Objects whose text a process keeps, so that several pages or streams of one object load it once. */
const KEPT = 4;

/** Begins every line of a stream, so that its lines are found without parsing the others. */
const streamIn = (stream: string): string => `{"stream":${JSON.stringify(stream)},`;

/** JSON has line breaks between tokens only: a blank is the same. */
const lineOf = ({ stream, revision, position, body }: EventRow): string =>
  `${streamIn(stream)}"revision":${revision},"position":${position},"body":${body.replace(/[\r\n]/g, ' ')}}`;

const textOf = (rows: readonly EventRow[]): string => rows.map((row) => `${lineOf(row)}\n`).join('');
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const padded = (position: bigint): string => String(position).padStart(12, '0');

/**
 * Stores events as one object. Its name is made of its content, so storing the same events again changes nothing.
 * @param rows in the order of their positions
 * @param range the positions that the object covers
 * @returns what is to be recorded of it
 * @throws what the object store throws
 */
export async function storeEvents(
  objects: ObjectStore,
  rows: readonly EventRow[],
  { from, to }: { readonly from: bigint; readonly to: bigint },
): Promise<ArchivedObject & { readonly bytes: number }> {
  const text = textOf(rows);
  const hash = hashOf(text);
  const packed = await promisify(gzip)(text);
  const name = `${FOLDER}/${padded(from)}-${padded(to)}-${hash.slice(0, 16)}.jsonl.gz`;
  await objects.put(name, packed);
  return { name, hash, bytes: packed.length };
}

/** Whether a line is an event with its place. */
function isEventLine(line: string): boolean {
  try {
    const { stream, revision, position, body } = JSON.parse(line);
    return (
      typeof stream === 'string' && Number.isInteger(revision) && Number.isInteger(position) && body?.id !== undefined
    );
  } catch {
    return false;
  }
}

/** Where an object is damaged: its first line that is no event, or at which unpacking ends. */
async function damageOf(packed: Uint8Array): Promise<string> {
  const chunks: Buffer[] = [];
  const unpacking = createGunzip();
  const isWhole = await new Promise<boolean>((resolve) => {
    unpacking.on('data', (chunk: Buffer) => void chunks.push(chunk));
    unpacking.on('end', () => resolve(true)).on('error', () => resolve(false));
    unpacking.end(packed);
  });
  const lines = Buffer.concat(chunks).toString().split('\n');
  const last = lines.pop() ?? '';
  const broken = lines.findIndex((line) => !isEventLine(line));
  if (broken >= 0) return `line ${broken + 1} is no event`;
  if (!isWhole || last !== '') return `it ends or cannot be unpacked at line ${lines.length + 1}`;
  return `each of its lines 1 to ${lines.length} is an event, but the hash of the text differs`;
}

/** @throws ArchiveDamaged when the object is not what was stored, ObjectStoreError when it cannot be read */
async function linesOf(objects: ObjectStore, { name, hash }: ArchivedObject): Promise<readonly string[]> {
  const packed = await objects.get(name).catch((error: unknown) => {
    throw error instanceof ObjectStoreError ? error : new ObjectStoreError(`reading ${name}`, { cause: error });
  });
  const text = await promisify(gunzip)(packed, { maxOutputLength: MAXIMUM_TEXT }).then(String, () => null);
  if (text === null || hashOf(text) !== hash)
    throw new ArchiveDamaged(
      `the object ${name} of the archive is not what was stored: ${await damageOf(packed)}; restore it from a copy`,
    );
  return text.split('\n').slice(0, -1);
}

/**
 * Reads the rows of an object, with the JSON of each event as it was stored.
 * @throws ArchiveDamaged, ObjectStoreError
 */
export async function rowsOf(
  objects: ObjectStore,
  object: ArchivedObject,
): Promise<(EventRow & { readonly id: string })[]> {
  const lines = await linesOf(objects, object);
  return lines.map((line) => {
    const { stream, revision, position, id } = eventIn(line);
    // The body is what follows all other fields; the line ends with the brace of the whole.
    const body = line.slice(lineOf({ stream, revision, position, body: '' }).length - 1, -1);
    return { stream, revision, position, id, body };
  });
}

/** The hash of rows, as of the object that they came from. */
export const hashOfRows = (rows: readonly EventRow[]): string => hashOf(textOf(rows));

/**
 * Reads an object back.
 * @returns how many events it has
 * @throws ArchiveDamaged, ObjectStoreError
 */
export const verifyEvents = async (objects: ObjectStore, object: ArchivedObject): Promise<number> =>
  (await linesOf(objects, object)).length;

/** The text is that which was stored, as its hash says. Callers read each event with `readEvent`, which validates it. */
function eventIn(line: string): StoredEvent {
  const { body, stream, revision, position } = JSON.parse(line) as Omit<EventRow, 'body'> & { body: StoredEvent };
  return Object.assign(body, { stream, revision, position: BigInt(position) });
}

/**
 * Reads archived events.
 * @param objects unset without an archive: every read is refused then, since skipping events would be silent damage
 */
export function eventArchive(objects: ObjectStore | undefined) {
  const kept = new Map<string, Promise<readonly string[]>>();
  const load = (object: ArchivedObject): Promise<readonly string[]> => {
    if (!objects)
      return Promise.reject(
        new ObjectStoreError(`the events of ${object.name} are archived: set ARCHIVE_URL to where they were stored`),
      );
    const lines = kept.get(object.name) ?? linesOf(objects, object);
    // Set again, so that the one that was used last is the last to go.
    kept.delete(object.name);
    kept.set(object.name, lines);
    lines.catch(() => kept.delete(object.name));
    for (const name of kept.keys()) if (kept.size > KEPT) kept.delete(name);
    return lines;
  };
  return {
    /** Events of an object, oldest first: of streams whose names begin with one of these; of all when unset. */
    async ofPrefixes(object: ArchivedObject, prefixes: readonly string[] | undefined): Promise<StoredEvent[]> {
      const beginnings = prefixes?.map((prefix) => streamIn(prefix).slice(0, -2));
      const lines = await load(object);
      return lines
        .filter((line) => !beginnings || beginnings.some((beginning) => line.startsWith(beginning)))
        .map(eventIn);
    },
    /** Events of one stream in an object, oldest first. */
    ofStream: async (object: ArchivedObject, stream: string): Promise<StoredEvent[]> =>
      (await load(object)).filter((line) => line.startsWith(streamIn(stream))).map(eventIn),
  };
}
