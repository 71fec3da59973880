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

function rarest(terms: Terms, most: number, least: number): Key[] {
  return terms.ids
    .map((id, index) => ({ id, weight: terms.weights[index] ?? 0 }))
    .filter(({ weight }) => weight >= least)
    .sort((a, b) => b.weight - a.weight || a.id - b.id)
    .slice(0, most);
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
  const keys = new Map<number, number>();
  const all = [
    ...rarest(features.title, TITLE_KEYS, LEAST_WEIGHT),
    ...rarest(features.all, SUMMARY_KEYS, 0.75),
    ...figureKeys(features),
    ...features.primary.map((id) => ({ id: mix(id, 1), weight: 0.8 })),
  ];
  for (const { id, weight } of all) keys.set(id, Math.max(weight, keys.get(id) ?? 0));
  return [...keys].map(([id, weight]) => ({ id, weight }));
}

/** Keys by which old news is found again however old: pairs of the rarest words of its headline. */
export function farKeys(features: Features): number[] {
  const words = rarest(features.title, FAR_WORDS, 0.6).map(({ id }) => id);
  return words.flatMap((a, index) => words.slice(index + 1).map((b) => mix(Math.min(a, b), Math.max(a, b))));
}
