/**
 * The one builder of SQL for filters of signals, and the counts next to the filters of a page. Lists, feeds and files are
 * narrowed by it.
 */
import { z } from 'zod';
import { type Queryable, query, queryNumber } from '../../log/postgres/database.ts';
import { type BoundFilter, FACETS, type Facet, type FacetTag } from '../../schemas/signal-filter.ts';
import { allWords, wordsOf } from './query-parts.ts';

/** Public signals that fit a filter, as parts of a statement. */
interface Fitting {
  /** What follows FROM; the signals themselves are `s`. */
  readonly from: string;
  /** The alias of what the list is walked on: it has `key` and `published_at`, `f` also `reported_at`. */
  readonly list: 's' | 'b' | 'f';
  readonly where: readonly string[];
}

/** Adds a parameter to a statement. @returns its place, such as `$2` */
export type Parameter = (value: unknown) => string;

/** Parameters of a statement, and the function that adds one. */
export function newParameters(): { readonly parameters: unknown[]; readonly parameter: Parameter } {
  const parameters: unknown[] = [];
  return { parameters, parameter: (value) => `$${parameters.push(value)}` };
}

/** A WHERE clause of conditions; none without any. */
export const whereOf = (conditions: readonly string[]): string =>
  conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';

/** The tags of signals that have one of these values of a facet. */
export const tagsOf = (facet: Facet, values: readonly string[], about: boolean | undefined): FacetTag[] =>
  values.map((value) => `${facet === 'brand' && about ? 'about' : facet}:${value}` as const);

/** The value where a facet has just one. */
const single = (values: readonly string[] | undefined): string | undefined =>
  values?.length === 1 ? values[0] : undefined;

const isEmpty = (values: readonly string[] | undefined): boolean => values === undefined || values.length === 0;

/** Conditions on rows of `f`, the facets of signals: all of the filter save its words. */
export function facetConditions(
  { only = {}, without = {}, about, dated = 'published_at', since, until, outlets }: BoundFilter,
  parameter: Parameter,
): string[] {
  const chosen = FACETS.filter((facet) => !isEmpty(only[facet]));
  const left = FACETS.flatMap((facet) => tagsOf(facet, without[facet] ?? [], false));
  return [
    ...chosen.map((facet) => `f.tags && ${parameter(tagsOf(facet, only[facet] ?? [], about))}::text[]`),
    ...(left.length > 0 ? [`NOT f.tags && ${parameter(left)}::text[]`] : []),
    ...(outlets === undefined ? [] : [`f.outlets >= ${parameter(outlets)}`]),
    ...(since === undefined ? [] : [`f.${dated} >= ${parameter(since)}::timestamptz`]),
    ...(until === undefined ? [] : [`f.${dated} < ${parameter(until)}::timestamptz`]),
  ];
}

/** The facets of signals that have the words. */
function facetsWith(words: string | undefined, parameter: Parameter): { from: string; where: string[] } {
  const text = wordsOf(words);
  if (text === '') return { from: 'read.signal_facets f', where: [] };
  return {
    from: 'read.signal_facets f JOIN read.search_signals w ON w.key = f.key',
    where: ['w.is_public', `w.words @@ ${allWords(parameter(text))}`],
  };
}

/** Whether a filter is one kind, one theme and one brand at most, apart from its dates of publication: those are walked on an index. */
export const isWalked = ({ only = {}, without = {}, outlets, words, dated }: BoundFilter): boolean =>
  dated !== 'reported_at' &&
  outlets === undefined &&
  wordsOf(words) === '' &&
  FACETS.every((facet) => isEmpty(without[facet])) &&
  (['city', 'outlet'] as const).every((facet) => isEmpty(only[facet])) &&
  (['kind', 'brand', 'theme'] as const).every((facet) => (only[facet]?.length ?? 0) <= 1);

