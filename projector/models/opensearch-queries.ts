/** Search and lists on OpenSearch; documents are read from PostgreSQL, so what is not public is never shown. */
import { readFileSync } from 'node:fs';
import { Client, errors } from '@opensearch-project/opensearch';
import { z } from 'zod';
import type { Queryable } from '../../log/postgres/database.ts';
import { type Configuration, searchNodes } from '../../schemas/configuration.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { type BoundFilter, FACETS } from '../../schemas/signal-filter.ts';
import { microsecondsOf } from '../row-storage.ts';
import { decodeCursor, decodeSalientCursor, encodeCursor, encodeSalientCursor, wordsOf } from './query-parts.ts';
import {
  HALF_LIFE_SECONDS,
  postgresSearch,
  type SearchFilter,
  type SignalSearch,
  signalsById,
} from './search-queries.ts';
import {
  COUNTED_DAYS,
  COUNTED_OUTLETS,
  type Counted,
  type CountOptions,
  countByPasses,
  isWalked,
  tagsOf,
} from './signal-filter-queries.ts';
import { documentsById, type ListFilter, type SignalPageText } from './signals-queries.ts';

/** A connection to OpenSearch, and the alias under which readers see the index. */
export interface SearchServer {
  readonly client: Client;
  readonly alias: string;
}

/** Where OpenSearch is, and how a process signs in. */
export type SearchSettings = Partial<Pick<Configuration, 'SEARCH_USERNAME' | 'SEARCH_PASSWORD' | 'SEARCH_CA_FILE'>> & {
  readonly SEARCH_URL: string;
};

/**
 * Opens a client; it connects with its first request.
 * @param settings whose path, if any, is a prefix of the names of indexes, so that several services can share a cluster
 * @param timeout milliseconds that one attempt of a request may take
 * @throws the error of the file system when the certificates cannot be read
 */
export function openSearchServer(settings: SearchSettings, timeout: number): SearchServer {
  const { SEARCH_USERNAME: username, SEARCH_PASSWORD: password = '', SEARCH_CA_FILE: file } = settings;
  const { nodes, prefix, user } = searchNodes(settings.SEARCH_URL);
  const auth = username === undefined ? user : { username, password };
  return {
    client: new Client({
      nodes: [...nodes],
      requestTimeout: timeout,
      // Each node is tried once. A reader then gets 503 with Retry-After, and the projection has a backoff of its own.
      maxRetries: nodes.length - 1,
      ...(auth && { auth }),
      ...(file !== undefined && { ssl: { ca: readFileSync(file) } }),
    }),
    alias: `${prefix}-signals`,
  };
}

/** PostgreSQL's stop words of English: they count for nothing in both. */
export const STOP_WORDS = (
  'i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its ' +
  'itself they them their theirs themselves what which who whom this that these those am is are was were be been being ' +
  'have has had having do does did doing a an the and but if or because as until while of at by for with about against ' +
  'between into through during before after above below to from up down in out on off over under again further then once ' +
  'here there when where why how all any both each few more most other some such no nor not only own same so than too ' +
  'very s t can will just don should now'
).split(' ');
const stops = new Set(STOP_WORDS);

/** Whether OpenSearch is unreachable or overloaded, so that the same request can succeed later. */
export const isSearchDown = (error: unknown): boolean =>
  error instanceof errors.ConnectionError ||
  error instanceof errors.TimeoutError ||
  error instanceof errors.NoLivingConnectionsError ||
  (error instanceof errors.ResponseError && [429, 500, 502, 503, 504].includes(error.statusCode ?? 0));

/** Whether the index or its alias does not exist. */
export const isIndexMissing = (error: unknown): boolean =>
  error instanceof errors.ResponseError && error.statusCode === 404;

/** Seconds after which a server that restarts usually answers again. */
const RETRY_SECONDS = 5;
/** Milliseconds that a reader's request may take. */
const READER_TIMEOUT = 5_000;

/** A query or a clause of one, in the language of OpenSearch. */
type Clause = Readonly<Record<string, unknown>>;

const Found = z.object({
  timed_out: z.boolean(),
  hits: z.object({
    total: z.object({ value: z.int() }).optional(),
    hits: z.array(
      z.object({ _id: z.string(), _score: z.number().nullish(), sort: z.array(z.union([z.number(), z.string()])) }),
    ),
  }),
  aggregations: z
    .record(
      z.string(),
      z.object({
        buckets: z.union([
          z.array(z.object({ key: z.string(), doc_count: z.int() })),
          z.record(z.string(), z.object({ doc_count: z.int() })),
        ]),
      }),
    )
    .optional(),
});

