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
}

export type Expected = number | 'none' | 'any' | 'exists';
export type Outcome =
  | { readonly kind: 'success'; readonly last: Written }
  | { readonly kind: 'wrong'; readonly actual: number };

export interface Store {
  readonly records: readonly Written[];
  stream(name: string): readonly Written[];
  append(stream: string, events: readonly Proposed[], expected: Expected): Outcome;
  /** Called after each append, until the function that it returns is called. */
  onAppend(listener: () => void): () => void;
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
/** The real log begins with records that belong to nobody's stream. */
const FIRST_POSITION = 178n;

/** @param file where appends are kept; it survives a kill of the process, as its lines are written before the answer */
export function doubleStore(file?: string): Store {
  const records: Written[] = [];
  const streams = new Map<string, Written[]>();
  const listeners = new Set<() => void>();
  // The server remembers recent ids in memory alone: after a restart it has forgotten them.
  const remembered = new Map<string, Written>();

  const add = (stream: string, events: readonly Proposed[]): Written[] => {
    const own = streams.get(stream) ?? [];
    streams.set(stream, own);
    return events.map((event) => {
      const position = records.at(-1)?.end ?? FIRST_POSITION;
      const size = event.data.length + event.metadata.length + RECORD_OVERHEAD;
      const record = { ...event, stream, revision: own.length, position, end: position + BigInt(size) };
      own.push(record);
      records.push(record);
      return record;
    });
  };

  for (const line of file ? linesOf(file) : []) add(line.stream, line.events.map(fromLine));
  const output = file ? openSync(file, 'a') : undefined;
  const keep = (stream: string, events: readonly Proposed[]): Written[] => {
    if (output !== undefined) writeSync(output, `${JSON.stringify({ stream, events: events.map(toLine) })}\n`);
    return add(stream, events);
  };
  if (records.length === 0) keep('$settings', [systemEvent('update')]);

  /** The server's rules: for a revision, the ids that stand after it; for any, those that it remembers. */
  const again = (stream: string, events: readonly Proposed[], expected: Expected): Outcome | 'new' => {
    const own = streams.get(stream) ?? [];
    const wrong: Outcome = { kind: 'wrong', actual: own.length - 1 };
    if (expected === 'any' || expected === 'exists') {
      if (expected === 'exists' && own.length === 0) return wrong;
      const found = events.map(({ id }) => remembered.get(`${stream} ${id}`));
      const [first, last] = [found[0], found.at(-1)];
      if (!first) return 'new';
      return last && !found.includes(undefined) ? { kind: 'success', last } : wrong;
    }
    const revision = expected === 'none' ? -1 : expected;
    if (revision === own.length - 1) return 'new';
    const there = own.slice(revision + 1, revision + 1 + events.length);
    const last = there.at(-1);
    return last && events.every(({ id }, nth) => there[nth]?.id === id) ? { kind: 'success', last } : wrong;
  };

  return {
    records,
    stream: (name) => streams.get(name) ?? [],
    append(stream, events, expected) {
      const outcome = again(stream, events, expected);
      if (outcome !== 'new') return outcome;
      const written = keep(stream, events);
      for (const record of written) remembered.set(`${stream} ${record.id}`, record);
      for (const listener of listeners) listener();
      const last = written.at(-1);
      return last ? { kind: 'success', last } : { kind: 'wrong', actual: -1 };
    },
    onAppend(listener) {
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
  type: `$${type}`,
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
