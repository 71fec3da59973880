/**
 * The results season of a group: the figures that public signals report, where one event counts once; who reported
 * what, who has not reported yet, its moves, and what to watch.
 */

import { z } from 'zod';
import { isExpected } from '../../facts/results/fields.ts';
import { formatDay, istDay } from '../../language/days.ts';
import { quarterDays, quarterName, quarterOf, quarterOrder } from '../../language/fiscal.ts';
import { joinNames } from '../../language/prose.ts';
import { type Queryable, query, queryColumn, queryNumber } from '../../log/postgres/database.ts';
import type { CatalogueGroup } from '../../schemas/catalogue.ts';
import type { KnownCompany } from '../../schemas/directory.ts';
import { type Company, type GroupSeason, type KeyNumber, Quarter } from '../../schemas/moves-by-kind.ts';
import { SignalItem, SignalText } from '../../schemas/resources.ts';
import { type BrandSlug, StoredBrandSlug } from '../../schemas/scalar.ts';
import { brandsToPitch } from './expansion-map-queries.ts';
import { seatsToWatch } from './leadership-moves-queries.ts';
import {
  CITED_COLUMNS,
  Cited,
  citationOf,
  DetailColumns,
  JOIN_SIGNALS,
  type QueryContext,
  referenceOf,
  signalTextOf,
  windowOf,
} from './query-parts.ts';

const ResultRow = Cited.extend({
  company_slug: StoredBrandSlug,
  metric: z.string(),
  value: z.string().nullable(),
  growth_pct: z.number().nullable(),
});
type ResultRow = z.infer<typeof ResultRow>;

/**
 * The latest quarter of which one of these companies reported.
 * @param last the last quarter that has ended: later ones are forecasts
 * @returns null when none has
 */
export async function latestQuarter(
  database: Queryable,
  companies: readonly BrandSlug[],
  last: Quarter,
): Promise<Quarter | null> {
  const rows = await query(
    database,
    `SELECT DISTINCT period, metric FROM read.results WHERE company_slug = ANY($1) AND period LIKE 'Q_ FY__'`,
    [companies],
    z.object({ period: z.string(), metric: z.string() }),
  );
  const quarters = rows
    .filter(({ metric }) => !isExpected(metric))
    .flatMap(({ period }) => Quarter.safeParse(period).data ?? [])
    .filter((quarter) => quarterOrder(quarter) <= quarterOrder(last));
  return quarters.toSorted((one, other) => quarterOrder(other) - quarterOrder(one))[0] ?? null;
}

/** The companies of which a figure of a period is reported, by the slugs of their reports. */
export const companiesWithFigures = (database: Queryable, period: Quarter): Promise<BrandSlug[]> =>
  queryColumn(
    database,
    `SELECT DISTINCT company_slug FROM read.results
     WHERE period = $1 AND company_slug IS NOT NULL AND (value IS NOT NULL OR growth_pct IS NOT NULL)`,
    [period],
    StoredBrandSlug,
  );

/** For each company and metric of a period the newest reports of its value and of its growth, newest first. */
const figuresOf = (database: Queryable, companies: readonly BrandSlug[], period: string): Promise<ResultRow[]> =>
  query(
    database,
    `WITH ranked AS (
       SELECT *,
         row_number() OVER (metric_of ORDER BY value IS NULL, value IS NULL AND growth_pct IS NULL,
           reported_at DESC, key DESC, number) AS by_value,
         row_number() OVER (metric_of ORDER BY growth_pct IS NULL, reported_at DESC, key DESC, number) AS by_growth
       FROM read.results WHERE company_slug = ANY($1) AND period = $2
       WINDOW metric_of AS (PARTITION BY company_slug, metric))
     SELECT ${CITED_COLUMNS}, row.company_slug, row.metric, row.value, row.growth_pct
     FROM ranked AS row ${JOIN_SIGNALS} WHERE row.by_value = 1 OR row.by_growth = 1
     ORDER BY row.reported_at DESC, row.key DESC, row.number`,
    [companies, period],
    ResultRow,
  );

/** Moves about any of these brands that were published since a moment; one about several counts once. */
const countMovesAbout = (database: Queryable, brands: readonly BrandSlug[], since: Date): Promise<number> =>
  queryNumber(
    database,
    `SELECT count(DISTINCT key)::int FROM read.signal_brands
     WHERE brand = ANY($1) AND is_primary AND published_at >= $2`,
    [brands, since],
  );

/** SignalText of the newest moves about any of these brands, newest first. */
async function newestMoves(database: Queryable, brands: readonly BrandSlug[], limit: number): Promise<SignalText[]> {
  // Brand by brand, because only within one the index gives the order.
  const rows = await query(
    database,
    `WITH newest AS (
       SELECT DISTINCT latest.key, latest.reported_at FROM unnest($1::text[]) AS asked(brand), LATERAL (
         SELECT key, reported_at FROM read.signal_brands b WHERE b.brand = asked.brand AND b.is_primary
         ORDER BY reported_at DESC, key DESC LIMIT $2) AS latest
       ORDER BY latest.reported_at DESC, latest.key DESC LIMIT $2)
     SELECT s.item_document, s.row
     FROM newest JOIN read.signals s ON s.key = newest.key AND s.status = 'public'
     ORDER BY newest.reported_at DESC, newest.key DESC`,
    [brands, limit],
    DetailColumns,
  );
  return rows.map((row) => SignalText.parse(signalTextOf(row)));
}

