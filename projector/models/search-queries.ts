/** Search of public signals by words, names and filters, and by what they say. */
import { z } from 'zod';
import { type Queryable, query, queryColumn, queryValue } from '../../log/postgres/database.ts';
import { completedFacts, FACT_FIELDS, noFacts, statedFacts } from '../../schemas/facts.ts';
import { SignalItem } from '../../schemas/resources.ts';
import { type BrandSlug, Instant, type Move, StoredBrandSlug } from '../../schemas/scalar.ts';
import type { BoundFilter } from '../../schemas/signal-filter.ts';
import { ItemVector } from '../../schemas/story.ts';
import { bytesOf, nearness, signsOf } from '../../signal/meaning.ts';
import { allWords, anyWord, wantedAndLeftOut, wordsOf } from './query-parts.ts';
import {
  type CountOptions,
  countFacets,
  countFitting,
  type FacetCounts,
  facetConditions,
  newParameters,
  whereOf,
} from './signal-filter-queries.ts';
import { type ListFilter, listSignals, type SignalPageText } from './signals-queries.ts';

export interface SearchFilter {
  /** Words as readers type them, with `"quotes"`, `-not` and `or`. Unset or without a word, the newest are found. */
  readonly text?: string | undefined;
  /** Signals that name one of them, with `about` only those about one. Empty or unset for all, as below. */
  readonly brands?: readonly BrandSlug[] | undefined;
  readonly about?: boolean | undefined;
  readonly themes?: readonly string[] | undefined;
  /** Only these signals. */
  readonly ids?: readonly string[] | undefined;
  /** Names of cities, as the catalogue writes them. */
  readonly cities?: readonly string[] | undefined;
  readonly moves?: readonly Move[] | undefined;
  /** Filters of lists, in addition; their words are not regarded. */
  readonly fits?: BoundFilter | undefined;
  /** It moved at this moment or after it. */
  readonly since?: Date | undefined;
  /** It moved before this moment. */
  readonly until?: Date | undefined;
  /** True for signals that have any of the words; unset, they have all of them. */
  readonly any?: boolean | undefined;
  /** Words and phrases that they do not have. */
  readonly leftOut?: readonly string[] | undefined;
  /** Signals with common words are many: of all that fit, so many newest are ranked; 400 when unset. */
  readonly candidates?: number | undefined;
  readonly limit: number;
}

const StatedFacts = z.object(FACT_FIELDS);
/** All facts; `results` are its figures in one list. */
const Facts = StatedFacts.transform((facts) => ({ ...facts, results: statedFacts(facts, 'results') }));

const FoundReport = z.object({
  outlet: z.string(),
  url: z.string(),
  title: z.string(),
  summary: z.string().nullable(),
  published_at: Instant.nullable(),
  first_seen_at: Instant,
  resurfaced: z.boolean(),
  /** What it states itself; unset where it states nothing. */
  facts: StatedFacts.partial().optional(),
});
/** A report that counts, with the words that may be quoted of it. */
export type FoundReport = Omit<z.infer<typeof FoundReport>, 'first_seen_at' | 'resurfaced'>;

/** The row of a signal: its reports that count in the order of their dates, and its facts, completed by those of its reports. */
const Kept = z
  // A build of an earlier version may be the live one for a while.
  .object({ reports: z.array(FoundReport).default([]), facts: StatedFacts })
  .transform(({ reports, facts }) => {
    const placeOf = (one: z.infer<typeof FoundReport>): number => Date.parse(one.published_at ?? one.first_seen_at);
    const counted = reports.filter(({ resurfaced }) => !resurfaced).sort((one, other) => placeOf(one) - placeOf(other));
    let all = facts;
    for (const { facts: more } of counted)
      if (more) all = { ...all, ...completedFacts(all, { ...noFacts(), ...more }) };
    const readable = counted.map(({ first_seen_at: _, resurfaced: __, ...report }): FoundReport => report);
    return { reports: readable, facts: Facts.parse(all) };
  });

export interface FoundSignal {
  readonly signal: SignalItem;
  /** When it happened as far as that is known, else when it was published. RFC 3339 in UTC. */
  readonly moved_at: string;
  /** How well the words match, without regard to age; 0 without words. */
  readonly rank: number;
  /** Slugs of the brands that it is about. */
  readonly about: readonly BrandSlug[];
  /** How much the move weighs, 0 to 100; see `signal/salience.ts`. */
  readonly salience: number;
  /** Every report that counts, from first to last. */
  readonly reports: readonly FoundReport[];
  readonly facts: z.infer<typeof Facts>;
}

const Row = z.object({
  key: z.string(),
  moved_at: z.date(),
  rank: z.number(),
  about: z.array(StoredBrandSlug),
  salience: z.number(),
  item_document: z.string(),
  /** Of `search_signals`. */
  row: z.string(),
});

