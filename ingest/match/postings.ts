/** An inverted index: from a key to the entries that have it, newest last. Looks at a bounded number of them. */

export interface Postings<Entry> {
  add(key: number, entry: Entry): void;
  /** Entries are taken out in about the order in which they were put in, so the search stays short. */
  remove(key: number, entry: Entry): void;
  /** Calls `visit` with the newest entries of a key, at most `most`. */
  newest(key: number, most: number, visit: (entry: Entry) => void): void;
}

/** Makes an empty index. */
export function postings<Entry>(): Postings<Entry> {
  const lists = new Map<number, Entry[]>();
  return {
    add(key, entry) {
      const list = lists.get(key);
      if (!list) lists.set(key, [entry]);
      else if (!list.includes(entry, Math.max(0, list.length - 32))) list.push(entry);
    },
    remove(key, entry) {
      const list = lists.get(key);
      const place = list?.indexOf(entry) ?? -1;
      if (!list || place < 0) return;
      if (list.length === 1) lists.delete(key);
      else list.splice(place, 1);
    },
    newest(key, most, visit) {
      const list = lists.get(key);
      if (!list) return;
      for (let index = list.length - 1; index >= Math.max(0, list.length - most); index--) {
        const entry = list[index];
        if (entry !== undefined) visit(entry);
      }
    },
  };
}
