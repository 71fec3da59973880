/**
 * How much a move weighs: a score from 0 to 100 by which briefs and top lists are sorted after the number of outlets. Pure.
 *
 * | points | for |
 * |---|---|
 * | 24 | distinct outlets: 8 for two, 16 for four, 24 for eight or more |
 * | 10 | the highest authority of an outlet that reports it, 0 to 1 |
 * | 20 | what happened, see below |
 * | 20 | the sum of the deal, the investment or the penalty: 5 for ₹10 crore, 10 for ₹100 crore, 15 for ₹1,000 crore, 20 for ₹10,000 crore or more; a hundredth of what a company earned, for results |
 * | 6 | that sum against the yearly revenue of the company on record: all for a quarter of it or more |
 * | 4 | stores that open or close, and half of those that are planned: 2 for ten, 4 for 100 or more |
 * | 6 | a listed company, or one of its brands |
 * | 6 | how much is written of the company: 1 for one signal in the 90 days before, 2 for three, 3 for seven, 6 for 63 or more |
 * | 4 | the first or largest on record |
 *
 * | points | what happened |
 * |---|---|
 * | 20 | a rule, a tax, a change of prices |
 * | 16 | results of a period, an acquisition, a merger, a listing, job cuts, an exit, a case, a penalty, a notice or a recall |
 * | 12 | other figures of a company, a stake, a joint venture, a restructuring, closures |
 * | 8 | funding, an appointment, an investment, plans of stores, a market entry, industry data |
 * | 4 | other plans, partnerships, other news of an industry |
 * | 0 | a store, a product, a campaign |
 *
 * A chief of a listed company who comes or goes counts like an acquisition for ₹1,000 crore. Targets, valuations and sizes of
 * markets are no sums. Of a store, a product or a campaign the company counts half. A headline that asks or comments has
 * points for outlets, authority and half of the company; one that advertises an event has none.
 */
import type { Move } from '../schemas/scalar.ts';
import type { Standing } from '../schemas/signal.ts';
import { countedOutlets, type KnownReport } from './signal-reports.ts';

/** What a signal is weighed by. */
export interface Weighed {
  readonly move: Move;
  /** The editorial label of its kind. */
  readonly kind: string | null;
  /** Distinct outlets whose reports count. */
  readonly outlets: number;
  /** The highest authority among them, 0 to 1. */
  readonly authority: number;
  /** What catalogue and record say of it; null before its analysis. */
  readonly standing: Standing | null;
}

/** Points for what happened, by the label of its kind; those of a kind of move for labels that are not here. */
const HAPPENED: Readonly<Record<string, number>> = {
  Regulation: 20,
  Tax: 20,
  'Price change': 20,
  'Quarterly results': 16,
  'Annual results': 16,
  'Business update': 16,
  Acquisition: 16,
  Merger: 16,
  IPO: 16,
  Layoffs: 16,
  Exit: 16,
  Restructuring: 12,
  'Stake sale': 12,
  'Store closure': 12,
  'Joint venture': 12,
  Investment: 8,
  'Market entry': 8,
  'Store plans': 8,
  'Industry data': 8,
};
const BY_MOVE: Readonly<Record<Move, number>> = {
  rules: 16,
  results: 12,
  deals: 8,
  people: 8,
  strategy: 4,
  other: 4,
  stores: 0,
  launches: 0,
};
/** A chief of a listed company counts like such an acquisition. */
const LIKE_A_CHIEF = { happened: HAPPENED.Acquisition ?? 0, sum_crore: 1_000 };
/** What a company earned is its own size, and counts so much. */
const OF_RESULTS = 0.01;

const atMost = (maximum: number, points: number): number => Math.min(maximum, Math.max(0, points));
/** The powers of ten in a quantity; none of one that is not stated. */
const magnitude = (quantity: number | null): number => Math.log10(Math.max(1, quantity ?? 0));

/** The points of the event itself. */
function pointsOfEvent({ move, kind, standing }: Weighed): { happened: number; size: number } {
  const { sum_crore = null, revenue_share = null, stores = null, chief = false, first = false } = standing ?? {};
  const sum = chief ? LIKE_A_CHIEF.sum_crore : move === 'results' ? (sum_crore ?? 0) * OF_RESULTS : sum_crore;
  return {
    happened: chief ? LIKE_A_CHIEF.happened : (HAPPENED[kind ?? ''] ?? BY_MOVE[move]),
    size:
      atMost(20, 5 * magnitude(sum)) +
      atMost(6, 24 * (revenue_share ?? 0)) +
      atMost(4, 2 * magnitude(stores)) +
      (first ? 4 : 0),
  };
}

/** The score of a signal, 0 to 100 with one decimal. */
export function salienceOf(weighed: Weighed): number {
  const { outlets, authority, standing } = weighed;
  const { listed = false, prominence = 0, says = 'event' } = standing ?? {};
  if (says === 'advertisement') return 0;
  const { happened, size } = says === 'event' ? pointsOfEvent(weighed) : { happened: 0, size: 0 };
  const company = (listed ? 6 : 0) + atMost(6, prominence);
  const points =
    atMost(24, 8 * Math.log2(Math.max(1, outlets))) +
    atMost(10, 10 * authority) +
    happened +
    size +
    (happened > 0 ? company : company / 2);
  return Math.round(points * 10) / 10;
}

/**
 * The score of a signal by its kind, its reports and its standing.
 * @param standing null before its analysis
 */
export const salienceOfReports = (
  { move, kind }: Pick<Weighed, 'move' | 'kind'>,
  reports: readonly Pick<KnownReport, 'outlet' | 'authority' | 'resurfaced'>[],
  standing: Standing | null,
): number =>
  salienceOf({
    move,
    kind,
    standing,
    outlets: countedOutlets(reports).length,
    authority: Math.max(0, ...reports.filter(({ resurfaced }) => !resurfaced).map(({ authority }) => authority)),
  });
