/**
 * Appending to streams of EventStoreDB.
 *
 * The server recognises an event that it has already only in the place where it was expected, or for a while in its
 * memory. The port promises more: an id that the stream contains is never stored again. So every append names the exact
 * revision that it was decided on, and is decided again when the stream has moved on. What this process knows of the
 * streams it works on is kept, so that an append seldom has to read first.
 */
import { randomUUID } from 'node:crypto';
import type { Event } from '../../schemas/events.ts';
import { backoff, pause } from '../backoff.ts';
import { type Appended, type ExpectedRevision, type Position, RevisionConflict } from '../event-store.ts';
import type { Patience } from './eventstore-connection.ts';
import { type ProposedRecord, recordOf } from './eventstore-records.ts';

/** Events remembered over all streams, some 10 MB. */
const MAXIMUM_EVENTS = 50_000;
/** Attempts at one append while other processes append to the same stream; each round one of them succeeds. */
const MAXIMUM_ROUNDS = 30;

/** Where an event is, or the last event of an append. */
export type EventPlace = Pick<Appended, 'revision' | 'position'>;

/** The position is null for an event before the last of an append: the server names that of the last alone. */
interface KnownPlace {
  readonly revision: number;
  readonly position: Position | null;
}

/** A stream up to some revision; it may be longer by now. */
export interface KnownStream {
  /** -1 for no event. */
  revision: number;
  position: Position;
  /** By id. Events that a server no longer returns (`$tb`, `$maxCount`, deletion) are missing. */
  readonly events: Map<string, KnownPlace>;
}

/** A record of a stream, as it was read or appended. */
export interface StreamRecord extends KnownPlace {
  readonly id: string;
}

/** What is known of streams; those longest unused are forgotten first. */
export class KnownStreams {
  // A Map keeps the order of insertion: the first is the one longest unused.
  readonly #streams = new Map<string, KnownStream>();
  readonly #maximum: number;
  #count = 0;

  /** @param maximum events remembered */
  constructor(maximum = MAXIMUM_EVENTS) {
    this.#maximum = maximum;
  }

  get(stream: string): KnownStream | undefined {
    const known = this.#streams.get(stream);
    if (!known) return undefined;
    this.#streams.delete(stream);
    this.#streams.set(stream, known);
    return known;
  }

  /** The same, or a new one of which nothing is known yet. */
  open(stream: string): KnownStream {
    const before = this.get(stream);
    if (before) return before;
    const known = { revision: -1, position: 0n, events: new Map() };
    this.#streams.set(stream, known);
    this.#count += 1;
    this.#forget();
    return known;
  }

