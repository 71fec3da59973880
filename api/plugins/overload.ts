/** Turns requests away while those before them wait for long: whoever is let in is answered. */
import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { tooBusy } from '../../presentation/http/error-answers.ts';

export interface Capacity {
  /** Requests whose answers have not begun: they bound the memory of a crowd. */
  readonly most: number;
  /** So many of them may have waited for longer than `patience`; a few are slow by themselves, such as briefings. */
  readonly late: number;
  /** Milliseconds. */
  readonly patience: number;
}

/** A burst of many that are done in a moment is let in; a crowd that stays is turned away as long as it stays. */
export const CAPACITY: Capacity = { most: 2_048, late: 32, patience: 2_000 };

/** Whether a body is to come that is read before the request is worked on. */
const awaitsBody = ({ method, headers }: FastifyRequest): boolean =>
  method !== 'GET' &&
  method !== 'HEAD' &&
  (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);

/**
 * Refuses before anything is read or counted. A request waits for its answer from the moment that its body is here: a
 * client that is slow to send takes up no room.
 */
export function shedOverload(
  server: FastifyInstance,
  room: Capacity = CAPACITY,
  elapsed = () => performance.now(),
): void {
  /** When each request that waits came, by its answer, the oldest first. */
  const waiting = new Map<ServerResponse, number>();
  const isCrowded = (): boolean => {
    if (waiting.size >= room.most) return true;
    let late = 0;
    for (const came of waiting.values()) {
      if (elapsed() - came <= room.patience) return false;
      late += 1;
      if (late >= room.late) return true;
    }
    return false;
  };
  const admit = (answer: ServerResponse): void => {
    waiting.set(answer, elapsed());
    // A caller who leaves waits no more.
    answer.once('close', () => waiting.delete(answer));
  };
  server.addHook('onRequest', async (request, { raw }) => {
    if (isCrowded()) throw tooBusy();
    if (!awaitsBody(request)) admit(raw);
  });
  server.addHook('preValidation', async (request, { raw }) => {
    if (awaitsBody(request)) admit(raw);
  });
  // A stream that goes on for long needs no more room than what it sends.
  server.addHook('onSend', async (_request, { raw }, payload) => {
    waiting.delete(raw);
    return payload;
  });
}
