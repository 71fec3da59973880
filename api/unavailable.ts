/** Refusals for the moments in which we cannot answer anybody: they pass, and say when to come back. */

import type { FastifyRequest } from 'fastify';
import { StreamContention } from '../log/command-handler.ts';
import { isUnavailable } from '../log/unavailable.ts';
import { Refusal } from '../schemas/refusal.ts';

/** Seconds until a database that was restarted answers again, mostly. */
const AWAY = 5;
/** Seconds until what is under way is done, mostly. */
const BUSY = 1;

/** For a request that nothing was begun for, since so many are under way. */
export const tooBusy = (): Refusal =>
  new Refusal('unavailable', `Too many requests are under way here. Retry in ${BUSY} second.`, {
    'retry-after': String(BUSY),
  });

const contended = (): Refusal =>
  new Refusal(
    'unavailable',
    `Too many changes are under way at once; this one was not made. Retry in ${BUSY} second.`,
    {
      'retry-after': String(BUSY),
    },
  );

/** What an error that passes by itself means to a caller; null for every other error. */
export const awayOf = (error: unknown): Refusal | null =>
  error instanceof StreamContention
    ? contended()
    : isUnavailable(error)
      ? new Refusal('unavailable', `The record cannot be read just now. Retry in ${AWAY} seconds.`, {
          'retry-after': String(AWAY),
        })
      : null;

/** For the log: nobody is there to read it. */
export const INCOMPLETE_BODY = 'The connection was closed before the whole body had arrived.';

/** Whether the client left before its body had arrived. Its error has the code of a lost connection, as a database's has. */
export const clientLeft = ({ raw }: Pick<FastifyRequest, 'raw'>): boolean => raw.readableAborted === true;
