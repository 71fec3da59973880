/**
 * Appending to streams of EventStoreDB.
 *
 * The server recognises an event that it has already only in the place where it was expected, or for a while in its
 * memory. The port promises more: an id that the stream contains is never stored again. So every append names the exact
 * revision that it was decided on, and is decided again when the stream has moved on. What this process knows of the
 * streams it works on is kept, so that an append seldom has to read first.
 */
import { randomUUID } from 'node:crypto';
import { MaxAppendSizeExceededError, StreamDeletedError, WrongExpectedVersionError } from '@eventstore/db-client';
import { z } from 'zod';
import type { Event } from '../../schemas/events.ts';
import { backoff, pause } from '../backoff.ts';
import { type Appended, type ExpectedRevision, type Position, RevisionConflict } from '../event-store.ts';
import type { Connection, Patience } from './eventstore-connection.ts';
import { AppendTooLarge, StreamTombstoned } from './eventstore-errors.ts';
import { appendOf, eventOf, type ProposedRecord, positionAt, recordOf } from './eventstore-records.ts';

/** What it needs of the connection. */
type Streams = Pick<Connection, 'append' | 'readStream' | 'lastRecord' | 'retried' | 'patience'>;

/** Events remembered over all streams, some 10 MB. */
const MAXIMUM_EVENTS = 50_000;
/** Attempts at one append while other processes append to the same stream; each round one of them succeeds. */
const MAXIMUM_ROUNDS = 30;

/** The position is null for an event before the last of an append: the server names that of the last alone. */
interface EventPlace {
  readonly revision: number;
  readonly position: Position | null;
}

/** A stream up to some revision; it may be longer by now. */
export interface StreamState {
  /** -1 for no event. */
  revision: number;
  position: Position;
  /** By id. Events that a server no longer returns (`$tb`, `$maxCount`, deletion) are missing. */
  readonly events: Map<string, EventPlace>;
}

/** What is known of streams; those longest unused are forgotten first. */
export class KnownStreams {
  // A Map keeps the order of insertion: the first is the one longest unused.
  readonly #streams = new Map<string, StreamState>();
  readonly #maximum: number;
  #count = 0;

  /** @param maximum events remembered, and streams */
  constructor(maximum = MAXIMUM_EVENTS) {
    this.#maximum = maximum;
  }

