/** The commands of an operator on a signal: release, hold, merge. Each is decided again when a matcher was faster. */
import { changeStream, retryConflicts } from '../../log/command-handler.ts';
import type { EventStore } from '../../log/event-store.ts';
import { type KnownEvent, readEvent } from '../../schemas/events.ts';
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

/** The id that an id or slug names. @throws NoSuchSignal when no signal has the slug */
export async function signalIdOf(store: EventStore, idOrSlug: string): Promise<SignalId> {
  const id = SignalId.safeParse(idOrSlug);
  if (id.success) return id.data;
  const [first] = await store.read(slugStream(idOrSlug));
  const owner = first ? readEvent(first) : null;
  if (owner?.type !== 'SlugReserved') throw new NoSuchSignal(idOrSlug);
  return owner.data.signal_id;
}

/** The state of a signal by its newest events. @throws NoSuchSignal */
export async function readSignal(store: EventStore, idOrSlug: string): Promise<SignalState> {
  const id = await signalIdOf(store, idOrSlug);
  const state = foldSignal((await store.read(signalStream(id))).map((event) => readEvent(event)));
  if (!state) throw new NoSuchSignal(idOrSlug);
  return state;
}

/** Appends what is decided on the newest state of a signal. @returns the state before */
async function changeSignal(
  store: EventStore,
  idOrSlug: string,
  decide: (state: SignalState) => KnownEvent,
): Promise<SignalState> {
  const stream = signalStream(await signalIdOf(store, idOrSlug));
  const { decision } = await changeStream(store, stream, (stored) => {
    const state = foldSignal(stored.map((event) => readEvent(event)));
    if (!state) throw new NoSuchSignal(idOrSlug);
    return { state, events: [decide(state)] };
  });
  return decision.state;
}

/** Makes a held signal public. @throws NoSuchSignal, CannotReview, StreamContention */
export const releaseSignal = (store: EventStore, idOrSlug: string, review: Review): Promise<SignalState> =>
  changeSignal(store, idOrSlug, (state) => decideRelease(state, review));

/** Takes a public signal out of every public answer. @throws NoSuchSignal, CannotReview, StreamContention */
export const holdSignal = (store: EventStore, idOrSlug: string, review: Review): Promise<SignalState> =>
  changeSignal(store, idOrSlug, (state) => decideHold(state, review));

/**
 * Merges one signal into another, or the other way round where only the first is public.
 * @returns the signal that remains, as it was before
 * @throws NoSuchSignal, CannotReview, StreamContention
 */
export const mergeSignal = (store: EventStore, idOrSlug: string, into: string, review: Review): Promise<SignalState> =>
  retryConflicts('the signals', async () => {
    const [state, target] = [await readSignal(store, idOrSlug), await readSignal(store, into)];
    const { survivor, merged, events } = decideOperatorMerge(state, target, review);
    await store.append(signalStream(survivor.id), events.survivor, survivor.revision);
    await store.append(signalStream(merged.id), events.merged, merged.revision);
    return survivor;
  });
