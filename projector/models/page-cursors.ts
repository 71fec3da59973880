/** Cursors of pages: opaque to readers, and refused unless a page returned them. */
import { z } from 'zod';

/** A cursor that no page returned. */
export class CursorError extends Error {
  override name = 'CursorError';
  constructor() {
    super('cursor must be the next_cursor of a page, as it was given');
  }
}

/** The last signal of a page: its time in UTC to the microsecond as PostgreSQL writes it, and its id. */
const Place = z.tuple([
  z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?Z$/),
  z.string().regex(/^sig_[0-9a-f]{16}$/),
]);
type Place = z.infer<typeof Place>;

/** The cursor of a place. */
export const encodeCursor = (place: Place): string => Buffer.from(JSON.stringify(place)).toString('base64url');

/**
 * The place of a cursor.
 * @throws CursorError
 */
export function decodeCursor(cursor: string): Place {
  try {
    const place = Place.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
    if (encodeCursor(place) === cursor && !Number.isNaN(Date.parse(place[0]))) return place;
  } catch {
    // Not JSON, or not of a page: refused below.
  }
  throw new CursorError();
}

// Cursors of rows that are listed newest first. They contain the window, so that counts are the same on every page.

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?Z$/;

/** End of the window, and the last row of a page: its time as PostgreSQL writes it, its signal and its number. */
const RowCursor = z.tuple([
  z.iso.datetime(),
  z.string().regex(TIME),
  z.string().regex(/^sig_[0-9a-f]{16}$/),
  z.int().nonnegative(),
]);

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
export const PLACED_COLUMNS = `(row.published_at AT TIME ZONE 'UTC')::text || 'Z' AS at, row.number`;

/** @param until end of the window of the first page */
export const rowCursor = (until: Date, { at, key, number }: RowPlace): string =>
  Buffer.from(JSON.stringify([until.toISOString(), at, key, number])).toString('base64url');

/**
 * The end of the window and the place that a cursor names.
 * @throws CursorError for one that no page returned
 */
export function readRowCursor(cursor: string): { readonly until: Date; readonly after: RowPlace } {
  try {
    const [until, at, key, number] = RowCursor.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
    const place = { until: new Date(until), after: { at, key, number } };
    if (!Number.isNaN(Date.parse(at)) && rowCursor(place.until, place.after) === cursor) return place;
  } catch {
    // Not JSON, or not of a page: refused below.
  }
  throw new CursorError();
}

/**
 * The condition that a row follows another in the order newest first.
 * @param parameters of the statement; those of the condition are added
 */
export const followsRow = ({ at, key, number }: RowPlace, parameters: unknown[]): string =>
  `(published_at, key, number) < ($${parameters.push(at)}::timestamptz, $${parameters.push(key)}, $${parameters.push(number)}::int)`;
