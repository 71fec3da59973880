/** Where reports give different figures of one thing: each is quoted with its outlet. */
import { findFigures } from '../../language/figures.ts';
import { statedFacts } from '../../schemas/facts.ts';
import { escapeMarkdown, quotation, type Sentence } from '../draft.ts';
import type { Evidence, ReportEvidence } from '../evidence.ts';

interface Stated {
  readonly id: string;
  /** What the figure is compared within: a company's quarter is one in every signal, anything else in its own. */
  readonly within: string;
  /** What the figure is of: a metric of a company in a quarter, or the amount of the deal. */
  readonly of: string;
  readonly unit: string;
  readonly value: number;
  /** The line of the report that has the figure. */
  readonly line: string;
  readonly report: ReportEvidence;
}

/** Figures that differ by less are the same one, rounded. */
const ROUNDED = 0.03;

/** The figure of a text, where a line of the report has it in the same digits. */
function stated(
  { of, id, within }: Pick<Stated, 'of' | 'id' | 'within'>,
  text: string | null,
  report: ReportEvidence,
): Stated[] {
  const [figure] = text === null ? [] : findFigures(text).filter(({ kind }) => kind === 'money' || kind === 'percent');
  const digits = text === null ? undefined : /\d[\d.,]*\d|\d/.exec(text)?.[0];
  const line = digits === undefined ? undefined : report.lines.find((one) => one.includes(digits));
  return figure && line ? [{ id, within, of, unit: figure.unit, value: figure.value, line, report }] : [];
}

/** The figure of a sort that a headline states, where it states no other of that sort. */
function onlyFigure({ title }: ReportEvidence, sort: 'money' | 'percent'): string | null {
  const [figure, ...others] = findFigures(title).filter(({ kind }) => kind === sort);
  return figure && others.length === 0 ? title.slice(figure.start, figure.end) : null;
}

const penaltyIn = (report: ReportEvidence): string | null =>
  statedFacts(report.facts ?? {}, 'enforcement').some(({ action }) => action === 'penalty')
    ? onlyFigure(report, 'money')
    : null;

const priceChangeIn = (report: ReportEvidence): string | null =>
  statedFacts(report.facts ?? {}, 'prices').length > 0 ? onlyFigure(report, 'percent') : null;

const figuresOf = (id: string, report: ReportEvidence): Stated[] =>
  report.facts === undefined
    ? []
    : [
        // What was offered may be less than what was sold.
        ...stated(
          { id, within: `${id} ${report.facts.deal?.status === 'completed'}`, of: 'amount' },
          // Of an issue, some report the whole and some the new shares.
          report.facts.deal?.type === 'ipo' ? null : (report.facts.deal?.amount ?? null),
          report,
        ),
        ...stated({ id, within: id, of: 'penalty' }, penaltyIn(report), report),
        ...stated({ id, within: id, of: 'change of the price' }, priceChangeIn(report), report),
        ...statedFacts(report.facts, 'results').flatMap(({ company, metric, period, value, growth_pct }) => {
          const of = `${metric} of ${company}${period ? ` in ${period}` : ''}`;
          const within = period ? '' : id;
          const growth = growth_pct === null ? null : `${Math.abs(growth_pct)}%`;
          return [
            ...stated({ id, within, of }, value, report),
            ...stated({ id, within, of: `growth of the ${of}` }, growth, report),
          ];
        }),
      ];

const isSame = (one: Stated, other: Stated): boolean =>
  Math.abs(one.value - other.value) <= ROUNDED * Math.max(one.value, other.value);

/** A sentence for each figure of which reports give different values in one unit. */
export function disagreements(evidence: readonly Evidence[]): Sentence[] {
  const figures = evidence.flatMap(({ signal: { id }, reports }) => reports.flatMap((report) => figuresOf(id, report)));
  const groups = Map.groupBy(figures, ({ within, of, unit }) => `${within}|${of.toLowerCase()}|${unit}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    const other = group.find((one) => first && one.report.url !== first.report.url && !isSame(first, one));
    if (!first || !other) return [];
    const sides = [first, other];
    const statements = sides
      .map(({ report, line }) => `${escapeMarkdown(report.outlet)}: ${quotation(line)}`)
      .join('; ');
    return [
      {
        markdown: `Reports give different figures of the ${escapeMarkdown(first.of)}: ${statements}.`,
        ids: [...new Set(sides.map(({ id }) => id))],
        quotes: sides.map(({ id, line }) => ({ id, text: line })),
      },
    ];
  });
}
