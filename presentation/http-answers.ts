/** HTTP answers of every surface: what an error page shows, refusals for transient failures, and entity tags. */
import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { StreamContention } from '../log/command-handler.ts';
import { isUnavailable } from '../log/unavailable.ts';
import { Refusal } from '../schemas/input-errors.ts';
import type { ErrorCode } from '../schemas/resources.ts';

/** What an error page shows. */
export interface ErrorAnswer {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly requestId: string;
}

/** Renders an error for people who look rather than call. */
export type ErrorPage = (answer: ErrorAnswer) => Promise<string>;

/** Seconds after which a database that restarts usually answers again. */
const RESTART_SECONDS = 5;
/** Seconds after which the requests under way are usually done. */
const BUSY_SECONDS = 1;

/** The refusal of a request that was not begun, because too many are under way. */
export const tooBusy = (): Refusal =>
  new Refusal('unavailable', `Too many requests are under way here. Retry in ${BUSY_SECONDS} second.`, {
    'retry-after': String(BUSY_SECONDS),
  });

const contended = (): Refusal =>
  new Refusal(
    'unavailable',
    `Too many changes are under way at once; this one was not made. Retry in ${BUSY_SECONDS} second.`,
    {
      'retry-after': String(BUSY_SECONDS),
    },
  );

/** The refusal for a transient error: it says when to retry. Null for every other error. */
export const unavailableRefusal = (error: unknown): Refusal | null =>
  error instanceof StreamContention
    ? contended()
    : isUnavailable(error)
      ? new Refusal('unavailable', `The record cannot be read just now. Retry in ${RESTART_SECONDS} seconds.`, {
          'retry-after': String(RESTART_SECONDS),
        })
      : null;

/** Message for a request whose client left; it is only logged, since nobody reads it. */
export const INCOMPLETE_BODY = 'The connection was closed before the whole body had arrived.';

/** Whether the client left before its body had arrived. Its error has the code of a lost connection, as that of a database has. */
export const clientLeft = ({ raw }: Pick<FastifyRequest, 'raw'>): boolean => raw.readableAborted === true;

/** A weak entity tag of a text: the bytes may be compressed on their way, the meaning stays. */
export const entityTag = (text: string | Buffer): string =>
  `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;

/** Whether `If-None-Match` names the tag, compared weakly (RFC 9110, 13.1.2). */
export const matches = (ifNoneMatch: string | undefined, tag: string): boolean => {
  if (ifNoneMatch === undefined) return false;
  const bare = (one: string): string => one.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((one) => bare(one) === bare(tag));
};
