/**
 * Signals of other matchers whose events were received and not read: only a few keys of each are kept. A signal is read
 * from its stream when a story comes that can report the same event. Most stories meet signals of their own family of
 * brands, which are in their own partition, so that a foreign event costs a small part of an own one.
 */
import type { Position, StoredEvent } from '../../log/event-store.ts';
import type { BrandSlug, SignalId } from '../../schemas/scalar.ts';
import { itemName } from '../../schemas/signal.ts';
import type { Story } from '../../schemas/story.ts';
import { beginCount, type Counted, postings, type Search } from './candidate-search.ts';
import { type Features, familiesOf, type ParentOf } from './report-features.ts';
import { hash, termsOf, weightOf, wordsOf } from './weighted-terms.ts';

/** Words of a lower weight are in too many headlines. */
const MIN_WORD_WEIGHT = 0.45;
/** The words of a name of at least this weight have to be in a text that mentions it: `Honasa` for Honasa Consumer. */
const NAME = 0.9;
/** Weight of a brand in common. */
const BRAND = 0.8;
/** Weight of a figure in common, whatever its unit. */
const FIGURE = 0.5;
/** A brand and a word or figure in common, two brands, or two rare words. */
const MIN_WEIGHT = 1.2;
/** Signals of one key that a search considers, the newest first. */
const MAX_PER_KEY = 24;
/** Signals that are read for one story. */
const MAX_READ = 8;
/** Signals of which the events are held; of older ones they are read again. */
const MAX_HELD = 2_000;

interface Foreign extends Counted {
  readonly id: SignalId;
  /** Position of its last event. */
  last: number;
  /** True while no report of it named a brand. */
  brandless: boolean;
  merged: boolean;
  /** The search that found a brand in common last. */
  related: number;
  readonly families: Set<number>;
  /** The names of its brands by their first word, each as the words that mention it. */
  readonly mentions: Map<number, readonly number[]>;
  /** All words of these names. */
  readonly names: Set<number>;
  /** Figures and rare words of its headlines, without those of the names. */
  readonly words: Set<number>;
  /** Its items and addresses. */
  readonly items: string[];
  /** All of its events that change the window; null where some are not held. */
  events: StoredEvent[] | null;
}

export interface ForeignSignals {
  /**
   * Keeps the keys of an event.
   * @returns false for an event that has to be read at once, since its data has another form
   */
  take(event: StoredEvent): boolean;
  has(id: SignalId): boolean;
  /** The events of a signal that change the window; null where they have to be read from its stream. */
  eventsOf(id: SignalId): readonly StoredEvent[] | null;
  /** Removes a signal that was read. */
  remove(id: SignalId): void;
  /**
   * Signals that may be the same event, by the brands, words and figures that they have in common.
   * @param since only those with events after this position
   */
  likely(features: Features, since?: number): SignalId[];
  /** The signals that hold this item, by source and key or by address. */
  ofItem(item: Pick<Story['item'], 'source_id' | 'item_key' | 'url'>): SignalId[];
  /** Signals with events after a position. */
  changedAfter(position: number): SignalId[];
  /**
   * Removes the oldest down to a number; those with events after a position remain.
   * @returns the highest position of the first event of one that was removed, -1 for none
   */
  shrink(capacity: number, saved: number): number;
  readonly size: number;
}

/** Events that change by what a signal is found, or what it is. */
const EVENTS = new Set(['SignalDetected', 'SignalReported', 'SignalReleased', 'SignalSplit', 'SignalMerged']);

/** True for an event that the window folds; all others leave it as it is. */
export const changesWindow = ({ type }: Pick<StoredEvent, 'type'>): boolean => EVENTS.has(type);

/** What is used of the data of an event. It is validated when the signal is read. */
interface Data {
  readonly signal_id: SignalId;
  readonly into?: SignalId;
  readonly report?: Pick<Story['item'], 'title' | 'source_id' | 'item_key' | 'url'> & {
    readonly understood?: { readonly brands: readonly Brand[] };
  };
  readonly understanding?: { readonly brands: readonly Brand[] };
}

interface Brand {
  readonly slug: BrandSlug;
  readonly name: string;
}

