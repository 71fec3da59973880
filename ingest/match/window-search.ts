/** The search of the window: by which keys its signals are found, and those keys for which the index has to be asked too. */
import { BUCKET_DAYS, beginCount, type Counted, farKeys, mix, nearKeys, postings } from './candidate-search.ts';
import type { Features } from './report-features.ts';
import type { Entry } from './window-entry.ts';

const MAX_CANDIDATES = 24;
const MAX_PER_KEY = 24;
const MAX_PER_FAR_KEY = 8;

/** A search of the index: the newest signals of a key, none detected after a position. */
export interface Probe {
  readonly key: number;
  readonly limit: number;
  readonly notAbove: number;
}

/** Positions of the signals that the index has under a key, the newest first. */
export type Hits = ReadonlyMap<number, readonly number[]>;

const bucketOf = (day: number): number => Math.floor(day / BUCKET_DAYS);

/**
 * Keys under which a report is found: near ones in the week in which it was first seen, far ones for ever. Both share one table:
 * the low bit separates them.
 */
export const keysOf = (features: Features): number[] => [
  ...nearKeys(features).map(({ id }) => mix(id, bucketOf(features.seen)) * 2),
  ...farKeys(features).map((key) => key * 2 + 1),
];

/** A search key, with the weight of each hit. */
interface Look {
  readonly key: number;
  readonly weight: number;
  readonly limit: number;
}

function looksOf(features: Features): Look[] {
  const bucket = bucketOf(features.day);
  const looks: Look[] = [];
  for (const { id, weight } of nearKeys(features))
    for (const neighbour of [bucket, bucket - 1, bucket + 1])
      looks.push({ key: mix(id, neighbour) * 2, weight, limit: MAX_PER_KEY });
  for (const key of farKeys(features)) looks.push({ key: key * 2 + 1, weight: 1, limit: MAX_PER_FAR_KEY });
  return looks;
}

export class WindowSearch {
  readonly #postings = postings<Entry>();
  #searches = 0;

  add(entry: Entry, features: Features): void {
    for (const key of keysOf(features)) this.#postings.add(key, entry);
  }

  /** Removes a signal with all of its reports. */
  remove(entry: Entry): void {
    for (const features of entry.reports) for (const key of keysOf(features)) this.#postings.remove(key, entry);
  }

  /** At most two dozen signals, the most likely first. */
  near(features: Features): Entry[] {
    const search = beginCount<Entry>(++this.#searches);
    for (const { key, weight, limit } of looksOf(features)) {
      const list = this.#postings.of(key);
      for (let index = list.length - 1; index >= Math.max(0, list.length - limit); index--)
        search.count(list[index] as Entry, weight);
    }
    return search.takeBest(MAX_CANDIDATES, () => true);
  }

  /** The searches of the index that are needed in addition. @param missingUpTo signals detected up to it may be missing here */
  probes(features: Features, missingUpTo: number): Probe[] {
    return looksOf(features).flatMap(({ key, limit }) => {
      const list = this.#postings.of(key);
      // Enough newer ones are here: none of the index would be among the newest.
      const least = list[list.length - limit];
      return least && least.order > missingUpTo ? [] : { key, limit, notAbove: missingUpTo };
    });
  }

  /**
   * Positions of the likeliest signals, by what is here and in the index: those that `near` finds where all signals are here.
   * @param isHere whether the signal of a position is here: it counts by what is known of it here
   */
  candidates(features: Features, hits: Hits, isHere: (position: number) => boolean): number[] {
    const absent = new Map<number, Counted>();
    const search = beginCount<Counted>(++this.#searches);
    for (const { key, weight, limit } of looksOf(features)) {
      const list = this.#postings.of(key);
      const saved = (hits.get(key) ?? []).filter((position) => !isHere(position));
      let [own, other] = [list.length - 1, 0];
      for (let taken = 0; taken < limit; taken++) {
        const entry = list[own];
        const position = saved[other];
        if (entry && (position === undefined || entry.order > position)) {
          search.count(entry, weight);
          own--;
        } else if (position !== undefined) {
          const one = absent.get(position) ?? { order: position, search: 0, weight: 0 };
          absent.set(position, one);
          search.count(one, weight);
          other++;
        } else break;
      }
    }
    return search.takeBest(MAX_CANDIDATES, () => true).map(({ order }) => order);
  }
}
