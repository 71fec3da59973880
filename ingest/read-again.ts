/**
 * Items that a language model could not read when they came, because the provider or the budget was unavailable: they are
 * read when it is there again, and what that changes is written by the replay that a change of the catalogue uses.
 */
import { randomUUID } from 'node:crypto';
import { keepRunning, RETRY } from '../log/backoff.ts';
import { logError } from '../log/errors.ts';
import type { Database } from '../log/postgres/database.ts';
import { holdLocks } from '../log/postgres/lock-session.ts';
import { readEvent } from '../schemas/events.ts';
import { type UnderstandAgain, untilMatched } from './catalogue/understand-again.ts';
import { type ItemReplayed, replayItems } from './replay-items.ts';
import type { StoredReadings } from './understand/stored-readings.ts';

/** Items that are read at once, and before what they change is written. */
const AT_ONCE = 16;
const MOST = 512;
const EVERY = 60_000;

type ReadAgain = Omit<UnderstandAgain, 'catalogue' | 'onProgress'> & { readonly readings: StoredReadings };

/** What two events of one item have in common, whatever their ids. */
const textOf = ({ title, summary }: { readonly title: string; readonly summary: string | null }): string =>
  JSON.stringify([title, summary]);

/**
 * Reads items that wait, and understands them again.
 * @returns null where none waits, or none could be read
 * @throws the signal's reason when it aborts; what was appended stays
 */
export async function readAgain(options: ReadAgain): Promise<ItemReplayed | null> {
  const { readings, items, signal, ...replay } = options;
  const texts = new Set<string>();
  while (texts.size < MOST) {
    signal.throwIfAborted();
    const waiting = await readings.waiting(AT_ONCE);
    const events = await items.find(waiting, signal);
    // The topic has removed the others.
    await readings.forget(waiting.filter((id) => !events.some((event) => event.id === id)));
    if (events.length === 0 || (await readings.readAhead(events)) === 0) break;
    for (const event of events) {
      const item = readEvent(event);
      if (item.type === 'ItemFound') texts.add(textOf(item.data));
    }
  }
  if (texts.size === 0) return null;
  return replayItems({
    ...replay,
    items,
    signal,
    untilMatched: () => untilMatched(options),
    affected: { item: (item) => texts.has(textOf(item)), understanding: () => false },
    id: randomUUID(),
    dry: false,
    onProgress: () => undefined,
  });
}

/** Runs until the signal aborts, in one process at a time. */
export async function runReadAgain({
  database,
  ...options
}: ReadAgain & { readonly database: Database }): Promise<void> {
  const { logger, signal } = options;
  const alone = async (): Promise<void> => {
    const locks = await holdLocks(database);
    try {
      if (!(await locks.tryLock({ name: 'items that a model reads again' }))) return;
      const replayed = await readAgain({ ...options, signal: AbortSignal.any([signal, locks.lost]) });
      if (replayed) logger.info({ ...replayed.appended }, 'items that waited for the language model were read again');
    } finally {
      await locks.release();
    }
  };
  await keepRunning(alone, {
    ...RETRY.job,
    every: EVERY,
    signal,
    failed: (error) => logError(logger, error, {}, 'items could not be read again; it is retried'),
  });
}
