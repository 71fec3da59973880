/**
 * The window: signals in memory, found by item, address, rare words, figures and brand. It is a fold of the `signal-`
 * events; folding an event twice changes nothing. It is a cache of the index of all signals (`signal-index.ts`): what it
 * lacks is searched for there; what it contains has priority, since it can be newer. The cost of a search does not grow with
 * its size.
 */
import type { KnownEvent } from '../../schemas/events.ts';
import type { ItemKey } from '../../schemas/poll.ts';
import type { BrandSlug, SignalId } from '../../schemas/scalar.ts';
import { itemName, type Report, type SignalStatus } from '../../schemas/signal.ts';
import type { SourceId } from '../../schemas/source.ts';
import { nextStatus, RESURFACED_DAYS } from '../../signal/signal-status.ts';
import { BUCKET_DAYS, beginCount, type Counted, farKeys, mix, nearKeys, postings } from './candidate-search.ts';
import type { NearSignal } from './match-story.ts';
import {
  type Features,
  familiesOf,
  featuresOf,
  noParents,
  type ParentOf,
  textFeaturesOf,
  understoodFeaturesOf,
  understoodIn,
} from './report-features.ts';
import type { SavedSignal, SignalToSave } from './signal-index.ts';

/** Signals kept in memory. */
export const WINDOW_SIGNALS = 60_000;
/** Reports stored per signal: the first ones are enough to recognise it. */
const MAX_REPORTS = 12;
const MAX_CANDIDATES = 24;
const MAX_PER_KEY = 24;
const MAX_PER_FAR_KEY = 8;
/** Signals of the index that are cached in addition: those that recent stories were compared with. */
const MAX_COMPARED = 5_000;
const DAY = 86_400_000;

interface Entry extends Counted {
  readonly id: SignalId;
  day: number;
  resurfaced: boolean;
  readonly reports: Features[];
  /** Slugs of its brands, as they were understood first. */
  readonly brands: readonly BrandSlug[];
  /** The items and addresses of its reports. */
  readonly names: string[];
  /** How many of the names the index has. */
  savedNames: number;
  mergedInto: SignalId | null;
  /** True when the index has keys of it that are none any more. */
  replacesKeys: boolean;
  /** Position of the last event that changed it. */
  changed: number;
  /** Position of the last report that another matcher wrote, -1 for none; positions of both stores fit a double. */
  reportedByOthers: number;
}

/** A search of the index: the newest signals of a key, none detected after a position. */
export interface Probe {
  readonly key: number;
  readonly limit: number;
  readonly notAbove: number;
}

/** Positions of the signals that a probe found, the newest first. */
export type Hits = ReadonlyMap<Probe, readonly number[]>;

export interface Window {
  /**
   * Takes in an event of a signal stream.
   * @param position its place among all events, from which the older signal is known
   * @param storyFeatures the features of its story, for an event that this matcher wrote
   * @returns false for an event of a signal that the window lacks: call `put` first
   */
  fold(event: KnownEvent, position: bigint, storyFeatures?: Features): boolean;
  /** Puts in a signal as it is in the index, unless the window holds it. */
  put(saved: SavedSignal): void;
  /** Keeps a signal as it is in the index for being compared with. It is put in when an event of it comes. */
  keep(saved: SavedSignal): void;
  /** The signal that holds this item already, by source and key, else by address, before it was merged into another. */
  ofItem(item: { source_id: SourceId; item_key: ItemKey; url: string }): SignalId | null;
  /**
   * Signals of the window that may be the same event, at most two dozen, the most likely first.
   * @param since only those that another matcher reported after this position
   */
  near(features: Features, since?: number): NearSignal[];
  /** The searches of the index that are needed in addition; none where the window contains all signals. */
  probes(features: Features): Probe[];
  /**
   * Positions of the likeliest signals of the window and of what the index answered to its probes: those that `near`
   * finds in a window that holds all signals.
   */
  candidates(features: Features, hits: Hits): number[];
  /** The signal that was detected at a position, null when it is not in memory. */
  at(position: number): NearSignal | null;
  /** True for a signal that was merged into another. */
  isMerged(id: SignalId): boolean;
  /** The older of two signals: by their days when they lie far apart, else by the order of their detection. */
  older(a: SignalId, b: SignalId): SignalId;
  /** What a signal was merged into, over several steps; itself when it was not. */
  resolve(id: SignalId): SignalId;
  has(id: SignalId): boolean;
  /** Ids of the signals that were detected or reported last, the newest last. */
  newest(limit: number): SignalId[];
  /** A signal by its id, null when the window does not hold it. */
  get(id: SignalId): NearSignal | null;
  /** The signals that changed after a position, to be saved in the index. */
  changedAfter(position: number): SignalToSave[];
  /** Says that the index has these signals now. */
  saved(signals: readonly SignalToSave[]): void;
  /**
   * Removes the least recently used signals, down to the capacity. Those that changed after a position remain, since what is
   * removed has to be in the index.
   */
  shrink(saved: number): void;
  /** Signals detected up to this position may be missing in the window; -1 when none is. */
  readonly missingUpTo: number;
  /** Says that the index has signals up to a position that are not in the window. */
  missing(upTo: number): void;
  readonly size: number;
  readonly capacity: number;
}

