/**
 * The window: signals in memory, found by item, address, rare words, figures and brand. It is a fold of the `signal-`
 * events; folding an event twice changes nothing. The cost of a search does not grow with its size.
 */
import type { StoredEvent } from '../../log/event-store.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import type { ItemKey } from '../../schemas/poll.ts';
import { addressKey, type SignalId } from '../../schemas/scalar.ts';
import { itemName, type Report, type SignalStatus } from '../../schemas/signal.ts';
import type { SourceId } from '../../schemas/source.ts';
import { nextStatus, RESURFACED_DAYS } from '../../signal/signal-status.ts';
import type { NearSignal } from './match-story.ts';
import { type Features, featuresOf, noParents, type ParentOf } from './report-features.ts';
import type { SavedSignal, SignalToSave } from './signal-index.ts';
import {
  type Entry,
  earlierDay,
  entryOfDetection,
  entryOfSaved,
  featuresIn,
  MAX_REPORTS,
  namesOf,
  placeOfReport,
} from './window-entry.ts';
import { type Hits, keysOf, type Probe, WindowSearch } from './window-search.ts';

/** Signals kept in memory. */
export const WINDOW_SIGNALS = 60_000;
/** Merges that one signal can lead through. */
const MAX_CHAIN = 32;

/** Events that change by what a signal is found, or what it is. */
const EVENTS = new Set(['SignalDetected', 'SignalReported', 'SignalReleased', 'SignalSplit', 'SignalMerged']);

/** True for an event that the window folds; all others leave it as it is. */
export const changesWindow = ({ type }: Pick<StoredEvent, 'type'>): boolean => EVENTS.has(type);

/** The status of a signal as far as matching needs it: whether it is held makes no difference. */
const statusOf = ({ mergedInto, resurfaced }: Pick<Entry, 'mergedInto' | 'resurfaced'>): SignalStatus =>
  mergedInto !== null ? 'merged' : resurfaced ? 'resurfaced' : 'public';

export class SignalWindow {
  readonly #capacity: number;
  readonly #parentOf: ParentOf;
  /** Used most recently at the end. */
  readonly #entries = new Map<SignalId, Entry>();
  readonly #byOrder = new Map<number, Entry>();
  readonly #names = new Map<string, SignalId>();
  readonly #search = new WindowSearch();
  #missingUpTo = -1;

