/** The port of the event store: decisions, in streams with revisions, and all of them in one order of commit. */
import { randomUUID } from 'node:crypto';
import { OPERATION_STREAM, type Operation } from '../schemas/access.ts';
import { type Event, newEvent } from '../schemas/events.ts';

/** A position in `$all`. 0n is before the first event. */
export type Position = bigint;

export interface StoredEvent extends Event {
  readonly stream: string;
  /** Counts from 0 in its stream. */
  readonly revision: number;
  readonly position: Position;
}

/** What the stream must look like for an append to succeed: its last revision, `none`, or `any`. */
export type ExpectedRevision = number | 'none' | 'any';

/** Another writer was faster. Read the stream again and decide again. */
export class RevisionConflict extends Error {
  override name = 'RevisionConflict';
  readonly stream: string;
  readonly expected: ExpectedRevision;
  /** The last revision that the stream has; -1 for no stream. */
  readonly actual: number;
  constructor(stream: string, expected: ExpectedRevision, actual: number) {
    super(`stream ${stream} is at revision ${actual}, expected ${expected}`);
    this.stream = stream;
    this.expected = expected;
    this.actual = actual;
  }
}

/** The event store or the brokers are unreachable. The message never contains a password. */
export class LogUnavailable extends Error {
  override name = 'LogUnavailable';
  /** True where a setting is wrong, such as a password: then retrying does not help. */
  readonly bySettings: boolean;
  constructor(message: string, bySettings = false, options?: ErrorOptions) {
    super(message, options);
    this.bySettings = bySettings;
  }
}

/** What an append has done. */
export interface Appended {
  /** Of the last of its events. */
  readonly revision: number;
  readonly position: Position;
  /** Ids of the events that this append stored, in their order; those that the stream contained already are missing. */
  readonly stored: readonly string[];
}

/** Some events in the order of commit, and the position up to which all matching events are read. */
export interface Page {
  readonly events: readonly StoredEvent[];
  /** Advances also when nothing matched, so that a checkpoint keeps up with the log. */
  readonly position: Position;
  /** The id of the record at the position; unset where it is not known, or no record is there. */
  readonly id?: string | undefined;
}

export interface ReadAll {
  readonly after: Position;
  /** Only streams whose name begins with one of these; unset means all. */
  readonly prefixes?: readonly string[];
  /** Maximum events of a page; 1,000 by default. */
  readonly limit?: number;
}

export interface EventStore {
  /**
   * Appends all events or none. Idempotent: events whose ids the stream contains already are not stored again, and an
   * append that is repeated returns the position that they have, whatever revision was expected.
   * @throws RevisionConflict when the stream is not as expected
   * @throws EventTooLarge
   */
  append(stream: string, events: readonly Event[], expected: ExpectedRevision): Promise<Appended>;
  /** Events of one stream from a revision on, oldest first; none for a stream that does not exist. */
  read(stream: string, fromRevision?: number): Promise<readonly StoredEvent[]>;
  /** The next page of `$all`; no events and the same position at the end. */
  readAll(options: ReadAll): Promise<Page>;
  /** Live pages of `$all` until the signal aborts. An event arrives within milliseconds of its commit. */
  subscribe(options: ReadAll & { readonly signal: AbortSignal }): AsyncIterable<Page>;
  /** The position of the last event of all, 0n when there is none. */
  head(): Promise<Position>;
  /**
   * Whether the log has the record of an id at a position, as a page named both. A log that was restored to an earlier
   * point has another one there, or none begins there.
   * @param id null where it is not known
   * @returns true also where it cannot be said: the record may have been removed
   */
  has(position: Position, id: string | null): Promise<boolean>;
  /** Whether a store that answers reads takes appends too: a cluster without a leader does not. Unset where it always does. */
  readonly takesAppends?: (() => Promise<boolean>) | undefined;
  close(): Promise<void>;
}

/** Pages of `$all` up to its end. */
export async function* pagesOf(store: Pick<EventStore, 'readAll'>, options: ReadAll): AsyncGenerator<Page> {
  for (let { after } = options; ; ) {
    const page = await store.readAll({ ...options, after });
    if (page.events.length === 0 && page.position === after) return;
    yield page;
    after = page.position;
  }
}

/** A store that reads from another one and appends in its own way. Methods are passed on one by one: a store may be an object of a class. */
export const withAppend = (store: EventStore, append: EventStore['append']): EventStore => ({
  append,
  read: (stream, fromRevision) => store.read(stream, fromRevision),
  readAll: (options) => store.readAll(options),
  subscribe: (options) => store.subscribe(options),
  head: () => store.head(),
  has: (position, id) => store.has(position, id),
  takesAppends: store.takesAppends,
  close: () => store.close(),
});

/** Longest subject that is stored. */
const MAXIMUM_SUBJECT = 300;

/**
 * Records what an operator did with the service itself, for the audit log. Call it once the operation is done; of one that
 * goes on for long, when it begins.
 */
export async function recordOperation(
  { store, now }: { readonly store: Pick<EventStore, 'append'>; readonly now: () => Date },
  { subject, ...operation }: Operation,
): Promise<void> {
  const about = { id: randomUUID(), time: now().toISOString() };
  const data = { ...operation, subject: subject.slice(0, MAXIMUM_SUBJECT) };
  await store.append(OPERATION_STREAM, [newEvent('OperationRecorded', data, about)], 'any');
}
