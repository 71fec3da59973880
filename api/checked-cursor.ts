/** A bad cursor is told to the caller. */
import { CursorError } from '../projector/models/signals-queries.ts';
import { quoted, Refusal } from '../schemas/refusal.ts';

/** What a cursor says is not usable. */
export const cursorRefusal = (cursor: string | undefined): Refusal =>
  new Refusal(
    'invalid_request',
    `cursor: ${quoted(cursor)} cannot be used. Allowed: the next_cursor of the page before, unchanged.`,
  );

/** @throws Refusal `invalid_request` for a cursor that no page gave out */
export function checkedCursor<Place>(cursor: string, decode: (cursor: string) => Place): Place {
  try {
    return decode(cursor);
  } catch (error) {
    if (!(error instanceof CursorError)) throw error;
    throw cursorRefusal(cursor);
  }
}
