/**
 * What the matcher knows of all signals: the window, the index, and the states of the most used signals. It follows the
 * event store. What the window lacks is in the index: a signal leaves the window only when the index has it as it is.
 * Signals of other matchers are read into the window when a story can be about their event (`foreign-signals.ts`). Of
 * several matchers one saves the index; it reads all signals.
 */
import type { Logger } from 'pino';
import { pause } from '../../log/backoff.ts';
import { logError } from '../../log/errors.ts';
import type { EventStore, ExpectedRevision, Position, StoredEvent } from '../../log/event-store.ts';
import { type KnownEvent, readEvent } from '../../schemas/events.ts';
import type { SignalId } from '../../schemas/scalar.ts';
import { itemName, SIGNAL_PREFIX, signalOfStream, signalStream } from '../../schemas/signal.ts';
import type { Story } from '../../schemas/story.ts';
import { evolveSignal, foldSignal, type SignalState } from '../../signal/signal.ts';
import { changesWindow, openForeignSignals } from './foreign-signals.ts';
import type { NearSignal } from './match-story.ts';
import { type Features, featuresOf, noParents, type ParentOf } from './report-features.ts';
import type { SavedSignal, SignalIndex } from './signal-index.ts';
import { type Hits, openWindow, type Probe, WINDOW_SIGNALS, type Window } from './signal-window.ts';

/** States held in memory; others are read from their streams again. */
const MAX_STATES = 4_000;
const PAGE = 2_000;
/** Signals above its capacity that the window may hold until the index has them. */
const ABOVE_CAPACITY = 5_000;
/** Signals read from the index by one statement at a start. */
const FILL = 2_000;
const MAX_CHAIN = 32;
/** Signals of other matchers that are read together: a story waits for those that it needs only. */
const LOADED_AT_ONCE = 64;
/** Milliseconds without a save by another matcher after which one saves the index itself, from this to twice this. */
const TAKE_OVER = 3_000;

export interface Tracker {
  readonly window: Window;
  /** The time of the service, RFC 3339: what is decided now is dated by it. */
  now(): string;
  /** The features of a story as the window computes them. */
  features(story: Story): Features;
  /** Signals of any age that may be the same event, at most two dozen, the most likely first. */
  near(features: Features): Promise<NearSignal[]>;
  /** The signal that holds this item already, by source and key, else by address; what it was merged into. */
  ofItem(item: Story['item']): Promise<SignalId | null>;
  /**
   * Reads the signals of other matchers that may be the same event: `window.near` finds them from then on.
   * @param since only those with events after this position
   */
  meet(features: Features, since?: Position | null): Promise<void>;
  /** Reads a signal into the window, if another matcher wrote it and it was not read yet. */
  load(id: SignalId): Promise<void>;
  /**
   * Saves in the index what changed, and brings the window back to its capacity.
   * @throws IndexOfNewerRelease
   */
  save(): Promise<void>;
  /** True when the window is so far above its capacity that callers should wait for `save`. */
  readonly isFull: boolean;
  /** Reads on to the end of the store. */
  catchUp(): Promise<void>;
  /** Handles one page of live events. @returns whether others wrote some that change the window */
  take(events: readonly StoredEvent[], position: Position): boolean;
  /** The position of the window in the store; what this matcher writes is in the window at once. */
  readonly position: Position;
  /** Position of the last event of another writer that the window has; those that were not read do not count. */
  readonly others: Position;
  /**
   * Resolves when the window has reached a position.
   * @throws the signal's reason when it aborts before that
   */
  reached(position: Position, signal: AbortSignal): Promise<void>;
  /** The state of a signal, null when it has no stream. `fresh` reads the stream again. */
  state(id: SignalId, fresh?: boolean): Promise<SignalState | null>;
  /** The first event of a signal's stream, null when there is none. */
  detection(id: SignalId): Promise<KnownEvent | null>;
  /**
   * Appends to a signal's stream and takes the events in at once.
   * @param storyFeatures the features of the story that caused them
   * @returns the position of the last of them, null where there was none to append
   * @throws RevisionConflict when another matcher wrote first
   */
  append(
    id: SignalId,
    events: readonly KnownEvent[],
    expected: ExpectedRevision,
    storyFeatures?: Features,
  ): Promise<Position | null>;
}

