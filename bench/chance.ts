/** Chance that is the same in every run. */

export interface Chance {
  /** From 0 up to 1. */
  next(): number;
  /** A whole number, both ends included. */
  between(low: number, high: number): number;
  happens(probability: number): boolean;
  one<Thing>(things: readonly [Thing, ...Thing[]]): Thing;
}

/** @param seed a whole number (mulberry32) */
export function chance(seed: number): Chance {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    happens: (probability) => next() < probability,
    one: (things) => things[Math.floor(next() * things.length)] ?? things[0],
  };
}
