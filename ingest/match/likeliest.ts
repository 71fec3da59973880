/** Counts what a search meets, and gives the few that were met most. */

/** What is searched for: it carries its own count, which costs less than a map of thousands of searches a second. */
export interface Counted {
  /** Detected later means higher. */
  readonly order: number;
  /** The search that counted it last, and what it counted. */
  search: number;
  weight: number;
}

export interface Search<Entry extends Counted> {
  meet(entry: Entry, weight: number): void;
  /** Those of the highest weight, of two alike the later one, that pass; at most `most`, in that order. */
  likeliest(most: number, passes: (entry: Entry) => boolean): Entry[];
}

const isBefore = (a: Counted, b: Counted): boolean => (a.weight === b.weight ? a.order > b.order : a.weight > b.weight);

/**
 * Begins a search.
 * @param search a number that no search before it had
 */
export function beginSearch<Entry extends Counted>(search: number): Search<Entry> {
  const found: Entry[] = [];
  return {
    meet(entry, weight) {
      if (entry.search !== search) {
        entry.search = search;
        entry.weight = 0;
        found.push(entry);
      }
      entry.weight += weight;
    },
    likeliest(most, passes) {
      const best: Entry[] = [];
      for (const entry of found) {
        const last = best.length < most ? undefined : best.at(-1);
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
