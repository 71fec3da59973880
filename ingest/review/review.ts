/** Carries out what an operator decides about a signal, against whatever the matcher writes meanwhile. */
import { retryConflicts } from '../../log/command-handler.ts';
import type { EventStore } from '../../log/event-store.ts';
import { readEvent } from '../../schemas/events.ts';
import { signalStream } from '../../schemas/signal.ts';
import { foldSignal, type SignalState } from '../match/state.ts';
import { decideHold, decideOperatorMerge, decideRelease, type Review } from './decide.ts';
import { NoSuchSignal, signalIdOf } from './find-signal.ts';

/** A signal as its stream tells it now. @throws NoSuchSignal */
export async function readSignal(store: EventStore, idOrSlug: string): Promise<SignalState> {
  const id = await signalIdOf(store, idOrSlug);
  const state = foldSignal((await store.read(signalStream(id))).map((event) => readEvent(event)));
  if (!state) throw new NoSuchSignal(idOrSlug);
  return state;
}

/** Makes a held signal public. @throws NoSuchSignal, CannotReview */
export const releaseSignal = (store: EventStore, idOrSlug: string, review: Review): Promise<SignalState> =>
  retryConflicts('the signal', async () => {
    const state = await readSignal(store, idOrSlug);
    await store.append(signalStream(state.id), [decideRelease(state, review)], state.revision);
    return state;
  });

/** Takes a public signal out of every public answer. @throws NoSuchSignal, CannotReview */
export const holdSignal = (store: EventStore, idOrSlug: string, review: Review): Promise<SignalState> =>
  retryConflicts('the signal', async () => {
    const state = await readSignal(store, idOrSlug);
    await store.append(signalStream(state.id), [decideHold(state, review)], state.revision);
    return state;
  });

/**
 * Merges the one signal into the other, or the other way round where only the first is public.
 * @returns the signal that remains, as it was before
 * @throws NoSuchSignal, CannotReview
 */
export const mergeSignal = (store: EventStore, idOrSlug: string, into: string, review: Review): Promise<SignalState> =>
  retryConflicts('the signal', async () => {
    const [state, target] = [await readSignal(store, idOrSlug), await readSignal(store, into)];
    const { survivor, merged, events } = decideOperatorMerge(state, target, review);
    await store.append(signalStream(survivor.id), events.survivor, survivor.revision);
    await store.append(signalStream(merged.id), events.merged, merged.revision);
    return survivor;
  });