type Details = Pick<FoundSignal, 'signal' | 'reports' | 'facts'>;
type Stored = Pick<z.infer<typeof Row>, 'item_document' | 'row'>;

/** Details that are kept read, of a few KB each: a question of a wide scope reads a thousand. */
const KEPT_DETAILS = 2_000;
const keptDetails = new Map<string, { readonly stored: Stored; readonly details: Details }>();

/** Reads the columns of a signal, once for each version of them. */
function detailsOf(key: string, stored: Stored): Details {
  const before = keptDetails.get(key);
  const isSame = before?.stored.item_document === stored.item_document && before.stored.row === stored.row;
  const details = isSame
    ? before.details
    : { signal: SignalItem.parse(JSON.parse(stored.item_document)), ...Kept.parse(JSON.parse(stored.row)) };
  // Those that were not used for longest go.
  keptDetails.delete(key);
  keptDetails.set(key, { stored, details });
  const [oldest] = keptDetails.size > KEPT_DETAILS ? keptDetails.keys() : [];
  if (oldest !== undefined) keptDetails.delete(oldest);
  return details;
}

const CANDIDATES = 400;
/** Weights of D, C, B, A. A long text counts for less; half a year halves what a word is worth. */
const rankOf = (words: string): string => `ts_rank_cd('{0.1, 0.3, 0.7, 1}', c.words, ${words}, 1)`;
export const HALF_LIFE_SECONDS = 182 * 86_400;

/** Signals that fit, the best first; without words the newest first. */
export async function searchSignals(database: Queryable, filter: SearchFilter): Promise<FoundSignal[]> {
  const { parameters, parameter } = newParameters();
  const where = ['s.is_public'];
  const oneOf = (column: string, values: readonly string[] | undefined): void => {
    // One value is compared as such: an index that ends with the time then gives the rows in order.
    if (values?.length === 1) where.push(`s.${column} = ${parameter(values[0])}`);
    else if (values?.length) where.push(`s.${column} = ANY(${parameter(values)})`);
  };
  const shares = (column: string, values: readonly string[] | undefined): void => {
    if (values?.length) where.push(`s.${column} && ${parameter(values)}::text[]`);
  };
  const text = wordsOf(filter.text);
  // The words are in the condition itself, not in a separate query: so the planner sees how common they are, and walks
  // from the newest where they are.
  const tsquery = text === '' ? null : (filter.any ? anyWord : allWords)(parameter(text));
  if (tsquery) where.push(`s.words @@ ${tsquery}`);
  const leftOut = (filter.leftOut ?? []).map(wordsOf).filter((words) => words !== '');
  for (const words of leftOut) where.push(`NOT s.words @@ ${allWords(parameter(words))}`);
  shares('brands', filter.brands);
  if (filter.about) shares('about', filter.brands);
  oneOf('key', filter.ids);
  oneOf('theme', filter.themes);
  shares('cities', filter.cities);
  oneOf('move', filter.moves);
  const facets = facetConditions(filter.fits ?? {}, parameter);
  if (facets.length > 0) where.push(`s.key IN (SELECT f.key FROM read.signal_facets f ${whereOf(facets)})`);
  if (filter.since) where.push(`s.moved_at >= ${parameter(filter.since)}`);
  if (filter.until) where.push(`s.moved_at < ${parameter(filter.until)}`);
  const candidates = filter.candidates ?? CANDIDATES;
  const fitting = `FROM read.search_signals s WHERE ${where.join(' AND ')} ORDER BY s.moved_at DESC, s.key DESC LIMIT`;
  // Without words nothing is ranked: the newest are read off.
  const best = tsquery
    ? `WITH candidates AS MATERIALIZED (
         SELECT s.key, s.moved_at, s.words, s.about, s.row ${fitting} ${parameter(candidates)}
       ), ranked AS (
         SELECT c.key, c.moved_at, c.about, c.row, ${rankOf(tsquery)} AS rank FROM candidates c
       )
       SELECT r.*, r.rank * power(0.5::float8, extract(epoch FROM (SELECT max(moved_at) FROM ranked) - r.moved_at)::float8
         / ${HALF_LIFE_SECONDS}) AS worth
       FROM ranked r ORDER BY worth DESC, r.moved_at DESC, r.key DESC LIMIT ${parameter(filter.limit)}`
    : `SELECT s.key, s.moved_at, s.about, s.row, 0::real AS rank, 0 AS worth
       ${fitting} ${parameter(Math.min(candidates, filter.limit))}`;
  const rows = await query(
    database,
    `SELECT b.key, b.moved_at, b.rank, b.about, b.row, s.salience, s.item_document
     FROM (${best}) b JOIN read.signals s ON s.key = b.key AND s.status = 'public'
     ORDER BY b.worth DESC, b.moved_at DESC, b.key DESC`,
    parameters,
    Row,
  );
  return rows.map(foundOf);
}

