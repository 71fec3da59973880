/** What the matcher knows of all signals: the window and the states of the busiest, kept level with the store. */
import type { Logger } from 'pino';
import { logError } from '../../log/errors.ts';
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
  /** Reads on to the end of the store. */
  catchUp(): Promise<void>;
  /** Takes in one live page. */
  take(events: readonly StoredEvent[], position: Position): void;
  /** Where the window stands in the store; what this matcher wrote itself stands in the window at once. */
  readonly position: Position;
  /** Position of the last event that somebody else wrote, as far as the window stands. */
  readonly others: Position;
  /**
   * Resolves when the window stands at a position or behind it.
   * @throws the signal's reason when it aborts before that
   */
  reached(position: Position, signal: AbortSignal): Promise<void>;
  /** A signal as its stream tells it, null when there is none. `fresh` reads it anew. */
  state(id: string, fresh?: boolean): Promise<SignalState | null>;
  /** The first event of a signal's stream, null when there is none. */
  detection(id: string): Promise<KnownEvent | null>;
  /**
   * Appends to a signal's stream and takes the events in at once.
   * @param told the features of the story that they came of
   * @returns the position of the last of them, null where there was none to append
   * @throws RevisionConflict when another matcher wrote first
   */
  append(
    id: string,
    events: readonly KnownEvent[],
    expected: ExpectedRevision,
    told?: Features,
  ): Promise<Position | null>;
}

/** Makes a tracker that knows nothing yet; `catchUp` fills it. */
export function openTracker(
  store: EventStore,
  logger: Logger,
  { capacity = WINDOW_SIGNALS, parentOf = noParents }: { capacity?: number; parentOf?: ParentOf } = {},
): Tracker {
  const window = openWindow(capacity, parentOf);
  const states = new Map<string, SignalState>();
  /** Ids of events that this matcher wrote and will meet again: they are in the window. */
  const own = new Set<string>();
  /** Ids of events that are being written, with those that were met before the answer came. */
  const underWay = new Map<string, StoredEvent | null>();
  const waiting = new Map<() => void, Position>();
  let position: Position = 0n;
  let others: Position = 0n;
  /** False until the window was filled. */
  let filled = false;

  function known(stored: StoredEvent): KnownEvent | null {
    try {
      return readEvent(stored);
    } catch (error) {
      logError(logger, error, { event: stored.id, stream: stored.stream }, 'an event of a signal cannot be read');
      return null;
    }
  }

  function fold(stored: StoredEvent): void {
    if (own.delete(stored.id)) return;
    if (underWay.has(stored.id)) return void underWay.set(stored.id, stored);
    const cached = states.get(stored.stream);
    if (cached && cached.revision < stored.revision) states.delete(stored.stream);
    if (stored.position > others) others = stored.position;
    const event = known(stored);
    if (event) window.fold(event, stored.position);
  }

  function keep(stream: string, state: SignalState): void {
    states.delete(stream);
    states.set(stream, state);
    if (states.size > STATES) for (const oldest of states.keys()) return void states.delete(oldest);
  }

  function take(events: readonly StoredEvent[], upTo: Position): void {
    for (const event of events) if (event.position > position) fold(event);
    if (upTo > position) position = upTo;
    for (const [resume, wanted] of [...waiting]) if (wanted <= position) resume();
  }

  const reached = (wanted: Position, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = (): void => {
        waiting.delete(end);
        signal.removeEventListener('abort', end);
        if (wanted <= position) resolve();
        else reject(signal.reason);
      };
      waiting.set(end, wanted);
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted || wanted <= position) end();
    });

  /** Appends; what is met of it, before its answer or later, is known to be this matcher's own. */
  async function write(stream: string, events: readonly KnownEvent[], expected: ExpectedRevision) {
    for (const { id } of events) underWay.set(id, null);
    let stored = false;
    try {
      const done = await store.append(stream, events, expected);
      // An append done twice answers with where it stands: what was met already will not be met again.
      for (const { id } of events) if (!underWay.get(id) && done.position > position) own.add(id);
      stored = true;
      return done;
    } finally {
      const met = events.flatMap(({ id }) => underWay.get(id) ?? []);
      for (const { id } of events) underWay.delete(id);
      if (!stored) for (const event of met) fold(event);
    }
  }

  return {
    window,
    features: ({ item, understanding }) => featuresOf(item, understanding, parentOf),
    take,
    reached,
    get position() {
      return position;
    },
    get others() {
      return others;
    },
    async catchUp() {
      if (!filled) {
        const recent = await recentSignals(store, capacity);
        for (const event of recent.events) fold(event);
        position = recent.position;
        filled = true;
        return;
      }
      for (;;) {
        const page = await store.readAll({ after: position, prefixes: [SIGNAL_PREFIX], limit: PAGE });
        const still = page.position === position;
        take(page.events, page.position);
        if (still || page.events.length === 0) return;
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
    async append(id, events, expected, told) {
      if (events.length === 0) return null;
      const stream = signalStream(id);
      const before = expected === 'none' ? null : (states.get(stream) ?? null);
      const done = await write(stream, events, expected);
      for (const event of events) window.fold(event, done.position, told);
      if (expected !== 'none' && !before) return done.position;
      const after = events.reduce<SignalState | null>(evolveSignal, before);
      if (after && after.revision === done.revision) keep(stream, after);
      else states.delete(stream);
      return done.position;
    },
  };
}
