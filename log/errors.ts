import { z } from 'zod';
import { UnreadableEvent } from '../schemas/events.ts';
import { RevisionConflict } from './event-store.ts';
import { AppendTooLarge, StreamTombstoned } from './eventstore/eventstore-errors.ts';
import { isUnavailable as isDatabaseUnavailable } from './postgres/postgres-errors.ts';
import { EventTooLarge } from './topic.ts';

// Tells a log that cannot be reached just now, whatever it is built on, from one that refuses what it is asked.

/** The event store or the brokers do not answer; passes by itself. The message never shows an address's password. */
export class LogUnavailable extends Error {
  override name = 'LogUnavailable';
}

/** Errors of the adapters that say the same. */
const NAMES = new Set(['LogUnavailable', 'EventStoreUnavailable', 'KafkaUnavailable']);

/** True for an error of PostgreSQL, the event store or Kafka that passes by itself. */
export const isUnavailable = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || (error instanceof Error && NAMES.has(error.name));

// What an error means for whoever consumes: tried again, skipped, or a fault of the program. Every consumer loop of the
// service asks here, and logs errors in the bounded form made here.

/**
 * - `transient`: the same work may succeed later with nobody changing the program or the input: a server is unreachable,
 *   out of space or refuses the settings; another writer was faster; the consumer is stopping.
 * - `bad input`: this input can never be handled by this release, and the program is right to refuse it.
 * - `defect`: anything else. The program has to change, or an error is missing in the lists below.
 */
type ErrorKind = 'transient' | 'bad input' | 'defect';

/** Input that a handler refuses, for a reason that it states. */
export class BadInput extends Error {
  override name = 'BadInput';
}

/** Work that was given up because its consumer is stopping: the message comes again. */
export class Stopping extends Error {
  override name = 'Stopping';
}

/**
 * Classes of SQLSTATE that pass: connection (08), wrong credentials (28) and a missing database or schema (3D, 3F), which
 * an operator corrects, rollback (40), a read-only server (25006), no rights (42501), resources (53), a lock that was not
 * available (55P03), a cancelled statement or a restart (57), system errors (58).
 */
const TRANSIENT_STATES = /^(08|28|3D|3F|40|53|57|58|25006|42501|55P03)/;
const SQLSTATE = /^[0-9A-Z]{5}$/;
/** Codes of Node and of the resolver. */
const NETWORK_CODES =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN|EMFILE|ENFILE|ENOSPC|UND_ERR_[A-Z_]+|ABORT_ERR)$/;
/** Of gRPC: cancelled, unknown, deadline, permission, exhausted, aborted, internal, unavailable, unauthenticated. */
const GRPC_CODES = new Set([1, 2, 4, 7, 8, 10, 13, 14, 16]);
/** Clients of servers name their errors; those of Kafka and EventStoreDB are about the server, whatever they are. */
const TRANSIENT_NAMES =
  /^(KafkaJS.*|KafkaUnavailable|EventStoreUnavailable|PositionBeyondHead|AttemptTimedOut|DatabaseUnavailable|LogUnavailable|LockSessionLost|CheckpointConflict|OvertakenError|StreamContention|IndexOfNewerRelease|AbortError|TimeoutError|(Unavailable|Cancelled|DeadlineExceeded|NotLeader|AccessDenied|ServerRequest|Unknown)(Error)?)$/;
/** What the driver of PostgreSQL says without a code. */
const TRANSIENT_MESSAGES =
  /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Query read timeout|Cannot use a pool after calling end)/;
const LONGEST_CHAIN = 5;

function causesOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let at = error; at !== undefined && at !== null && chain.length < LONGEST_CHAIN; ) {
    chain.push(at);
    at = (at as { cause?: unknown }).cause;
  }
  return chain;
}

function kindOfOne(error: unknown): ErrorKind {
  if (!(error instanceof Error)) return 'defect';
  if (error instanceof Stopping || error instanceof RevisionConflict) return 'transient';
  // An operator raises the limit of the server, and then it is taken.
  if (error instanceof AppendTooLarge) return 'transient';
  if (error instanceof BadInput || error instanceof UnreadableEvent || error instanceof EventTooLarge)
    return 'bad input';
  if (error instanceof StreamTombstoned) return 'bad input';
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && SQLSTATE.test(code) && !NETWORK_CODES.test(code)) {
    // Also a value that no column takes: the statement may have carried the work of several messages.
    return TRANSIENT_STATES.test(code) ? 'transient' : 'defect';
  }
  if (typeof code === 'string' && NETWORK_CODES.test(code)) return 'transient';
  if (typeof code === 'number' && GRPC_CODES.has(code)) return 'transient';
  if (TRANSIENT_NAMES.test(error.name) || TRANSIENT_NAMES.test(error.constructor.name)) return 'transient';
  return TRANSIENT_MESSAGES.test(error.message) ? 'transient' : 'defect';
}

/**
 * Says what an error means. The first of it and its causes that is transient or bad input decides, so a wrapper need not
 * know what it wraps.
 */
export function kindOf(error: unknown): ErrorKind {
  for (const one of causesOf(error)) {
    const kind = kindOfOne(one);
    if (kind !== 'defect') return kind;
  }
  return 'defect';
}

const LONGEST_MESSAGE = 500;
const LONGEST_STACK = 2_000;

const cut = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest)} … (${text.length} characters)`;

/** An error in the form in which it is logged. */
interface DescribedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string | number;
  readonly stack?: string;
  readonly cause?: DescribedError;
}

function reasonOf(error: Error): string {
  // The issues of zod are JSON; a sentence for the first few is shorter, and holds no input.
  if (error instanceof z.ZodError) return z.prettifyError(new z.ZodError(error.issues.slice(0, 5)));
  return error.message;
}

function describe(error: unknown, depth: number): DescribedError {
  if (!(error instanceof Error)) return { type: typeof error, message: cut(String(error), LONGEST_MESSAGE) };
  const { code } = error as { code?: unknown };
  // The stack begins with the message, which is told already.
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  return {
    type: error.name,
    message: cut(reasonOf(error), LONGEST_MESSAGE),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(frames && frames.length > 0 ? { stack: cut(frames.join('\n'), LONGEST_STACK) } : {}),
    ...(error.cause && depth < LONGEST_CHAIN ? { cause: describe(error.cause, depth + 1) } : {}),
  };
}

/**
 * An error as it is logged under `err`: type, message, code, stack and causes, each of bounded length. Other fields are
 * left out, since drivers keep whole rows and parameters in them.
 */
export const describeError = (error: unknown): DescribedError => describe(error, 1);

/** The message of an error, of bounded length, for what is shown to an operator. */
export const messageOf = (error: unknown): string => describeError(error).message;

/** A logger, or what takes the same calls. */
export type ErrorLogger = Readonly<Record<'warn' | 'error', (about: object, message: string) => void>>;

/**
 * Logs an error under `err`: a defect as an error, what passes or is refused as a warning.
 * @param about ids that say what was being done
 */
export function logError(logger: ErrorLogger, error: unknown, about: object, message: string): void {
  const kind = kindOf(error);
  logger[kind === 'defect' ? 'error' : 'warn']({ ...about, kind, err: describeError(error) }, message);
}