// Words.

/** The fields of words with their weights, which are those of PostgreSQL: headline, names, body, reports. */
const FIELDS = ['headline^10', 'names^7', 'body^3', 'reports^1'];

const tokensOf = (text: string): string[] =>
  text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '' && !stops.has(word.toLowerCase()));

/** Words that follow one another, or one word in any of the fields. */
const matching = (text: string, several: boolean): Clause => ({
  multi_match: { query: text, fields: FIELDS, type: several ? 'phrase' : 'cross_fields', operator: 'and' },
});

const WORD = /(-?)"([^"]*)"|(-?)([^\s"]+)/g;

/**
 * A query of words as `websearch_to_tsquery` reads them: all of them, "in quotes" one after another, `-` leaves out, and
 * `or` separates alternatives.
 * @returns null for text of nothing but stop words, which finds nothing
 */
export function queryOfWords(text: string): Clause | null {
  const alternatives: { must: Clause[]; must_not: Clause[] }[] = [{ must: [], must_not: [] }];
  for (const [, leftOut, quoted, minus, plain = ''] of text.matchAll(WORD)) {
    if (quoted === undefined && minus === '' && plain.toLowerCase() === 'or') {
      alternatives.push({ must: [], must_not: [] });
      continue;
    }
    const words = quoted ?? plain;
    const tokens = tokensOf(words);
    if (tokens.length > 0)
      alternatives.at(-1)?.[(leftOut ?? minus) === '-' ? 'must_not' : 'must'].push(matching(words, tokens.length > 1));
  }
  const clauses = alternatives.filter(({ must, must_not }) => must.length + must_not.length > 0);
  return clauses.length === 0 ? null : { bool: { should: clauses.map((bool) => ({ bool })), minimum_should_match: 1 } };
}

const anyOf = (text: string): Clause | null =>
  tokensOf(text).length === 0
    ? null
    : { multi_match: { query: text, fields: FIELDS, type: 'cross_fields', operator: 'or' } };

// Filters.

/** The time of a row or a cursor as the index has it: microseconds since 2000, as PostgreSQL stores them. */
const instantOf = (at: string | Date): number =>
  Number(microsecondsOf(typeof at === 'string' ? at.replace(' ', 'T') : at.toISOString()));

const EPOCH = Date.UTC(2000, 0, 1);

/** The same as PostgreSQL writes it, which cursors contain. */
function textOfInstant(instant: number): string {
  const millisecond = Math.floor(instant / 1_000);
  const seconds = new Date(EPOCH + millisecond).toISOString().replace('T', ' ').slice(0, -1);
  const fraction = String(instant - millisecond * 1_000).padStart(3, '0');
  return `${(seconds + fraction).replace(/\.?0{1,6}$/, '')}Z`;
}

const range = (field: string, since?: string | Date, until?: string | Date): Clause[] =>
  since === undefined && until === undefined
    ? []
    : [{ range: { [field]: { ...(since && { gte: instantOf(since) }), ...(until && { lt: instantOf(until) }) } } }];

const oneOf = (tags: readonly string[]): Clause[] => (tags.length === 0 ? [] : [{ terms: { tags } }]);

const dateField = (dated: BoundFilter['dated']) => (dated === 'reported_at' ? 'reported' : 'published');

/** Conditions of a filter of lists, without its words. */
const conditionsOf = ({ only = {}, without = {}, about, dated, since, until, outlets }: BoundFilter): Clause[] => [
  ...FACETS.flatMap((facet) => oneOf(tagsOf(facet, only[facet] ?? [], about))),
  ...oneOf(FACETS.flatMap((facet) => tagsOf(facet, without[facet] ?? [], false))).map((left) => ({
    bool: { must_not: [left] },
  })),
  ...(outlets === undefined ? [] : [{ range: { outlets: { gte: outlets } } }]),
  ...range(dateField(dated), since, until),
];

const NOTHING: Clause = { match_none: {} };

/** Signals that fit a filter of lists. */
function fitting(filter: BoundFilter): Clause {
  const words = wordsOf(filter.words);
  const conditions = conditionsOf(filter);
  if (words !== '') conditions.push(queryOfWords(words) ?? NOTHING);
  return { bool: { filter: conditions } };
}

