/** The place in a list after which the next page begins: opaque to readers. */
import { z } from 'zod';

/** A cursor that no page gave out. */
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
export type Place = z.infer<typeof Place>;

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
    // Told below, in words for whoever sent it.
  }
  throw new CursorError();
}