/** In the order in which a company's figures are read. */
const METRICS = ['revenue', 'sales', 'GMV', 'profit', 'loss', 'ebitda', 'margin', 'volume'];

const placeOf = (metric: string): number => (METRICS.includes(metric) ? METRICS.indexOf(metric) : METRICS.length);

/** Company by company, each one's figures in the order in which they are read. */
const inOrder = (numbers: readonly KeyNumber[]): KeyNumber[] =>
  numbers.toSorted(
    (one, other) =>
      (one.company < other.company ? -1 : one.company > other.company ? 1 : 0) ||
      placeOf(one.metric) - placeOf(other.metric) ||
      (one.metric < other.metric ? -1 : 1),
  );

const REVENUE = ['revenue', 'sales'];

/**
 * The growth of each company, highest first: of revenue, or of sales where no revenue is reported. Where no company reports
 * either, the growth of profit is compared.
 */
function growthOf(numbers: readonly KeyNumber[]): GroupSeason['growth'] {
  const grown = (metrics: readonly string[]): GroupSeason['growth'] => {
    const best = new Map<string, GroupSeason['growth'][number]>();
    for (const { company, company_slug, metric, growth_pct } of inOrder(numbers))
      if (growth_pct !== null && metrics.includes(metric) && !best.has(company_slug))
        best.set(company_slug, { company, company_slug, metric, growth_pct });
    return [...best.values()].sort((one, other) => other.growth_pct - one.growth_pct);
  };
  const revenue = grown(REVENUE);
  return revenue.length > 0 ? revenue : grown(['profit']);
}

// What to watch: results that are due, planned stores, vacant seats, and the analyses of the newest moves.

const DAYS = 90;
const EACH = 3;

interface Watched {
  readonly quarter: Quarter;
  /** Slugs of all brands of the group. */
  readonly brands: readonly BrandSlug[];
  /** Companies that report results. */
  readonly members: number;
  /** Companies that have not reported a quarter that has ended. */
  readonly due: readonly Company[];
  /** The group's newest moves. */
  readonly moves: readonly SignalText[];
}

/** Sentences made from counts and dates, and stored analyses, each with the signal that it cites. */
async function whatToWatch(
  database: Queryable,
  { quarter, brands, members, due, moves }: Watched,
  context: QueryContext,
): Promise<GroupSeason['what_to_watch']> {
  const window = windowOf(context.now, DAYS);
  const [expanding, seats] = await Promise.all([
    brandsToPitch(database, { ...window, brands }, { days: DAYS, limit: EACH }, context),
    seatsToWatch(database, { ...window, companies: brands }, context),
  ]);
  const today = istDay(context.now.getTime());
  const names = due.map(({ name }) => name);
  const reporting = `${due.length} of ${members} companies have not reported ${quarter} yet: ${joinNames(names, 5)}.`;
  const counted = [
    ...expanding.map(({ brand, why, ...cited }) => ({ text: `${brand}: ${why}`, ...citedBy(cited) })),
    ...seats.slice(0, EACH).map(({ company, role, vacant_since, ...cited }) => ({
      text: `${company}: its ${role} ${vacant_since > today ? 'leaves' : 'left'} on ${formatDay(new Date(vacant_since))}; no successor is reported.`,
      ...citedBy(cited),
    })),
  ];
  const cited = new Set(counted.map(({ signal }) => signal.id));
  const analysed = moves
    .filter(({ id }) => !cited.has(id))
    .flatMap(({ what_to_watch: text, id, slug, url, headline, published_at, reported_at = published_at, source }) =>
      text
        ? [
            {
              text,
              signal: { id, slug, url, headline, published_at, reported_at },
              outlet: source.outlet,
              source_url: source.url,
              published_at,
              reported_at,
            },
          ]
        : [],
    );
  const uncited = { signal: null, outlet: null, source_url: null, published_at: null, reported_at: null };
  return [...(due.length > 0 ? [{ text: reporting, ...uncited }] : []), ...counted, ...analysed.slice(0, EACH)];
}

type Citation = Omit<ReturnType<typeof citationOf>, 'reported_at'> & { readonly reported_at?: string | undefined };

/** What cites a row, without the rest of it. */
const citedBy = ({ signal, outlet, source_url, published_at, reported_at }: Citation): Citation => ({
  signal,
  outlet,
  source_url,
  published_at,
  reported_at,
});

interface GroupQuestion {
  readonly group: CatalogueGroup;
  /** Default: the latest quarter that a company of the group has reported. */
  readonly quarter?: Quarter | undefined;
}