function foundOf({ key, moved_at, rank, about, salience, ...stored }: z.infer<typeof Row>): FoundSignal {
  return {
    ...detailsOf(key, stored),
    moved_at: moved_at.toISOString(),
    rank,
    about,
    salience,
  };
}

/** Public signals by id, in the order of the ids. @param ranks how well each matches, by id */
export async function signalsById(database: Queryable, ranks: ReadonlyMap<string, number>): Promise<FoundSignal[]> {
  if (ranks.size === 0) return [];
  const rows = await query(
    database,
    `SELECT f.key, f.moved_at, 0::real AS rank, f.about, f.row, s.salience, s.item_document
     FROM read.search_signals f JOIN read.signals s ON s.key = f.key AND s.status = 'public'
     WHERE f.key = ANY ($1) AND f.is_public`,
    [[...ranks.keys()]],
    Row,
  );
  const byKey = new Map(rows.map((row) => [row.key, row]));
  return [...ranks].flatMap(([key, rank]) => {
    const row = byKey.get(key);
    return row ? [foundOf({ ...row, rank })] : [];
  });
}

// The port.

/** Search and lists of public signals. PostgreSQL is the default; `opensearch-queries.ts` has the other adapter. */
export interface SignalSearch {
  /** Signals that fit, the best first; without words the newest first. */
  search(filter: SearchFilter): Promise<FoundSignal[]>;
  /** One page of signals. @throws CursorError */
  list(filter: ListFilter): Promise<SignalPageText>;
  /** How many signals fit; `maximum` where there are as many or more. */
  count(filter: BoundFilter, maximum: number): Promise<number>;
  /** How many signals there are of each value, given the rest of the filter. */
  facets(filter: BoundFilter, options: CountOptions): Promise<FacetCounts>;
}

/** Search and lists on the tables of the read models. */
export const postgresSearch = (database: Queryable): SignalSearch => ({
  search: (filter) => searchSignals(database, filter),
  list: (filter) => listSignals(database, filter),
  count: (filter, maximum) => countFitting(database, filter, maximum),
  facets: (filter, options) => countFacets(database, filter, options),
});

/** When the oldest public signal moved; null for an empty record. */
export function recordBegan(database: Queryable): Promise<Date | null> {
  const oldest = 'SELECT moved_at FROM read.search_signals s WHERE s.is_public ORDER BY moved_at, key LIMIT 1';
  return queryValue(database, oldest, [], z.date());
}

/** What the reports of a public signal state, as far as it is certain. @returns null while the search does not know it */
export async function factsOfSignal(database: Queryable, id: string): Promise<FoundSignal['facts'] | null> {
  const text = 'SELECT row FROM read.search_signals WHERE key = $1 AND is_public';
  const stored = await queryValue(database, text, [id], z.string());
  return stored === null ? null : Kept.parse(JSON.parse(stored)).facts;
}

// By meaning.

/** Of so many newest meanings, about, the signs are compared. */
const COMPARED = 150_000;
/** Milliseconds for which the time of the oldest of them holds. */
const BOUND_LASTS = 600_000;
const bounds = new WeakMap<Queryable, { readonly expires: number; readonly since: Date | null }>();

/**
 * From when on meanings are compared; null while there are few. Looked up by itself and rarely: as part of the search it would
 * keep PostgreSQL from comparing in parallel, which takes a third of the time.
 */
async function comparedSince(database: Queryable): Promise<Date | null> {
  const bound = bounds.get(database);
  if (bound && bound.expires > performance.now()) return bound.since;
  const text = 'SELECT moved_at FROM read.meaning_signs ORDER BY moved_at DESC OFFSET $1 LIMIT 1';
  const since = await queryValue(database, text, [COMPARED], z.date());
  bounds.set(database, { expires: performance.now() + BOUND_LASTS, since });
  return since;
}
/** Meanings whose signs are nearest to those of the text; of these the cosine is computed. */
const RANKED = 400;

const Meanings = z.object({ reports: z.array(z.object({ meaning: ItemVector })) });

/** The highest cosine of a meaning and those of a signal's reports; null where other weights computed them. */
function nearestOf(row: string, { by, values }: ItemVector): number | null {
  const bytes = bytesOf(values);
  const all = Meanings.parse(JSON.parse(row)).reports.flatMap(({ meaning }) =>
    meaning.by === by ? (nearness(bytes, bytesOf(meaning.values)) ?? []) : [],
  );
  return all.length > 0 ? Math.max(...all) : null;
}

