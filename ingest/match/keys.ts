/** By what a telling is found again: its rare words, money and brands within a week, and pairs of them for ever. */
import type { Features } from './features.ts';
import { hash, type Terms } from './terms.ts';

/** Postings are kept per week, so that a look into the neighbouring weeks costs the same whatever the history. */
export const BUCKET_DAYS = 7;
const TITLE_KEYS = 8;
const SUMMARY_KEYS = 5;
/** Words that are commoner than this find too much to be worth a look. */
const LEAST_WEIGHT = 0.45;
const FAR_WORDS = 4;

export interface Key {
  readonly id: number;
  readonly weight: number;
}

/** The rarest terms, of two as rare the one of the lower id first. */
function rarest({ ids, weights }: Terms, most: number, least: number): Key[] {
  const found: Key[] = [];
  for (const [index, id] of ids.entries()) {
    const weight = weights[index] ?? 0;
    if (weight < least) continue;
    // Ids ascend: behind all that are as rare.
    let place = found.length;
    while (place > 0 && (found[place - 1] as Key).weight < weight) place--;
    if (place === most) continue;
    if (found.length === most) found.pop();
    found.splice(place, 0, { id, weight });
  }
  return found;
}

/** Mixes two numbers into one key of 30 bits. */
export const mix = (a: number, b: number): number =>
  (Math.imul(a ^ Math.imul(b, 0x9e3779b1), 0x85ebca6b) >>> 2) & 0x3fffffff;

const figureKeys = (features: Features): Key[] =>
  features.figures
    .filter(({ unit, value }) => unit !== '' || value >= 100)
    .slice(0, 4)
    .map(({ value, unit }) => ({ id: hash(`${unit}${Number(value.toPrecision(2))}`), weight: 0.7 }));

/** Keys by which a telling is found within neighbouring weeks. */
export function nearKeys(features: Features): Key[] {
  const all = [
    ...rarest(features.title, TITLE_KEYS, LEAST_WEIGHT),
    ...rarest(features.all, SUMMARY_KEYS, 0.75),
    ...figureKeys(features),
    ...features.primary.map((id) => ({ id: mix(id, 1), weight: 0.8 })),
  ];
  const keys: Key[] = [];
  for (const key of all) {
    // `FY27` is a word and a figure: of one key told twice the higher weight counts.
    const known = keys.findIndex(({ id }) => id === key.id);
    if (known < 0) keys.push(key);
    else if (key.weight > (keys[known]?.weight ?? 0)) keys[known] = key;
  }
  return keys;
}

/** Keys by which old news is found again however old: pairs of the rarest words of its headline. */
export function farKeys(features: Features): number[] {
  const words = rarest(features.title, FAR_WORDS, 0.6).map(({ id }) => id);
  return words.flatMap((a, index) => words.slice(index + 1).map((b) => mix(Math.min(a, b), Math.max(a, b))));
}
