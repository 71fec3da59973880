/**
 * What rules out that two reports are of one event, however like their words are. Each veto is a class of news, and symmetric.
 * Pure.
 */
import { bestAgreement } from './comparable-figures.ts';
import { isAnswer, isLaterAct, isTalk, LISTING_ACT } from './headline-signs.ts';
import type { Features } from './report-features.ts';
import { contained, type Terms } from './weighted-terms.ts';

/** A word as rare as this is a name. */
export const NAME = 0.9;

const meets = (a: readonly number[], b: readonly number[]): boolean => a.some((one) => b.includes(one));
const apart = (a: readonly number[], b: readonly number[]): boolean => a.length > 0 && b.length > 0 && !meets(a, b);
const lacks = (a: readonly number[], b: readonly number[]): boolean => a.some((one) => !b.includes(one));

export const shareBrand = (a: Features, b: Features): boolean => meets(a.primary, b.primary);

/** Days between two reports, by their own dates or by when they were first seen, whichever is fewer. */
export const daysBetween = (a: Features, b: Features): number =>
  Math.min(Math.abs(a.day - b.day), Math.abs(a.seen - b.seen));

// Companies.

/** True when the only distinctive word of a name is in the text: `Jhilmil` of Jhilmil Jewels. */
function hasRarest(text: Terms, name: Terms): boolean {
  const maximum = Math.max(...name.weights);
  const [id, ...others] = name.ids.filter((_, index) => name.weights[index] === maximum);
  return id !== undefined && others.length === 0 && maximum >= NAME && text.ids.includes(id);
}

/** So much of a name's weight in a text is a mention of it: `Honasa` for Honasa Consumer, but not `Fashion` for Go Fashion. */
const MENTION = 0.6;
const mentions = (text: Features, names: readonly Terms[]): boolean =>
  names.some((name) => contained(name, text.all) >= MENTION || hasRarest(text.all, name));

/**
 * Both are about companies, and neither names one of the other's or its owner, by catalogue or in words. An investor or another
 * company that both name besides is no company in common.
 */
export const areOtherBrands = (a: Features, b: Features): boolean =>
  apart(a.primary, b.families) && apart(b.primary, a.families) && !mentions(a, b.names) && !mentions(b, a.names);

// Results and other periods.

const areResults = (a: Features, b: Features): boolean => a.move === 'results' && b.move === 'results';
const inOrder = (a: Features, b: Features): [earlier: Features, later: Features] => (a.day <= b.day ? [a, b] : [b, a]);

/**
 * The report of a year and the target of another, of about one day and with a figure in common: a headline can name both, and
 * each outlet reads it as one of them.
 */
const areYearAndTarget = (a: Features, b: Features): boolean =>
  a.outlook !== b.outlook &&
  a.period.startsWith('FY') &&
  b.period.startsWith('FY') &&
  daysBetween(a, b) < 2 &&
  bestAgreement(
    a.titleFigures.filter(({ unit }) => unit !== 'fy'),
    b.titleFigures.filter(({ unit }) => unit !== 'fy'),
  ) === 1;

const outlookOf = ({ preview, outlook }: Features): Features['outlook'] => (preview ? 'expected' : outlook);

/** One reports figures, the other expects some: an outlook is an event of its own. A preview is none of what it looks ahead to. */
function areOtherOutlooks(a: Features, b: Features): boolean {
  const [one, other] = [outlookOf(a), outlookOf(b)];
  return one !== '' && other !== '' && one !== other && !areYearAndTarget(a, b);
}

/** Two quarters, or two years; a report can be about a quarter and the year that it closes. */
const areOtherPeriods = (a: Features, b: Features): boolean =>
  a.period !== '' && b.period !== '' && a.period[0] === b.period[0] && a.period !== b.period && !areYearAndTarget(a, b);

/** Results of one company for one quarter, whatever figures the two reports name. */
export const areOfOneQuarter = (a: Features, b: Features): boolean =>
  areResults(a, b) && shareBrand(a, b) && a.period.startsWith('Q') && a.period === b.period && !areOtherOutlooks(a, b);

/** Results, one of them of a further company, and no quarter that says that it is the same announcement. */
const areOfOtherCompanies = (a: Features, b: Features): boolean =>
  areResults(a, b) &&
  shareBrand(a, b) &&
  (lacks(a.primary, b.primary) || lacks(b.primary, a.primary)) &&
  !areOfOneQuarter(a, b);

/** Two figures of one metric and one company, further apart than outlets round, and no quarter in common. */
const areOtherFigures = (a: Features, b: Features): boolean =>
  areResults(a, b) &&
  a.growth !== null &&
  b.growth !== null &&
  a.growth.metric === b.growth.metric &&
  Math.abs(a.growth.value - b.growth.value) > ROUNDED &&
  !areOfOneQuarter(a, b);