/** The status of a signal as far as matching needs it: whether it is held makes no difference. */
const statusOf = ({ mergedInto, resurfaced }: Pick<Entry, 'mergedInto' | 'resurfaced'>): SignalStatus =>
  mergedInto !== null ? 'merged' : resurfaced ? 'resurfaced' : 'public';

const bucketOf = (day: number): number => Math.floor(day / BUCKET_DAYS);

/** Keys under which a report is found, in the week in which it was first seen. */
const keysOf = (features: Features): { near: number[]; far: number[] } => ({
  near: nearKeys(features).map(({ id }) => mix(id, bucketOf(features.seen))),
  far: farKeys(features),
});

/** Near and far keys share one table of the index: the low bit separates them. */
const nearSlot = (key: number): number => key * 2;
const farSlot = (key: number): number => key * 2 + 1;

/** A search key, with the weight of each hit. */
interface Look {
  readonly key: number;
  readonly far: boolean;
  readonly weight: number;
  readonly limit: number;
}

function looksOf(features: Features): Look[] {
  const bucket = bucketOf(features.day);
  const looks: Look[] = [];
  for (const { id, weight } of nearKeys(features))
    for (const neighbour of [bucket, bucket - 1, bucket + 1])
      looks.push({ key: mix(id, neighbour), far: false, weight, limit: MAX_PER_KEY });
  for (const key of farKeys(features)) looks.push({ key, far: true, weight: 1, limit: MAX_PER_FAR_KEY });
  return looks;
}

/**
 * Makes an empty window.
 * @param capacity signals to which `shrink` brings it back
 */
