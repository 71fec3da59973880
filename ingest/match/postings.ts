/** An inverted index: from a key to the entries that have it, in the order of their detection. */

/** What is indexed. */
export interface Ordered {
  /** Detected later means higher; no two entries are alike in it. */
  readonly order: number;
}

export interface Postings<Entry extends Ordered> {
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
