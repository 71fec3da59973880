/** Texts as sparse vectors of weighted terms, held as plain arrays of small integers to keep the window light. */

/** Distinct terms in ascending order of their hash, with the sum of their weights and the length of their vector. */
export interface Terms {
  readonly ids: readonly number[];
  readonly weights: readonly number[];
  readonly sum: number;
  readonly norm: number;
}

/** FNV-1a cut to 30 bits, so that V8 keeps it as a small integer. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value ^= text.charCodeAt(index);
    value = Math.imul(value, 0x01000193);
  }
  return (value >>> 0) & 0x3fffffff;
}

/** Makes terms of words; a word's weight counts once however often it stands there. */
export function termsOf(words: readonly string[], weigh: (word: string) => number): Terms {
  const ids: number[] = [];
  const weights: number[] = [];
  let [sum, squares] = [0, 0];
  for (const word of words) {
    const weight = weigh(word);
    if (weight <= 0) continue;
    const id = hash(word);
    // Put where it belongs at once: a text has a few dozen words, and most of them stand there once.
    let place = ids.length;
    while (place > 0 && (ids[place - 1] ?? 0) > id) place--;
    if (place > 0 && ids[place - 1] === id) continue;
    ids.splice(place, 0, id);
    weights.splice(place, 0, weight);
  }
  for (const weight of weights) {
    sum += weight;
    squares += weight * weight;
  }
  return { ids, weights, sum, norm: Math.sqrt(squares) };
}

/** What two texts have in common. */
export interface Overlap {
  /** Of the products of both weights. */
  readonly product: number;
  /** Summed, as the first of the two texts weighs them. */
  readonly weight: number;
  /** Of the rarest word. */
  readonly rarest: number;
}

/** Runs over the terms that both have, in ascending order. */
export function overlap(a: Terms, b: Terms): Overlap {
  const [ids, others] = [a.ids, b.ids];
  let product = 0;
  let weight = 0;
  let rarest = 0;
  for (let left = 0, right = 0; left < ids.length && right < others.length; ) {
    const difference = (ids[left] ?? 0) - (others[right] ?? 0);
    if (difference < 0) left++;
    else if (difference > 0) right++;
    else {
      const own = a.weights[left] ?? 0;
      product += own * (b.weights[right] ?? 0);
      weight += own;
      if (own > rarest) rarest = own;
      left++;
      right++;
    }
  }
  return { product, weight, rarest };
}

/** Cosine of two vectors by what they have in common, 0 where one is empty. */
export const cosine = (a: Terms, b: Terms, common: Overlap): number =>
  a.norm && b.norm ? common.product / (a.norm * b.norm) : 0;

/** How much of the weight of `a` is in common, 0 to 1. */
export const share = (a: Terms, common: Overlap): number => (a.sum ? common.weight / a.sum : 0);

/** How much of the weight of `a` is found in `b`, 0 to 1. */
export const contained = (a: Terms, b: Terms): number => share(a, overlap(a, b));
