/** What the sections of a briefing state in figures: findings that are added up from rows, and tables of facts. Pure. */
import { FACTS } from '../../facts/all-facts.ts';
import { formatCount, joinNames } from '../../language/prose.ts';
import { statedFacts } from '../../schemas/facts.ts';
import type { Move } from '../../schemas/scalar.ts';
import { escapeMarkdown, type Sentence } from '../draft.ts';
import { dayOf, type Evidence, reportOf } from '../evidence.ts';
import {
  actionRows,
  actionsIn,
  BECAME,
  evidenceIn,
  isMetric,
  moneyOf,
  moneyRows,
  type Row,
  resultRows,
  type StoreStatus,
  storeRows,
  storesIn,
  sumInRupees,
} from '../figures.ts';
import { ACTIONS } from '../question/typed-query.ts';
import { counted } from './sentences.ts';

const nameOf = ({ evidence, brand }: Row): string =>
  evidence.signal.brands.find(({ slug }) => slug === brand)?.name ?? evidence.signal.brands[0]?.name ?? 'a company';

function storeFindings(evidence: readonly Evidence[]): Sentence[] {
  return (Object.keys(BECAME) as StoreStatus[]).flatMap((status) => {
    const rows = storeRows(evidence, status);
    if (rows.length === 0) return [];
    const cities = [...new Set(rows.flatMap(({ city }) => city ?? []))];
    const named = formatCount(cities.length, 'city', 'cities');
    // A store whose city no report names may be in another one.
    const where = cities.length === 0 ? '' : rows.every(({ city }) => city) ? ` in ${named}` : `, ${named} named`;
    return [counted(`${storesIn(rows, status)}${where}`, evidenceIn(rows))];
  });
}

function dealFindings(evidence: readonly Evidence[]): Sentence[] {
  const [raised, sold, spent] = [
    moneyRows(evidence, 'raised'),
    moneyRows(evidence, 'sold'),
    moneyRows(evidence, 'spent'),
  ];
  const ipos = evidence.filter(({ facts }) => facts.deal?.type === 'ipo');
  const largest = raised.toSorted((one, other) => sumInRupees([other]) - sumInRupees([one]))[0];
  return [
    ...(raised.length > 0 && largest
      ? [
          counted(
            `${moneyOf(raised)} raised in ${formatCount(raised.length, 'round')}, among them ${escapeMarkdown(nameOf(largest))} with ${escapeMarkdown(largest.written)}`,
            evidenceIn(raised),
          ),
        ]
      : []),
    ...(sold.length > 0 ? [counted(`holders sold stakes for ${moneyOf(sold)}`, evidenceIn(sold))] : []),
    ...(spent.length > 0
      ? [counted(`${moneyOf(spent)} spent on ${formatCount(spent.length, 'acquisition')}`, evidenceIn(spent))]
      : []),
    ...(ipos.length > 0
      ? [counted(`${formatCount(companiesIn(ipos), 'company', 'companies')} with steps to an IPO`, ipos)]
      : []),
  ];
}

/** How many companies signals are about. */
const companiesIn = (evidence: readonly Evidence[]): number =>
  new Set(evidence.map(({ about, signal }) => about[0] ?? signal.id)).size;

/** Metrics of which a briefing counts the companies that grew and shrank. */
const COUNTED_METRICS = ['revenue', 'profit'] as const;

function resultFindings(evidence: readonly Evidence[]): Sentence[] {
  const grown = resultRows(evidence).filter(({ result }) => result.growth_pct !== null && result.growth_pct !== 0);
  return COUNTED_METRICS.flatMap((metric) => {
    const rows = grown.filter(({ result }) => isMetric(metric, result.metric));
    const of = (sign: number): number =>
      new Set(rows.flatMap(({ result }) => (Math.sign(result.growth_pct ?? 0) === sign ? result.company : []))).size;
    const [up, down] = [of(1), of(-1)];
    if (up + down === 0) return [];
    const sides = [up > 0 ? `up at ${formatCount(up, 'company', 'companies')}` : '', down > 0 ? `down at ${down}` : ''];
    // The growth of many results is stated in a headline alone, and is in no row.
    const text = `${metric} ${joinNames(sides.filter(Boolean))} of those whose growth is stated`;
    return [counted(text, [...new Set(rows.map((row) => row.evidence))])];
  });
}