/**
 * How near the reports of signals are to a text by what they say.
 * @returns cosines by id of the signal, without those whose reports have no meaning
 */
export async function nearnessOf(
  database: Queryable,
  meaning: ItemVector,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const text = 'SELECT key, row FROM read.meanings WHERE key = ANY($1)';
  const rows = await query(database, text, [ids], z.object({ key: z.string(), row: z.string() }));
  return new Map(
    rows.flatMap(({ key, row }) => {
      const cosine = nearestOf(row, meaning);
      return cosine === null ? [] : [[key, cosine]];
    }),
  );
}

/**
 * Ids of the public signals whose reports are nearest to a text by what they say, the nearest first.
 * @param filter.least the cosine that they have at least; -1 when unset
 */
export async function findByMeaning(
  database: Queryable,
  meaning: ItemVector,
  { since, until, limit, least = -1 }: Pick<SearchFilter, 'since' | 'until' | 'limit'> & { readonly least?: number },
): Promise<string[]> {
  const { parameters, parameter } = newParameters();
  const where = [`m.weights = ${parameter(meaning.by)}`];
  const bound = await comparedSince(database);
  if (bound) where.push(`m.moved_at >= ${parameter(bound)}`);
  if (since) where.push(`m.moved_at >= ${parameter(since)}`);
  if (until) where.push(`m.moved_at < ${parameter(until)}`);
  const keys = await queryColumn(
    database,
    `SELECT m.key FROM read.meaning_signs m WHERE ${where.join(' AND ')}
     ORDER BY bit_count(m.signs # ('x' || ${parameter(signsOf(meaning.values))})::bit(384)), m.key
     LIMIT ${parameter(RANKED)}`,
    parameters,
    z.string(),
  );
  const near = await nearnessOf(database, meaning, [...new Set(keys)]);
  return [...near]
    .filter(([, cosine]) => cosine >= least)
    .sort(([one, high], [other, low]) => low - high || (one < other ? -1 : 1))
    .slice(0, limit)
    .map(([key]) => key);
}

// The search box.

/** From so many signals with all the words on, what only means the same is not looked for. */
const ENOUGH = 5;
/** Below this cosine what reports say is not near the words of a search. */
const NEAR = 0.6;
/** So many of the nearest are added. */
const MEANT = 20;
/** In reciprocal ranks: the first ranks of two lists differ little. */
const RANKS = 60;
/** What says the same counts for so much more than what has some words, which may be the least of those asked for. */
const MEANING_WEIGHT = 2;

/** Words are looked up by meaning unless a reader wrote how they are to be matched. */
const isPlain = (text: string): boolean => !/["“”]|(?:^|\s)-\S|\bor\b/i.test(text);

/**
 * Signals for the words of a search box: those that have all the words; then, where these are few, those that have some and
 * those whose reports say the same in other words, by the sum of their reciprocal ranks.
 * @param meaningOf gives what the words say; without it, words alone count
 */
export async function searchBox(
  { database, search }: { readonly database: Queryable; readonly search: SignalSearch },
  filter: Omit<SearchFilter, 'any' | 'ids'>,
  meaningOf?: ((text: string) => Promise<ItemVector | null>) | null,
): Promise<FoundSignal[]> {
  const all = await search.search(filter);
  const { text = '', ...narrowed } = filter;
  if (all.length >= filter.limit || !wordsOf(text)) return all;
  const meaning = meaningOf && all.length < ENOUGH && isPlain(text) ? await meaningOf(text) : null;
  const { wanted, leftOut } = wantedAndLeftOut(text);
  const [some, ids] = await Promise.all([
    wordsOf(wanted) === '' ? [] : search.search({ ...filter, text: wanted, leftOut, any: true }),
    meaning ? findByMeaning(database, meaning, { ...filter, limit: MEANT, least: NEAR }) : [],
  ]);
  const byId = new Map([...all, ...some].map((one) => [one.signal.id, one]));
  const fresh = ids.filter((id) => !byId.has(id));
  // What is near has to pass the filters as well.
  const near = fresh.length > 0 ? await search.search({ ...narrowed, ids: fresh, limit: MEANT }) : [];
  for (const one of near) byId.set(one.signal.id, one);
  const worth = new Map<string, number>();
  for (const [list, weight] of [[some.map(({ signal }) => signal.id), 1] as const, [ids, MEANING_WEIGHT] as const])
    for (const [rank, id] of list.entries()) worth.set(id, (worth.get(id) ?? 0) + weight / (RANKS + rank));
  for (const { signal } of all) worth.delete(signal.id);
  const further = [...worth].sort(([, one], [, other]) => other - one).flatMap(([id]) => byId.get(id) ?? []);
  return [...all, ...further].slice(0, filter.limit);
}
