/** Texts as sparse vectors of weighted terms, held as plain arrays of small integers to keep the window light. */

/** Distinct terms in ascending order of their hash, with the length of the weighted vector. */
export interface Terms {
  readonly ids: readonly number[];
  readonly weights: readonly number[];
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
  const byId = new Map<number, number>();
  for (const word of words) {
    const weight = weigh(word);
    if (weight > 0) byId.set(hash(word), weight);
  }
  const ids = [...byId.keys()].sort((a, b) => a - b);
  const weights = ids.map((id) => byId.get(id) ?? 0);
  return { ids, weights, norm: Math.sqrt(weights.reduce((sum, weight) => sum + weight * weight, 0)) };
}

/** Runs over the terms that both have, in ascending order. */
function overlap(a: Terms, b: Terms): { product: number; weight: number; rarest: number; count: number } {
  let product = 0;
  let weight = 0;
  let rarest = 0;
  let count = 0;
  for (let left = 0, right = 0; left < a.ids.length && right < b.ids.length; ) {
    const difference = (a.ids[left] ?? 0) - (b.ids[right] ?? 0);
    if (difference < 0) left++;
    else if (difference > 0) right++;
    else {
      const own = a.weights[left] ?? 0;
      product += own * (b.weights[right] ?? 0);
      weight += own;
      if (own > rarest) rarest = own;
      count++;
      left++;
      right++;
    }
  }
  return { product, weight, rarest, count };
}

const total = (terms: Terms): number => terms.weights.reduce((sum, weight) => sum + weight, 0);

/** Cosine of two vectors, 0 where one is empty. */
export const cosine = (a: Terms, b: Terms): number =>
  a.norm && b.norm ? overlap(a, b).product / (a.norm * b.norm) : 0;

/** How much of the weight of `a` is found in `b`, 0 to 1. */
export function contained(a: Terms, b: Terms): number {
  const all = total(a);
  return all ? overlap(a, b).weight / all : 0;
}

/** The summed weight and the count of the terms that both have, and the weight of the rarest of them. */
export function shared(a: Terms, b: Terms): { weight: number; rarest: number; count: number } {
  return overlap(a, b);
}
