/** Turns requests away while those before them wait for long: whoever is let in is answered. */
import type { FastifyInstance } from 'fastify';
import { tooBusy } from '../unavailable.ts';

export interface Room {
  /** Requests whose answers have not begun: they bound the memory of a crowd. */
  readonly most: number;
  /** So many of them may have waited for longer than `patience`; a few are slow by themselves, such as briefings. */
  readonly late: number;
  /** Milliseconds. */
  readonly patience: number;
}

/** A burst of many that are done in a moment is let in; a crowd that stays is turned away as long as it stays. */
export const ROOM: Room = { most: 2_048, late: 32, patience: 2_000 };

/** Refuses before anything is read or counted. */
export function shedOverload(server: FastifyInstance, room: Room = ROOM, elapsed = () => performance.now()): void {
  /** When each request that waits came, by its answer, the oldest first. */
  const waiting = new Map<object, number>();
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
  server.addHook('onRequest', async (_request, { raw }) => {
    if (isCrowded()) throw tooBusy();
    waiting.set(raw, elapsed());
    // A caller who leaves waits no more.
    raw.once('close', () => waiting.delete(raw));
  });
  // A stream that goes on for long needs no more room than what it sends.
  server.addHook('onSend', async (_request, { raw }, payload) => {
    waiting.delete(raw);
    return payload;
  });
}
