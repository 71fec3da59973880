/** The results season of all companies: what each reported of a quarter, next to the quarter before. */

import { istDay } from '../language/days.ts';
import { parseFigure } from '../language/figures.ts';
import { quarterDays, quarterName, quarterOf } from '../language/fiscal.ts';
import { CRORE, inRupees } from '../language/money.ts';
import {
  type CompanySeasons,
  companiesWithFigures,
  groupSeasons,
  latestQuarter,
} from '../projector/models/group-season-queries.ts';
import type { Category } from '../schemas/catalogue.ts';
import type { Company, KeyNumber, Quarter } from '../schemas/moves-by-kind.ts';
import { reportedAt } from '../schemas/resources.ts';
import type { BrandSlug } from '../schemas/scalar.ts';
import type { Site } from './site.ts';

/** A figure of a quarter. */
export interface SeasonFigure {
  /** As reported. */
  readonly text: string | null;
  /** In crore rupees; null for what is no sum of rupees. */
  readonly crore: number | null;
  /** Against the same quarter of the year before, in per cent, as reported. */
  readonly growth: number | null;
  readonly report: Pick<KeyNumber, 'signal' | 'outlet' | 'source_url'>;
}

/** A margin: profit divided by revenue, where one report states both. */
interface QuarterFigures {
  readonly revenue: SeasonFigure | null;
  readonly profit: SeasonFigure | null;
  /** In per cent. */
  readonly margin: number | null;
}

export interface SeasonRow {
  readonly company: Company;
  readonly category: Category | null;
  /** IST day of the first report of the quarter; null for a company that is due. */
  readonly reported_on: string | null;
  readonly now: QuarterFigures;
  readonly before: QuarterFigures;
}

export interface Season {
  readonly quarter: Quarter;
  readonly before: Quarter;
  readonly hasEnded: boolean;
  /** Companies with figures of the quarter, the newest report first. */
  readonly reported: readonly SeasonRow[];
  /** Companies that reported without any figure on record. */
  readonly withoutFigures: readonly Company[];
  /** Companies that have not reported, by name. */
  readonly due: readonly SeasonRow[];
}

/** The quarter so many quarters before. */
export function quarterBack(quarter: Quarter, back: number): Quarter {
  const { since } = quarterDays(quarter);
  return quarterName(quarterOf(since, back));
}

const REVENUE = ['revenue', 'sales'];
const PROFIT = ['profit', 'loss'];

function figureOf(numbers: readonly KeyNumber[], metrics: readonly string[]): SeasonFigure | null {
  const number = metrics.map((name) => numbers.find(({ metric }) => metric === name)).find(Boolean);
  if (!number || (number.value === null && number.growth_pct === null)) return null;
  const figure = number.value === null ? null : parseFigure(number.value);
  const isRupees = figure?.kind === 'money' && figure.unit === 'INR' && figure.value === figure.high;
  const sign = number.metric === 'loss' ? -1 : 1;
  const { signal, outlet, source_url } = number;
  return {
    text: number.value,
    crore: isRupees ? (sign * inRupees(figure.value, 'INR')) / CRORE : null,
    growth: number.metric === 'loss' ? null : number.growth_pct,
    report: { signal, outlet, source_url },
  };
}

function figuresOf(numbers: readonly KeyNumber[]): QuarterFigures {
  const [revenue, profit] = [figureOf(numbers, REVENUE), figureOf(numbers, PROFIT)];
  const isOneReport =
    revenue?.report.signal.id === profit?.report.signal.id && revenue?.report.source_url === profit?.report.source_url;
  const isKnown = isOneReport && revenue?.crore && typeof profit?.crore === 'number';
  return { revenue, profit, margin: isKnown ? ((profit.crore ?? 0) / (revenue.crore ?? 1)) * 100 : null };
}

const hasFigures = ({ revenue, profit }: QuarterFigures): boolean => revenue !== null || profit !== null;

/** Whether a company belongs to a category: by its own, or as a member of a group of that category. */
const isOf = ({ gazetteer }: Site, slug: BrandSlug, category: Category): boolean =>
  gazetteer.categoryOf(slug) === category ||
  gazetteer.groups.some(({ categories, members }) => categories.includes(category) && members.includes(slug));

/** The companies that report: members of the groups, and those of which a figure of the quarter is reported. */
async function membersOf({ database, gazetteer }: Site, quarter: Quarter): Promise<BrandSlug[]> {
  const listed = [...new Set(gazetteer.groups.flatMap(({ members }) => members))];
  const covered = new Set(listed.flatMap((slug) => gazetteer.company(slug)?.reporting ?? []));
  const others = (await companiesWithFigures(database, quarter)).flatMap((slug) =>
    covered.has(slug) ? [] : (gazetteer.company(slug)?.slug ?? []),
  );
  return [...new Set([...listed, ...others])];
}

/** The last quarter that has ended and of which a company reported. */
async function currentQuarter({ database, gazetteer, now }: Site): Promise<Quarter> {
  const last = quarterName(quarterOf(istDay(now().getTime()), 1));
  const slugs = gazetteer.groups.flatMap(({ members }) =>
    members.flatMap((slug) => gazetteer.company(slug)?.reporting ?? []),
  );
  return (await latestQuarter(database, slugs, last)) ?? last;
}

function rowOf({ company, quarters }: CompanySeasons, site: Site): SeasonRow {
  const [now = [], before = []] = quarters.map(({ numbers }) => numbers);
  const [first] = now.map(reportedAt).toSorted();
  return {
    company,
    category: site.gazetteer.categoryOf(company.slug),
    reported_on: first === undefined ? null : istDay(first),
    now: figuresOf(now),
    before: figuresOf(before),
  };
}

/** The season of a quarter, the latest by default, of all companies or those of a category. */
export async function resultsSeason(
  site: Site,
  question: { readonly quarter?: Quarter | undefined; readonly category?: Category | undefined },
): Promise<Season> {
  const { category } = question;
  const quarter = question.quarter ?? (await currentQuarter(site));
  const before = quarterBack(quarter, 1);
  const all = await membersOf(site, quarter);
  const members = category ? all.filter((slug) => isOf(site, slug, category)) : all;
  const context = { now: site.now(), baseUrl: site.baseUrl, gazetteer: site.gazetteer };
  const seasons = await groupSeasons(site.database, { group: { members }, quarters: [quarter, before] }, context);
  const rows = seasons.map((season) => rowOf(season, site));
  const byName = (one: SeasonRow, other: SeasonRow): number => one.company.name.localeCompare(other.company.name, 'en');
  return {
    quarter,
    before,
    hasEnded: istDay(site.now().getTime()) > quarterDays(quarter).until,
    reported: rows
      .filter(({ now }) => hasFigures(now))
      .toSorted((one, other) => (other.reported_on ?? '').localeCompare(one.reported_on ?? '') || byName(one, other)),
    withoutFigures: rows.flatMap(({ company, now, reported_on }) =>
      reported_on !== null && !hasFigures(now) ? [company] : [],
    ),
    due: rows.filter(({ reported_on }) => reported_on === null).toSorted(byName),
  };
}