  get(stream: string): StreamState | undefined {
    const state = this.#streams.get(stream);
    if (state && this.#streams.delete(stream)) this.#streams.set(stream, state);
    return state;
  }

  /** The same, or a new one of which nothing is known yet. */
  open(stream: string): StreamState {
    const state = this.get(stream) ?? { revision: -1, position: 0n, events: new Map() };
    if (!this.#streams.has(stream)) this.#count += 1;
    this.#streams.set(stream, state);
    for (const [unused, { events }] of this.#streams) {
      // A stream with more events than are remembered is known as long as no other one is used.
      if (this.#count <= this.#maximum || unused === stream) break;
      this.#streams.delete(unused);
      this.#count -= events.size + 1;
    }
    return state;
  }

  /**
   * Adds records that were read from a revision to the end of the stream, or that an append has stored.
   * @param from the revision from which all records are given: what precedes the first one the server no longer returns
   * @param least a revision that the stream has, whether a record of it is given or is cut off: truncated, or deleted
   */
  learn(stream: string, from: number, records: readonly (EventPlace & { readonly id: string })[], least = -1): void {
    const state = this.open(stream);
    // Records between would be missing, and their ids stored again.
    if (from > state.revision + 1) return;
    for (const { id, revision, position } of records) {
      // Two calls at once may have read the same part.
      if (revision <= state.revision) continue;
      // The first of two records with one id, which another program may have made, is the one that counts.
      if (!state.events.has(id)) {
        this.#count += 1;
        state.events.set(id, { revision, position });
      }
      state.revision = revision;
      state.position = position ?? state.position;
    }
    state.revision = Math.max(state.revision, least);
  }

  /** Forgets a stream that turned out to be shorter. */
  forget(stream: string): void {
    this.#count -= (this.#streams.get(stream)?.events.size ?? -1) + 1;
    this.#streams.delete(stream);
  }
}

export type Decision<Proposed> =
  | { readonly kind: 'stored'; readonly place: EventPlace }
  | { readonly kind: 'conflict'; readonly actual: number }
  | { readonly kind: 'append'; readonly events: readonly Proposed[] };

/**
 * What an append has to do, decided from the known state of its stream.
 * @param events no two of one id
 */
export function decide<Proposed extends { readonly id: string }>(
  state: StreamState,
  events: readonly Proposed[],
  expected: ExpectedRevision,
): Decision<Proposed> {
  const places = events.flatMap(({ id }) => state.events.get(id) ?? []);
  if (places.length > 0 && places.length === events.length)
    return { kind: 'stored', place: places.reduce((last, next) => (next.revision > last.revision ? next : last)) };
  const wanted = expected === 'none' ? -1 : expected;
  if (wanted !== 'any' && wanted !== state.revision) return { kind: 'conflict', actual: state.revision };
  if (events.length === 0) return { kind: 'stored', place: { revision: state.revision, position: state.position } };
  return { kind: 'append', events: events.filter(({ id }) => !state.events.has(id)) };
}

const Metadata = z.object({ $tb: z.number().default(0), $maxAge: z.number().optional() });

/** Whether the end of a stream from a revision on is not returned any more, by what its metadata say. */
async function isCut(connection: Streams, stream: string, revision: number): Promise<boolean> {
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
export async function readRecords(
  connection: Streams,
  stream: string,
  from: number,
  patience: Patience,
  { least = -1, leader = true }: { readonly least?: number | undefined; readonly leader?: boolean } = {},
) {
  const read = async () => {
    const records = await connection.readStream(stream, from, leader);
    const last = Number(records.at(-1)?.event?.revision ?? -1);
    if (least < from || last >= least || (await isCut(connection, stream, least))) return records;
    // As gRPC numbers what is unavailable.
    throw Object.assign(new Error(`revision ${least} of ${stream} cannot be read yet`), { code: 14 });
  };
  return (await connection.retried(read, `read ${stream}`, patience)).flatMap(({ event }) => {
    if (!event?.position) return [];
    const position = positionAt(event.position.commit);
    const revision = Number(event.revision);
    return [{ event: eventOf(event, position), id: event.id, revision, position, append: appendOf(event) }];
  });
}

/**
 * Appends after a revision.
 * @returns what was written, or the revision that the stream has instead
 * @throws AppendTooLarge, StreamTombstoned
 */
async function write(
  connection: Streams,
  stream: string,
  events: readonly ProposedRecord[],
  after: number,
  patience: Patience,
): Promise<Appended | { readonly actual: number }> {
  try {
    const append = () => connection.append(stream, events, after);
    const answer = await connection.retried(append, `append to ${stream}`, patience);
    const revision = Number(answer.nextExpectedRevision);
    // The server answers an append whose events it had already like the one that stored them, also where another process
    // stored them at the same time. The record itself names the append; a retry of this call has the same name.
    const [last] = await readRecords(connection, stream, revision, patience, { least: revision });
    const isRepeated = last !== undefined && last.append !== events.at(-1)?.metadata?.append;
    // No record is read from a stream that was truncated meanwhile, and a server may not say where a repeated one is.
    const end = () => connection.retried(() => connection.lastRecord(), 'read $all', patience);
    const place = last ? undefined : (answer.position ?? (await end())?.event?.position);
    const position = last?.position ?? positionAt(place?.commit ?? 0n);
    return { revision, position, stored: isRepeated ? [] : events.map(({ id }) => id) };
  } catch (error) {
    if (error instanceof WrongExpectedVersionError)
      return { actual: typeof error.actualVersion === 'bigint' ? Number(error.actualVersion) : -1 };
    if (error instanceof MaxAppendSizeExceededError) throw new AppendTooLarge(stream, error.maxAppendSize);
    if (error instanceof StreamDeletedError) throw new StreamTombstoned(stream);
    throw error;
  }
}

/** Appends on the revision that is known, and again on each revision that the stream has moved on to. */
async function appendInTurn(
  connection: Streams,
  streams: KnownStreams,
  stream: string,
  events: readonly ProposedRecord[],
  expected: ExpectedRevision,
): Promise<Appended> {
  const patience = connection.patience();
  /** Reads what the stream has beyond what is known of it; `actual` is its revision by the server's word. */
  const refresh = async (actual?: number): Promise<void> => {
    const from = streams.open(stream).revision + 1;
    streams.learn(stream, from, await readRecords(connection, stream, from, patience, { least: actual }), actual);
  };
  // A stream that should not be there yet need not be read first.
  let isFresh = events.length === 0 || (expected !== 'none' && !streams.get(stream));
  if (isFresh) await refresh();
  for (let round = 0; round < MAXIMUM_ROUNDS; round++) {
    const state = streams.open(stream);
    const decision = decide(state, events, expected);
    if (decision.kind === 'stored') {
      const { revision, position } = decision.place;
      const [record] = position === null ? await readRecords(connection, stream, revision, patience) : [];
      return { revision, position: position ?? record?.position ?? state.position, stored: [] };
    }
    if (decision.kind === 'conflict' && isFresh) throw new RevisionConflict(stream, expected, decision.actual);
    if (decision.kind === 'append') {
      const written = await write(connection, stream, decision.events, state.revision, patience);
      if (!('actual' in written)) {
        // Its events follow each other.
        const first = written.revision - decision.events.length + 1;
        const places = decision.events.map(({ id }, nth) => ({ id, revision: first + nth, position: null }));
        streams.learn(stream, first, [...places.slice(0, -1), { ...written, id: places.at(-1)?.id ?? '' }]);
        return written;
      }
      if (round > 2) await pause(backoff(round - 3, { base: 5, maximum: 100 }, Math.random));
      // Shorter than it was: the server has other data, as after a restore.
      if (written.actual < state.revision) streams.forget(stream);
      await refresh(written.actual);
    } else await refresh();
    isFresh = true;
  }
  throw new RevisionConflict(stream, expected, streams.open(stream).revision);
}

/** Makes the append of an event store. */
export function appender(connection: Streams, streams: KnownStreams) {
  // Appends of this process to one stream take turns: at once, all but one would fail and have to read again.
  const turns = new Map<string, Promise<unknown>>();
  return async (stream: string, given: readonly Event[], expected: ExpectedRevision): Promise<Appended> => {
    const name = randomUUID();
    // Of one id given twice the first counts.
    const records = new Map(given.toReversed().map((event) => [event.id, recordOf(event, name)]));
    const events = [...records.values()].toReversed();
    const append = () => appendInTurn(connection, streams, stream, events, expected);
    const appended = (turns.get(stream) ?? Promise.resolve()).then(append);
    // The caller gets the failure; the next append runs regardless.
    const turn = appended.catch(() => undefined);
    turns.set(stream, turn);
    try {
      return await appended;
    } finally {
      if (turns.get(stream) === turn) turns.delete(stream);
    }
  };
}
