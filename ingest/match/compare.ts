/** Two tellings side by side: the numbers that say whether they tell one event. Symmetric in its two sides. */

import { goesFurther } from './actions.ts';
import type { Features } from './features.ts';
import { agreement, type Figure, isMoney } from './figures.ts';
import { contained, cosine, overlap, share, type Terms } from './terms.ts';

/** Names of the numbers, in the order in which `compare` gives them and the weights file lists them. */
export const COMPARISONS = [
  'title_words',
  'all_words',
  'title_found',
  'title_found_least',
  'rare_words',
  'rarest_word',
  'subject_found',
  'subject_lost',
  'figures_agree',
  'money_agrees',
  'name_and_figure',
  'figures_conflict',
  'acts_agree',
  'name_and_act',
  'brand_and_act',
  'acts_conflict',
  'days_apart',
  'names_of_each',
  'direction_conflict',
  'further_later',
  'angle_and_name',
  'digest_and_name',
  'stage_conflict',
  'same_brand',
  'other_brand',
  'same_move',
  'other_move',
  'same_person',
  'other_person',
  'other_city',
  'other_place',
  'other_period',
  'other_opening',
  'tally',
] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** A word as rare as this is a name. */
const NAME = 0.9;

const meets = (a: readonly number[], b: readonly number[]): boolean => a.some((one) => b.includes(one));
const apart = (a: readonly number[], b: readonly number[]): boolean => a.length > 0 && b.length > 0 && !meets(a, b);
const flag = (is: boolean): number => (is ? 1 : 0);
const bits = (set: number): number => {
  let count = 0;
  for (let rest = set; rest; rest &= rest - 1) count++;
  return count;
};

/** The best agreement of any figure of one with any of the other. */
export function bestAgreement(a: readonly Figure[], b: readonly Figure[]): number {
  let best = 0;
  for (const one of a) for (const other of b) best = Math.max(best, agreement(one, other));
  return best;
}

const isPercent = (figure: Figure): boolean => figure.unit === '%';
const isCount = (figure: Figure): boolean => figure.unit === '';
const KINDS = [isMoney, isPercent, isCount];
function conflicts(a: Features, b: Features): boolean {
  const [one, other] = [a.titleFigures, b.titleFigures];
  for (const kind of KINDS)
    if (one.some(kind) && other.some(kind))
      return bestAgreement(one.filter(kind), b.figures) === 0 && bestAgreement(other.filter(kind), a.figures) === 0;
  return false;
}

/** The one telling word of a name stands in the text: `Jhilmil` of Jhilmil Jewels. */
function hasRarest(text: Terms, name: Terms): boolean {
  const most = Math.max(...name.weights);
  const [id, ...others] = name.ids.filter((_, index) => name.weights[index] === most);
  return id !== undefined && others.length === 0 && most >= NAME && text.ids.includes(id);
}

/** So much of a name's weight in a text is a mention of it: `Honasa` for Honasa Consumer, but not `Fashion` for Go Fashion. */
const MENTION = 0.6;
const mentions = (text: Features, other: Features): boolean =>
  other.names.some((name) => contained(name, text.all) >= MENTION || hasRarest(text.all, name));

/** Both are about brands, and neither names one of the other's, by catalogue or in words. */
export const otherBrands = (a: Features, b: Features): boolean =>
  apart(a.families, b.families) &&
  apart(a.primary, b.brands) &&
  apart(b.primary, a.brands) &&
  !mentions(a, b) &&
  !mentions(b, a);

/** How many names, by their weight, a headline has that the other telling knows nothing of. */
function ownNames(a: Features, b: Features): number {
  let sum = 0;
  for (const [index, id] of a.title.ids.entries()) {
    const weight = a.title.weights[index] ?? 0;
    if (weight >= NAME && !b.all.ids.includes(id)) sum += weight;
  }
  return sum;
}

/** A decisive stage that only the later of the two tells, the more the later it is. */
function furtherLater(a: Features, b: Features): number {
  const [earlier, later] = a.day <= b.day ? [a, b] : [b, a];
  return goesFurther(later.stages, earlier.stages) ? daysApart(later.day - earlier.day) : 0;
}

/** Two quarters, or two years; a quarter and the year that it closes may be told together. */
const otherPeriods = (a: string, b: string): boolean => a !== '' && b !== '' && a[0] === b[0] && a !== b;

/** Days as `compare` gives them: a week or more is 1. */
export const daysApart = (days: number): number => Math.min(1, days / 7);

/** Compares two tellings; see `COMPARISONS` for what each number is. All lie between 0 and about 1. */
export function compare(a: Features, b: Features): number[] {
  const both = a.actions & b.actions;
  const either = a.actions | b.actions;
  const [titles, all] = [overlap(a.title, b.title), overlap(a.all, b.all)];
  const [aInB, bInA] = [overlap(a.title, b.all), overlap(b.title, a.all)];
  const [inB, inA] = [share(a.title, aInB), share(b.title, bInA)];
  const name = Math.max(aInB.rarest, bInA.rarest);
  const figures = bestAgreement(a.figures, b.figures);
  const money = figures === 0 ? 0 : bestAgreement(a.money, b.money);
  const acts = either ? bits(both) / bits(either) : 0;
  const subjectA = contained(a.subject, b.all);
  const subjectB = contained(b.subject, a.all);
  return [
    cosine(a.title, b.title, titles),
    cosine(a.all, b.all, all),
    Math.max(inA, inB),
    Math.min(inA, inB),
    Math.min(1, titles.weight / 4),
    name,
    Math.max(subjectA, subjectB),
    1 - Math.min(subjectA, subjectB),
    figures,
    money,
    figures * name,
    flag(conflicts(a, b)),
    acts,
    acts * name,
    acts * flag(meets(a.primary, b.primary)),
    flag(a.actions !== 0 && b.actions !== 0 && both === 0),
    daysApart(Math.abs(a.day - b.day)),
    Math.min(1, Math.min(ownNames(a, b), ownNames(b, a)) / 3),
    flag((a.directions | b.directions) === 3 && a.directions !== 3 && b.directions !== 3),
    furtherLater(a, b),
    flag(a.angle || b.angle) * name,
    flag(a.digest || b.digest) * name,
    flag(a.stages !== 0 && b.stages !== 0 && (a.stages & b.stages) === 0),
    flag(meets(a.primary, b.primary)),
    flag(otherBrands(a, b)),
    flag(a.move !== '' && a.move === b.move),
    flag(a.move !== '' && b.move !== '' && a.move !== b.move),
    flag(meets(a.people, b.people)),
    flag(apart(a.people, b.people)),
    flag(apart(a.cities, b.cities)),
    flag(apart(a.places, b.places)),
    flag(otherPeriods(a.period, b.period)),
    flag(a.move === 'stores' && b.move === 'stores' && (apart(a.cities, b.cities) || apart(a.places, b.places))),
    flag(a.tally !== b.tally),
  ];
}
