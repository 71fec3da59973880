/**
 * The analyser writes why a public signal matters and what to watch, from the read models alone: it follows the
 * event store, waits until they have caught up, compares a signal with the record before it (`analysis-sentences.ts`), and
 * stores the event that `signal/` decides on. A sentence that is not true any more, since a signal that it was computed from
 * was held, merged or corrected, is replaced or withdrawn by a new analysis. Start with `runAnalyse`.
 */
import type { Logger } from 'pino';
import { keepRunning, RETRY } from '../log/backoff.ts';
import { kindOf, logError } from '../log/errors.ts';
import type { EventStore, Position, StoredEvent } from '../log/event-store.ts';
import type { Database, Queryable } from '../log/postgres/database.ts';
import { affectedBy, recordBefore, recordedMove } from '../projector/models/moves-queries.ts';
import { publicSince } from '../projector/models/signals-queries.ts';
import { type KnownEvent, readEvent } from '../schemas/events.ts';
import type { SignalId } from '../schemas/scalar.ts';
import { type AnalysisSentence, SIGNAL_PREFIX, signalOfStream, signalStream } from '../schemas/signal.ts';
import { decideAnalysis } from '../signal/review-decisions.ts';
import { foldSignal } from '../signal/signal.ts';
import type { Companies } from './analysis-facts.ts';
import { writeAnalysis } from './analysis-sentences.ts';
import { standingOf } from './analysis-standing.ts';

/** The author of these analyses in the events. */
export const RULES = 'rules';

/** What the analyser reads from, and the companies that it knows. */
export interface AnalysisSources {
  readonly store: EventStore;
  readonly database: Queryable;
  readonly companies: Companies;
}

/** The sentences of a field as one text. */
function textOf(sentences: readonly AnalysisSentence[], field: AnalysisSentence['field']): string | null {
  const texts = sentences.filter((one) => one.field === field).map(({ text }) => text);
  return texts.length > 0 ? texts.join(' ') : null;
}

const readSignal = async (store: EventStore, id: SignalId): Promise<KnownEvent[]> =>
  (await store.read(signalStream(id))).map((event) => readEvent(event));

/**
 * Analyses a public signal. Only what was published before it counts, so that a late analysis has the same result. Of one about
 * no brand of the catalogue nothing is said.
 * @returns true when an analysis was stored
 */
export async function analyseSignal(sources: AnalysisSources, signal: SignalId): Promise<boolean> {
  const { store, database, companies } = sources;
  const events = await readSignal(store, signal);
  const state = foldSignal(events);
  const [detected] = events;
  if (!detected || state?.status !== 'public') return false;
  const move = await recordedMove(database, signal);
  const brands = move?.brands.flatMap(({ slug }) => companies.of(slug)?.slugs ?? [slug]) ?? [];
  const record = move && (await recordBefore(database, move, { brands, peers: companies.peersOf(brands) }));
  const sentences = move && record ? writeAnalysis({ signal: move, record, companies }) : [];
  const why_it_matters = textOf(sentences, 'why_it_matters');
  const what_to_watch = textOf(sentences, 'what_to_watch');
  const { understanding, published_at } = state;
  const standing = standingOf({ understanding, published_at, record, companies, sentences });
  const analysis = decideAnalysis(
    state,
    { why_it_matters, what_to_watch, sentences, by: RULES, ...(standing && { standing }) },
    detected,
  );
  if (!analysis) return false;
  await store.append(signalStream(signal), [analysis], 'any');
  return true;
}

/**
 * The signals whose analysis the events of a signal may change: those that cite it, and later ones that are compared with it.
 * @param events of one signal that change what readers see of it
 */
async function affectedSignals(
  { store, database, companies }: AnalysisSources,
  signal: SignalId,
  events: readonly KnownEvent[],
): Promise<SignalId[]> {
  const state = foldSignal(await readSignal(store, signal));
  if (!state) return [];
  // A text that was replaced had other brands, and was of another kind.
  const texts = [
    state.understanding,
    ...events.flatMap((one) => (one.type === 'SignalRevised' || one.type === 'SignalCorrected' ? one.data.before : [])),
  ];
  const slugs = texts.flatMap((text) => text.brands.filter(({ role }) => role === 'primary').map(({ slug }) => slug));
  const brands = [...new Set(slugs.flatMap((slug) => companies.of(slug)?.slugs ?? [slug]))];
  return affectedBy(database, {
    signal,
    brands,
    published_at: state.published_at,
    peers: companies.peersOf(brands),
    moves: texts.map(({ move }) => move),
  });
}

/** A start analyses the signals of this period again: what a stop left out is added, and nothing is stored twice. */
const LOOK_BACK = 7 * 86_400_000;
/** Events that make a signal public, or change its text or what it follows. */
const WAKES = new Set(['SignalDetected', 'SignalReleased', 'SignalRevised', 'SignalCorrected', 'SignalLinked']);
/** Events that change what other signals are compared with. */
const CHANGES = new Set([
  'SignalHeld',
  'SignalReleased',
  'SignalRetracted',
  'SignalRevised',
  'SignalCorrected',
  'SignalMerged',
  'SignalSplit',
]);

interface AnalyseOptions extends AnalysisSources {
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
      await analyseSignal(options, id);
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

/** The signals to be analysed after some events: their own, and those that were compared with them. */
async function wokenBy(options: AnalysisSources, events: readonly StoredEvent[]): Promise<SignalId[]> {
  const woken = new Set(events.filter(({ type }) => WAKES.has(type)).map(({ stream }) => signalOfStream(stream)));
  const changed = Map.groupBy(
    events.filter(({ type }) => CHANGES.has(type)),
    ({ stream }) => signalOfStream(stream),
  );
  for (const [signal, changes] of changed)
    for (const id of await affectedSignals(
      options,
      signal,
      changes.map((event) => readEvent(event)),
    ))
      woken.add(id);
  return [...woken];
}

/** Analyses the recent signals, then follows the store from its head at the start. */
async function follow(options: AnalyseOptions): Promise<void> {
  const { store, database, clock, signal } = options;
  const head = await store.head();
  await untilProjected(options, head);
  await analyseAll(options, await publicSince(database, new Date(clock().getTime() - LOOK_BACK)));
  for await (const page of store.subscribe({ after: head, prefixes: [SIGNAL_PREFIX], signal })) {
    const fresh = page.events.filter(({ type }) => WAKES.has(type) || CHANGES.has(type));
    if (fresh.length === 0) continue;
    await untilProjected(options, page.position);
    await analyseAll(options, await wokenBy(options, fresh));
  }
}

/** Analyses until the signal aborts; errors are retried with a backoff. An analysis is stored once. */
export async function runAnalyse(options: AnalyseOptions): Promise<void> {
  const { logger, signal } = options;
  await keepRunning(() => follow(options), {
    ...RETRY.message,
    signal,
    failed: (error) => logError(logger, error, {}, 'analysing signals failed, retrying'),
  });
}