function peopleFindings(evidence: readonly Evidence[]): Sentence[] {
  return (['joined', 'left', 'promoted'] as const).flatMap((direction) => {
    const own = evidence.filter(({ facts }) => facts.people.some((person) => person.direction === direction));
    const names = own.flatMap(({ facts }) =>
      facts.people.filter((one) => one.direction === direction).map(({ person }) => person),
    );
    const number = new Set(names).size;
    const auxiliary = direction !== 'promoted' ? '' : number === 1 ? 'was ' : 'were ';
    return number > 0 ? [counted(`${formatCount(number, 'person', 'people')} ${auxiliary}${direction}`, own)] : [];
  });
}

/** What regulators and courts did, by what is counted of it. */
const ruleFindings = (evidence: readonly Evidence[]): Sentence[] =>
  (Object.keys(ACTIONS) as (keyof typeof ACTIONS)[]).flatMap((action) => {
    const rows = actionRows(evidence, action, [], false);
    return rows.length > 0 ? [counted(actionsIn(rows, action), evidenceIn(rows))] : [];
  });

function priceFindings(evidence: readonly Evidence[]): Sentence[] {
  return (['raised', 'cut'] as const).flatMap((direction) => {
    const own = evidence.filter(({ facts }) =>
      statedFacts(facts, 'prices').some((price) => price.direction === direction),
    );
    return own.length > 0 ? [counted(`${formatCount(own.length, 'price')} ${direction}`, own)] : [];
  });
}

/** What a section says in figures, by the kind of its moves, each counted from the signals that it cites. */
export const FINDINGS: Readonly<Partial<Record<Move, (evidence: readonly Evidence[]) => Sentence[]>>> = {
  stores: storeFindings,
  deals: dealFindings,
  results: resultFindings,
  people: peopleFindings,
  rules: ruleFindings,
  launches: priceFindings,
};

/** A table of the facts of one kind, a row for each fact. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly { readonly evidence: Evidence; readonly cells: readonly (string | null)[] }[];
  /** Whether a row has no figure, and says little without the headline of its report. */
  readonly isBare: boolean;
}

/** The day of the report that is shown for a signal. */
export const shownDay = (one: Evidence): string => dayOf(reportOf(one), one);
/** The newest report first. */
export const byDay = (one: Evidence, other: Evidence): number => shownDay(other).localeCompare(shownDay(one));
const bySalience = (one: Evidence, other: Evidence): number => other.salience - one.salience;

/** The facts of a kind of move that signals state; null for a kind of move that has none of its own. */
export function tableOf(move: Move | undefined, evidence: readonly Evidence[]): Table | null {
  const kind = FACTS.find(({ ask }) => ask.move === move);
  if (!kind) return null;
  const { columns, cells, isListed = () => true, compare } = kind.ask;
  const facts = evidence.flatMap((one) => statedFacts(one.facts, kind.kind).map((fact) => ({ evidence: one, fact })));
  // Results by the weight of their companies: those that fell are as important as those that grew.
  const order = move === 'results' ? bySalience : byDay;
  const rows = facts
    .filter(({ fact }) => isListed(fact))
    .toSorted((one, other) => compare?.(one.fact, other.fact) ?? order(one.evidence, other.evidence))
    .map(({ evidence: one, fact }) => ({ evidence: one, cells: cells(fact) }));
  // A column that no row fills says nothing.
  const filled = columns.map((_, at) => rows.some(({ cells: own }) => own[at] != null));
  return {
    columns: columns.filter((_, at) => filled[at]),
    isBare: move === 'rules',
    rows: rows.map((row) => ({ ...row, cells: row.cells.filter((_, at) => filled[at]) })),
  };
}
