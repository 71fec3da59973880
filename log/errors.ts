/**
 * The kinds of errors: transient, bad input, defect. See docs/errors.md. Every consumer decides here whether to retry,
 * skip or stop, retries, and logs errors in the bounded form made here.
 */
import type { Logger } from 'pino';
import { z } from 'zod';
import { UnreadableEvent } from '../schemas/events.ts';
import { RETRY, retry } from './backoff.ts';
import { LogUnavailable, RevisionConflict } from './event-store.ts';
import { AppendTooLarge, StreamTombstoned } from './eventstore/eventstore-errors.ts';
import { isDatabaseUnavailable } from './postgres/postgres-errors.ts';
import { EventTooLarge } from './topic.ts';

/** Whether PostgreSQL, the event store or Kafka is unreachable or overloaded for now. */
export const isUnavailable = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || error instanceof LogUnavailable;

/**
 * - `transient`: the same work may succeed later without a change to the program or the input: a server is unreachable,
 *   out of space or refuses the settings; another writer was faster; the consumer stops.
 * - `bad input`: this input can never be handled by this release, and the program is right to refuse it.
 * - `defect`: anything else. The program has to change, or an error is missing in the lists below.
 */
type ErrorKind = 'transient' | 'bad input' | 'defect';

/** A handler refuses its input, for the reason in the message. */
export class BadInput extends Error {
  override name = 'BadInput';
}

/** The consumer stops before the work is done: the message is redelivered. */
export class Stopping extends Error {
  override name = 'Stopping';
}

/**
 * Transient classes of SQLSTATE: connection (08), wrong credentials (28) and a missing database or schema (3D, 3F), which
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
/** Names of errors of clients and of this layer; those of other layers say `isTransient`. All errors of the Kafka client are about the brokers. */
const TRANSIENT_NAMES =
  /^(KafkaJS.*|KafkaUnavailable|EventStoreUnavailable|ForeignPosition|AttemptTimedOut|LogUnavailable|LockSessionLost|OvertakenError|StreamContention|AbortError|TimeoutError|(Unavailable|Cancelled|DeadlineExceeded|NotLeader|AccessDenied|ServerRequest|Unknown)(Error)?)$/;
/** Messages of the PostgreSQL driver that come without a code. */
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
  // An operator raises the limit of the server, and then the append succeeds.
  if (error instanceof AppendTooLarge) return 'transient';
  if (error instanceof BadInput || error instanceof UnreadableEvent || error instanceof EventTooLarge)
    return 'bad input';
  if (error instanceof StreamTombstoned) return 'bad input';
  if ((error as { isTransient?: unknown }).isTransient === true) return 'transient';
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && SQLSTATE.test(code) && !NETWORK_CODES.test(code)) {
    // A value that no column accepts is a defect too: the statement may have contained the work of several messages.
    return TRANSIENT_STATES.test(code) ? 'transient' : 'defect';
  }
  if (typeof code === 'string' && NETWORK_CODES.test(code)) return 'transient';
  if (typeof code === 'number' && GRPC_CODES.has(code)) return 'transient';
  if (TRANSIENT_NAMES.test(error.name) || TRANSIENT_NAMES.test(error.constructor.name)) return 'transient';
  return TRANSIENT_MESSAGES.test(error.message) ? 'transient' : 'defect';
}

/**
 * The kind of an error. The first of it and its causes that is transient or bad input decides, so that wrappers need no
 * kind of their own.
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

/** An error in its logged form. */
interface DescribedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string | number;
  readonly stack?: string;
  readonly cause?: DescribedError;
}

function reasonOf(error: Error): string {
  // The message of a ZodError is JSON; sentences for the first issues are shorter and contain no input.
  if (error instanceof z.ZodError) return z.prettifyError(new z.ZodError(error.issues.slice(0, 5)));
  return error.message;
}

function describe(error: unknown, depth: number): DescribedError {
  if (!(error instanceof Error)) return { type: typeof error, message: cut(String(error), LONGEST_MESSAGE) };
  const { code } = error as { code?: unknown };
  // The stack begins with the message, which is logged already. Bad input is no fault of the program, whose stack says nothing then.
  const frames =
    kindOfOne(error) === 'bad input' ? [] : error.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  return {
    type: error.name,
    message: cut(reasonOf(error), LONGEST_MESSAGE),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(frames && frames.length > 0 ? { stack: cut(frames.join('\n'), LONGEST_STACK) } : {}),
    ...(error.cause && depth < LONGEST_CHAIN ? { cause: describe(error.cause, depth + 1) } : {}),
  };
}