  /** @param capacity signals to which `shrink` brings it back */
  constructor(capacity: number = WINDOW_SIGNALS, parentOf: ParentOf = noParents) {
    this.#capacity = capacity;
    this.#parentOf = parentOf;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Signals detected up to this position may be missing in the window; -1 when none is. */
  get missingUpTo(): number {
    return this.#missingUpTo;
  }

  /** Says that the index has signals up to a position that are not in the window. */
  missing(upTo: number): void {
    if (upTo > this.#missingUpTo) this.#missingUpTo = upTo;
  }

  has(id: SignalId): boolean {
    return this.#entries.has(id);
  }

  /** A signal by its id, null when the window does not hold it. */
  get(id: SignalId): NearSignal | null {
    return this.#entries.get(id) ?? null;
  }

  /** The signal that was detected at a position, null when the window does not hold it. */
  at(position: number): NearSignal | null {
    return this.#byOrder.get(position) ?? null;
  }

  /** True for a signal that was merged into another. */
  isMerged(id: SignalId): boolean {
    return (this.#entries.get(id)?.mergedInto ?? null) !== null;
  }

  /** What a signal was merged into, over several steps; itself when it was not. */
  resolve(id: SignalId): SignalId {
    let last = id;
    for (let step = 0; step < MAX_CHAIN; step++) {
      const next = this.#entries.get(last)?.mergedInto;
      if (next === undefined || next === null) break;
      last = next;
    }
    return last;
  }

  /** The older of two signals: by their days when they lie far apart, else by the order of their detection. */
  older(a: SignalId, b: SignalId): SignalId {
    const [one, other] = [this.#entries.get(a), this.#entries.get(b)];
    if (!one || !other) return one ? a : b;
    if (Math.abs(one.day - other.day) > RESURFACED_DAYS) return one.day < other.day ? a : b;
    return one.order <= other.order ? a : b;
  }

  /** The signal that holds this item already, by source and key, else by address, before it was merged into another. */
  ofItem(item: { source_id: SourceId; item_key: ItemKey; url: string }): SignalId | null {
    return this.#names.get(itemName(item)) ?? this.#names.get(addressKey(item.url)) ?? null;
  }

  /** Signals of the window that may be the same event, at most two dozen, the most likely first. */
  near(features: Features): NearSignal[] {
    return this.#search.near(features);
  }

  /** The searches of the index that are needed in addition; none where the window contains all signals. */
  probes(features: Features): Probe[] {
    return this.#missingUpTo < 0 ? [] : this.#search.probes(features, this.#missingUpTo);
  }

  /**
   * Positions of the likeliest signals of the window and of what the index answered to its probes: those that `near`
   * finds in a window that holds all signals.
   */
  candidates(features: Features, hits: Hits): number[] {
    return this.#search.candidates(features, hits, (position) => this.#byOrder.has(position));
  }

  /**
   * Takes in an event of a signal stream.
   * @param position its place among all events, from which the older signal is known
   * @param storyFeatures the features of its story, for an event that this process wrote
   * @returns false for an event of a signal that the window lacks: call `put` first
   */
  fold(event: KnownEvent, position: bigint, storyFeatures?: Features): boolean {
    if (event.type === 'SignalDetected') {
      this.#detected(event.data, Number(position), storyFeatures);
      return true;
    }
    if (
      event.type !== 'SignalReported' &&
      event.type !== 'SignalReleased' &&
      event.type !== 'SignalSplit' &&
      event.type !== 'SignalMerged'
    )
      return true;
    const entry = this.#entries.get(event.data.signal_id);
    if (!entry) return false;
    if (event.type === 'SignalReported') this.#reported(entry, event.data, Number(position), storyFeatures);
    else if (event.type === 'SignalSplit') this.#splitOff(entry, event.data.report, Number(position));
    else if (event.type === 'SignalReleased') {
      entry.resurfaced = nextStatus(statusOf(entry), event) === 'resurfaced';
      this.#changed(entry, Number(position));
    } else if (event.data.into !== entry.id) {
      // A signal that was merged is found no more.
      this.#search.remove(entry);
      entry.mergedInto = event.data.into;
      this.#changed(entry, Number(position));
    }
    return true;
  }

  #detected(data: KnownEvent<'SignalDetected'>['data'], position: number, storyFeatures?: Features): void {
    if (this.#entries.has(data.signal_id)) return;
    const entry = entryOfDetection(data, position);
    this.#add(entry);
    this.#addNames(entry, data.report);
    this.#addReport(entry, storyFeatures ?? featuresOf(data.report, data.understanding, this.#parentOf));
  }

  #reported(
    entry: Entry,
    data: KnownEvent<'SignalReported'>['data'],
    position: number,
    storyFeatures?: Features,
  ): void {
    const { report, resurfaced } = data;
    this.#changed(entry, position);
    if (entry.names.includes(itemName(report))) return;
    this.#addNames(entry, report);
    if (resurfaced && !entry.resurfaced) return;
    entry.day = earlierDay(entry, report);
    if (entry.reports.length < MAX_REPORTS)
      this.#addReport(entry, storyFeatures ?? featuresIn(data, entry, this.#parentOf));
  }

  #add(entry: Entry): void {
    this.#entries.set(entry.id, entry);
    this.#byOrder.set(entry.order, entry);
  }

  #addReport(entry: Entry, features: Features): void {
    // A digest that comes after other reports adds nothing by which the signal is recognised.
    if (features.digest && entry.reports.length > 0) return;
    entry.reports.push(features);
    if (entry.mergedInto === null) this.#search.add(entry, features);
  }

  #addNames(entry: Entry, report: Report): void {
    for (const name of namesOf(report)) {
      this.#names.set(name, entry.id);
      if (!entry.names.includes(name)) entry.names.push(name);
    }
  }

