/**
 * What the queries of several read models share: time windows, citations, counts by kind of move, and the cursors of
 * pages, which are opaque to readers and refused unless a page returned them.
 */

import { z } from 'zod';
import { DAY } from '../../language/days.ts';
import { type Queryable, query } from '../../log/postgres/database.ts';
import type { Gazetteer } from '../../schemas/directory.ts';
import type { SignalItem, SignalReference, SignalText } from '../../schemas/resources.ts';
import { MOVES, Move, type MoveCounts } from '../../schemas/scalar.ts';
import { correctionsInDetail, reportsInDetail, type SignalRest } from './signals-read-model.ts';

export interface QueryContext {
  readonly now: Date;
  /** Address that readers use, without a slash at its end. */
  readonly baseUrl: string;
  readonly gazetteer: Gazetteer;
}

/** A window of days that ends now: from `since` (in) to `until` (out). */
export const windowOf = (now: Date, days: number): { since: Date; until: Date } => ({
  since: new Date(now.getTime() - days * DAY),
  until: now,
});

/** Columns by which a row cites its signal and the report that states it. */
export const Cited = z.object({
  key: z.string(),
  slug: z.string(),
  headline: z.string(),
  published_at: z.date(),
  /** Of the first report of the signal. */
  reported_at: z.date(),
  outlet: z.string().nullable(),
  source_url: z.string().nullable(),
});
type Cited = z.infer<typeof Cited>;

/**
 * A select list of the columns of `Cited` over rows called `row`, joined with their signals as `s`: a row without a report
 * of its own cites that of the signal.
 */
export const CITED_COLUMNS = `row.key, row.slug, row.headline, row.published_at, row.reported_at,
  coalesce(row.outlet, s.item_document::json #>> '{source,outlet}') AS outlet,
  coalesce(row.source_url, s.item_document::json #>> '{source,url}') AS source_url`;

/** Joins the signals of rows called `row`. */
export const JOIN_SIGNALS = 'LEFT JOIN read.signals s ON s.key = row.key';

/** The signal that a row is taken from, as an answer names it. */
export const referenceOf = (
  { key, slug, headline, published_at, reported_at }: Omit<Cited, 'outlet' | 'source_url'>,
  baseUrl: string,
): SignalReference => ({
  id: key,
  slug,
  url: `${baseUrl}/signal/${slug}`,
  headline,
  published_at: published_at.toISOString(),
  reported_at: reported_at.toISOString(),
});

/** What a row of an answer says of its signal and of the report that states it. */
export const citationOf = (row: Cited, baseUrl: string) => ({
  signal: referenceOf(row, baseUrl),
  outlet: row.outlet,
  source_url: row.source_url,
  published_at: row.published_at.toISOString(),
  reported_at: row.reported_at.toISOString(),
});

/** Columns of `read.signals` that a SignalText is made from. */
export const DetailColumns = z.object({ item_document: z.string(), row: z.string() });

/** What the column `row` of a signal contains. */
export function restOf(row: string): SignalRest {
  // A build of an earlier release, which readers see until its successor is built, may lack some of it.
  const missing = { deck: null, key_facts: [], why_it_matters: null, what_to_watch: null };
  return { ...missing, reports: [], revisions: [], ...JSON.parse(row) };
}

/** What a row of `read.signals` says of its signal: its detail without its thread, which `withThreads` adds. */
export function signalTextOf({ item_document, row }: z.infer<typeof DetailColumns>): SignalText {
  const { deck, why_it_matters, what_to_watch, key_facts, reports, corrections = [], sentences = [] } = restOf(row);
  const item = JSON.parse(item_document) as SignalItem;
  // An id in the place of a slug leads to the signal, whatever its slug is by then.
  const pageOf = (id: string): string => `${item.url.slice(0, item.url.lastIndexOf('/'))}/${id}`;
  return {
    ...item,
    deck,
    why_it_matters,
    what_to_watch,
    analysis: sentences.map(({ signals, ...sentence }) => ({
      ...sentence,
      signals: signals.map((id) => ({ id, url: pageOf(id) })),
    })),
    key_facts,
    reports: reportsInDetail(reports),
    corrections: correctionsInDetail(corrections),
  };
}

export const MoveCount = z.object({ move: Move, stories: z.int() });

/** All eight kinds, zeros included; counts of one kind are added up. */
export function countsByMove(counts: readonly z.infer<typeof MoveCount>[]): MoveCounts {
  const all = Object.fromEntries(MOVES.map((move) => [move, 0])) as MoveCounts;
  for (const { move, stories } of counts) all[move] += stories;
  return all;
}

/** A cursor that no page returned. */
export class CursorError extends Error {
  override name = 'CursorError';
  constructor() {
    super('cursor must be the next_cursor of a page, as it was given');
  }
}

/** A time in UTC to the microsecond as PostgreSQL writes it. */
export const CursorTime = z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?Z$/);
/** The id of a signal. */
export const SignalKey = z.string().regex(/^sig_[0-9a-f]{16}$/);

/** The last signal of a page: its time and its id. */
const Place = z.tuple([CursorTime, SignalKey]);
/** The same in a list by salience. */
const SalientPlace = z.tuple([z.number().min(0).max(100), CursorTime, SignalKey]);

/** Writes cursors of one kind. */
export const cursorOf =
  <Place extends readonly unknown[]>() =>
  (place: Place): string =>
    Buffer.from(JSON.stringify(place)).toString('base64url');