const MOVES = 10;
/** Days over which the moves of a group are counted. */
const MOVE_DAYS = 90;

/** The season of a group for a quarter. Its companies are those that report results. */
export async function groupSeason(
  database: Queryable,
  question: GroupQuestion,
  context: QueryContext,
): Promise<GroupSeason> {
  const { group } = question;
  const { gazetteer, baseUrl, now } = context;
  const members = group.members.flatMap((slug) => gazetteer.company(slug) ?? []);
  const companies = new Map(members.flatMap((member) => member.reporting.map((slug) => [slug, member] as const)));
  const slugs = [...companies.keys()];
  const today = istDay(now.getTime());
  const last = quarterName(quarterOf(today, 1));
  const quarter = question.quarter ?? (await latestQuarter(database, slugs, last)) ?? last;
  const { since, until } = quarterDays(quarter);
  const status = today < since ? 'not_begun' : today <= until ? 'running' : 'ended';
  const brands = gazetteer.brandsOfGroup(group);
  const [figures, moves, moves_total] = await Promise.all([
    figuresOf(database, slugs, quarter),
    newestMoves(database, brands, MOVES),
    countMovesAbout(database, brands, windowOf(now, MOVE_DAYS).since),
  ]);
  const numbers = keyNumbers(figures, companies, context);
  // A forecast is no report.
  const reported = new Set(numbers.flatMap((each) => (isExpected(each.metric) ? [] : each.company_slug)));
  const notYet = members.filter(({ slug }) => !reported.has(slug)).map((member) => pageOf(member, baseUrl));
  return {
    group: { name: group.name, slug: group.slug, url: `${baseUrl}/group/${group.slug}` },
    quarter,
    quarter_since: since,
    quarter_until: until,
    quarter_status: status,
    season: { reported: reported.size, expected: members.length, not_yet: notYet },
    growth: growthOf(numbers),
    key_numbers: numbers,
    moves: moves.map((move) => SignalItem.parse(move)),
    moves_total,
    what_to_watch: await whatToWatch(
      database,
      { quarter, brands, members: members.length, due: status === 'ended' ? notYet : [], moves },
      context,
    ),
  };
}

/** A company of a group with its figures of several quarters. */
export interface CompanySeasons {
  readonly company: Company;
  /** In the order in which the quarters were asked for; of one without a report there are no numbers. */
  readonly quarters: readonly { readonly quarter: Quarter; readonly numbers: readonly KeyNumber[] }[];
}

/**
 * What each company of a group reported in several quarters, in the order of the group. Forecasts are left out.
 * @param question.quarters such as the latest and those before it
 */
export async function groupSeasons(
  database: Queryable,
  { group, quarters }: { readonly group: Pick<CatalogueGroup, 'members'>; readonly quarters: readonly Quarter[] },
  context: QueryContext,
): Promise<CompanySeasons[]> {
  const members = group.members.flatMap((slug) => context.gazetteer.company(slug) ?? []);
  const companies = new Map(members.flatMap((member) => member.reporting.map((slug) => [slug, member] as const)));
  const slugs = [...companies.keys()];
  const seasons = await Promise.all(
    quarters.map(async (quarter) => ({
      quarter,
      numbers: keyNumbers(await figuresOf(database, slugs, quarter), companies, context).filter(
        ({ metric }) => !isExpected(metric),
      ),
    })),
  );
  return members.map((member) => ({
    company: pageOf(member, context.baseUrl),
    quarters: seasons.map(({ quarter, numbers }) => ({
      quarter,
      numbers: numbers.filter(({ company_slug }) => company_slug === member.slug),
    })),
  }));
}

const pageOf = ({ name, slug }: KnownCompany, baseUrl: string): Company => ({
  name,
  slug,
  url: `${baseUrl}/brand/${slug}`,
});

/**
 * The figures under the names that companies have now: of each metric the newest value and the newest growth that any
 * report states, cited by their reports.
 * @param figures newest first
 */
function keyNumbers(
  figures: readonly ResultRow[],
  companies: ReadonlyMap<string, KnownCompany>,
  { baseUrl }: QueryContext,
): KeyNumber[] {
  const rows = Map.groupBy(figures, ({ company_slug, metric }) => `${companies.get(company_slug)?.slug} ${metric}`);
  const numbers = [...rows.values()].flatMap((of): KeyNumber[] => {
    const grown = of.find(({ growth_pct }) => growth_pct !== null);
    const main = of.find(({ value }) => value !== null) ?? grown ?? of[0];
    const company = main && companies.get(main.company_slug);
    if (!company) return [];
    const growth = main.growth_pct === null ? grown : main;
    return [
      {
        company: company.name,
        company_slug: company.slug,
        metric: main.metric,
        value: main.value,
        growth_pct: growth?.growth_pct ?? null,
        ...citationOf(main, baseUrl),
        growth_signal: growth && growth !== main ? referenceOf(growth, baseUrl) : null,
      },
    ];
  });
  return inOrder(numbers);
}