export function openWindow(capacity: number = WINDOW_SIGNALS, parentOf: ParentOf = noParents): Window {
  /** Used most recently at the end. */
  const entries = new Map<SignalId, Entry>();
  const byOrder = new Map<number, Entry>();
  /** Kept as they are in the index, the oldest first; in no posting. */
  const compared = new Map<SignalId, Entry>();
  const comparedAt = new Map<number, Entry>();
  const names = new Map<string, SignalId>();
  const near = postings<Entry>();
  const far = postings<Entry>();
  let searches = 0;
  let missingUpTo = -1;

  const known = (id: SignalId): Entry | undefined => entries.get(id) ?? compared.get(id);

  const resolve = (id: SignalId): SignalId => {
    let last = id;
    for (let step = 0; step < 32; step++) {
      const next = known(last)?.mergedInto;
      if (next === undefined || next === null) break;
      last = next;
    }
    return last;
  };

  function post(entry: Entry, features: Features): void {
    const keys = keysOf(features);
    for (const key of keys.near) near.add(key, entry);
    for (const key of keys.far) far.add(key, entry);
  }

  /** A signal that was merged is found no more. */
  function unpost(entry: Entry): void {
    for (const features of entry.reports) {
      const keys = keysOf(features);
      for (const key of keys.near) near.remove(key, entry);
      for (const key of keys.far) far.remove(key, entry);
    }
  }

  function addReport(entry: Entry, features: Features): void {
    if (features.digest && entry.reports.length > 0) return;
    entry.reports.push(features);
    if (entry.mergedInto === null) post(entry, features);
  }

  function name(entry: Entry, report: Report): void {
    for (const known of [itemName(report), report.url]) {
      names.set(known, entry.id);
      if (!entry.names.includes(known)) entry.names.push(known);
    }
  }

  function add(entry: Entry): void {
    entries.set(entry.id, entry);
    byOrder.set(entry.order, entry);
  }

  function change(entry: Entry, position: bigint): void {
    if (Number(position) > entry.changed) entry.changed = Number(position);
    entries.delete(entry.id);
    entries.set(entry.id, entry);
  }

  function forget(entry: Entry): void {
    entries.delete(entry.id);
    byOrder.delete(entry.order);
    for (const known of entry.names) if (names.get(known) === entry.id) names.delete(known);
    unpost(entry);
    if (entry.order > missingUpTo) missingUpTo = entry.order;
  }

  function detected(data: KnownEvent<'SignalDetected'>['data'], position: bigint, storyFeatures?: Features): void {
    if (known(data.signal_id)) return;
    const entry: Entry = {
      id: data.signal_id,
      day: Date.parse(data.report.first_seen_at) / DAY,
      resurfaced: data.status === 'resurfaced',
      reports: [],
      brands: data.understanding.brands.map(({ slug }) => slug),
      names: [],
      savedNames: 0,
      replacesKeys: false,
      mergedInto: null,
      order: Number(position),
      changed: Number(position),
      reportedByOthers: storyFeatures ? -1 : Number(position),
      search: 0,
      weight: 0,
    };
    add(entry);
    name(entry, data.report);
    addReport(entry, storyFeatures ?? featuresOf(data.report, data.understanding, parentOf));
  }

  /** The features of a stored report. Version 1.0 stored none of what was understood: there it is that of the signal. */
  function featuresIn({ report, facts }: KnownEvent<'SignalReported'>['data'], entry: Entry): Features {
    if (!report.understood)
      return { ...textFeaturesOf(report), ...understoodIn(entry.reports[0] ?? understoodFeaturesOf(null)) };
    const { people = [], openings = [], deal = null, result = null } = facts ?? {};
    return featuresOf(report, { ...report.understood, people, openings, deal, result }, parentOf);
  }

  function reported(
    entry: Entry,
    data: KnownEvent<'SignalReported'>['data'],
    position: bigint,
    storyFeatures?: Features,
  ): void {
    const { report, resurfaced } = data;
    change(entry, position);
    if (entry.names.includes(itemName(report))) return;
    name(entry, report);
    if (!storyFeatures) entry.reportedByOthers = Number(position);
    if (resurfaced && !entry.resurfaced) return;
    entry.day = Math.min(entry.day, Date.parse(report.first_seen_at) / DAY);
    if (entry.reports.length < MAX_REPORTS) addReport(entry, storyFeatures ?? featuresIn(data, entry));
  }

  /** The features of one of its reports, whose wording may be another by now: those of the same item share much of the headline. */
  function placeOfReport({ reports }: Entry, report: Report): number {
    const { outlet, seen, title } = textFeaturesOf(report);
    const likeness = (one: Features): number =>
      one.outlet === outlet && one.seen === seen ? one.title.ids.filter((id) => title.ids.includes(id)).length : 0;
    const most = Math.max(0, ...reports.map(likeness));
    return most === 0 ? -1 : reports.findIndex((one) => likeness(one) === most);
  }

  /** A report that was split off is a report of another event: its words find this one no more. */
  function splitOff(entry: Entry, report: Report, position: bigint): void {
    const item = itemName(report);
    if (!entry.names.includes(item)) return;
    change(entry, position);
    for (const gone of [item, report.url]) {
      const place = entry.names.indexOf(gone);
      // An address can be that of a further report; what another signal has by now is not of this one.
      if (place < 0 || (gone !== item && names.get(gone) === entry.id)) continue;
      entry.names.splice(place, 1);
      if (place < entry.savedNames) entry.savedNames -= 1;
      if (names.get(gone) === entry.id) names.delete(gone);
    }
    const place = placeOfReport(entry, report);
    if (place < 0) return;
    unpost(entry);
    entry.reports.splice(place, 1);
    entry.replacesKeys = true;
    if (entry.reports.length > 0) entry.day = Math.min(...entry.reports.map(({ seen }) => seen));
    if (entry.mergedInto === null) for (const features of entry.reports) post(entry, features);
  }

  function entryOf(saved: SavedSignal): Entry {
    const families = familiesOf(saved.brands, parentOf);
    return {
      id: saved.id,
      day: saved.day,
      resurfaced: saved.resurfaced,
      brands: saved.brands,
      reports: saved.reports.map((report) => ({ ...report, families })),
      names: [...saved.names],
      savedNames: saved.names.length,
      replacesKeys: false,
      mergedInto: saved.mergedInto,
      order: saved.position,
      changed: -1,
      reportedByOthers: -1,
      search: 0,
      weight: 0,
    };
  }

  function dropCompared(entry: Entry): void {
    compared.delete(entry.id);
    comparedAt.delete(entry.order);
  }

  function putIn(entry: Entry): Entry {
    dropCompared(entry);
    add(entry);
    // Two signals have an item in common only where one was merged into the other: either leads to the same.
    for (const one of entry.names) if (!names.has(one)) names.set(one, entry.id);
    if (entry.mergedInto === null) for (const report of entry.reports) post(entry, report);
    return entry;
  }

  /** The entry of a signal that an event changes. */
  function changing(id: SignalId): Entry | undefined {
    const kept = compared.get(id);
    return entries.get(id) ?? (kept && putIn(kept));
  }

  const listOf = ({ key, far: isFar }: Look): readonly Entry[] => (isFar ? far : near).of(key);

  const saveable = (entry: Entry): SignalToSave => ({
    id: entry.id,
    position: entry.order,
    day: entry.day,
    resurfaced: entry.resurfaced,
    brands: entry.brands,
    mergedInto: entry.mergedInto,
    reports: [...entry.reports],
    names: [...entry.names],
    replacesKeys: entry.replacesKeys,
    newNames: entry.names.slice(entry.savedNames).filter((known) => names.get(known) === entry.id),
    keys: [
      ...new Set(
        entry.reports.flatMap((features) => {
          const keys = keysOf(features);
          return [...keys.near.map(nearSlot), ...keys.far.map(farSlot)];
        }),
      ),
    ],
  });

  return {
    fold(event, position, storyFeatures) {
      if (event.type === 'SignalDetected') {
        detected(event.data, position, storyFeatures);
        return true;
      }
      if (
        event.type !== 'SignalReported' &&
        event.type !== 'SignalReleased' &&
        event.type !== 'SignalSplit' &&
        event.type !== 'SignalMerged'
      )
        return true;
      const entry = changing(event.data.signal_id);
      if (!entry) return false;
      if (event.type === 'SignalReported') reported(entry, event.data, position, storyFeatures);
      else if (event.type === 'SignalSplit') splitOff(entry, event.data.report, position);
      else if (event.type === 'SignalReleased') {
        entry.resurfaced = nextStatus(statusOf(entry), event) === 'resurfaced';
        change(entry, position);
      } else if (event.data.into !== entry.id) {
        unpost(entry);
        entry.mergedInto = event.data.into;
        change(entry, position);
      }
      return true;
    },
    put(saved) {
      if (!entries.has(saved.id)) putIn(compared.get(saved.id) ?? entryOf(saved));
    },
    keep(saved) {
      if (entries.has(saved.id) || compared.has(saved.id)) return;
      const entry = entryOf(saved);
      compared.set(entry.id, entry);
      comparedAt.set(entry.order, entry);
      const oldest = compared.size > MAX_COMPARED ? compared.values().next().value : undefined;
      if (oldest) dropCompared(oldest);
    },
    at: (position) => byOrder.get(position) ?? comparedAt.get(position) ?? null,
    isMerged: (id) => (known(id)?.mergedInto ?? null) !== null,
    ofItem(item) {
      return names.get(itemName(item)) ?? names.get(item.url) ?? null;
    },
    near(features, since = -2) {
      const search = beginCount<Entry>(++searches);
      for (const look of looksOf(features)) {
        const list = listOf(look);
        for (let index = list.length - 1; index >= Math.max(0, list.length - look.limit); index--) {
          const entry = list[index] as Entry;
          if (entry.reportedByOthers > since) search.count(entry, look.weight);
        }
      }
      return search.takeBest(MAX_CANDIDATES, () => true);
    },
    probes(features) {
      if (missingUpTo < 0) return [];
      return looksOf(features).flatMap((look) => {
        const list = listOf(look);
        // Enough newer ones are here: none of the index would be among the newest.
        const least = list[list.length - look.limit];
        if (least && least.order > missingUpTo) return [];
        return { key: (look.far ? farSlot : nearSlot)(look.key), limit: look.limit, notAbove: missingUpTo };
      });
    },
    candidates(features, hits) {
      const found = new Map([...hits].map(([probe, positions]) => [probe.key, positions]));
      const absent = new Map<number, Counted>();
      const search = beginCount<Counted>(++searches);
      for (const look of looksOf(features)) {
        const list = listOf(look);
        const saved = found.get((look.far ? farSlot : nearSlot)(look.key)) ?? [];
        let [own, other] = [list.length - 1, 0];
        for (let taken = 0; taken < look.limit; taken++) {
          // What the window holds counts, wherever it is in the index.
          while (byOrder.has(saved[other] ?? -1)) other++;
          const entry = list[own];
          const position = saved[other];
          if (entry && (position === undefined || entry.order > position)) {
            search.count(entry, look.weight);
            own--;
          } else if (position !== undefined) {
            const one = absent.get(position) ?? { order: position, search: 0, weight: 0 };
            absent.set(position, one);
            search.count(one, look.weight);
            other++;
          } else break;
        }
      }
      return search.takeBest(MAX_CANDIDATES, () => true).map(({ order }) => order);
    },
    older(a, b) {
      const [one, other] = [known(a), known(b)];
      if (!one || !other) return one ? a : b;
      if (Math.abs(one.day - other.day) > RESURFACED_DAYS) return one.day < other.day ? a : b;
      return one.order <= other.order ? a : b;
    },
    resolve,
    has: (id) => known(id) !== undefined,
    newest: (limit) => [...entries.keys()].slice(-limit),
    get: (id) => known(id) ?? null,
    changedAfter: (position) => {
      const changed: SignalToSave[] = [];
      for (const entry of entries.values()) if (entry.changed > position) changed.push(saveable(entry));
      return changed;
    },
    saved(signals) {
      for (const { id, names: saved, replacesKeys } of signals) {
        const entry = entries.get(id);
        if (!entry) continue;
        // It can have got and lost names while it was saved.
        entry.savedNames = entry.names.filter((known) => saved.includes(known)).length;
        if (replacesKeys) entry.replacesKeys = false;
      }
    },
    shrink(saved) {
      if (entries.size <= capacity) return;
      for (const entry of entries.values()) {
        if (entries.size <= capacity) return;
        if (entry.changed <= saved) forget(entry);
      }
    },
    get missingUpTo() {
      return missingUpTo;
    },
    missing(upTo) {
      if (upTo > missingUpTo) missingUpTo = upTo;
    },
    get size() {
      return entries.size;
    },
    capacity,
  };
}
