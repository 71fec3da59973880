/** Analyses one signal: gathers the facts, writes the sentences, stores them once. */
import type { EventStore } from '../../log/event-store.ts';
import type { Queryable } from '../../log/postgres/database.ts';
import { brandHistory } from '../../projector/models/brands-queries.ts';
import { type KnownEvent, readEvent } from '../../schemas/events.ts';
import { eventHandled } from '../../schemas/observation.ts';
import type { SignalId } from '../../schemas/scalar.ts';
import { signalStream } from '../../schemas/signal.ts';
import { decideAnalysis } from '../../signal/review-decisions.ts';
import { foldSignal, type SignalState } from '../../signal/signal.ts';
import { type EarlierStory, type SignalFacts, writeWhatToWatch, writeWhyItMatters } from './analysis-sentences.ts';

/** The author of these analyses in the events. */
export const RULES = 'rules';

const asEarlier = ({ published_at, understanding }: SignalState): EarlierStory => ({ published_at, understanding });

/**
 * Analyses a public signal. Only what was published before it counts, so that a late analysis has the same result.
 * @returns true when an analysis was stored
 */
export async function analyseSignal(store: EventStore, database: Queryable, signal: SignalId): Promise<boolean> {
  const started = performance.now();
  const read = async (id: SignalId): Promise<KnownEvent[]> =>
    (await store.read(signalStream(id))).map((event) => readEvent(event));
  const events = await read(signal);
  const state = foldSignal(events);
  const [detected] = events;
  if (!detected || state?.status !== 'public') return false;
  const brand = state.understanding.brands.find(({ role }) => role === 'primary');
  if (!brand) return false;

  const { understanding, published_at } = state;
  const history = await brandHistory(database, {
    ...{ signal, brand: brand.slug, move: understanding.move, published_at },
    cities: understanding.openings.flatMap(({ city }) => city ?? []),
  });
  const stateOf = async (id: SignalId): Promise<SignalState | null> => foldSignal(await read(id));
  const earlier = await Promise.all(history.earlier.map((one) => stateOf(one.signal)));
  const followed = detected.type === 'SignalDetected' && detected.data.follows;
  const follows = followed ? await stateOf(followed) : null;
  const facts: SignalFacts = {
    ...{ brand: brand.name, understanding, history },
    earlier: earlier.flatMap((one) => (one ? asEarlier(one) : [])),
    follows: follows && asEarlier(follows),
  };
  const why_it_matters = writeWhyItMatters(facts, published_at);
  const what_to_watch = writeWhatToWatch(facts, published_at);
  const analysis = decideAnalysis(state, { why_it_matters, what_to_watch, by: RULES }, detected);
  if (!analysis) return false;
  await store.append(signalStream(signal), [analysis], 'any');
  eventHandled.emit({ handling: 'analyse', event: detected, started, outcome: 'analysed' });
  return true;
}
