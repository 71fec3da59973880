/** The analyser: follows the event store and analyses each new public signal from the read models. */
import type { Logger } from 'pino';
import { backoff, pause } from '../../log/backoff.ts';
import { kindOf, logError } from '../../log/errors.ts';
import type { EventStore, Position } from '../../log/event-store.ts';
import type { Database } from '../../log/postgres/database.ts';
import { publicSince } from '../../projector/models/signals-queries.ts';
import type { SignalId } from '../../schemas/scalar.ts';
import { SIGNAL_PREFIX, signalOfStream } from '../../schemas/signal.ts';
import { analyseSignal } from './analyse-signal.ts';

/** A start analyses the signals of this period again: what a stop left out is added, and nothing is stored twice. */
const LOOK_BACK = 7 * 86_400_000;
const BACKOFF = { base: 200, maximum: 10_000 };
/** Events that make a signal public, or change its text. */
const WAKES = new Set(['SignalDetected', 'SignalReleased', 'SignalRevised']);

interface AnalyseOptions {
  readonly store: EventStore;
  readonly database: Database;
  readonly logger: Logger;
  readonly clock: () => Date;
  readonly signal: AbortSignal;
  /** Waits for the read models to reach a position; false when they did not in time. */
  readonly projected: (position: Position) => Promise<boolean>;
}

/** Analyses signals one by one. A defect is logged and the signal remains without an analysis; transient errors are thrown. */
async function analyseAll(options: AnalyseOptions, signals: readonly SignalId[]): Promise<void> {
  for (const id of signals) {
    if (options.signal.aborted) return;
    try {
      await analyseSignal(options.store, options.database, id);
    } catch (error) {
      // One signal without an analysis loses no news, and the next start tries the recent ones again.
      if (kindOf(error) === 'transient') throw error;
      logError(options.logger, error, { signal: id }, 'signal remains without an analysis');
    }
  }
}

const untilProjected = async ({ projected, signal }: AnalyseOptions, position: Position): Promise<void> => {
  while (!signal.aborted && !(await projected(position)));
};

/** Analyses the recent signals, then follows the store from its head at the start. */
async function follow(options: AnalyseOptions): Promise<void> {
  const { store, database, clock, signal } = options;
  const head = await store.head();
  await untilProjected(options, head);
  await analyseAll(options, await publicSince(database, new Date(clock().getTime() - LOOK_BACK)));
  for await (const page of store.subscribe({ after: head, prefixes: [SIGNAL_PREFIX], signal })) {
    const fresh = page.events.filter(({ type }) => WAKES.has(type));
    if (fresh.length === 0) continue;
    await untilProjected(options, page.position);
    await analyseAll(options, [...new Set(fresh.map(({ stream }) => signalOfStream(stream)))]);
  }
}

/** Analyses until the signal aborts; errors are retried with a backoff. An analysis is stored once. */
export async function runAnalyse(options: AnalyseOptions): Promise<void> {
  const { logger, signal } = options;
  for (let failures = 0; !signal.aborted; failures++) {
    const started = performance.now();
    try {
      await follow(options);
    } catch (error) {
      if (signal.aborted) return;
      logError(logger, error, {}, 'analysing signals failed, retrying');
    }
    if (performance.now() - started > BACKOFF.maximum) failures = 0;
    await pause(backoff(failures, BACKOFF, Math.random), signal);
  }
}
