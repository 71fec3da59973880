/** One process at a time keeps a model up to date; the others stand by. */
import { pause } from '../../log/backoff.ts';
import { holdLocks } from '../../log/postgres/lock-session.ts';
import type { Model } from '../model.ts';
import type { Services } from '../services.ts';

const STANDBY_MILLISECONDS = 500;

/**
 * Waits until this process owns the model, then works until `work` ends. The lock belongs to the session of this
 * process: it is free as soon as the process dies, and `work` is aborted when the session is lost, which is before the
 * server gives the lock to another. Checkpoints guard what an owner still does that has not noticed yet.
 */
export async function asOwner(
  { database, logger }: Services,
  model: Model,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const locks = await holdLocks(database);
  const either = AbortSignal.any([signal, locks.lost]);
  try {
    for (let told = false; !either.aborted; told = true) {
      if (await locks.tryLock({ name: `projector owner ${model.name} ${model.version}` })) {
        await work(either);
        break;
      }
      if (!told) logger.info({ model: model.name }, 'another process keeps this read model; standing by');
      await pause(STANDBY_MILLISECONDS, either);
    }
    if (locks.lost.aborted && !signal.aborted) throw locks.lost.reason;
  } finally {
    await locks.release();
  }
}
