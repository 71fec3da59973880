/**
 * Replays the stored items through the present understanding, and writes only what that changes in signals. Moves that no
 * signal has are published to the topic `stories`: the owner of the match is the only process that detects signals from
 * them. The items that the topic still contains take about 1 KB of memory for each move.
 */
import type { Logger } from 'pino';
import type { ItemText } from '../facts/text/item-reading.ts';
import { changeStream } from '../log/command-handler.ts';
import { kindOf, logError } from '../log/errors.ts';
import type { EventStore, Position } from '../log/event-store.ts';
import { readTopic, type Topic } from '../log/topic.ts';
import { type Event, type KnownEvent, readEvent, UnreadableEvent } from '../schemas/events.ts';
import { eventId, type SignalId } from '../schemas/scalar.ts';
import { itemName, type ReportRef, SIGNAL_PREFIX, signalStream } from '../schemas/signal.ts';
import type { Understanding } from '../schemas/story.ts';
import { decideReplay, type Run, type Version } from '../signal/replay-decisions.ts';
import type { StoryEvent } from '../signal/report-decisions.ts';
import { dryStore, observedStore } from './stream-items.ts';
import { createStory, keyOf, type Understander } from './understand/understander.ts';

/** Stories are kept as text, which takes a fraction of the room, and which is compared as it would be stored. */
interface Kept extends Omit<Version, 'story'> {
  readonly story: string | null;
}

class StoredItems {
  readonly #items = new Map<string, Kept[]>();
  readonly #understander: Understander;
  /** Items that no schema takes. */
  unreadable = 0;

  constructor(understander: Understander) {
    this.#understander = understander;
  }

  /**
   * Understands events of the topic; other events and those of oracle sources are skipped. An event may be delivered twice.
   * @param isWanted unset for all items
   */
  async take(events: readonly Event[], isWanted: (item: ReportRef) => boolean = () => true): Promise<void> {
    for (const event of events) {
      try {
        await this.#add(event, isWanted);
      } catch {
        // Counted: the report of the replay shows the number.
        this.unreadable += 1;
      }
    }
  }

  async #add(event: Event, isWanted: (item: ReportRef) => boolean): Promise<void> {
    const item = readEvent(event);
    if (item.type !== 'ItemFound' || item.data.role === 'oracle' || !isWanted(item.data)) return;
    const versions = this.#items.get(itemName(item.data)) ?? [];
    if (versions.some(({ item_event }) => item_event === item.id)) return;
    const story = await createStory(item, this.#understander);
    const { id: item_event, time } = item;
    const { fingerprint } = item.data;
    versions.push({ item_event, time, fingerprint, story: story ? JSON.stringify(story.event) : null });
    versions.sort((a, b) => Date.parse(a.time) - Date.parse(b.time));
    this.#items.set(itemName(item.data), versions);
  }

  get size(): number {
    return this.#items.size;
  }

  has(item: ReportRef): boolean {
    return this.#items.has(itemName(item));
  }

