/** What the matcher knows of all signals: the window and the states of the busiest, kept level with the store. */
import type { Logger } from 'pino';
import type { EventStore, ExpectedRevision, Position, StoredEvent } from '../../log/event-store.ts';
import { type KnownEvent, readEvent } from '../../schemas/events.ts';
import { SIGNAL_PREFIX, signalStream } from '../../schemas/signal.ts';
import type { Story } from '../../schemas/story.ts';
import { type Features, featuresOf } from './features.ts';
import { noParents, type ParentOf } from './parents.ts';
import { recentSignals } from './recent.ts';
import { evolveSignal, foldSignal, type SignalState } from './state.ts';
import { openWindow, WINDOW_SIGNALS, type Window } from './window.ts';

/** States held in memory; others are read from their streams again. */
const STATES = 4_000;
const PAGE = 2_000;

export interface Tracker {
  readonly window: Window;
  /** The features of a story as the window computes them. */
  features(story: Story): Features;
  /** Reads on to the end of the store. @returns signals that others detected since */
  catchUp(): Promise<string[]>;
  /** Takes in one live page. @returns signals that others detected in it */
  take(events: readonly StoredEvent[], position: Position): string[];
  /** Where the window stands in the store. */
  readonly position: Position;
  /** A signal as its stream tells it, null when there is none. `fresh` reads it anew. */
  state(id: string, fresh?: boolean): Promise<SignalState | null>;
  /** The first event of a signal's stream, null when there is none. */
  detection(id: string): Promise<KnownEvent | null>;
  /**
   * Appends to a signal's stream and takes the events in at once.
   * @throws RevisionConflict when another matcher wrote first
   */
  append(id: string, events: readonly KnownEvent[], expected: ExpectedRevision): Promise<void>;
}

/** Makes a tracker that knows nothing yet; `catchUp` fills it. */
export function openTracker(
  store: EventStore,
  logger: Logger,
  { capacity = WINDOW_SIGNALS, parentOf = noParents }: { capacity?: number; parentOf?: ParentOf } = {},
): Tracker {
  const window = openWindow(capacity, parentOf);
  const states = new Map<string, SignalState>();
  /** Signals that are being written by this matcher: they may come back before the answer does. */
  const own = new Set<string>();
  let position: Position = 0n;
  /** False until the window was filled: only what comes later is news from other matchers. */
  let filled = false;

  function known(stored: StoredEvent): KnownEvent | null {
    try {
      return readEvent(stored);
    } catch (error) {
      logger.warn({ event: stored.id, stream: stored.stream, error }, 'an event of a signal cannot be read');
      return null;
    }
  }

  function fold(stored: StoredEvent): string[] {
    const cached = states.get(stored.stream);
    if (cached && cached.revision < stored.revision) states.delete(stored.stream);
    const event = known(stored);
    if (!event) return [];
    const isNew =
      event.type === 'SignalDetected' && !window.has(event.data.signal_id) && !own.has(event.data.signal_id);
    window.fold(event, stored.position);
    return isNew && filled ? [event.data.signal_id] : [];
  }

  function keep(stream: string, state: SignalState): void {
    states.delete(stream);
    states.set(stream, state);
    if (states.size > STATES) for (const oldest of states.keys()) return void states.delete(oldest);
  }

  function take(events: readonly StoredEvent[], upTo: Position): string[] {
    const found = events.filter((event) => event.position > position).flatMap(fold);
    if (upTo > position) position = upTo;
    return found;
  }

  return {
    window,
    features: ({ item, understanding }) => featuresOf(item, understanding, parentOf),
    take,
    get position() {
      return position;
    },
    async catchUp() {
      if (!filled) {
        const recent = await recentSignals(store, capacity);
        for (const event of recent.events) fold(event);
        position = recent.position;
        filled = true;
        return [];
      }
      const found: string[] = [];
      for (;;) {
        const page = await store.readAll({ after: position, prefixes: [SIGNAL_PREFIX], limit: PAGE });
        const still = page.position === position;
        found.push(...take(page.events, page.position));
        if (still || page.events.length === 0) return found;
      }
    },
    async state(id, fresh = false) {
      const stream = signalStream(id);
      const cached = states.get(stream);
      if (cached && !fresh) return cached;
      const state = foldSignal((await store.read(stream)).map((event) => readEvent(event)));
      if (state) keep(stream, state);
      else states.delete(stream);
      return state;
    },
    async detection(id) {
      const [first] = await store.read(signalStream(id));
      return first ? known(first) : null;
    },
    async append(id, events, expected) {
      if (events.length === 0) return;
      const stream = signalStream(id);
      if (expected === 'none') own.add(id);
      const done = await store.append(stream, events, expected).finally(() => own.delete(id));
      for (const event of events) window.fold(event, done.position);
      const before = expected === 'none' ? null : (states.get(stream) ?? null);
      if (expected !== 'none' && !before) return;
      const after = events.reduce<SignalState | null>(evolveSignal, before);
      if (after && after.revision === done.revision) keep(stream, after);
      else states.delete(stream);
    },
  };
}