/**
 * The signals that fit. One kind, one theme and one brand are walked on indexes of their own, from which a page is read in
 * order whatever their number; every other filter on the facets.
 * @param options.faceted by the facets in any case, which an order by salience needs
 */
export function fitting(
  filter: BoundFilter,
  parameter: Parameter,
  { faceted = false }: { readonly faceted?: boolean } = {},
): Fitting {
  const { only = {}, about, since, until } = filter;
  if (faceted || !isWalked(filter)) {
    const { from, where } = facetsWith(filter.words, parameter);
    return {
      from: `${from} JOIN read.signals s ON s.key = f.key AND s.status = 'public'`,
      list: 'f',
      where: [...where, ...facetConditions(filter, parameter)],
    };
  }
  const brand = single(only.brand);
  const list = brand === undefined ? 's' : 'b';
  const [kind, theme] = [single(only.kind), single(only.theme)];
  return {
    from: brand === undefined ? 'read.signals s' : 'read.signal_brands b JOIN read.signals s ON s.key = b.key',
    list,
    where: [
      ...(brand === undefined
        ? [`s.status = 'public'`]
        : [`b.brand = ${parameter(brand)}`, ...(about ? ['b.is_primary'] : [])]),
      ...(theme === undefined ? [] : [`${list}.theme = ${parameter(theme)}`]),
      ...(kind === undefined ? [] : [`${list}.move = ${parameter(kind)}`]),
      ...(since === undefined ? [] : [`${list}.published_at >= ${parameter(since)}::timestamptz`]),
      ...(until === undefined ? [] : [`${list}.published_at < ${parameter(until)}::timestamptz`]),
    ],
  };
}

// Counts.

/** How many public signals fit; `maximum` where there are as many or more. */
export async function countFitting(database: Queryable, filter: BoundFilter, maximum: number): Promise<number> {
  const { parameters, parameter } = newParameters();
  const { from, where } = fitting(filter, parameter);
  const text = `SELECT count(*)::int FROM (SELECT 1 FROM ${from} ${whereOf(where)} LIMIT ${parameter(maximum)}) AS fit`;
  return queryNumber(database, text, parameters);
}

/** Windows of days that are counted. */
export const COUNTED_DAYS = [1, 7, 30, 90, 365] as const;
/** Numbers of outlets that are counted. */
export const COUNTED_OUTLETS = [2, 3, 5] as const;

/** What is counted together: a facet, the dates, or the numbers of outlets. */
export type FacetGroup = Facet | 'days' | 'outlets';

export interface FacetCount {
  readonly value: string;
  readonly signals: number;
}

export interface FacetCounts {
  /** Signals that fit, as far as they were counted. */
  readonly total: number;
  /** True where there may be more than were counted: the counts are of the newest. */
  readonly isCut: boolean;
  /** Most signals first; dates and numbers of outlets in their order. */
  readonly groups: Readonly<Record<FacetGroup, readonly FacetCount[]>>;
}

const Counted = z.object({ tag: z.string(), signals: z.int() });
/** A count under a tag: `all:` of all that fit, `days:7`, `outlets:2`, or a facet and its value. */
export type Counted = z.infer<typeof Counted>;

export interface CountOptions {
  /** What the windows of days end at. */
  readonly now: Date;
  /** Maximum of values of a facet. */
  readonly values: number;
  /** The newest so many signals that fit are counted; OpenSearch counts all. */
  readonly maximum: number;
  /** Groups that are counted; all by default. */
  readonly groups?: readonly FacetGroup[];
}

