/** Deterministic chance: the same words always give the same value, so that a restart of the newsroom changes nothing. */
import { createHash } from 'node:crypto';

/** A number from 0 (included) to 1 (excluded) that depends on the parts alone. */
export const chance = (...parts: readonly (string | number)[]): number =>
  createHash('sha256').update(parts.join('|')).digest().readUIntBE(0, 6) / 2 ** 48;

/** A whole number from `low` to `high`, both included. */
export const between = (low: number, high: number, ...parts: readonly (string | number)[]): number =>
  low + Math.floor(chance(...parts) * (high - low + 1));

/**
 * One element of a list.
 * @throws RangeError for an empty list
 */
export function pick<T>(list: readonly T[], ...parts: readonly (string | number)[]): T {
  const found = list[Math.floor(chance(...parts) * list.length)];
  if (found === undefined) throw new RangeError('nothing to pick from');
  return found;
}

/** The list in an order that depends on the parts alone. */
export const shuffle = <T>(list: readonly T[], ...parts: readonly (string | number)[]): T[] =>
  list
    .map((value, index) => ({ value, lot: chance(...parts, index) }))
    .sort((a, b) => a.lot - b.lot)
    .map(({ value }) => value);
