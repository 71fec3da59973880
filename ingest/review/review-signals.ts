/** Carries out the decisions of an operator about a signal, with concurrent matchers. */

import { retryConflicts } from '../../log/command-handler.ts';
import type { EventStore } from '../../log/event-store.ts';
import { readEvent } from '../../schemas/events.ts';
import { SignalId } from '../../schemas/scalar.ts';
import { signalStream, slugStream } from '../../schemas/signal.ts';
import { decideHold, decideOperatorMerge, decideRelease, type Review } from '../../signal/review-decisions.ts';
import { foldSignal, type SignalState } from '../../signal/signal.ts';

/** No signal has such an id or slug. */
export class NoSuchSignal extends Error {
  override name = 'NoSuchSignal';
  constructor(idOrSlug: string) {
    super(
      `no signal has the id or slug ${JSON.stringify(idOrSlug.slice(0, 100))}; an id is sig_ and 16 hex characters`,
    );
  }
}

/** The id that an id or slug names. @throws NoSuchSignal when nobody owns the slug */
export async function signalIdOf(store: EventStore, idOrSlug: string): Promise<string> {
  if (SignalId.safeParse(idOrSlug).success) return idOrSlug;
  const [first] = await store.read(slugStream(idOrSlug));
  const owner = first ? readEvent(first) : null;
  if (owner?.type !== 'SlugReserved') throw new NoSuchSignal(idOrSlug);
  return owner.data.signal_id;
}

// Carries out what an operator decides about a signal, against whatever the matcher writes meanwhile.

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
