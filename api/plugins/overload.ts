/** Refuses requests while earlier ones wait too long, so that every admitted request is answered. */
import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { tooBusy } from '../../presentation/http/error-answers.ts';

export interface Capacity {
  /** Maximum of requests whose answers have not begun: it bounds the memory that they take. */
  readonly maximum: number;
  /** Maximum of them that have waited for longer than `wait`; a few are slow by nature, such as briefings. */
  readonly maximumLate: number;
  /** Milliseconds. */
  readonly wait: number;
}

/** A burst that is answered in a moment is admitted; a lasting crowd is refused as long as it lasts. */
export const CAPACITY: Capacity = { maximum: 2_048, maximumLate: 32, wait: 2_000 };

/** Whether a body must be read before the request is handled. */
const awaitsBody = ({ method, headers }: FastifyRequest): boolean =>
  method !== 'GET' &&
  method !== 'HEAD' &&
  (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);

/**
 * Refuses with `unavailable` before anything is read or counted. A request waits for its answer from the moment that its
 * body has arrived: a client that sends slowly takes up no capacity.
 * @param elapsed a clock in milliseconds
 */
export function shedOverload(
  server: FastifyInstance,
  capacity: Capacity = CAPACITY,
  elapsed = () => performance.now(),
): void {
  /** Time at which each waiting request came, by its answer, oldest first. */
  const waiting = new Map<ServerResponse, number>();
  const isCrowded = (): boolean => {
    if (waiting.size >= capacity.maximum) return true;
    let late = 0;
    for (const came of waiting.values()) {
      if (elapsed() - came <= capacity.wait) return false;
      late += 1;
      if (late >= capacity.maximumLate) return true;
    }
    return false;
  };
  const admit = (answer: ServerResponse): void => {
    waiting.set(answer, elapsed());
    // A caller who leaves no longer waits.
    answer.once('close', () => waiting.delete(answer));
  };
  server.addHook('onRequest', async (request, { raw }) => {
    if (isCrowded()) throw tooBusy();
    if (!awaitsBody(request)) admit(raw);
  });
  server.addHook('preValidation', async (request, { raw }) => {
    if (awaitsBody(request)) admit(raw);
  });
  // A stream that goes on takes up no capacity once it has begun.
  server.addHook('onSend', async (_request, { raw }, payload) => {
    waiting.delete(raw);
    return payload;
  });
}
