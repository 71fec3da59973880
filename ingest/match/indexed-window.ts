/**
 * The window as a cache of the index of all signals: what the window lacks is searched for in the index, and a signal leaves
 * the window only when the index has it as it is.
 */
import type { Position } from '../../log/event-store.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { addressKey, type SignalId } from '../../schemas/scalar.ts';
import { itemName } from '../../schemas/signal.ts';
import type { Story } from '../../schemas/story.ts';
import type { NearSignal } from './match-story.ts';
import type { Features, ParentOf } from './report-features.ts';
import type { SavedSignal, SignalIndex } from './signal-index.ts';
import { SignalWindow } from './signal-window.ts';

/** Signals read from the index by one statement at a start. */
const FILL = 2_000;
/** Merges that one item can lead through. */
const MAX_CHAIN = 32;

interface WaitingEvent {
  readonly event: KnownEvent;
  readonly position: Position;
  readonly storyFeatures: Features | undefined;
}

export class IndexedWindow {
  readonly window: SignalWindow;
  readonly #capacity: number;
  readonly #index: SignalIndex | null;
  /** Events of signals that have to be read from the index first, by signal. */
  readonly #waiting = new Map<SignalId, WaitingEvent[]>();
  readonly #loading = new Map<SignalId, Promise<void>>();
  /** Up to here the index is complete, as far as this process knows. */
  #saved: Position = 0n;
  #saving: Promise<void> | null = null;

  constructor(options: {
    readonly capacity: number;
    readonly parentOf: ParentOf;
    readonly index: SignalIndex | undefined;
  }) {
    this.window = new SignalWindow(options.capacity, options.parentOf);
    this.#capacity = options.capacity;
    this.#index = options.index ?? null;
  }

  get hasIndex(): boolean {
    return this.#index !== null;
  }

  /**
   * Fills the window from the index with the newest signals.
   * @param head reads the last position of the event store
   * @returns the position up to which the index is complete
   */
  async open(head: () => Promise<Position>): Promise<Position> {
    const index = this.#index;
    if (!index) return 0n;
    const complete = await index.open(head);
    const newest: SavedSignal[] = [];
    while (newest.length < this.#capacity) {
      const limit = Math.min(FILL, this.#capacity - newest.length);
      const page = await index.newest(limit, newest.at(-1)?.position);
      newest.push(...page);
      if (page.length < limit) break;
    }
    const oldest = newest.at(-1);
    if (oldest && newest.length >= this.#capacity) this.window.missing(oldest.position - 1);
    for (const signal of newest.reverse()) this.window.put(signal);
    this.#saved = complete;
    return complete;
  }

  /** Folds an event into the window, now or when its signal is read from the index. */
  fold(event: KnownEvent, position: Position, storyFeatures?: Features): void {
    const id = (event.data as { signal_id: SignalId }).signal_id;
    const waiting = this.#waiting.get(id);
    if (waiting) waiting.push({ event, position, storyFeatures });
    else if (!this.#isOutdated(id, position) && this.window.fold(event, position, storyFeatures)) return;
    else if (this.#index && this.window.missingUpTo >= 0) this.#waiting.set(id, [{ event, position, storyFeatures }]);
  }

  /** A repeated append gives an old event: the index has what happened to its signal since. */
  #isOutdated(id: SignalId, position: Position): boolean {
    return this.#index !== null && position <= this.#saved && !this.window.has(id);
  }

  /** Reads the signals of events that the window lacked. */
  async #settle(): Promise<void> {
    while (this.#waiting.size > 0) await Promise.all([...this.#waiting.keys()].map((id) => this.#load(id)));
  }

  #load(id: SignalId): Promise<void> {
    const loading = this.#loading.get(id) ?? this.#loadOnce(id).finally(() => this.#loading.delete(id));
    this.#loading.set(id, loading);
    return loading;
  }

  async #loadOnce(id: SignalId): Promise<void> {
    const signal = await this.#index?.byId(id);
    const events = this.#waiting.get(id) ?? [];
    this.#waiting.delete(id);
    if (signal) this.window.put(signal);
    for (const { event, position, storyFeatures } of events) this.window.fold(event, position, storyFeatures);
  }

  /** Signals of any age that may be the same event, at most two dozen, the most likely first. */
  async near(features: Features): Promise<NearSignal[]> {
    for (;;) {
      await this.#settle();
      const probes = this.window.probes(features);
      const index = this.#index;
      if (!index || probes.length === 0) return this.window.near(features);
      const { missingUpTo } = this.window;
      const hits = await Promise.all(
        probes.map(async (probe) => [probe.key, await index.byKey(probe.key, probe.limit, probe.notAbove)] as const),
      );
      const candidates = this.window.candidates(features, new Map(hits));
      const absent = candidates.filter((position) => !this.window.at(position));
      for (const signal of await Promise.all(absent.map((position) => index.byPosition(position))))
        if (signal) this.window.put(signal);
      // A signal that was removed in the meantime is neither in the window nor in the answers; a merged one leaves room for others.
      const searched = new Set(probes.map(({ key }) => key));
      if (this.window.missingUpTo !== missingUpTo || this.#waiting.size > 0) continue;
      if (this.window.probes(features).some(({ key }) => !searched.has(key))) continue;
      return candidates
        .flatMap((position) => this.window.at(position) ?? [])
        .filter(({ id }) => !this.window.isMerged(id));
    }
  }

  /** The signal that holds this item already, by source and key, else by address; what it was merged into. */
  async ofItem(item: Story['item']): Promise<SignalId | null> {
    await this.#settle();
    const index = this.window.missingUpTo < 0 ? null : this.#index;
    let id = this.window.ofItem(item);
    if (id === null && index) {
      const [byKey, byAddress] = await Promise.all([index.byName(itemName(item)), index.byName(addressKey(item.url))]);
      const signal = byKey ?? byAddress;
      if (signal) this.window.put(signal);
      id = this.window.ofItem(item) ?? signal?.id ?? null;
    }
    for (let step = 0; id !== null && step < MAX_CHAIN; step++) {
      id = this.window.resolve(id);
      if (!index || this.window.has(id)) return id;
      const signal = await index.byId(id);
      if (!signal) return id;
      this.window.put(signal);
    }
    return id;
  }

  /**
   * Saves in the index what changed, and brings the window back to its capacity.
   * @param position reads how far the window is in the event store
   */
  save(position: () => Position): Promise<void> {
    this.#saving ??= this.#saveOnce(position).finally(() => {
      this.#saving = null;
    });
    return this.#saving;
  }

  async #saveOnce(position: () => Position): Promise<void> {
    const index = this.#index;
    if (!index) return this.window.shrink(Number.POSITIVE_INFINITY);
    if (position() <= this.#saved) return;
    while (this.#waiting.size > 0) await this.#settle();
    const changed = this.window.changedAfter(Number(this.#saved));
    this.#saved = await index.save(changed, position());
    this.window.saved(changed);
    this.window.shrink(Number(this.#saved));
  }
}
