/** The states of the signals that were used last; others are read from their streams. */
import type { EventStore, ExpectedRevision, StoredEvent } from '../../log/event-store.ts';
import { type KnownEvent, readEvent } from '../../schemas/events.ts';
import type { SignalId } from '../../schemas/scalar.ts';
import { signalStream } from '../../schemas/signal.ts';
import { evolveSignal, foldSignal, type SignalState } from '../../signal/signal.ts';

/** States held in memory. */
const MAX_STATES = 4_000;

export class SignalStates {
  readonly #store: EventStore;
  /** By stream, the most recently changed at the end. */
  readonly #states = new Map<string, SignalState>();

  constructor(store: EventStore) {
    this.#store = store;
  }

  /** The state of a signal, null when it has no stream. `fresh` reads the stream again. */
  async read(id: SignalId, fresh: boolean): Promise<SignalState | null> {
    const stream = signalStream(id);
    const cached = this.#states.get(stream);
    if (cached && !fresh) return cached;
    const state = foldSignal((await this.#store.read(stream)).map((event) => readEvent(event)));
    this.#keep(stream, state);
    return state;
  }

  /** Takes in events that were appended at an expected revision, which led to a revision. */
  appended(id: SignalId, events: readonly KnownEvent[], expected: ExpectedRevision, revision: number): void {
    const stream = signalStream(id);
    const before = expected === 'none' ? null : this.#states.get(stream);
    if (before === undefined) return;
    const after = events.reduce<SignalState | null>(evolveSignal, before);
    this.#keep(stream, after?.revision === revision ? after : null);
  }

  /** Drops the state of a stream to which another writer has appended. */
  appendedByOther({ stream, revision }: StoredEvent): void {
    const state = this.#states.get(stream);
    if (state && state.revision < revision) this.#states.delete(stream);
  }

  #keep(stream: string, state: SignalState | null): void {
    this.#states.delete(stream);
    if (!state) return;
    this.#states.set(stream, state);
    if (this.#states.size > MAX_STATES)
      for (const oldest of this.#states.keys()) return void this.#states.delete(oldest);
  }
}
