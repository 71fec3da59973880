/** The decisions about a signal that matching does not make: release, hold and merge by an operator, and its analysis. Pure. */
import { type KnownEvent, newEvent } from '../schemas/events.ts';
import { eventId } from '../schemas/scalar.ts';
import { decideMerge, survivorOf } from './merge-decisions.ts';
import type { Analysis, SignalState } from './signal.ts';

/** The status of the signal does not permit the command. */
export class CannotReview extends Error {
  override name = 'CannotReview';
}

export interface Review {
  readonly by: string;
  readonly why: string;
  /** RFC 3339. */
  readonly time: string;
  /** The id of the event that is appended; the ids of further events are computed from it. */
  readonly id: string;
}

const about = ({ id, time }: Review) => ({ id, time, correlation_id: id });

/** @throws CannotReview unless it is held */
export function decideRelease(state: SignalState, review: Review): KnownEvent<'SignalReleased'> {
  if (state.status !== 'held') throw new CannotReview(`${state.id} is ${state.status}; only a held signal is released`);
  return newEvent('SignalReleased', { signal_id: state.id, by: review.by, why: review.why }, about(review));
}

/** @throws CannotReview unless it is public */
export function decideHold(state: SignalState, review: Review): KnownEvent<'SignalHeld'> {
  if (state.status !== 'public') throw new CannotReview(`${state.id} is ${state.status}; only a public signal is held`);
  return newEvent('SignalHeld', { signal_id: state.id, by: review.by, why: review.why }, about(review));
}

/**
 * Merges one signal into another, which takes over its reports; its slug leads there from then on. Where only the first is
 * public, that one remains: a merge takes no story from readers.
 * @returns the signal that remains, the merged one, and the events of each stream. Append those of `survivor` first: then
 *   each report is in a signal at any time
 * @throws CannotReview for a signal and itself, or when one of them is merged already
 */
export function decideOperatorMerge(
  state: SignalState,
  into: SignalState,
  review: Review,
): {
  readonly survivor: SignalState;
  readonly merged: SignalState;
  readonly events: { survivor: KnownEvent[]; merged: KnownEvent[] };
} {
  if (state.id === into.id) throw new CannotReview(`${state.id} cannot be merged into itself`);
  for (const { id, status, mergedInto } of [state, into])
    if (status === 'merged') throw new CannotReview(`${id} is merged into ${mergedInto} already`);
  const cause = { id: null, time: review.time, correlation_id: review.id };
  const { survivor, merged } = survivorOf(into, state);
  const author = { by: review.by, why: review.why };
  return { survivor, merged, events: decideMerge(cause, survivor, merged, review.id, author) };
}

/**
 * Stores an analysis of the present text of a public signal.
 * @param detected the first event of the signal: the analysis has its time and cause, however late it is written
 * @returns null when it is not public, when this text was analysed before, when the analysis is the stored one, or when another author wrote that
 */
export function decideAnalysis(
  state: SignalState,
  analysis: Analysis,
  detected: KnownEvent,
): KnownEvent<'SignalAnalysed'> | null {
  const id = eventId('SignalAnalysed', state.id, analysis.by, state.revisions);
  if (state.status !== 'public' || state.handled.has(id)) return null;
  if (state.analysis && state.analysis.by !== analysis.by) return null;
  const isStored = (field: 'why_it_matters' | 'what_to_watch'): boolean =>
    analysis[field] === (state.analysis?.[field] ?? null);
  if (isStored('why_it_matters') && isStored('what_to_watch')) return null;
  return newEvent(
    'SignalAnalysed',
    { signal_id: state.id, ...analysis },
    { id, time: detected.time, causation_id: detected.id, correlation_id: detected.correlation_id },
  );
}