/** Signals that a search is narrowed to. */
const narrowing = ({
  brands = [],
  about,
  themes = [],
  cities = [],
  moves = [],
  fits = {},
  ...filter
}: SearchFilter) => [
  ...oneOf(tagsOf('brand', brands, about)),
  ...oneOf(tagsOf('theme', themes, false)),
  ...oneOf(tagsOf('city', cities, false)),
  ...oneOf(tagsOf('kind', moves, false)),
  ...conditionsOf(fits),
  ...range('moved', filter.since, filter.until),
];

// The adapter.

/** Orders of lists: the fields of a cursor, the first first. */
const orderOf = (sort: 'time' | 'salience', dated: BoundFilter['dated']): readonly string[] =>
  sort === 'time' ? [dateField(dated), 'key'] : ['salience', 'published', 'key'];

/** The cursor after a document: the one that PostgreSQL gives for it. */
function cursorAfter(
  sort: 'time' | 'salience',
  { _id: key, sort: place }: { _id: string; sort: (number | string)[] },
): string {
  const at = textOfInstant(Number(place.at(-2)));
  return sort === 'time' ? encodeCursor([at, key]) : encodeSalientCursor([Number(place[0]), at, key]);
}

/** Values that each shard counts: more than are shown, so that only values far below those shown are miscounted. */
const SHARD_VALUES = 1_000;

/** Sends a query to the index. */
async function ask(
  { client, alias }: SearchServer,
  body: Clause,
  parameters: Readonly<Record<string, string>> = {},
): Promise<z.infer<typeof Found>> {
  const { body: result } = await client.transport.request({
    method: 'POST',
    path: `/${alias}/_search`,
    // A shard that does not answer would leave out signals without a sign.
    querystring: { allow_partial_search_results: 'false', ...parameters },
    body: { _source: false, ...body },
  });
  return Found.parse(result);
}

/** Runs a query on OpenSearch; on PostgreSQL where there is no index yet. */
async function answered<Result>(work: () => Promise<Result>, otherwise: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isIndexMissing(error)) return otherwise();
    if (!isSearchDown(error)) throw error;
    throw new Refusal(
      'unavailable',
      `Search is not available just now. Retry in ${RETRY_SECONDS} seconds.`,
      RETRY_SECONDS,
    );
  }
}

/** The signals of a search, ranked by their words and their age at `now`; the newest first without words. */
async function searchIndex(
  server: SearchServer,
  database: Queryable,
  now: Date,
  filter: SearchFilter,
): ReturnType<SignalSearch['search']> {
  const text = wordsOf(filter.text);
  const words = text === '' ? undefined : filter.any ? anyOf(text) : queryOfWords(text);
  if (words === null) return [];
  const origin = instantOf(now);
  const scale = HALF_LIFE_SECONDS * 1e6;
  const leftOut = (filter.leftOut ?? []).flatMap((one) => queryOfWords(wordsOf(one)) ?? []);
  const query = {
    bool: {
      filter: narrowing(filter),
      ...(words && { must: [words] }),
      ...(leftOut.length > 0 && { must_not: leftOut }),
    },
  };
  const newest = [{ moved: 'desc' }, { key: 'desc' }];
  const { hits } = await ask(
    server,
    {
      size: filter.limit,
      track_total_hits: false,
      ...(words
        ? {
            query: { function_score: { query, exp: { moved: { origin, scale, decay: 0.5 } } } },
            sort: [{ _score: 'desc' }, ...newest],
            track_scores: true,
          }
        : { query, sort: newest }),
    },
    // Words are as rare as they are in the whole index, not in one shard.
    words ? { search_type: 'dfs_query_then_fetch' } : {},
  );
  const rankOf = (score: number, moved: number): number => score / 0.5 ** (Math.abs(origin - moved) / scale);
  return signalsById(
    database,
    new Map(hits.hits.map(({ _id, _score, sort }) => [_id, words ? rankOf(_score ?? 0, Number(sort[1])) : 0])),
  );
}

