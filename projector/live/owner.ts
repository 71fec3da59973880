/** One process at a time keeps a model up to date; the others stand by. */
import { pause } from '../../log/backoff.ts';
import { openSession } from '../builds/session.ts';
import type { Model } from '../model.ts';
import type { Services } from '../services.ts';

const STANDBY_MILLISECONDS = 500;

/**
 * Waits until this process owns the model, then works until `work` ends. The lock belongs to a connection of its own:
 * it is free as soon as the owner dies, and `work` is aborted when the connection breaks. Checkpoints guard what an
 * owner still does that has not noticed yet.
 */
export async function asOwner(
  { database, logger }: Services,
  model: Model,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const lost = new AbortController();
  const session = await openSession(database, () => lost.abort(new Error('the connection to the database broke')));
  const either = AbortSignal.any([signal, lost.signal]);
  try {
    for (let told = false; !either.aborted; told = true) {
      const result = await session.query<{ owned: boolean }>(
        'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS owned',
        [`projector owner ${model.name} ${model.version}`],
      );
      if (result.rows[0]?.owned) {
        await work(either);
        break;
      }
      if (!told) logger.info({ model: model.name }, 'another process keeps this read model; standing by');
      await pause(STANDBY_MILLISECONDS, either);
    }
    if (lost.signal.aborted && !signal.aborted) throw lost.signal.reason;
  } finally {
    await session.end().catch(() => undefined);
  }
}