/**
 * An error as it is logged under `err`: type, message, code, stack and causes, each of bounded length. Other
 * properties are left out: drivers store whole rows and parameters in them.
 */
export const describeError = (error: unknown): DescribedError => describe(error, 1);

/** An error without stacks and causes, for a line about what was decided after it was logged, or what is nobody's defect. */
export function describeBriefly(error: unknown): DescribedError {
  const { stack: _, cause: __, ...brief } = describeError(error);
  return brief;
}

/** The message of an error, of bounded length, for operators. */
export const messageOf = (error: unknown): string => describeError(error).message;

/** The part of a logger that logs errors. */
export type ErrorLogger = Readonly<Record<'warn' | 'error', (about: object, message: string) => void>>;

/** Milliseconds in which a transient error is logged once, by its reason and what it hindered. */
const QUIET_TIME = 60_000;
const MOST_REASONS = 100;
/** By logger and reason, the transient errors of the last minute: an outage ends every attempt of every loop. */
const outages = new WeakMap<ErrorLogger, Map<string, { readonly since: number; more: number }>>();

/** The part of a logger that logs how an outage ends. */
export type OutageLogger = ErrorLogger & Readonly<Record<'info', (about: object, message: string) => void>>;

/** @returns how many lines were held back since the last one; null where this one is */
function heldBack(logger: ErrorLogger, reason: string): number | null {
  const reasons = outages.get(logger) ?? new Map<string, { readonly since: number; more: number }>();
  outages.set(logger, reasons);
  const now = performance.now();
  const last = reasons.get(reason);
  if (last && now - last.since < QUIET_TIME) {
    last.more += 1;
    return null;
  }
  if (reasons.size >= MOST_REASONS) reasons.clear();
  reasons.set(reason, { since: now, more: 0 });
  return last?.more ?? 0;
}

/**
 * Logs a warning once a minute by message and reason; the next line says how many there were more.
 * @param reason what a server said; it may not contain what differs from attempt to attempt
 */
export function warnOfOutage(logger: ErrorLogger, reason: string, about: object, message: string): void {
  const more = heldBack(logger, `${message}\n${reason}`);
  if (more !== null) logger.warn({ ...about, reason, ...(more > 0 ? { more } : {}) }, message);
}

/**
 * Logs that work succeeds again; nothing where no outage of it was logged since the last success.
 * @param message the one with which `logError` or `warnOfOutage` logged the outage
 */
export function logRecovery(logger: OutageLogger, message: string, over: string): void {
  const reasons = outages.get(logger);
  const failed = [...(reasons?.keys() ?? [])].filter((reason) => reason.startsWith(`${message}\n`));
  for (const reason of failed) reasons?.delete(reason);
  if (failed.length > 0) logger.info({}, over);
}

/**
 * Logs an error under `err`: a defect as an error; transient errors and bad input as warnings. A transient error is
 * logged once a minute by message and reason; the next line says how many there were more.
 * @param about ids of what was being processed
 */
export function logError(logger: ErrorLogger, error: unknown, about: object, message: string): void {
  const kind = kindOf(error);
  const err = describeError(error);
  const more = kind === 'transient' ? heldBack(logger, `${message}\n${err.message}`) : 0;
  if (more === null) return;
  logger[kind === 'defect' ? 'error' : 'warn']({ ...about, kind, ...(more > 0 ? { more } : {}), err }, message);
}

/**
 * Repeats work until it succeeds, as when a database restarts.
 * @throws the signal's reason when it aborts
 */
export async function retryUntilSuccess<Result>(
  work: () => Promise<Result>,
  { what, logger, signal }: { what: string; logger: Logger; signal: AbortSignal },
): Promise<Result> {
  return retry(work, {
    ...RETRY.message,
    signal,
    failed: (error, failures) => logError(logger, error, { failures }, `${what} failed; it is retried`),
  });
}
