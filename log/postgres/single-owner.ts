/** Work that one process does at a time: it owns an advisory lock, and further processes are warm standbys. */
import { pause } from '../backoff.ts';
import { type EventStore, withAppend } from '../event-store.ts';
import type { Database } from './database.ts';
import { holdLocks, type LockHolder } from './lock-session.ts';

/** Milliseconds between two attempts of a standby to become the owner. */
const STANDBY_MILLISECONDS = 500;
/** Milliseconds for which the answer of the server that the lock is held is relied on. */
const CONFIRMED_MILLISECONDS = 250;

export interface Owner {
  /** Aborts when the work is to end: with the signal of the caller, or when the lock is lost. */
  readonly signal: AbortSignal;
  /**
   * The store, for appends of the owner only. A process that was suspended, and whose lock another process may have by now,
   * learns this before it appends.
   */
  fenced(store: EventStore): EventStore;
}

/**
 * Waits until this process owns a lock, then runs `work` until it ends. The lock belongs to the session of this process: it is
 * free as soon as the process dies, and `work` is aborted when the session is lost, before the server grants the lock to
 * another process.
 * @param lock the name of the lock
 * @param onStandby is called once, when another process has the lock
 * @throws LockSessionLost, and what `work` throws
 */
export async function runAsSingleOwner(
  {
    database,
    lock,
    signal,
    onStandby,
  }: {
    readonly database: Database;
    readonly lock: string;
    readonly signal: AbortSignal;
    readonly onStandby: () => void;
  },
  work: (owner: Owner) => Promise<void>,
): Promise<void> {
  const locks = await holdLocks(database);
  const either = AbortSignal.any([signal, locks.lost]);
  try {
    for (let isNotified = false; !either.aborted; isNotified = true) {
      if (await locks.tryLock({ name: lock })) {
        await work({ signal: either, fenced: fencedBy(locks) });
        break;
      }
      if (!isNotified) onStandby();
      await pause(STANDBY_MILLISECONDS, either);
    }
    if (locks.lost.aborted && !signal.aborted) throw locks.lost.reason;
  } finally {
    await locks.release();
  }
}

function fencedBy(locks: LockHolder): Owner['fenced'] {
  let confirmedAt = performance.now();
  let confirming: Promise<void> | null = null;
  async function confirm(): Promise<void> {
    const askedAt = performance.now();
    await locks.run((session) => session.query('SELECT 1'));
    confirmedAt = askedAt;
  }
  return (store) =>
    withAppend(store, async (stream, events, expected) => {
      locks.lost.throwIfAborted();
      if (performance.now() - confirmedAt > CONFIRMED_MILLISECONDS) {
        confirming ??= confirm().finally(() => {
          confirming = null;
        });
        await confirming;
      }
      return store.append(stream, events, expected);
    });
}