/** Counts of one pass over the signals that fit, by tag. */
function countPass(
  database: Queryable,
  filter: BoundFilter,
  { now, values, maximum }: CountOptions,
): Promise<Counted[]> {
  const { parameters, parameter } = newParameters();
  const { from, where } = facetsWith(filter.words, parameter);
  const conditions = [...where, ...facetConditions(filter, parameter)];
  const { dated = 'published_at' } = filter;
  const moment = parameter(now.toISOString());
  const sums = [
    ['all:', 'true'],
    ...COUNTED_DAYS.map((days) => [`days:${days}`, `${dated} >= ${moment}::timestamptz - interval '${days} days'`]),
    ...COUNTED_OUTLETS.map((outlets) => [`outlets:${outlets}`, `outlets >= ${outlets}`]),
  ];
  return query(
    database,
    `WITH fit AS MATERIALIZED (
       SELECT f.tags, f.${dated}, f.outlets FROM ${from}
       ${whereOf(conditions)}
       ORDER BY f.${dated} DESC, f.key DESC LIMIT ${parameter(maximum)}
     ), tagged AS (
       SELECT tag, count(*)::int AS signals FROM fit, unnest(fit.tags) AS tag GROUP BY tag
     ), ranked AS (
       SELECT tag, signals, row_number() OVER (PARTITION BY split_part(tag, ':', 1) ORDER BY signals DESC, tag) AS rank
       FROM tagged WHERE tag NOT LIKE 'about:%'
     )
     (SELECT tag, signals FROM ranked WHERE rank <= ${parameter(values)} ORDER BY rank)
     UNION ALL SELECT named.tag, named.signals
       FROM (SELECT ARRAY[${sums.map(([, condition]) => `count(*) FILTER (WHERE ${condition})`).join(', ')}]::int[] AS counts FROM fit) AS sums,
       LATERAL unnest(${parameter(sums.map(([name]) => name))}::text[], sums.counts) AS named(tag, signals)`,
    parameters,
    Counted,
  );
}

function withoutGroup(filter: BoundFilter, group: FacetGroup): BoundFilter {
  if (group === 'days') return { ...filter, since: undefined, until: undefined };
  if (group === 'outlets') return { ...filter, outlets: undefined };
  return { ...filter, only: { ...filter.only, [group]: undefined } };
}

const isSet = ({ only = {}, since, until, outlets }: BoundFilter, group: FacetGroup): boolean => {
  if (group === 'days') return since !== undefined || until !== undefined;
  return group === 'outlets' ? outlets !== undefined : !isEmpty(only[group]);
};

export const FACET_GROUPS: readonly FacetGroup[] = ['kind', 'days', 'brand', 'theme', 'city', 'outlet', 'outlets'];

/**
 * How many signals there are of each value, given the rest of the filter: another value of a group that is set already
 * would be added to it, so its counts leave the group itself out of the filter.
 */
export const countFacets = (database: Queryable, filter: BoundFilter, options: CountOptions): Promise<FacetCounts> =>
  countByPasses((pass) => countPass(database, pass, options), filter, options);

/** The same by any way to count. @param count of one pass over the signals that fit; `isCut` is for those that stop at the maximum */
export async function countByPasses(
  count: (filter: BoundFilter) => Promise<readonly Counted[]>,
  filter: BoundFilter,
  options: Pick<CountOptions, 'groups' | 'maximum'>,
): Promise<FacetCounts> {
  const { groups = FACET_GROUPS } = options;
  const set = groups.filter((group) => isSet(filter, group));
  const [all = [], ...own] = await Promise.all([
    count(filter),
    ...set.map((group) => count(withoutGroup(filter, group))),
  ]);
  const of = (pass: readonly Counted[], group: string): FacetCount[] =>
    pass.flatMap(({ tag, signals }) =>
      tag.startsWith(`${group}:`) ? [{ value: tag.slice(group.length + 1), signals }] : [],
    );
  const passOf = (group: FacetGroup): readonly Counted[] => own[set.indexOf(group)] ?? all;
  const total = (pass: readonly Counted[]): number => of(pass, 'all')[0]?.signals ?? 0;
  return {
    total: total(all),
    isCut: [all, ...own].some((pass) => total(pass) >= options.maximum),
    groups: Object.fromEntries(FACET_GROUPS.map((group) => [group, of(passOf(group), group)])) as unknown as Record<
      FacetGroup,
      FacetCount[]
    >,
  };
}
