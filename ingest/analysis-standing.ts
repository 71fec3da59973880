/**
 * The standing of a signal, by which its salience is scored: what text, catalogue and record say of the size of the
 * event and of its company. Pure.
 */
import { seatsOf } from '../facts/people/roles.ts';
import { isExpected } from '../facts/results/fields.ts';
import { daysBetween } from '../language/days.ts';
import { parseFigure } from '../language/figures.ts';
import { CRORE, inRupees } from '../language/money.ts';
import type { RecordBefore, RecordedMove } from '../projector/models/moves-queries.ts';
import type { AnalysisSentence, Standing } from '../schemas/signal.ts';
import type { Understanding } from '../schemas/story.ts';
import { tellingOf } from '../signal/signal-reports.ts';
import { type Companies, type Company, isOf, sameName } from './analysis-facts.ts';

/** Parts of a year that a period has. */
const PERIODS: Readonly<Record<string, number>> = { Q: 4, H: 2, F: 1 };

/** An amount in crores of rupees; null where it is no sum of money in rupees or dollars. */
function crores(amount: string | null): number | null {
  const figure = amount === null ? null : parseFigure(amount);
  if (figure?.kind !== 'money' || (figure.unit !== 'INR' && figure.unit !== 'USD')) return null;
  return inRupees(figure.value, figure.unit) / CRORE;
}

/** The newest yearly revenue of a company on record, in crores; that of a part of a year is multiplied. */
function yearlyRevenue(company: Company, moves: readonly RecordedMove[]): number | null {
  for (const move of moves.toReversed())
    for (const { company: name, metric, period, value } of move.results) {
      const parts = PERIODS[period?.[0] ?? ''];
      const sum = crores(value);
      if (parts && sum && /^(?:revenue|sales)$/.test(metric) && company.names.some((one) => sameName(one, name)))
        return sum * parts;
    }
  return null;
}

/** Words by which a headline states what is spent, and not what is aimed at. */
const SPENT =
  /\b(?:invest(?:s|ing|ment|ments)?|earmarks?|capex|outlay)\b|\b(?:crore|cr|million|mn|billion|bn) (?:\w+ )?expansion\b/i;

/**
 * The sum of an event in crores: that of its deal, what is invested, the penalty, or what a company earned. A target, a
 * valuation or the size of a market is no sum of an event.
 */
function sumOf({ move, headline, deal, delta, result, other_results = [] }: Understanding): number | null {
  if (move === 'deals') return crores(deal?.amount ?? null);
  if (move === 'rules' || (move === 'strategy' && SPENT.test(headline))) return crores(delta);
  if (move !== 'results') return null;
  const earned = [result, ...other_results].flatMap((one) =>
    one && !isExpected(one.metric) ? (crores(one.value) ?? []) : [],
  );
  return earned.length > 0 ? Math.max(...earned) : null;
}

/** Stores that open or close, and half of those that are planned. */
const storesOf = ({ openings }: Understanding): number =>
  openings.reduce((sum, { stores, status }) => {
    const isDone = status === 'opened' || status === 'closed';
    return sum + (stores ?? 0) * (isDone ? 1 : 0.5);
  }, 0);

const CHIEFS = new Set(['chief executive officer', 'managing director', 'chairperson', 'founder']);
/** The agenda of a conference, or a call to come to it. */
const ADVERTISED =
  /\b(?:summit|conclave|masterclass|webinar|hackathon|expo|awards)\b.*\b20\d\d\b|\b(?:register (?:now|for)|nominations? (?:open|close))\b/i;
/** Days whose signals show how much is written about a company. */
const PROMINENT_DAYS = 90;

/**
 * What text, catalogue and record say of the weight of a signal.
 * @returns null where they say nothing
 */
export function standingOf({
  understanding,
  published_at,
  record,
  companies,
  sentences,
}: {
  readonly understanding: Understanding;
  readonly published_at: string;
  readonly record: RecordBefore | null;
  readonly companies: Companies;
  readonly sentences: readonly AnalysisSentence[];
}): Standing | null {
  const { brands, people, headline } = understanding;
  const about = brands.flatMap(({ slug, role }) => (role === 'primary' ? (companies.of(slug) ?? []) : []));
  const sum = sumOf(understanding);
  const [company] = about;
  const revenue = company && record && understanding.move !== 'results' ? yearlyRevenue(company, record.moves) : null;
  const stores = storesOf(understanding);
  const recent = record?.moves.filter((move) => daysBetween(move.published_at, published_at) <= PROMINENT_DAYS) ?? [];
  const isComment = tellingOf(understanding).plain === 1;
  const standing: Standing = {
    listed: about.some(({ isListed, ownerIsListed }) => isListed || ownerIsListed),
    first: sentences.some(({ text }) => /^It is the (?:first|largest) /.test(text)),
    sum_crore: sum === null ? null : Math.round(sum * 100) / 100,
    revenue_share: sum === null || revenue === null ? null : Math.round((sum / revenue) * 1_000) / 1_000,
    stores: stores > 0 ? stores : null,
    chief: people.some(
      (one) =>
        seatsOf(one.role).some((seat) => CHIEFS.has(seat)) &&
        about.some(({ isListed, names }) => isListed && names.some((name) => sameName(name, one.company))),
    ),
    prominence: Math.floor(Math.log2(1 + Math.max(0, ...about.map((one) => recent.filter(isOf(one)).length)))),
    says: ADVERTISED.test(headline) ? 'advertisement' : isComment ? 'comment' : 'event',
  };
  return Object.values(standing).some((value) => value && value !== 'event') ? standing : null;
}
