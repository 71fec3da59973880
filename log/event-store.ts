/** The event store: decisions, in streams with revisions, and all of them in one order of commit. */
import type { Event } from '../schemas/events.ts';
import type { Queryable } from './postgres/database.ts';

/** A place in `$all`. 0n stands before the first event. */
export type Position = bigint;

export interface StoredEvent extends Event {
  readonly stream: string;
  /** Counts from 0 in its stream. */
  readonly revision: number;
  readonly position: Position;
}

/** What the stream must look like for an append to succeed: its last revision, `none`, or `any`. */
export type ExpectedRevision = number | 'none' | 'any';

/** Somebody else wrote first. Read the stream again and decide anew. */
export class RevisionConflict extends Error {
  override name = 'RevisionConflict';
  readonly stream: string;
  readonly expected: ExpectedRevision;
  /** The last revision that the stream has; -1 for no stream. */
  readonly actual: number;
  constructor(stream: string, expected: ExpectedRevision, actual: number) {
    super(`stream ${stream} stands at revision ${actual}, expected was ${expected}`);
    this.stream = stream;
    this.expected = expected;
    this.actual = actual;
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

/** Some events in the order of commit, and the place up to which everything that fits was seen. */
export interface Page {
  readonly events: readonly StoredEvent[];
  /** Also moves on when nothing matched, so that a checkpoint never stands still. */
  readonly position: Position;
}

export interface ReadAll {
  readonly after: Position;
  /** Only streams whose name begins with one of these; unset means all. */
  readonly prefixes?: readonly string[];
  /** Most events of a page, 1,000 when unset. */
  readonly limit?: number;
}

/** Stands between the texts of events. No JSON holds it, for it allows no control characters (see RFC 7464). */
export const TEXT_SEPARATOR = '\u001e';

/** Like a page, with its events as they are stored: unparsed, without stream, revision and position. */
export interface TextPage {
  /** JSON texts of events in their order, several in one string with TEXT_SEPARATOR between them. */
  readonly texts: readonly string[];
  readonly position: Position;
}

export interface ReadTexts extends ReadAll {
  /** A position that the log has reached. */
  readonly until: Position;
  /** A connection to the store's PostgreSQL that is read over instead of its own, such as one that steps back. */
  readonly over?: Queryable;
}

export interface EventStore {
  /**
   * Appends all events or none. Events whose ids the stream holds already are not stored again: an append done twice
   * answers with the place that it has, whatever was expected, and has stored nothing.
   * @throws RevisionConflict when the stream is not as expected
   * @throws EventTooLarge
   */
  append(stream: string, events: readonly Event[], expected: ExpectedRevision): Promise<Appended>;
  /** Events of one stream from a revision on, oldest first; none for a stream that is not there. */
  read(stream: string, fromRevision?: number): Promise<readonly StoredEvent[]>;
  /** The next page of `$all`; no events and the same position at the end. */
  readAll(options: ReadAll): Promise<Page>;
  /**
   * The next page of `$all` up to a position that the log has reached, for reading a long history: a text is parsed when
   * its turn comes, and is garbage right after. A page passes `limit` positions, whether or not their events match. An
   * adapter that holds no texts lacks it.
   */
  readTexts?(options: ReadTexts): Promise<TextPage>;
  /** Live pages of `$all`, for ever, until the signal aborts. An event is seen within milliseconds of its commit. */
  subscribe(options: ReadAll & { readonly signal: AbortSignal }): AsyncIterable<Page>;
  /** The position of the last event of all, 0n when there is none. */
  head(): Promise<Position>;
  close(): Promise<void>;
}