/** One page of a list, and the cursor of the next. */
async function listIndex(
  server: SearchServer,
  database: Queryable,
  { sort = 'time', detail = false, limit, cursor, ...filter }: ListFilter,
): Promise<SignalPageText> {
  const place = cursor === undefined ? null : sort === 'time' ? decodeCursor(cursor) : decodeSalientCursor(cursor);
  const order = orderOf(sort, filter.dated);
  const { hits } = await ask(server, {
    size: limit + 1,
    track_total_hits: false,
    query: fitting(filter),
    sort: order.map((field) => ({ [field]: 'desc' })),
    ...(place && {
      search_after: place.map((value, index) => (index === order.length - 2 ? instantOf(String(value)) : value)),
    }),
  });
  const page = hits.hits.slice(0, limit);
  const last = page.at(-1);
  return {
    documents: await documentsById(
      database,
      page.map(({ _id }) => _id),
      detail,
    ),
    next_cursor: hits.hits.length > limit && last ? cursorAfter(sort, last) : null,
  };
}

/** How many signals fit, at most `maximum`. */
async function countIndex(server: SearchServer, filter: BoundFilter, maximum: number): Promise<number> {
  const { hits } = await ask(server, { size: 0, track_total_hits: maximum, query: fitting(filter) });
  return Math.min(maximum, hits.total?.value ?? 0);
}

/** Counts the signals that fit by each value of the facets, and by each window of days and of outlets. */
async function countPass(server: SearchServer, filter: BoundFilter, { now, values }: CountOptions): Promise<Counted[]> {
  const since = (days: number): Date => new Date(now.getTime() - days * 86_400_000);
  const named = [
    ...COUNTED_DAYS.map((days) => [`days:${days}`, range(dateField(filter.dated), since(days))[0]]),
    ...COUNTED_OUTLETS.map((outlets) => [`outlets:${outlets}`, { range: { outlets: { gte: outlets } } }]),
  ];
  const { hits, aggregations = {} } = await ask(server, {
    size: 0,
    track_total_hits: true,
    query: fitting(filter),
    aggs: {
      named: { filters: { filters: Object.fromEntries(named) } },
      ...Object.fromEntries(
        FACETS.map((facet) => [
          facet,
          { terms: { field: 'tags', include: `${facet}:.*`, size: values, shard_size: SHARD_VALUES } },
        ]),
      ),
    },
  });
  const counted = Object.values(aggregations).flatMap(({ buckets }): Counted[] =>
    Array.isArray(buckets)
      ? buckets.map(({ key, doc_count }) => ({ tag: key, signals: doc_count }))
      : Object.entries(buckets).map(([tag, { doc_count }]) => ({ tag, signals: doc_count })),
  );
  // In the order of the windows, which an object of numbers would not keep.
  const order = new Map(named.map(([tag], index) => [tag, index]));
  return [
    { tag: 'all:', signals: hits.total?.value ?? 0 },
    ...counted.toSorted((one, other) => (order.get(one.tag) ?? -1) - (order.get(other.tag) ?? -1)),
  ];
}

/**
 * Search and lists on OpenSearch. What PostgreSQL reads off one index whatever the number of signals stays there: lists of
 * one kind, theme and brand by time, and signals by their ids. PostgreSQL also answers until the first index is complete.
 * @throws Refusal `unavailable` from each query while OpenSearch is unreachable
 */
export function openSearchSignals(
  settings: SearchSettings,
  database: Queryable,
  now: () => Date,
): SignalSearch & { close(): Promise<void> } {
  const server = openSearchServer(settings, READER_TIMEOUT);
  const postgres = postgresSearch(database);

  return {
    search: (filter) => {
      const inPostgres = () => postgres.search(filter);
      return filter.ids?.length
        ? inPostgres()
        : answered(() => searchIndex(server, database, now(), filter), inPostgres);
    },
    list: (filter) => {
      const inPostgres = () => postgres.list(filter);
      return (filter.sort ?? 'time') === 'time' && isWalked(filter)
        ? inPostgres()
        : answered(() => listIndex(server, database, filter), inPostgres);
    },
    count: (filter, maximum) => {
      const inPostgres = () => postgres.count(filter, maximum);
      return isWalked(filter) ? inPostgres() : answered(() => countIndex(server, filter, maximum), inPostgres);
    },
    facets: (filter, options) =>
      answered(
        () =>
          countByPasses((pass) => countPass(server, pass, options), filter, {
            ...options,
            maximum: Number.POSITIVE_INFINITY,
          }),
        () => postgres.facets(filter, options),
      ),
    close: () => server.client.close(),
  };
}