/** Of the words of a name those that mention it. */
function mentioning(ids: readonly number[], weights: readonly number[]): number[] {
  const rare = ids.filter((_, index) => (weights[index] ?? 0) >= NAME);
  return rare.length > 0 ? rare : ids.filter((_, index) => (weights[index] ?? 0) >= MIN_WORD_WEIGHT);
}

/** The digits of a number that count: `30`, `3.0` and `30,000` are one key, since units are written in many ways. */
const figureKey = (digits: string): number => hash(`#${digits.replace(/[.,]/g, '').replace(/^0+|0+$/g, '')}`);

/** Makes an empty collection. */
export function openForeignSignals(parentOf: ParentOf): ForeignSignals {
  /** The oldest first. */
  const entries = new Map<SignalId, Foreign>();
  const items = new Map<string, SignalId>();
  const families = postings<Foreign>();
  const names = postings<Foreign>();
  const words = postings<Foreign>();
  /** The same of signals without a brand: a story with brands is compared by words with these only. */
  const wordsAlone = postings<Foreign>();
  /** Keys of a brand, by slug: the same brands come again and again. */
  const brandKeys = new Map<string, Record<'families' | 'words' | 'mention', readonly number[]>>();
  /** Those of which the events are held, the oldest first. */
  const held: Foreign[] = [];
  let searches = 0;
  let newestEvent = -1;

  function keysOf({ slug, name }: Brand) {
    const known = brandKeys.get(slug);
    if (known) return known;
    const { ids, weights } = termsOf(wordsOf(name), weightOf);
    const keys = { families: familiesOf([slug], parentOf), words: ids, mention: mentioning(ids, weights) };
    if (brandKeys.size >= MAX_HELD) brandKeys.clear();
    brandKeys.set(slug, keys);
    return keys;
  }

  function postWord(entry: Foreign, key: number): void {
    if (entry.words.has(key)) return;
    entry.words.add(key);
    words.add(key, entry);
    if (entry.brandless) wordsAlone.add(key, entry);
  }

  function addReport(entry: Foreign, report: NonNullable<Data['report']>, brands: readonly Brand[]): void {
    for (const brand of brands) {
      const keys = keysOf(brand);
      for (const key of keys.families) {
        if (entry.families.has(key)) continue;
        entry.families.add(key);
        families.add(key, entry);
      }
      for (const key of keys.words) entry.names.add(key);
      const [first] = keys.mention;
      if (first === undefined || entry.mentions.has(first)) continue;
      entry.mentions.set(first, keys.mention);
      names.add(first, entry);
    }
    if (entry.brandless && brands.length > 0) {
      entry.brandless = false;
      for (const key of entry.words) wordsAlone.remove(key, entry);
    }
    for (const word of wordsOf(report.title)) {
      const key = weightOf(word) >= MIN_WORD_WEIGHT ? hash(word) : -1;
      if (key >= 0 && !entry.names.has(key)) postWord(entry, key);
    }
    for (const [digits] of report.title.matchAll(/\d[\d.,]*/g)) postWord(entry, figureKey(digits));
    for (const item of [itemName(report), report.url]) {
      items.set(item, entry.id);
      entry.items.push(item);
    }
  }

  function add(id: SignalId, position: Position, events: StoredEvent[] | null): Foreign {
    const order = Number(position);
    const entry: Foreign = {
      id,
      order,
      last: order,
      brandless: true,
      merged: false,
      related: 0,
      search: 0,
      weight: 0,
      families: new Set(),
      mentions: new Map(),
      names: new Set(),
      words: new Set(),
      items: [],
      events,
    };
    entries.set(id, entry);
    if (events) held.push(entry);
    for (const oldest of held.length > MAX_HELD ? held.splice(0, MAX_HELD / 2) : []) oldest.events = null;
    return entry;
  }

  function remove(id: SignalId): void {
    const entry = entries.get(id);
    if (!entry) return;
    entries.delete(id);
    for (const key of entry.families) families.remove(key, entry);
    for (const key of entry.mentions.keys()) names.remove(key, entry);
    for (const key of entry.words) {
      words.remove(key, entry);
      if (entry.brandless) wordsAlone.remove(key, entry);
    }
    for (const item of entry.items) if (items.get(item) === id) items.delete(item);
  }

  /** Calls for the newest signals of a key, those with events after a position only. */
  function forNewest(list: typeof words, key: number, since: number, use: (entry: Foreign) => void): void {
    const found = list.of(key);
    for (let index = Math.max(0, found.length - MAX_PER_KEY); index < found.length; index++) {
      const entry = found[index] as Foreign;
      if (entry.last > since) use(entry);
    }
  }

  /**
   * Signals with a brand in common, or of which one mentions a brand of the other; they are counted in the search.
   * @param since only those with events after this position
   */
  function related(search: Search<Foreign>, { title, brands, ...features }: Features, since: number): Foreign[] {
    const found: Foreign[] = [];
    const relate = (entry: Foreign, weight: number): void => {
      if (entry.related !== searches) found.push(entry);
      entry.related = searches;
      search.count(entry, weight);
    };
    for (const key of brands) forNewest(families, key, since, (entry) => relate(entry, BRAND));
    for (const key of features.families)
      if (!brands.includes(key))
        forNewest(families, key, since, (entry) => {
          if (entry.related !== searches) relate(entry, BRAND);
        });
    for (const [index, key] of title.ids.entries())
      if ((title.weights[index] ?? 0) >= MIN_WORD_WEIGHT)
        forNewest(names, key, since, (entry) => {
          if (entry.related !== searches && entry.mentions.get(key)?.every((id) => title.ids.includes(id)))
            relate(entry, BRAND);
        });
    // The other way round: its headline mentions a brand of this story.
    for (const { ids, weights } of features.names) {
      const mention = mentioning(ids, weights);
      forNewest(words, mention[0] ?? -1, since, (entry) => {
        if (entry.related !== searches && !entry.brandless && mention.every((id) => entry.words.has(id)))
          relate(entry, 0);
      });
    }
    return found;
  }

  return {
    take(event) {
      const { type, data, position } = event;
      const { signal_id, report, understanding, into } = data as Data;
      const hasReport = type === 'SignalDetected' || type === 'SignalReported';
      const brands = report?.understood?.brands ?? understanding?.brands ?? [];
      const isKnown = typeof signal_id === 'string' && Array.isArray(brands);
      if (!isKnown || (hasReport && typeof report?.title !== 'string')) return false;
      const entry = entries.get(signal_id) ?? add(signal_id, position, type === 'SignalDetected' ? [] : null);
      entry.events?.push(event);
      entry.last = Math.max(entry.last, Number(position));
      newestEvent = Math.max(newestEvent, entry.last);
      if (hasReport && report) addReport(entry, report, brands);
      else if (type === 'SignalMerged' && into !== signal_id) entry.merged = true;
      return true;
    },
    has: (id) => entries.has(id),
    eventsOf: (id) => entries.get(id)?.events ?? null,
    remove,
    likely(features, since = -1) {
      if (entries.size === 0 || newestEvent <= since) return [];
      const { title, figures, brands } = features;
      const keys = title.ids.flatMap((key, index) => {
        const weight = title.weights[index] ?? 0;
        return weight >= MIN_WORD_WEIGHT ? { key, weight } : [];
      });
      for (const { value } of figures) keys.push({ key: figureKey(String(value)), weight: FIGURE });
      const search = beginCount<Foreign>(++searches);
      // Most stories have no brand in common with a signal of another matcher: words are compared only where one has.
      const others = related(search, features, since);
      if (brands.length > 0)
        for (const entry of others)
          for (const { key, weight } of keys) if (entry.words.has(key)) search.count(entry, weight);
      const alone = brands.length > 0 ? wordsAlone : words;
      for (const { key, weight } of keys) forNewest(alone, key, since, (entry) => search.count(entry, weight));
      const isLikely = ({ weight, merged }: Foreign): boolean => !merged && weight >= MIN_WEIGHT;
      return search.takeBest(MAX_READ, isLikely).map(({ id }) => id);
    },
    ofItem: (item) => [itemName(item), item.url].flatMap((name) => items.get(name) ?? []),
    changedAfter: (position) => [...entries.values()].filter(({ last }) => last > position).map(({ id }) => id),
    shrink(capacity, saved) {
      let highest = -1;
      for (const { id, last, order } of entries.values()) {
        if (entries.size <= capacity) break;
        if (last > saved) continue;
        remove(id);
        highest = Math.max(highest, order);
      }
      return highest;
    },
    get size() {
      return entries.size;
    },
  };
}