  /** The wordings of an item, oldest first; none for one that the topic holds no longer. */
  versions(item: ReportRef): readonly Version[] {
    return (this.#items.get(itemName(item)) ?? []).map(opened);
  }

  /** The newest wording of every item that is a move, one after the other. */
  *stories(): Generator<StoryEvent> {
    for (const versions of this.#items.values()) {
      const newest = versions.at(-1);
      const story = newest ? opened(newest).story : null;
      if (story) yield story;
    }
  }
}

const opened = (kept: Kept): Version => {
  const story = kept.story === null ? null : readEvent(JSON.parse(kept.story) as Event);
  return { ...kept, story: story?.type === 'StoryUnderstood' ? story : null };
};

const PAGE = 5_000;

interface KnownSignals {
  /** Ids of the signals that hold at least one item that is asked about, in the order of their detection. */
  readonly ids: ReadonlySet<SignalId>;
  /** True for an item that some signal contains as a report. */
  holds(item: ReportRef): boolean;
  /** Names of all items that these signals contain, and those that were merged into them. */
  itemsOf(ids: ReadonlySet<SignalId>): Set<string>;
}

/** What a change of the catalogue can alter. */
export interface Affected {
  /** Whether a text contains an affected name. */
  item(text: Pick<ItemText, 'title' | 'summary'>): boolean;
  /** Whether a signal says what is affected, whatever its texts contain. */
  understanding(text: Pick<Understanding, 'brands' | 'theme'>): boolean;
}

/**
 * Reads the signals of the store from end to end.
 * @param concerns which items are asked about
 */
async function knownSignals(
  store: EventStore,
  concerns: (item: ReportRef) => boolean,
  {
    signal,
    onProgress,
    affected,
  }: {
    signal: AbortSignal;
    onProgress: (done: number, total: number) => void;
    affected?: Affected | undefined;
  },
): Promise<KnownSignals> {
  const ids = new Set<SignalId>();
  const held = new Set<string>();
  const items = new Map<SignalId, string[]>();
  const merged = new Map<SignalId, SignalId>();
  const head = await store.head();
  let position: Position = 0n;
  while (position < head) {
    signal.throwIfAborted();
    const page = await store.readAll({ after: position, prefixes: [SIGNAL_PREFIX], limit: PAGE });
    for (const stored of page.events) {
      const event = readOr(stored);
      if (affected && event && sayings(event).some((text) => affected.understanding(text))) ids.add(signalIn(event));
      if (affected && event?.type === 'SignalMerged') merged.set(event.data.signal_id, event.data.into);
      if (event?.type !== 'SignalDetected' && event?.type !== 'SignalReported') continue;
      const { report, signal_id } = event.data;
      held.add(itemName(report));
      if (affected) items.set(signal_id, [...(items.get(signal_id) ?? []), itemName(report)]);
      if (concerns(report)) ids.add(signal_id);
    }
    if (page.position === position) break;
    position = page.position;
    onProgress(Number(position), Number(head));
  }
  // The text of a merged signal may be that of the one that it was merged into.
  for (const [from, into] of merged) if (ids.has(from)) ids.add(into);
  return {
    ids,
    holds: (item) => held.has(itemName(item)),
    itemsOf: (wanted) =>
      new Set(
        [...items].flatMap(([id, names]) => {
          const into = merged.get(id);
          return wanted.has(id) || (into && wanted.has(into)) ? names : [];
        }),
      ),
  };
}

/** What an event says that a signal is. */
function sayings(event: KnownEvent): readonly Understanding[] {
  if (event.type === 'SignalDetected') return [event.data.understanding];
  return event.type === 'SignalRevised' || event.type === 'SignalCorrected' ? [event.data.after] : [];
}

const signalIn = ({ data }: KnownEvent): SignalId => (data as { readonly signal_id: SignalId }).signal_id;

function readOr(stored: Parameters<typeof readEvent>[0]) {
  try {
    return readEvent(stored);
  } catch (error) {
    if (error instanceof UnreadableEvent) return null;
    throw error;
  }
}

export interface ItemReplay {
  readonly items: Topic;
  /** The topic that the matcher handles. */
  readonly stories: Topic;
  readonly store: EventStore;
  readonly understander: Understander;
  readonly logger: Logger;
  /** What this replay is called: a UUID that no other has. */
  readonly id: string;
  /** The time of the service, by which what is decided is dated. */
  readonly clock: () => Date;
  /** True counts what would be written and writes nothing. */
  readonly dry: boolean;
  /** Only what this can alter is understood again; unset, all stored items are. */
  readonly affected?: Affected;
  /**
   * Waits until the running matcher has handled what the topic contains now: a story by former rules that came later would
   * take back what is decided here. Unset where none may be running.
   */
  readonly untilMatched?: () => Promise<void>;
  readonly onProgress: (
    phase: 'search' | 'items' | 'history' | 'signals' | 'stories',
    done: number,
    total: number,
  ) => void;
  /** Aborting ends it after the current signal; what was written stays, and the next run continues with the rest. */
  readonly signal: AbortSignal;
}

export interface ItemReplayed {
  /** Items that the topic holds, those among them that no schema takes, and signals that hold any of them. */
  readonly items: number;
  readonly unreadable: number;
  readonly signals: number;
  /** Items that are moves now and were held by no signal: stories that were queued, or with `dry` would be. */
  readonly stories: number;
  /** Stories and signals that were skipped; the log says why. */
  readonly passed_over: number;
  /** Events appended, or with `dry` to be appended, by type. */
  readonly appended: Readonly<Record<string, number>>;
}

/** @throws the signal's reason when it aborts */
export async function replayItems(options: ItemReplay): Promise<ItemReplayed> {
  const { items, understander, signal, onProgress, dry, id } = options;
  const appended: Record<string, number> = {};
  const count = ({ type }: Event): void => {
    if (type.startsWith('Signal')) appended[type] = (appended[type] ?? 0) + 1;
  };
  const store = observedStore(dry ? dryStore(options.store) : options.store, count);
  const { affected } = options;
  const stored = new StoredItems(understander);
  async function readItems(phase: 'search' | 'items', take: (events: readonly Event[]) => void | Promise<void>) {
    await readTopic(items, {
      group: `replay-${phase}-${id}`,
      take,
      signal,
      onProgress: (done, total) => onProgress(phase, done, total),
    });
  }
  const history = (concerns: (item: ReportRef) => boolean): Promise<KnownSignals> =>
    knownSignals(store, concerns, {
      signal,
      affected,
      onProgress: (done, total) => onProgress('history', done, total),
    });
  let signals: KnownSignals;
  if (affected) {
    const names = new Set<string>();
    await readItems('search', (events) => findAffected(events, affected, names));
    await options.untilMatched?.();
    signals = await history((item) => names.has(itemName(item)));
    // A text may be that of any report of a signal, and is only known by all of them.
    const wanted = names.union(signals.itemsOf(signals.ids));
    await readItems('items', (events) => stored.take(events, (item) => wanted.has(itemName(item))));
  } else {
    await readItems('items', (events) => stored.take(events));
    signals = await history((item) => stored.has(item));
  }
  const passed_over = await decideSignals({ ...options, store }, stored, signals.ids);
  const stories = [...stored.stories()].filter((story) => !signals.holds(story.data.item)).sort(inOrderOfFinding);
  const refused = dry ? 0 : await publishStories(options, stories);
  return {
    items: stored.size,
    unreadable: stored.unreadable,
    signals: signals.ids.size,
    stories: stories.length - refused,
    passed_over: passed_over + refused,
    appended,
  };
}

/** Adds the names of the items whose texts are affected. */
function findAffected(events: readonly Event[], affected: Affected, names: Set<string>): void {
  for (const event of events) {
    const readable = readOr(event);
    if (readable?.type === 'ItemFound' && readable.data.role !== 'oracle' && affected.item(readable.data))
      names.add(itemName(readable.data));
  }
}

/** As they came in the first place, so that the first report of an event is the first again. */
const inOrderOfFinding = (a: StoryEvent, b: StoryEvent): number =>
  Date.parse(a.data.item.first_seen_at) - Date.parse(b.data.item.first_seen_at) ||
  Date.parse(a.time) - Date.parse(b.time) ||
  (a.id < b.id ? -1 : 1);

async function decideSignals(options: ItemReplay, stored: StoredItems, ids: ReadonlySet<SignalId>): Promise<number> {
  const { signal, onProgress, logger } = options;
  let [done, passed] = [0, 0];
  for (const id of ids) {
    signal.throwIfAborted();
    try {
      await decideOne(options, stored, id);
    } catch (error) {
      if (kindOf(error) === 'transient') throw error;
      passed += 1;
      logError(logger, error, { signal: id }, 'a signal was skipped');
    }
    done += 1;
    onProgress('signals', done, ids.size);
  }
  return passed;
}

/** Decides on the present stream, and again when the matcher or an operator wrote in between. */
async function decideOne({ store, clock, id: correlation_id }: ItemReplay, stored: StoredItems, id: SignalId) {
  const stream = signalStream(id);
  const run: Run = { time: clock().toISOString(), correlation_id };
  await changeStream(store, stream, (events) => ({
    events: decideReplay(
      events.map((event) => readEvent(event)),
      (item) => stored.versions(item),
      run,
    ),
  }));
}

/**
 * Each story gets an id of this run: one that the topic contains already was handled before the event store was restored to an
 * earlier point, or is a dead letter.
 * @returns how many stories the topic refuses
 */
async function publishStories(
  { stories: topic, id, logger, signal, onProgress }: ItemReplay,
  stories: readonly StoryEvent[],
): Promise<number> {
  let [done, refused] = [0, 0];
  for (const story of stories) {
    signal.throwIfAborted();
    try {
      const event = { ...story, id: eventId('story', story.id, id) };
      await topic.publish([{ key: keyOf(story.data), event }]);
    } catch (error) {
      if (kindOf(error) === 'transient') throw error;
      refused += 1;
      logError(logger, error, { event: story.id }, 'a story was skipped');
    }
    done += 1;
    onProgress('stories', done, stories.length);
  }
  return refused;
}