/** Reads cursors of one kind. @param at where a place has its time */
export const cursorReader =
  <Place extends readonly unknown[]>(schema: z.ZodType<Place>, at: (place: Place) => string) =>
  (cursor: string): Place => {
    try {
      const place = schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
      if (cursorOf<Place>()(place) === cursor && !Number.isNaN(Date.parse(at(place)))) return place;
    } catch {
      // Not JSON, or not of a page: refused below.
    }
    throw new CursorError();
  };

/** The cursor of a place. */
export const encodeCursor = cursorOf<z.infer<typeof Place>>();
/** The place of a cursor. @throws CursorError */
export const decodeCursor = cursorReader(Place, ([at]) => at);
/** The same for a list by salience. */
export const encodeSalientCursor = cursorOf<z.infer<typeof SalientPlace>>();
/** @throws CursorError */
export const decodeSalientCursor = cursorReader(SalientPlace, ([, at]) => at);

// Cursors of rows that are listed newest first. They contain the window, so that counts are the same on every page.

/** End of the window, and the last row of a page: its time, its signal and its number. */
const RowCursor = z.tuple([z.iso.datetime(), CursorTime, SignalKey, z.int().nonnegative()]);
const encodeRow = cursorOf<z.infer<typeof RowCursor>>();
const decodeRow = cursorReader(RowCursor, ([, at]) => at);

/** The row after which a page begins. */
export interface RowPlace {
  /** In UTC to the microsecond, as PostgreSQL writes it. */
  readonly at: string;
  readonly key: string;
  readonly number: number;
}

/** Columns that every paged row has in addition to its own. */
export const Placed = z.object({ at: z.string(), number: z.int() });

/** A select list of the columns of `Placed` over rows called `row`. */
export const PLACED_COLUMNS = `(row.reported_at AT TIME ZONE 'UTC')::text || 'Z' AS at, row.number`;

/** @param until end of the window of the first page */
export const rowCursor = (until: Date, { at, key, number }: RowPlace): string =>
  encodeRow([until.toISOString(), at, key, number]);

/** The end of the window and the place that a cursor names. @throws CursorError for one that no page returned */
export function readRowCursor(cursor: string): { readonly until: Date; readonly after: RowPlace } {
  const [until, at, key, number] = decodeRow(cursor);
  return { until: new Date(until), after: { at, key, number } };
}

/**
 * The condition that a row follows another in the order newest first.
 * @param parameters of the statement; those of the condition are added
 */
export const followsRow = ({ at, key, number }: RowPlace, parameters: unknown[]): string =>
  `(reported_at, key, number) < ($${parameters.push(at)}::timestamptz, $${parameters.push(key)}, $${parameters.push(number)}::int)`;

/** The order in which rows are listed. */
export const NEWEST_FIRST = 'ORDER BY reported_at DESC, key DESC, number DESC';

/**
 * The newest rows that a condition admits, with their citations.
 * @param columns of the table, a select list over rows called `row`
 * @param page.after the last row of the page before
 */
export function newestRows<Row>(
  database: Queryable,
  { table, columns, row }: { readonly table: string; readonly columns: string; readonly row: z.ZodType<Row> },
  { where, parameters }: { readonly where: string; readonly parameters: unknown[] },
  { limit, after }: { readonly limit: number; readonly after?: RowPlace | undefined },
): Promise<Row[]> {
  const then = after ? ` AND ${followsRow(after, parameters)}` : '';
  return query(
    database,
    `SELECT ${CITED_COLUMNS}, ${PLACED_COLUMNS}, ${columns} FROM (
       SELECT * FROM read.${table} WHERE ${where}${then} ${NEWEST_FIRST} LIMIT $${parameters.push(limit)}) AS row
     ${JOIN_SIGNALS} ORDER BY row.reported_at DESC, row.key DESC, row.number DESC`,
    parameters,
    row,
  );
}

/** The page that a list is read from: the end of its window, and the row before. @throws CursorError */
export const pageOf = (
  cursor: string | undefined,
  now: Date,
): { readonly until: Date; readonly after: RowPlace | undefined } =>
  cursor === undefined ? { until: now, after: undefined } : readRowCursor(cursor);

/** The rows of a page and the cursor of the next. @param rows one more than the page has, where there are more */
export function cutPage<Row extends RowPlace>(
  rows: readonly Row[],
  limit: number,
  until: Date,
): { readonly listed: readonly Row[]; readonly next_cursor: string | null } {
  const listed = rows.slice(0, limit);
  const last = listed.at(-1);
  return { listed, next_cursor: rows.length > limit && last ? rowCursor(until, last) : null };
}

// Words.

/** A query of signals that have all the words of a text, as readers type them. @param text its place in the statement */
export const allWords = (text: string): string => `websearch_to_tsquery('english', ${text})`;
/** `-word` and `-"a phrase"`, which leave out. */
const LEFT_OUT = /(?<=^|\s)-("[^"]*"|\S+)/g;
/** A text that readers type in two: what is looked for, and what is left out. */
export const wantedAndLeftOut = (text: string): { readonly wanted: string; readonly leftOut: readonly string[] } => ({
  wanted: text.replace(LEFT_OUT, ' ').trim(),
  leftOut: [...text.matchAll(LEFT_OUT)].map(([, words = '']) => words),
});
/** The same for any of the words. */
export const anyWord = (text: string): string =>
  `replace(plainto_tsquery('english', ${text})::text, ' & ', ' | ')::tsquery`;
const LONGEST_TEXT = 500;

/**
 * Text that PostgreSQL takes, without accents, as signals are searched; empty when there is none. Text without a letter or
 * digit is no word, so nothing has it.
 */
export function wordsOf(text: string | undefined): string {
  const clean = (text ?? '')
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\0]/g, '')
    .toWellFormed()
    .slice(0, LONGEST_TEXT);
  return clean.trim();
}