/** Points of per cent by which two outlets may round one growth apart. */
const ROUNDED = 1;

// People, places, acts.

/** Other people, and neither report names one of the other's: also two who take or leave the same seat. */
const areOtherPeople = (a: Features, b: Features): boolean =>
  apart(a.people, b.people) && !meets(a.people, b.all.ids) && !meets(b.people, a.all.ids);

const areOtherStores = (a: Features, b: Features): boolean =>
  a.move === 'stores' && b.move === 'stores' && (apart(a.cities, b.cities) || apart(a.places, b.places));

/** Results of a company and what it raises, buys or sells, by their facts and by the words of both headlines. */
const areResultAndDeal = (a: Features, b: Features): boolean =>
  !a.digest &&
  !b.digest &&
  ((a.move === 'results' && b.move === 'deals') || (a.move === 'deals' && b.move === 'results')) &&
  (a.actions & b.actions) === 0;

/** What a company raises before its listing and by it: two transactions, of other sums. */
function areOtherTransactions(a: Features, b: Features): boolean {
  const [one, other] = [a.transaction, b.transaction];
  if (!one || !other || one.type === other.type || !isRaised(one.type) || !isRaised(other.type)) return false;
  return bestAgreement([one.sum], b.money) === 0 && bestAgreement([other.sum], a.money) === 0;
}
const isRaised = (type: string): boolean => type === 'funding' || type === 'ipo';

/** Another step to a listing: the board's nod, the filing, the nod of the regulator, each day of the offer, the first day of trade. */
const areOtherListingSteps = (a: Features, b: Features): boolean =>
  (a.actions & b.actions & LISTING_ACT) !== 0 && a.listing !== 0 && b.listing !== 0 && (a.listing & b.listing) === 0;

/** Another step of a legal matter, half a day later or more: the order, the suit against it and the stay are three events. */
function areOtherLegalSteps(a: Features, b: Features): boolean {
  if (a.move !== 'rules' || b.move !== 'rules' || a.legal === 0 || b.legal === 0 || daysBetween(a, b) < 0.5)
    return false;
  const [earlier, later] = inOrder(a, b);
  return (a.legal & b.legal) === 0 || isAnswer(later.legal, earlier.legal);
}

/** A store or launch that was planned is there, or a deal that was rumoured is agreed. */
function isPlanDone(earlier: Features, later: Features): boolean {
  if (earlier.deal === 'rumoured') return later.deal !== '' && later.deal !== 'rumoured';
  const isPlanned = earlier.move === later.move && (earlier.move === 'stores' || earlier.move === 'launches');
  return isPlanned && isTalk(earlier.stages) && !isTalk(later.stages) && (earlier.actions & later.actions) !== 0;
}

/** A later act: a day later, with a stage that the earlier report knows nothing of, or two days later what was planned then. */
function isLaterStage(a: Features, b: Features): boolean {
  const days = daysBetween(a, b);
  if (days < 1 || areOfOneQuarter(a, b)) return false;
  const [earlier, later] = inOrder(a, b);
  if (days >= 2 && isPlanDone(earlier, later)) return true;
  // One sum in both is one transaction, which a late outlet calls closed.
  return isLaterAct(later.stages, earlier.stages) && bestAgreement(a.money, b.money) < 1;
}

/** Tallies of other days are of other events. */
const areOtherTallies = (a: Features, b: Features): boolean =>
  a.tally !== b.tally || (a.tally && daysBetween(a, b) >= 1);

// All of them.

const VETOES = {
  'other companies': areOtherBrands,
  'other people': areOtherPeople,
  'stores in other places': areOtherStores,
  'another period': areOtherPeriods,
  'results of other companies': areOfOtherCompanies,
  'one reports, the other expects': areOtherOutlooks,
  'other figures of one metric': areOtherFigures,
  'a result and a deal': areResultAndDeal,
  'a round and a listing': areOtherTransactions,
  'another step to a listing': areOtherListingSteps,
  'another step of a legal matter': areOtherLegalSteps,
  'a later stage': isLaterStage,
  'one is a tally of many events': areOtherTallies,
} as const;
export type Veto = keyof typeof VETOES;
const ALL = Object.entries(VETOES) as [Veto, (a: Features, b: Features) => boolean][];

/** Why two reports cannot be of one event; null where nothing rules it out. */
export const vetoBetween = (a: Features, b: Features): Veto | null => {
  for (const [veto, holds] of ALL) if (holds(a, b)) return veto;
  return null;
};
