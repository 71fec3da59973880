/**
 * Errors of the event store on EventStoreDB: those that callers see, and which of the server's are transient. This file
 * loads no client, because every consumer asks it what an error means.
 */
import { LogUnavailable } from '../event-store.ts';

/** No event store answers at the address, it refuses the credentials, it is too old, or its address cannot be read. */
export class EventStoreUnavailable extends LogUnavailable {
  override name = 'EventStoreUnavailable';
}

/** The server takes less in one append than it was given. */
export class AppendTooLarge extends Error {
  override name = 'AppendTooLarge';
  /** @param maximum bytes that the server takes in one append */
  constructor(stream: string, maximum: number) {
    super(
      `the event store takes at most ${maximum} bytes in one append, and an append to ${stream} has more; ` +
        'raise MaxAppendSize of the server, to 15000000 for instance',
    );
  }
}

/** The stream was tombstoned: the server never accepts or returns events of that name again. */
export class StreamTombstoned extends Error {
  override name = 'StreamTombstoned';
  constructor(stream: string) {
    super(`the stream ${stream} was tombstoned in the event store: it cannot be read or appended to any more`);
  }
}

/** Where reading is to resume is no place of this log: resumed anywhere else it would silently drop events. */
export class ForeignPosition extends Error {
  override name = 'ForeignPosition';
  /** @param where why it is none, such as beyond the end */
  constructor(position: bigint, where: string) {
    super(`the position ${position} is ${where}: this is another event store, or it was restored to an earlier point`);
  }
}

/** Whether a read of $all was refused because no record begins at its place. */
export const isInvalidPosition = (error: unknown): boolean =>
  error instanceof Error && /ReadAllResult: (InvalidPosition|Error)/.test(error.message);

/** No response arrived within the time of one attempt. */
export class AttemptTimedOut extends Error {
  override name = 'AttemptTimedOut';
  /** As gRPC numbers an exceeded deadline. */
  readonly code = 4;
  /** @param milliseconds how long the attempt took */
  constructor(what: string, milliseconds: number) {
    super(`no response to ${what} within ${milliseconds} ms`);
  }
}

/** Of gRPC: cancelled, deadline exceeded, resources exhausted, aborted, unavailable. */
const TRANSIENT_CODES = new Set([1, 4, 8, 10, 14]);
/** Of gRPC: unknown and internal. They are transient only with one of the texts below. */
const UNCLEAR_CODES = new Set<unknown>([2, 13, undefined]);
/** What a server that starts, stops or elects a leader answers, and what is left of a connection that broke. */
const TRANSIENT_TEXTS =
  /server is (not ready|too busy)|no leader info|leader info available|failed to discover|write after end|RST_STREAM|GOAWAY|ECONNRE|EPIPE|socket hang up|session has been destroyed|channel has been (closed|shut down)/i;
const TRANSIENT_NAMES = /^(Unavailable|Cancelled|DeadlineExceeded|Timeout|NotLeader)Error$/;

/**
 * Whether the same call may succeed a moment later. The client passes errors on in three forms: as its own classes, as
 * what gRPC throws, with a number alone, and as plain errors of the connection.
 */
export function isTransientFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (TRANSIENT_NAMES.test(error.constructor.name)) return true;
  if (typeof code === 'number' && TRANSIENT_CODES.has(code)) return true;
  return (UNCLEAR_CODES.has(code) || typeof code === 'string') && TRANSIENT_TEXTS.test(error.message);
}

/** Of gRPC: unauthenticated. A user that is known and lacks a right has another number. */
const UNAUTHENTICATED = 16;

/** Whether a refused call had no credentials, or wrong ones, rather than too few rights. */
export const isWrongPassword = (error: Error): boolean => (error as { code?: unknown }).code === UNAUTHENTICATED;