  /**
   * Adds records that were read from a revision to the end of the stream, or that an append has stored.
   * @param from the revision from which all records are given: what precedes the first one the server no longer returns
   */
  learn(stream: string, known: KnownStream, from: number, records: readonly StreamRecord[]): void {
    // Records between would be missing, and their ids stored again.
    if (from > known.revision + 1) return;
    for (const { id, revision, position } of records) {
      // Two calls at once may have read the same part.
      if (revision <= known.revision) continue;
      // The first of two records with one id, which another program may have made, is the one that counts.
      if (!known.events.has(id)) {
        if (this.#streams.get(stream) === known) this.#count += 1;
        known.events.set(id, { revision, position });
      }
      known.revision = revision;
      known.position = position ?? known.position;
    }
    this.#forget();
  }

  /** Forgets what was known, for a stream that turned out to be shorter. */
  reset(stream: string, known: KnownStream): void {
    if (this.#streams.get(stream) === known) this.#count -= known.events.size;
    known.events.clear();
    Object.assign(known, { revision: -1, position: 0n });
  }

  #forget(): void {
    for (const [stream, known] of this.#streams) {
      if (this.#count <= this.#maximum) return;
      this.#streams.delete(stream);
      this.#count -= known.events.size + 1;
    }
  }
}

export type Decision<Proposed> =
  | { readonly kind: 'stored'; readonly place: KnownPlace }
  | { readonly kind: 'conflict'; readonly actual: number }
  | { readonly kind: 'append'; readonly events: readonly Proposed[] };

/**
 * What an append has to do, decided from what is known of its stream.
 * @param events no two of one id
 */
export function decide<Proposed extends { readonly id: string }>(
  known: KnownStream,
  events: readonly Proposed[],
  expected: ExpectedRevision,
): Decision<Proposed> {
  const held = events.flatMap(({ id }) => known.events.get(id) ?? []);
  if (held.length > 0 && held.length === events.length)
    return { kind: 'stored', place: held.reduce((last, next) => (next.revision > last.revision ? next : last)) };
  const wanted = expected === 'none' ? -1 : expected;
  if (wanted !== 'any' && wanted !== known.revision) return { kind: 'conflict', actual: known.revision };
  if (events.length === 0) return { kind: 'stored', place: { revision: known.revision, position: known.position } };
  return { kind: 'append', events: events.filter(({ id }) => !known.events.has(id)) };
}

/**
 * What the server answers to an append: where the last event is, and whether the stream contained the events there before;
 * or at which revision the stream is instead.
 */
export type Written = (EventPlace & { readonly repeated: boolean }) | { readonly actual: number };

export interface Appending {
  readonly streams: KnownStreams;
  /** How long one append goes on while the server is unavailable, in all of its steps. */
  readonly patience: () => Patience;
  /**
   * Reads the records of a stream from a revision to its end, from the leader of a cluster, which alone has surely all.
   * @param least a revision that the stream has: waits until it can be read, or is known to be cut off
   */
  readonly readRecords: (
    stream: string,
    from: number,
    patience: Patience,
    least?: number,
  ) => Promise<readonly StreamRecord[]>;
  /** Appends after a revision, -1 for a stream without events. */
  readonly write: (
    stream: string,
    events: readonly ProposedRecord[],
    after: number,
    patience: Patience,
  ) => Promise<Written>;
}

/**
 * Reads what a stream has beyond what is known of it.
 * @param actual the revision that it has by the server's word, -1 where that is not known
 */
async function refresh(
  { streams, readRecords }: Appending,
  stream: string,
  known: KnownStream,
  patience: Patience,
  actual = -1,
): Promise<void> {
  const from = known.revision + 1;
  streams.learn(stream, known, from, await readRecords(stream, from, patience, actual));
  // What is there and was not read is cut off: truncated ($tb, $maxAge), or deleted.
  known.revision = Math.max(known.revision, actual);
}

/** Adds what an append has stored: its events follow each other, and the answer names the place of the last. */
function learnAppended(
  { streams }: Appending,
  stream: string,
  known: KnownStream,
  events: readonly ProposedRecord[],
  { revision, position }: EventPlace,
): void {
  const first = revision - events.length + 1;
  const records = events.map(({ id }, nth) => {
    const isLast = nth === events.length - 1;
    return { id, revision: first + nth, position: isLast ? position : null };
  });
  streams.learn(stream, known, first, records);
}

/** Appends on the revision that is known, and again on each revision that the stream has moved on to. */
async function appendInTurn(
  appending: Appending,
  stream: string,
  events: readonly ProposedRecord[],
  expected: ExpectedRevision,
): Promise<Appended> {
  const { streams, write, readRecords } = appending;
  const patience = appending.patience();
  const before = streams.get(stream);
  const known = before ?? streams.open(stream);
  // A stream that should not be there yet need not be read first.
  let fresh = events.length === 0 || (!before && expected !== 'none');
  if (fresh) await refresh(appending, stream, known, patience);
  for (let round = 0; round < MAXIMUM_ROUNDS; round++) {
    const decision = decide(known, events, expected);
    if (decision.kind === 'stored') {
      const { revision, position } = decision.place;
      const [record] = position === null ? await readRecords(stream, revision, patience) : [];
      return { revision, position: position ?? record?.position ?? known.position, stored: [] };
    }
    if (decision.kind === 'conflict' && fresh) throw new RevisionConflict(stream, expected, decision.actual);
    if (decision.kind === 'append') {
      const written = await write(stream, decision.events, known.revision, patience);
      if (!('actual' in written)) {
        const { repeated, ...place } = written;
        learnAppended(appending, stream, known, decision.events, place);
        return { ...place, stored: repeated ? [] : decision.events.map(({ id }) => id) };
      }
      if (round > 2) await pause(backoff(round - 3, { base: 5, maximum: 100 }, Math.random));
      // Shorter than it was: the server has other data, as after a restore.
      if (written.actual < known.revision) streams.reset(stream, known);
      await refresh(appending, stream, known, patience, written.actual);
    } else await refresh(appending, stream, known, patience);
    fresh = true;
  }
  throw new RevisionConflict(stream, expected, known.revision);
}

/** Makes the append of an event store. */
export function appender(appending: Appending) {
  // Appends of this process to one stream take turns: at once, all but one would fail and have to read again.
  const turns = new Map<string, Promise<unknown>>();
  return async (stream: string, given: readonly Event[], expected: ExpectedRevision): Promise<Appended> => {
    const name = randomUUID();
    // Of one id given twice the first counts.
    const records = new Map(given.toReversed().map((event) => [event.id, recordOf(event, name)]));
    const events = [...records.values()].toReversed();
    const before = turns.get(stream);
    const append = () => appendInTurn(appending, stream, events, expected);
    const appended = before ? before.then(append) : append();
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
