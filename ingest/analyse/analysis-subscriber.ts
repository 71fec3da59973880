/** The analyser: says of each new public signal what the read models show of it. */
import type { Logger } from 'pino';
import { backoff, pause } from '../../log/backoff.ts';
import { kindOf, logError } from '../../log/errors.ts';
import type { EventStore, Position } from '../../log/event-store.ts';
import type { Database } from '../../log/postgres/database.ts';
import { publicSince } from '../../projector/models/signals-queries.ts';
import { SIGNAL_PREFIX } from '../../schemas/signal.ts';
import { analyseSignal } from './analyse-signal.ts';

/** A start goes over this much again: what a stop left out is made up for, what was said is not said twice. */
const LOOK_BACK = 7 * 86_400_000;
const BACKOFF = { base: 200, maximum: 10_000 };
/** What makes a signal public, or tells it otherwise. */
const WAKES = new Set(['SignalDetected', 'SignalReleased', 'SignalRevised']);

export interface AnalyseOptions {
  readonly store: EventStore;
  readonly database: Database;
  readonly logger: Logger;
  readonly clock: () => Date;
  readonly signal: AbortSignal;
  /** True once the read models show everything up to a position; false when they did not get there in time. */
  readonly projected: (position: Position) => Promise<boolean>;
}

/** One that cannot be read is logged and left without an analysis. */
async function analyseAll(options: AnalyseOptions, signals: readonly string[]): Promise<void> {
  for (const id of signals) {
    if (options.signal.aborted) return;
    try {
      await analyseSignal(options.store, options.database, id);
    } catch (error) {
      // One signal without an analysis is no news lost: a start goes over the recent ones again.
      if (kindOf(error) === 'transient') throw error;
      logError(options.logger, error, { signal: id }, 'a signal stays without analysis');
    }
  }
}

const untilProjected = async ({ projected, signal }: AnalyseOptions, position: Position): Promise<void> => {
  while (!signal.aborted && !(await projected(position)));
};

/** Goes over the recent signals, then follows the store from where its head was. */
async function follow(options: AnalyseOptions): Promise<void> {
  const { store, database, clock, signal } = options;
  const head = await store.head();
  await untilProjected(options, head);
  await analyseAll(options, await publicSince(database, new Date(clock().getTime() - LOOK_BACK)));
  for await (const page of store.subscribe({ after: head, prefixes: [SIGNAL_PREFIX], signal })) {
    const fresh = page.events.filter(({ type }) => WAKES.has(type));
    if (fresh.length === 0) continue;
    await untilProjected(options, page.position);
    await analyseAll(options, [...new Set(fresh.map(({ stream }) => stream.slice(SIGNAL_PREFIX.length)))]);
  }
}

/** Analyses until the signal aborts, through restarts of what it talks to. An analysis is written once. */
export async function runAnalyse(options: AnalyseOptions): Promise<void> {
  const { logger, signal } = options;
  for (let failures = 0; !signal.aborted; failures++) {
    const started = performance.now();
    try {
      await follow(options);
    } catch (error) {
      if (signal.aborted) return;
      logError(logger, error, {}, 'analysing failed, trying again');
    }
    if (performance.now() - started > BACKOFF.maximum) failures = 0;
    await pause(backoff(failures, BACKOFF, Math.random), signal);
  }
}
