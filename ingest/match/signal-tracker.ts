/**
 * What the matcher knows of all signals: the window with its index, and the states of the most used signals. It follows the
 * event store, and recognises in it the events that it wrote itself.
 */
import type { Logger } from 'pino';
import { logError } from '../../log/errors.ts';
import type { EventStore, ExpectedRevision, Position, StoredEvent } from '../../log/event-store.ts';
import { type KnownEvent, readEvent } from '../../schemas/events.ts';
import type { SignalId } from '../../schemas/scalar.ts';
import { SIGNAL_PREFIX, signalStream } from '../../schemas/signal.ts';
import type { Story } from '../../schemas/story.ts';
import type { SignalState } from '../../signal/signal.ts';
import { IndexedWindow } from './indexed-window.ts';
import type { NearSignal } from './match-story.ts';
import { type Features, featuresOf, noParents, type ParentOf } from './report-features.ts';
import type { SignalIndex } from './signal-index.ts';
import { SignalStates } from './signal-states.ts';
import { changesWindow, type SignalWindow, WINDOW_SIGNALS } from './signal-window.ts';

const PAGE = 2_000;
/** Signals above its capacity that the window may hold until the index has them. */
const ABOVE_CAPACITY = 5_000;

export interface TrackerOptions {
  /** Signals held in memory. */
  readonly capacity?: number | undefined;
  readonly parentOf?: ParentOf;
  /** The index of all signals. When unset, the store is read from its beginning and only the newest signals are known. */
  readonly index?: SignalIndex | undefined;
  /** The time of the service; that of the machine when unset. */
  readonly clock?: (() => Date) | undefined;
}

/** An event that is being appended, with the features of the story that caused it. */
interface UnansweredEvent {
  readonly event: KnownEvent;
  readonly features: Features | undefined;
}

/** Knows nothing yet when made; `catchUp` fills it. */
export class Tracker {
  readonly #store: EventStore;
  readonly #logger: Logger;
  readonly #parentOf: ParentOf;
  readonly #clock: () => Date;
  readonly #capacity: number;
  readonly #signals: IndexedWindow;
  readonly #states: SignalStates;
  /**
   * Events of this tracker that the subscription has not delivered, by id; null for those whose append was answered, which are
   * in the window. It can deliver an event before the append is answered.
   */
  readonly #ownEvents = new Map<string, UnansweredEvent | null>();
  #position: Position = 0n;
  #isOpen = false;
  /** Events folded since the index was saved. */
  #folded = 0;

  constructor(store: EventStore, logger: Logger, options: TrackerOptions = {}) {
    const { capacity = WINDOW_SIGNALS, parentOf = noParents } = options;
    this.#store = store;
    this.#logger = logger;
    this.#parentOf = parentOf;
    this.#clock = options.clock ?? (() => new Date());
    this.#capacity = capacity;
    this.#signals = new IndexedWindow({ capacity, parentOf, index: options.index });
    this.#states = new SignalStates(store);
  }

  get window(): SignalWindow {
    return this.#signals.window;
  }

  /** The position of the window in the store; what this tracker appends is in the window at once. */
  get position(): Position {
    return this.#position;
  }

  /** True when the window is so far above its capacity that callers should wait for `save`. */
  get isFull(): boolean {
    return this.window.size > this.#capacity + ABOVE_CAPACITY;
  }

  /** The time of the service, RFC 3339: what is decided now is dated by it. */
  now(): string {
    return this.#clock().toISOString();
  }

  /** The features of a story as the window computes them. */
  features({ item, understanding, vector }: Story): Features {
    return featuresOf({ ...item, vector }, understanding, this.#parentOf);
  }

  /** Signals of any age that may be the same event, at most two dozen, the most likely first. */
  near(features: Features): Promise<NearSignal[]> {
    return this.#signals.near(features);
  }

  /** The signal that holds this item already, by source and key, else by address; what it was merged into. */
  ofItem(item: Story['item']): Promise<SignalId | null> {
    return this.#signals.ofItem(item);
  }

  /**
   * Saves in the index what changed, and brings the window back to its capacity.
   */
  async save(): Promise<void> {
    await this.#signals.save(() => this.#position);
    this.#folded = 0;
  }

  /** Reads on to the end of the store; the first time from where the index ends. */
  async catchUp(): Promise<void> {
    if (!this.#isOpen) this.#position = await this.#signals.open(() => this.#store.head());
    this.#isOpen = true;
    for (;;) {
      const page = await this.#store.readAll({ after: this.#position, prefixes: [SIGNAL_PREFIX], limit: PAGE });
      const isAtEnd = page.position === this.#position;
      this.take(page.events, page.position);
      if (!this.#signals.hasIndex || this.#folded > ABOVE_CAPACITY) await this.save();
      if (isAtEnd) return;
    }
  }

  /** Takes in one page of events, up to a position. */
  take(events: readonly StoredEvent[], upTo: Position): void {
    for (const event of events) if (event.position > this.#position) this.#takeOne(event);
    if (upTo > this.#position) this.#position = upTo;
  }

  #takeOne(stored: StoredEvent): void {
    const own = this.#ownEvents.get(stored.id);
    if (own !== undefined) {
      this.#ownEvents.delete(stored.id);
      if (own) this.#fold(own.event, stored.position, own.features);
      return;
    }
    this.#states.appendedByOther(stored);
    const event = changesWindow(stored) ? this.#readable(stored) : null;
    if (event) this.#fold(event, stored.position);
  }

  #fold(event: KnownEvent, position: Position, storyFeatures?: Features): void {
    this.#signals.fold(event, position, storyFeatures);
    this.#folded += 1;
  }

  #readable(stored: StoredEvent): KnownEvent | null {
    try {
      return readEvent(stored);
    } catch (error) {
      logError(this.#logger, error, { event: stored.id, stream: stored.stream }, 'an event of a signal cannot be read');
      return null;
    }
  }

  /** The state of a signal, null when it has no stream. `fresh` reads the stream again. */
  state(id: SignalId, fresh = false): Promise<SignalState | null> {
    return this.#states.read(id, fresh);
  }

  /**
   * Appends to a signal's stream and takes the events in at once.
   * @param features those of the story that caused them
   * @throws RevisionConflict when another writer was first
   */
  async append(
    id: SignalId,
    events: readonly KnownEvent[],
    expected: ExpectedRevision,
    features?: Features,
  ): Promise<void> {
    if (events.length === 0) return;
    for (const event of events) this.#ownEvents.set(event.id, { event, features });
    try {
      const { position, revision } = await this.#store.append(signalStream(id), events, expected);
      for (const event of events) this.#takeAppended(event, position);
      this.#states.appended(id, events, expected, revision);
    } catch (error) {
      for (const event of events) this.#ownEvents.delete(event.id);
      throw error;
    }
  }

  /** Takes in an own event of an append that was answered, unless the subscription was faster. */
  #takeAppended(event: KnownEvent, position: Position): void {
    const own = this.#ownEvents.get(event.id);
    if (!own) return;
    this.#fold(event, position, own.features);
    // A repeated append is answered with the stored position: what the subscription delivered already will not come again.
    if (position <= this.#position) this.#ownEvents.delete(event.id);
    else this.#ownEvents.set(event.id, null);
  }
}