export interface TrackerOptions {
  /** Signals held in memory. */
  readonly capacity?: number;
  readonly parentOf?: ParentOf;
  /** The index of all signals. When unset, the store is read from its beginning and only the newest signals are known. */
  readonly index?: SignalIndex | undefined;
  /** The time of the service; that of the machine when unset. */
  readonly clock?: (() => Date) | undefined;
  /** True reads the index and never writes it, as for a trial run. */
  readonly readOnly?: boolean;
  /**
   * True for one of several matchers: what others write after the first `catchUp` is read when a story needs it, and the
   * index is saved by one of them.
   */
  readonly shared?: boolean;
}

interface WaitingEvent {
  readonly event: KnownEvent;
  readonly position: Position;
  readonly storyFeatures: Features | undefined;
}

/** Makes a tracker that knows nothing yet; `catchUp` fills it. */
export function openTracker(
  store: EventStore,
  logger: Logger,
  {
    capacity = WINDOW_SIGNALS,
    parentOf = noParents,
    readOnly = false,
    shared = false,
    ...options
  }: TrackerOptions = {},
): Tracker {
  /** Unset also for one that may only be read, and that another release made. */
  let { index } = options;
  const clock = options.clock ?? (() => new Date());
  const window = openWindow(capacity, parentOf);
  const states = new Map<string, SignalState>();
  /** Ids of events that this matcher wrote and will meet again: they are in the window. */
  const own = new Set<string>();
  /** Ids of events that are being written, with those that the subscription delivered before the append was answered. */
  const underWay = new Map<string, StoredEvent | null>();
  const waiting = new Map<() => void, Position>();
  let position: Position = 0n;
  let others: Position = 0n;
  /** Events of signals that have to be read first, from the index or their streams, by signal. */
  const unfolded = new Map<SignalId, WaitingEvent[]>();
  const loading = new Map<SignalId, Promise<void>>();
  const foreign = openForeignSignals(parentOf);
  /** Up to here the index is complete, as far as this tracker knows. */
  let saved: Position = 0n;
  let saving: Promise<void> | null = null;
  /** False until the window was filled. */
  let filled = false;
  /** False until the first `catchUp` ended. */
  let level = false;
  /** True while this tracker saves the index. */
  let saves = !shared;
  /** When another one was found to have saved it, or this one was made. */
  let savedByOther = performance.now();
  /** Milliseconds that it waits from then on; random, so that one of several is the first. */
  let patience = TAKE_OVER * Math.random();

  /** Events folded since the index was saved. */
  let folded = 0;

  /** A repeated append gives an old event: the index knows what happened to its signal since. */
  const isOld = (id: SignalId, at: Position): boolean => index !== undefined && at <= saved && !window.has(id);

  /** Folds an event into the window, now or when its signal is read from the index. */
  function intoWindow(event: KnownEvent, at: Position, storyFeatures?: Features): void {
    const id = (event.data as { signal_id: SignalId }).signal_id;
    const waits = unfolded.get(id);
    if (waits) waits.push({ event, position: at, storyFeatures });
    else if (foreign.has(id)) unfolded.set(id, [{ event, position: at, storyFeatures }]);
    else if ((isOld(id, at) || !window.fold(event, at, storyFeatures)) && index && window.missingUpTo >= 0)
      unfolded.set(id, [{ event, position: at, storyFeatures }]);
    folded += 1;
  }

  async function read(id: SignalId): Promise<void> {
    const stored = foreign.has(id) ? (foreign.eventsOf(id) ?? (await store.read(signalStream(id)))) : [];
    const found = foreign.has(id) ? null : await index?.byId(id);
    const events = unfolded.get(id) ?? [];
    unfolded.delete(id);
    foreign.remove(id);
    if (found && events.length > 0) window.put(found);
    for (const one of stored) {
      const event = changesWindow(one) ? known(one) : null;
      if (!event) continue;
      window.fold(event, one.position);
      if (one.position > others) others = one.position;
    }
    for (const { event, position: at, storyFeatures } of events) window.fold(event, at, storyFeatures);
  }

  function readOnce(id: SignalId): Promise<void> {
    const begun = loading.get(id) ?? read(id).finally(() => loading.delete(id));
    loading.set(id, begun);
    return begun;
  }

  /** Signals of events that the window lacks. Those that only a caller of `load` waits for are not among them. */
  const lacking = (): SignalId[] =>
    [...unfolded].flatMap(([id, events]) => (events.length > 0 || !foreign.has(id) ? id : []));

  /** Reads the signals of events that the window lacked. */
  async function settle(): Promise<void> {
    for (let ids = lacking(); ids.length > 0; ids = lacking()) await Promise.all(ids.map(readOnce));
  }

  /** Reads signals of other matchers. */
  async function load(ids: readonly SignalId[]): Promise<void> {
    for (let from = 0; from < ids.length; from += LOADED_AT_ONCE) {
      const some = ids.slice(from, from + LOADED_AT_ONCE).filter((id) => foreign.has(id));
      for (const id of some) if (!unfolded.has(id)) unfolded.set(id, []);
      await Promise.all(some.map(readOnce));
    }
    await settle();
  }

  const meet = (features: Features, since: Position | null = null): Promise<void> =>
    load(foreign.likely(features, since === null ? -1 : Number(since)));

  /** Keeps a signal of the index for being compared with; one that another matcher changed since is read instead. */
  async function keepSaved(found: SavedSignal): Promise<void> {
    if (foreign.has(found.id)) await load([found.id]);
    else window.keep(found);
  }

  async function near(features: Features): Promise<NearSignal[]> {
    for (const known = index; ; ) {
      await meet(features);
      const probes = window.probes(features);
      if (!known || probes.length === 0) return window.near(features);
      const { missingUpTo } = window;
      const ask = async (probe: Probe) => [probe, await known.byKey(probe.key, probe.limit, probe.notAbove)] as const;
      const hits: Hits = new Map(await Promise.all(probes.map(ask)));
      const found = window.candidates(features, hits);
      const absent = await Promise.all(
        found.filter((order) => !window.at(order)).map((order) => known.byPosition(order)),
      );
      for (const one of absent) if (one) await keepSaved(one);
      // A signal that was removed in the meantime is neither in the window nor in the answers; a merged one leaves room for others.
      const asked = new Set(probes.map(({ key }) => key));
      if (window.missingUpTo !== missingUpTo || lacking().length > 0) continue;
      if (window.probes(features).some(({ key }) => !asked.has(key))) continue;
      return found.flatMap((order) => window.at(order) ?? []).filter(({ id }) => !window.isMerged(id));
    }
  }

  async function ofItem(item: Story['item']): Promise<SignalId | null> {
    await settle();
    // Read first: a signal of the window can have its address only, and one of another matcher its key.
    await load(foreign.ofItem(item));
    let id = window.ofItem(item);
    if (id === null && index && window.missingUpTo >= 0) {
      const [byKey, byAddress] = await Promise.all([index.byName(itemName(item)), index.byName(item.url)]);
      const found: SavedSignal | null = byKey ?? byAddress;
      if (found) await keepSaved(found);
      id = window.ofItem(item) ?? found?.id ?? null;
    }
    for (let step = 0; id !== null && step < MAX_CHAIN; step++) {
      await load([id]);
      id = window.resolve(id);
      if (foreign.has(id)) continue;
      if (!index || window.has(id)) return id;
      const found = await index.byId(id);
      if (!found) return id;
      await keepSaved(found);
    }
    return id;
  }

  /** Resolves when everything up to `position` is in the window; false when that took too many turns. */
  async function isLevel(): Promise<boolean> {
    for (let turn = 0; turn < 100; turn++) {
      await settle();
      // An event that the subscription delivered before its append was answered is not folded yet.
      const met = [...underWay.values()].some((stored) => stored !== null);
      if (!met && unfolded.size === 0) return true;
      await pause(1);
    }
    return false;
  }

  /** Brings the window back to its capacity; what the index lacks remains. */
  function shrink(upTo: number): void {
    window.shrink(upTo);
    const removed = foreign.shrink(capacity, upTo);
    if (removed >= 0) window.missing(removed);
  }

  /**
   * Whether this tracker saves the index: it does from when nobody else did for a while until another one does. Several
   * that save at the same time do no harm, since the index moves forward only.
   */
  async function isSaver(from: SignalIndex): Promise<boolean> {
    if (!shared) return true;
    const at = await from.peek();
    if (at !== null && at > saved) {
      saved = at;
      saves = false;
      savedByOther = performance.now();
      patience = TAKE_OVER * (1 + Math.random());
    } else if (performance.now() - savedByOther > patience) saves = true;
    return saves;
  }

  async function saveOnce(): Promise<void> {
    if (!index) return shrink(Number.POSITIVE_INFINITY);
    if (readOnly || position <= saved) return;
    if (!(await isSaver(index))) return shrink(Number(saved));
    await load(foreign.changedAfter(Number(saved)));
    if (!(await isLevel())) return;
    const changed = window.changedAfter(Number(saved));
    saved = await index.save(changed, position);
    window.saved(changed);
    folded = 0;
    shrink(Number(saved));
  }

  function save(): Promise<void> {
    saving ??= saveOnce().finally(() => {
      saving = null;
    });
    return saving;
  }

  /** Fills the window from the index with the newest signals. */
  async function fill(): Promise<void> {
    if (!index) return;
    const complete = readOnly ? await index.peek() : await index.open(() => store.head());
    if (complete === null) {
      index = undefined;
      return;
    }
    position = saved = complete;
    const newest: SavedSignal[] = [];
    while (newest.length < capacity) {
      const limit = Math.min(FILL, capacity - newest.length);
      const page = await index.newest(limit, newest.at(-1)?.position);
      newest.push(...page);
      if (page.length < limit) break;
    }
    const oldest = newest.at(-1);
    if (oldest && newest.length >= capacity) window.missing(oldest.position - 1);
    for (const one of newest.reverse()) window.put(one);
  }

  function known(stored: StoredEvent): KnownEvent | null {
    try {
      return readEvent(stored);
    } catch (error) {
      logError(logger, error, { event: stored.id, stream: stored.stream }, 'an event of a signal cannot be read');
      return null;
    }
  }

  /** @returns whether another writer's event changes the window, now or when its signal is read */
  function fold(stored: StoredEvent): boolean {
    if (own.delete(stored.id)) return false;
    if (underWay.has(stored.id)) {
      underWay.set(stored.id, stored);
      return false;
    }
    const cached = states.get(stored.stream);
    if (cached && cached.revision < stored.revision) states.delete(stored.stream);
    if (!changesWindow(stored)) return false;
    const id = signalOfStream(stored.stream);
    if (level && shared && !saves && !window.has(id) && !unfolded.has(id) && foreign.take(stored)) return true;
    if (stored.position > others) others = stored.position;
    const event = known(stored);
    if (event) intoWindow(event, stored.position);
    return true;
  }

  function keep(stream: string, state: SignalState): void {
    states.delete(stream);
    states.set(stream, state);
    if (states.size > MAX_STATES) for (const oldest of states.keys()) return void states.delete(oldest);
  }

  function take(events: readonly StoredEvent[], upTo: Position): boolean {
    let hasOthers = false;
    for (const event of events) if (event.position > position && fold(event)) hasOthers = true;
    if (upTo > position) position = upTo;
    for (const [resume, wanted] of [...waiting]) if (wanted <= position) resume();
    return hasOthers;
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

  /** Appends. The subscription also delivers these events, before the answer or later: they are recognised as its own. */
  async function write(stream: string, events: readonly KnownEvent[], expected: ExpectedRevision) {
    for (const { id } of events) underWay.set(id, null);
    let stored = false;
    try {
      const done = await store.append(stream, events, expected);
      // A repeated append answers with the stored position: what the subscription delivered already will not come again.
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
    near,
    ofItem,
    meet,
    load: (id) => load([id]),
    save,
    get isFull() {
      return window.size > capacity + ABOVE_CAPACITY;
    },
    now: () => clock().toISOString(),
    features: ({ item, understanding, vector }) => featuresOf({ ...item, vector }, understanding, parentOf),
    take,
    reached,
    get position() {
      return position;
    },
    get others() {
      return others;
    },
    async catchUp() {
      if (!filled) await fill();
      filled = true;
      for (;;) {
        const page = await store.readAll({ after: position, prefixes: [SIGNAL_PREFIX], limit: PAGE });
        const still = page.position === position;
        take(page.events, page.position);
        if (!index || folded > ABOVE_CAPACITY) await save();
        if (!still) continue;
        level = true;
        return;
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
    async append(id, events, expected, storyFeatures) {
      if (events.length === 0) return null;
      const stream = signalStream(id);
      const before = expected === 'none' ? null : (states.get(stream) ?? null);
      const done = await write(stream, events, expected);
      for (const event of events) intoWindow(event, done.position, storyFeatures);
      if (expected !== 'none' && !before) return done.position;
      const after = events.reduce<SignalState | null>(evolveSignal, before);
      if (after && after.revision === done.revision) keep(stream, after);
      else states.delete(stream);
      return done.position;
    },
  };
}
