/** By what the candidates of a story are found: search keys, an inverted index from key to signals, and a count of the hits of each signal. */
import type { Features } from './report-features.ts';
import { hash, type Terms } from './weighted-terms.ts';

// By what a report is found again: its rare words, money and brands within a week, and pairs of them for ever.

/** Keys are stored per week, so that a search in the neighbouring weeks costs the same whatever the history. */
export const BUCKET_DAYS = 7;
const TITLE_KEYS = 8;
const SUMMARY_KEYS = 5;
/** Words of a lower weight find too many signals. */
const MIN_KEY_WEIGHT = 0.45;
const FAR_WORDS = 4;

interface Key {
  readonly id: number;
  readonly weight: number;
}

/** The rarest terms, of two as rare the one of the lower id first. */
function rarest({ ids, weights }: Terms, limit: number, minimum: number): Key[] {
  const keys: Key[] = [];
  for (const [index, id] of ids.entries()) {
    const weight = weights[index] ?? 0;
    if (weight < minimum) continue;
    // Ids ascend: after all that are as rare.
    let place = keys.length;
    while (place > 0 && (keys[place - 1] as Key).weight < weight) place--;
    if (place === limit) continue;
    if (keys.length === limit) keys.pop();
    keys.splice(place, 0, { id, weight });
  }
  return keys;
}

/** Mixes two numbers into one key of 30 bits. */
export const mix = (a: number, b: number): number =>
  (Math.imul(a ^ Math.imul(b, 0x9e3779b1), 0x85ebca6b) >>> 2) & 0x3fffffff;

const figureKeys = (features: Features): Key[] =>
  features.figures
    .filter(({ unit, value }) => unit !== '' || value >= 100)
    .slice(0, 4)
    .map(({ value, unit }) => ({ id: hash(`${unit}${Number(value.toPrecision(2))}`), weight: 0.7 }));

/** Keys by which a report is found within neighbouring weeks. */
export function nearKeys(features: Features): Key[] {
  const all = [
    ...rarest(features.title, TITLE_KEYS, MIN_KEY_WEIGHT),
    ...rarest(features.all, SUMMARY_KEYS, 0.75),
    ...figureKeys(features),
    ...features.primary.map((id) => ({ id: mix(id, 1), weight: 0.8 })),
  ];
  const keys: Key[] = [];
  for (const key of all) {
    // `FY27` is a word and a figure: of a key that occurs twice the higher weight counts.
    const place = keys.findIndex(({ id }) => id === key.id);
    if (place < 0) keys.push(key);
    else if (key.weight > (keys[place]?.weight ?? 0)) keys[place] = key;
  }
  return keys;
}

/** Keys by which old news is found again however old: pairs of the rarest words of its headline. */
export function farKeys(features: Features): number[] {
  const words = rarest(features.title, FAR_WORDS, 0.6).map(({ id }) => id);
  return words.flatMap((a, index) => words.slice(index + 1).map((b) => mix(Math.min(a, b), Math.max(a, b))));
}

/** An inverted index: from a key to the entries that have it, in the order of their detection. */

/** What is indexed. */
interface Ordered {
  /** Detected later means higher; no two entries are alike in it. */
  readonly order: number;
}

interface Postings<Entry extends Ordered> {
  /** Adds an entry; one that is there already stays once. */
  add(key: number, entry: Entry): void;
  remove(key: number, entry: Entry): void;
  /** The entries of a key in ascending order; not to be changed. */
  of(key: number): readonly Entry[];
}

const NONE: readonly never[] = [];

/** Where an order is, or belongs, in a list. Most are among the last. */
function placeOf(list: readonly Ordered[], order: number): number {
  let [low, high] = [0, list.length];
  const last = list[list.length - 1];
  if (last && last.order < order) return list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] as Ordered).order < order) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Makes an empty index. */
export function postings<Entry extends Ordered>(): Postings<Entry> {
  const lists = new Map<number, Entry[]>();
  return {
    add(key, entry) {
      const list = lists.get(key);
      if (!list) return void lists.set(key, [entry]);
      const place = placeOf(list, entry.order);
      if (list[place]?.order === entry.order) list[place] = entry;
      else list.splice(place, 0, entry);
    },
    remove(key, entry) {
      const list = lists.get(key);
      if (!list) return;
      const place = placeOf(list, entry.order);
      if (list[place] !== entry) return;
      if (list.length === 1) lists.delete(key);
      else list.splice(place, 1);
    },
    of: (key) => lists.get(key) ?? NONE,
  };
}

/** Counts the hits of a search, and gives the entries of the highest weight. */

/** What is searched for: it carries its own count, which costs less than a map of thousands of searches a second. */
export interface Counted {
  /** Detected later means higher. */
  readonly order: number;
  /** The search that counted it last, and what it counted. */
  search: number;
  weight: number;
}

export interface Search<Entry extends Counted> {
  count(entry: Entry, weight: number): void;
  /** Those of the highest weight, of two alike the later one, that pass; at most `limit`, in that order. */
  takeBest(limit: number, passes: (entry: Entry) => boolean): Entry[];
}

const isBefore = (a: Counted, b: Counted): boolean => (a.weight === b.weight ? a.order > b.order : a.weight > b.weight);

/**
 * Begins a search.
 * @param search a number that no search before it had
 */
export function beginCount<Entry extends Counted>(search: number): Search<Entry> {
  const entries: Entry[] = [];
  return {
    count(entry, weight) {
      if (entry.search !== search) {
        entry.search = search;
        entry.weight = 0;
        entries.push(entry);
      }
      entry.weight += weight;
    },
    takeBest(limit, passes) {
      const best: Entry[] = [];
      for (const entry of entries) {
        const last = best.length < limit ? undefined : best.at(-1);
        if ((last && !isBefore(entry, last)) || !passes(entry)) continue;
        if (last) best.pop();
        let place = best.length;
        while (place > 0 && isBefore(entry, best[place - 1] as Entry)) place--;
        best.splice(place, 0, entry);
      }
      return best;
    },
  };
}
