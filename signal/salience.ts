/**
 * How much a move weighs: a score from 0 to 100 by which briefs and top lists are sorted after the number of outlets. Pure.
 *
 * | points | for |
 * |---|---|
 * | 24 | distinct outlets: 8 for two, 16 for four, 24 for eight or more |
 * | 20 | the highest authority of an outlet that reports it, 0 to 1 |
 * | 20 | the sum: 5 for ₹10 crore, 10 for ₹100 crore, 15 for ₹1,000 crore, 20 for ₹10,000 crore or more |
 * | 10 | the sum against the yearly revenue of the company on record: all for a quarter of it or more |
 * | 6 | stores: 2 for five, 4 for 22, 6 for 100 or more |
 * | 6 | a listed company |
 * | 8 | the reach of a rule: 8 for a regulation or tax, 4 for a case, a penalty, a recall or a notice |
 * | 6 | the first or largest on record |
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

const CASES = new Set(['Court case', 'Penalty', 'Recall', 'Notice', 'Approval']);
const WIDE = new Set(['Regulation', 'Tax']);

const atMost = (maximum: number, points: number): number => Math.min(maximum, Math.max(0, points));

function reachOf({ move, kind }: Weighed): number {
  if (move !== 'rules' || kind === null) return 0;
  if (WIDE.has(kind)) return 8;
  return CASES.has(kind) ? 4 : 0;
}

/** The score of a signal, 0 to 100 with one decimal. */
export function salienceOf(weighed: Weighed): number {
  const { outlets, authority, standing } = weighed;
  const { sum_crore = null, revenue_share = null, stores = null, listed = false, first = false } = standing ?? {};
  const points =
    atMost(24, 8 * Math.log2(Math.max(1, outlets))) +
    atMost(20, 20 * authority) +
    atMost(20, sum_crore === null ? 0 : 5 * Math.log10(Math.max(1, sum_crore))) +
    atMost(10, revenue_share === null ? 0 : 40 * revenue_share) +
    atMost(6, stores === null ? 0 : 3 * Math.log10(Math.max(1, stores))) +
    (listed ? 6 : 0) +
    reachOf(weighed) +
    (first ? 6 : 0);
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
