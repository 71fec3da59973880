/** What an operator decides about a signal, as events. Pure. */
import { type KnownEvent, newEvent } from '../schemas/events.ts';
import { decideMerge, survivorOf } from './merge-decisions.ts';
import type { SignalState } from './signal.ts';

/** A command that does not fit the signal as it stands. */
export class CannotReview extends Error {
  override name = 'CannotReview';
}

export interface Review {
  readonly by: string;
  readonly why: string;
  /** RFC 3339. */
  readonly time: string;
  /** Id of the event to be written; further ones are made of it. */
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
 * The one signal goes into the other, which takes over its reports; its slug leads there from then on. Where only the
 * first is public it is the one that remains: a merge takes no story from readers.
 * @returns the signal that remains, the other, and the events of each stream; those of `survivor` are to be written first,
 *   so that no report is ever without signal
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
