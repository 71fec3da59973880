/**
 * The filter of signals: what lists, searches, feeds and files are narrowed by. It is read from the parameters of an
 * address and written as them again, the same for every surface.
 */
import { z } from 'zod';
import type { Directory } from './directory.ts';
import { quoted, Refusal } from './input-errors.ts';
import { Cursor, readParameters, wholeNumber } from './parameters.ts';
import { brandSlugOf, MOVES, Move, StoredBrandSlug, slugify } from './scalar.ts';

/** What a signal has values of: kind of move, brands, theme, cities, outlets. */
export const FACETS = ['kind', 'brand', 'theme', 'city', 'outlet'] as const;
export type Facet = (typeof FACETS)[number];

/** A facet and a value, as rows carry them; `about` is a brand that the signal is about. */
export type FacetTag = `${Facet | 'about'}:${string}`;

/** Longest value of a facet. */
export const LONGEST_VALUE = 120;

/** Values by facet. */
export type Chosen = Readonly<Partial<Record<Facet, readonly string[]>>>;

export interface SignalFilter {
  /** Words to search for. */
  readonly words?: string;
  /** A signal has one of the values of each facet. */
  readonly only: Chosen;
  /** A signal has none of the values. */
  readonly without: Chosen;
  /** Brands are those that a signal is about; unset, it may only mention them. */
  readonly about?: true;
  /** Days that end now; unset with `from` or `to`. */
  readonly days?: number;
  /** Days in IST, YYYY-MM-DD, both included. */
  readonly from?: string;
  readonly to?: string;
  /** Reported by at least so many outlets; 2 or more. */
  readonly outlets?: number;
}

/** Orders of a list: newest first, highest salience first, best match of the words first. */
export const SORTS = ['time', 'salience', 'relevance'] as const;
export type Sort = (typeof SORTS)[number];

/** A filter with the order of the list and the place in it. */
export interface SignalQuery extends SignalFilter {
  readonly sort?: Sort;
  readonly cursor?: string;
}

/** Most signals of one file; a file names the next one. */
export const FILE_SIGNALS = 1_000;

/** No filter. */
export const EVERY_SIGNAL: SignalFilter = { only: {}, without: {} };

/** A group has up to 44 listed companies, which a search of the group names. */
export const MAXIMUM_VALUES = 50;
/** As a brand of a saved search: those that its account follows. No brand has this slug. */
export const MY_BRANDS = 'my-brands';
export const MAXIMUM_WORDS = 200;

const repeated = z.union([z.string().max(2_000), z.array(z.string().max(2_000)).max(100)]);
const unique = (words: readonly string[]): string[] => [...new Set(words.map((word) => word.trim()).filter(Boolean))];

/** What the description of the API says of one value: its pattern has classes that few of its readers know. */
function itemsOf(one: z.ZodType): object {
  const { $schema: _, pattern: __, ...schema } = z.toJSONSchema(one, { io: 'input' });
  return schema.enum ? schema : { ...schema, minLength: 1, maxLength: LONGEST_VALUE };
}

/** A parameter with several values: repeated, or separated by commas where no value contains one. */
export const listOf = <One extends z.ZodType<string, string>>(one: One, what: string, commas = true) =>
  repeated
    .transform((given) => unique([given].flat().flatMap((text) => (commas ? text.split(',') : [text]))))
    .pipe(z.array(one).refine(({ length }) => length > 0 && length <= MAXIMUM_VALUES))
    .meta({
      description: `${what}; at most ${MAXIMUM_VALUES}, ${commas ? 'separated by commas or repeated' : 'repeated'}`,
      parameter: { type: 'array', items: itemsOf(one), minItems: 1, maxItems: MAXIMUM_VALUES },
    });