  #changed(entry: Entry, position: number): void {
    if (position > entry.changed) entry.changed = position;
    this.#entries.delete(entry.id);
    this.#entries.set(entry.id, entry);
  }

  /** A report that was split off is a report of another event: its words find this one no more. */
  #splitOff(entry: Entry, report: Report, position: number): void {
    const [item] = namesOf(report);
    if (!entry.names.includes(item)) return;
    this.#changed(entry, position);
    this.#removeNames(entry, report);
    const place = placeOfReport(entry, report);
    if (place < 0) return;
    this.#search.remove(entry);
    entry.reports.splice(place, 1);
    entry.replacesKeys = true;
    if (entry.reports.length > 0) entry.day = Math.min(...entry.reports.map(({ seen }) => seen));
    if (entry.mergedInto === null) for (const features of entry.reports) this.#search.add(entry, features);
  }

  #removeNames(entry: Entry, report: Report): void {
    const [item] = namesOf(report);
    for (const name of namesOf(report)) {
      const place = entry.names.indexOf(name);
      // An address can be that of a further report; what another signal has by now is not of this one.
      if (place < 0 || (name !== item && this.#names.get(name) === entry.id)) continue;
      entry.names.splice(place, 1);
      if (place < entry.savedNames) entry.savedNames -= 1;
      if (this.#names.get(name) === entry.id) this.#names.delete(name);
    }
  }

  /** Puts in a signal as it is in the index, unless the window holds it. */
  put(saved: SavedSignal): void {
    if (this.#entries.has(saved.id)) return;
    const entry = entryOfSaved(saved, this.#parentOf);
    this.#add(entry);
    // Two signals have an item in common only where one was merged into the other: either leads to the same.
    for (const name of entry.names) if (!this.#names.has(name)) this.#names.set(name, entry.id);
    if (entry.mergedInto === null) for (const report of entry.reports) this.#search.add(entry, report);
  }

  /** The signals that changed after a position, to be saved in the index. */
  changedAfter(position: number): SignalToSave[] {
    const changed: SignalToSave[] = [];
    for (const entry of this.#entries.values()) if (entry.changed > position) changed.push(this.#toSave(entry));
    return changed;
  }

  #toSave(entry: Entry): SignalToSave {
    return {
      id: entry.id,
      position: entry.order,
      day: entry.day,
      resurfaced: entry.resurfaced,
      brands: entry.brands,
      mergedInto: entry.mergedInto,
      reports: [...entry.reports],
      names: [...entry.names],
      replacesKeys: entry.replacesKeys,
      newNames: entry.names.slice(entry.savedNames).filter((name) => this.#names.get(name) === entry.id),
      keys: [...new Set(entry.reports.flatMap(keysOf))],
    };
  }

  /** Says that the index has these signals now. */
  saved(signals: readonly SignalToSave[]): void {
    for (const { id, names, replacesKeys } of signals) {
      const entry = this.#entries.get(id);
      if (!entry) continue;
      // It can have got and lost names while it was saved.
      entry.savedNames = entry.names.filter((name) => names.includes(name)).length;
      if (replacesKeys) entry.replacesKeys = false;
    }
  }

  /**
   * Removes the least recently used signals, down to the capacity. Those that changed after a position remain, since what is
   * removed has to be in the index.
   */
  shrink(saved: number): void {
    for (const entry of this.#entries.values()) {
      if (this.#entries.size <= this.#capacity) return;
      if (entry.changed <= saved) this.#forget(entry);
    }
  }

  #forget(entry: Entry): void {
    this.#entries.delete(entry.id);
    this.#byOrder.delete(entry.order);
    for (const name of entry.names) if (this.#names.get(name) === entry.id) this.#names.delete(name);
    this.#search.remove(entry);
    this.missing(entry.order);
  }
}
