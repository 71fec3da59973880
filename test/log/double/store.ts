/** What the double of EventStoreDB keeps: one log of records, with the server's own rules for an append. */
import { closeSync, existsSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';

export interface Proposed {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

export interface Written extends Proposed {
  readonly stream: string;
  readonly revision: number;
  /** Where the record begins in the log, in bytes. */
  readonly position: bigint;
  /** Where the next record will begin. */
  readonly end: bigint;
  /** When it was written, by `performance.now()`. */
  readonly time: number;
}

export type Expected = number | 'none' | 'any' | 'exists';
export type Outcome =
  /** Where the last event is; null for an append of no events to a stream that is not there. */
  | { readonly kind: 'success'; readonly last: Written | null; readonly repeated?: true }
  | { readonly kind: 'wrong'; readonly actual: number }
  | { readonly kind: 'tombstoned' };

export interface Store {
  /** All that no scavenge has removed. */
  readonly records: readonly Written[];
  /** What a read of a stream finds: nothing below `$tb` or beyond `$maxCount`. */
  stream(name: string): readonly Written[] | 'missing' | 'tombstoned';
  append(stream: string, events: readonly Proposed[], expected: Expected): Outcome;
  /** Soft deletion: the stream is missing until it is appended to, then it begins where it was deleted. */
  delete(name: string): void;
  tombstone(name: string): void;
  /** Removes what no read of a stream finds; the place of a removed record is known for ever. */
  scavenge(): void;
  /** Removes every record from a position on, as a restore of an older backup does under a running process. */
  restore(to: bigint): void;
  /** Whether a record begins or ends at a place of the log, or once did. */
  isPlace(commit: bigint): boolean;
  /** Called after each append and each scavenge, until the function that it returns is called. */
  onChange(listener: (change: 'append' | 'scavenge') => void): () => void;
  close(): void;
}

/** One append as a line of the data file. */
interface Line {
  readonly stream: string;
  readonly events: readonly (readonly [
    id: string,
    type: string,
    contentType: string,
    data: string,
    metadata: string,
  ])[];
}

const RECORD_OVERHEAD = 120;
/** The real log begins with records that belong to no stream. */
const FIRST_POSITION = 178n;

interface StreamMetadata {
  readonly $tb?: number;
  readonly $maxCount?: number;
}

/** What the server writes as `$tb` of a stream that is deleted. */
const DELETED = Number.MAX_SAFE_INTEGER;
const TOMBSTONE = '$streamDeleted';

/** @param file where appends are kept; it survives a kill of the process, as its lines are written before the answer */
export function doubleStore(file?: string): Store {
  const records: Written[] = [];
  const streams = new Map<string, Written[]>();
  const places = new Set<bigint>([0n]);
  const listeners = new Set<(change: 'append' | 'scavenge') => void>();
  // The server remembers recent ids in memory alone: after a restart it has forgotten them.
  const remembered = new Map<string, Written>();

  let end = FIRST_POSITION;
  const add = (stream: string, events: readonly Proposed[]): Written[] => {
    const own = streams.get(stream) ?? [];
    streams.set(stream, own);
    return events.map((event) => {
      const position = end;
      end += BigInt(event.data.length + event.metadata.length + RECORD_OVERHEAD);
      const record = { ...event, stream, revision: own.length, position, end, time: performance.now() };
      own.push(record);
      records.push(record);
      places.add(position).add(end);
      return record;
    });
  };

  for (const line of file ? linesOf(file) : []) add(line.stream, line.events.map(fromLine));
  const output = file ? openSync(file, 'a') : undefined;
  const keep = (stream: string, events: readonly Proposed[]): Written[] => {
    if (output !== undefined) writeSync(output, `${JSON.stringify({ stream, events: events.map(toLine) })}\n`);
    const written = add(stream, events);
    for (const listener of listeners) listener('append');
    return written;
  };
  if (records.length === 0) keep('$settings', [systemEvent('$update')]);

  const all = (name: string): readonly Written[] => streams.get(name) ?? [];
  const isTombstoned = (name: string): boolean => all(name).at(-1)?.type === TOMBSTONE;
  const metadataOf = (name: string): StreamMetadata => {
    const last = all(`$$${name}`).at(-1);
    return last ? JSON.parse(Buffer.from(last.data).toString() || '{}') : {};
  };
  const isDeleted = (name: string): boolean => all(name).length > 0 && metadataOf(name).$tb === DELETED;
  const truncate = (name: string, before: number): void => {
    const data = Buffer.from(JSON.stringify({ ...metadataOf(name), $tb: before }));
    keep(`$$${name}`, [{ ...systemEvent('$metadata'), data }]);
  };
  const visible = (name: string): readonly Written[] => {
    const { $tb = 0, $maxCount = Number.MAX_SAFE_INTEGER } = metadataOf(name);
    return all(name).filter(({ revision }) => revision >= Math.max($tb, all(name).length - $maxCount));
  };

  /** The server's rules: for a revision, the ids after it; for any, those that it remembers. */
  const again = (stream: string, events: readonly Proposed[], expected: Expected): Outcome | 'new' => {
    const own = all(stream);
    const wrong: Outcome = { kind: 'wrong', actual: own.length - 1 };
    if (expected === 'any' || expected === 'exists') {
      if (expected === 'exists' && (own.length === 0 || isDeleted(stream))) return wrong;
      const found = events.map(({ id }) => remembered.get(`${stream} ${id}`));
      const [first, last] = [found[0], found.at(-1)];
      if (!first) return 'new';
      return last && !found.includes(undefined) ? { kind: 'success', last, repeated: true } : wrong;
    }
    const revision = expected === 'none' ? -1 : expected;
    if (revision === own.length - 1) return 'new';
    const there = own.slice(revision + 1, revision + 1 + events.length);
    const last = there.at(-1);
    if (last && events.every(({ id }, nth) => there[nth]?.id === id)) return { kind: 'success', last, repeated: true };
    return expected === 'none' && isDeleted(stream) ? 'new' : wrong;
  };

  return {
    records,
    stream: (name) => {
      if (isTombstoned(name)) return 'tombstoned';
      return all(name).length === 0 || isDeleted(name) ? 'missing' : visible(name);
    },
    append(stream, events, expected) {
      if (isTombstoned(stream)) return { kind: 'tombstoned' };
      const outcome = again(stream, events, expected);
      if (outcome !== 'new') return outcome;
      if (events.length > 0 && isDeleted(stream)) truncate(stream, all(stream).length);
      const written = keep(stream, events);
      for (const record of written) remembered.set(`${stream} ${record.id}`, record);
      return { kind: 'success', last: written.at(-1) ?? all(stream).at(-1) ?? null };
    },
    delete: (name) => truncate(name, DELETED),
    tombstone: (name) => void keep(name, [systemEvent(TOMBSTONE)]),
    scavenge: () => {
      const kept = records.filter((record) => {
        if (record === records.at(-1) || record.stream.startsWith('$')) return true;
        return record.type === TOMBSTONE || (!isTombstoned(record.stream) && visible(record.stream).includes(record));
      });
      records.splice(0, records.length, ...kept);
      for (const listener of listeners) listener('scavenge');
    },
    restore(to) {
      const isKept = ({ position }: Written): boolean => position < to;
      records.splice(0, records.length, ...records.filter(isKept));
      for (const [name, own] of streams) streams.set(name, own.filter(isKept));
      remembered.clear();
      for (const place of places) if (place > to) places.delete(place);
      end = to;
    },
    isPlace: (commit) => places.has(commit),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => {
      if (output !== undefined) closeSync(output);
    },
  };
}

const systemEvent = (type: string): Proposed => ({
  id: '00000000-0000-4000-8000-000000000001',
  type,
  contentType: 'application/json',
  data: Buffer.from('{}'),
  metadata: Buffer.alloc(0),
});

/** A line that a kill cut off was never answered for: it goes. */
function linesOf(file: string): Line[] {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole.length < text.length) truncateSync(file, Buffer.byteLength(whole));
  return whole
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const toLine = ({ id, type, contentType, data, metadata }: Proposed): Line['events'][number] => [
  id,
  type,
  contentType,
  base64(data),
  base64(metadata),
];
const fromLine = ([id, type, contentType, data, metadata]: Line['events'][number]): Proposed => ({
  id,
  type,
  contentType,
  data: Buffer.from(data, 'base64'),
  metadata: Buffer.from(metadata, 'base64'),
});