const named = z.string().regex(/^[\p{L}\p{M}\p{N} .'’()&+!_-]{1,80}$/u);
/** A name as a source writes it. */
export const anyName = z.string().regex(/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,120}$/u);

/** Words of a search box. */
export const Words = z
  .string()
  .trim()
  .min(1)
  .max(MAXIMUM_WORDS)
  .describe(`words to search for, at most ${MAXIMUM_WORDS} characters`);

/** The values of each facet, as an address has them. */
const VALUES = {
  kind: listOf(Move, `kinds of move: ${MOVES.join(', ')}`),
  brand: listOf(named, 'brands, such as zudio'),
  theme: listOf(named, 'themes, such as quick-commerce'),
  city: listOf(named, 'names of cities, such as Pune'),
  outlet: listOf(anyName, 'names of outlets, as signals show them', false),
} as const satisfies Readonly<Record<Facet, z.ZodType>>;

/** Brands, cities and outlets, by which other lists than those of signals are filtered too. */
export const FACET_LISTS = { brand: VALUES.brand, city: VALUES.city, outlet: VALUES.outlet };

/** Whether an address can have a value: what a source writes may be longer, or have characters that no name has. */
export const isFacetValue = (facet: Facet, value: string): boolean => {
  const { success, data } = VALUES[facet].safeParse([value]);
  return success && data.length === 1 && data[0] === value;
};

const day = (what: string) => z.iso.date().describe(`${what} in India, such as 2026-11-21`);

/** The parameters of a filter, apart from the values that are left out and those of one value. */
export const SHARED = {
  q: Words.optional(),
  about: z.enum(['true']).describe('true: brands are those that a move is about, not those it mentions').optional(),
  days: wholeNumber(1, 3_650).optional(),
  from: day('a first day').optional(),
  to: day('a last day').optional(),
  outlets: wholeNumber(1, 1_000).optional(),
  sort: z
    .enum(SORTS)
    .describe(`one of ${SORTS.join(', ')}; relevance needs q`)
    .optional(),
  cursor: Cursor.optional(),
};

/** Parameters of several values that the API has in addition to its own. */
export const LISTS = { city: VALUES.city.optional(), outlet: VALUES.outlet.optional() };

/** The parameters that leave signals out. */
export const EXCLUSIONS = {
  not_kind: VALUES.kind.optional(),
  not_brand: VALUES.brand.optional(),
  not_theme: VALUES.theme.optional(),
  not_city: VALUES.city.optional(),
  not_outlet: VALUES.outlet.optional(),
};

/** The parameters of a filter in an address. */
export const FilterParameters = z.object({
  q: SHARED.q,
  kind: VALUES.kind.optional(),
  brand: VALUES.brand.optional(),
  theme: VALUES.theme.optional(),
  city: VALUES.city.optional(),
  outlet: VALUES.outlet.optional(),
  ...EXCLUSIONS,
  about: SHARED.about,
  days: SHARED.days,
  from: SHARED.from,
  to: SHARED.to,
  day: day('a day').optional(),
  outlets: SHARED.outlets,
  sort: SHARED.sort,
  cursor: SHARED.cursor,
});
type Parameters = z.output<typeof FilterParameters>;

/** The value of a facet as rows have it: the slug of a brand or theme, the name of a city. */
function resolved(facet: Facet, value: string, directory: Directory): string {
  if (facet === 'brand') return directory.currentSlug(directory.brandNamed(value)?.slug ?? brandSlugOf(value));
  if (facet === 'theme') return directory.theme(value)?.slug ?? slugify(value);
  return facet === 'city' ? (directory.city(value)?.name ?? value) : value;
}

/** Checks what a schema of one field cannot see. @throws Refusal `invalid_request` */
export function checkOrder({ sort, q, cursor }: { sort?: Sort | undefined; q?: string | undefined; cursor?: unknown }) {
  if (sort !== 'relevance') return;
  if (!q) throw new Refusal('invalid_request', 'sort: "relevance" needs words in q. Allowed: time, salience.');
  if (cursor !== undefined)
    throw new Refusal('invalid_request', 'cursor: a list by relevance has one page. Allowed: sort=time or salience.');
}

/**
 * Makes the filter of parameters that were checked. Names that readers type are resolved: a brand and a theme to their
 * slugs, a city to its name in the catalogue. `day` is short for `from` and `to` of one day.
 * @throws Refusal `invalid_request` naming the parameter, its value and what is allowed
 */
export function filterOfParameters(given: Parameters, directory: Directory): SignalQuery {
  const { q, about, days, day: one, outlets, sort, cursor } = given;
  const { from, to } = one === undefined ? given : { from: one, to: one };
  if (from !== undefined && to !== undefined && from > to)
    throw new Refusal('invalid_request', `from: ${quoted(from)} is after to. Allowed: a day up to ${to}.`);
  checkOrder(given);
  const chosen = (prefix: '' | 'not_'): Chosen =>
    Object.fromEntries(
      FACETS.flatMap((facet) => {
        const values = (given[`${prefix}${facet}`] ?? []).map((value) => resolved(facet, value, directory));
        return values.length > 0 ? [[facet, [...new Set(values)]]] : [];
      }),
    );
  const isRange = from !== undefined || to !== undefined;
  return {
    ...(q && { words: q }),
    only: chosen(''),
    without: chosen('not_'),
    ...(about && { about: true }),
    ...(days !== undefined && !isRange && { days }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(outlets !== undefined && outlets > 1 && { outlets }),
    ...(sort && { sort }),
    ...(cursor && { cursor }),
  };
}

/** The parameters of a filter in one order: what `filterOfParameters` makes the same filter of. */
export function parametersOfFilter(query: SignalQuery): [string, string][] {
  const { words, only, without, about, days, from, to, outlets, sort, cursor } = query;
  const listed = (chosen: Chosen, prefix: string): [string, string][] =>
    FACETS.flatMap((facet) => (chosen[facet] ?? []).map((value): [string, string] => [`${prefix}${facet}`, value]));
  const single = { about, days, from, to, outlets, sort, cursor };
  return [
    ...(words === undefined ? [] : [['q', words] as [string, string]]),
    ...listed(only, ''),
    ...listed(without, 'not_'),
    ...Object.entries(single).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  ];
}

/** An address with a filter: `/?kind=stores&city=Pune`. */
export function filterAddress(path: string, query: SignalQuery): string {
  const parameters = parametersOfFilter(query);
  return parameters.length === 0 ? path : `${path}?${new URLSearchParams(parameters)}`;
}

/** The same parameters, of which unknown ones are refused. */
const OnlyFilterParameters = z.strictObject(FilterParameters.shape);

/**
 * The filter that was written as the parameters of an address.
 * @param isStrict true to refuse parameters that no filter has, which old addresses may have
 * @throws Refusal `invalid_request`
 */
export function filterOfText(text: string, directory: Directory, isStrict = false): SignalQuery {
  const parameters = new URLSearchParams(text);
  const given = Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => {
      const values = parameters.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
  return filterOfParameters(readParameters(isStrict ? OnlyFilterParameters : FilterParameters, given), directory);
}

/** Whether anything narrows the list. */
export const narrows = ({ only, without, words, days, from, to, outlets }: SignalFilter): boolean =>
  [only, without].some((chosen) => Object.keys(chosen).length > 0) ||
  [words, days, from, to, outlets].some((value) => value !== undefined);

/** A filter with moments in place of days, and every slug that its brands have had: as queries take it. */
export interface BoundFilter {
  readonly words?: string | undefined;
  readonly only?: Chosen | undefined;
  readonly without?: Chosen | undefined;
  readonly about?: boolean | undefined;
  /** What `since`, `until` and an order by time go by: publication by default, the first report on what people read. */
  readonly dated?: 'published_at' | 'reported_at' | undefined;
  /** RFC 3339; of that date or later. */
  readonly since?: string | undefined;
  /** RFC 3339; earlier than that. */
  readonly until?: string | undefined;
  readonly outlets?: number | undefined;
}

const DAY = 86_400_000;
const startOf = (istDay: string): number => Date.parse(`${istDay}T00:00:00+05:30`);
const instant = (time: number): string => new Date(time).toISOString();

/** Every slug of the brands and themes in `chosen`. */
export const withRetiredSlugs = ({ brand, theme, ...others }: Chosen, directory: Directory): Chosen => ({
  ...others,
  ...(theme && { theme: theme.flatMap((slug) => directory.themeSlugsOf(directory.theme(slug)?.slug ?? slug)) }),
  ...(brand && { brand: brand.flatMap((slug) => directory.slugsOf(StoredBrandSlug.parse(slug))) }),
});

/** The filter as queries take it. @param now what `days` end at */
export function boundFilter(
  { words, only, without, about, days, from, to, outlets }: SignalFilter,
  { now, directory }: { readonly now: Date; readonly directory: Directory },
): BoundFilter {
  const since = from !== undefined ? startOf(from) : days === undefined ? undefined : now.getTime() - days * DAY;
  return {
    words,
    about,
    outlets,
    only: withRetiredSlugs(only, directory),
    without: withRetiredSlugs(without, directory),
    since: since === undefined ? undefined : instant(since),
    until: to === undefined ? undefined : instant(startOf(to) + DAY),
  };
}
