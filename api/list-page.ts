/** A page of the feed, with a bad cursor told to the caller. */
import type { Queryable } from '../log/postgres/database.ts';
import { CursorError, type ListFilter, listSignals, type SignalPageText } from '../projector/models/signals-queries.ts';
import { cursorRefusal } from './checked-cursor.ts';

/** @throws Refusal `invalid_request` for a cursor that no page gave out */
export async function listPage(database: Queryable, filter: ListFilter): Promise<SignalPageText> {
  try {
    return await listSignals(database, filter);
  } catch (error) {
    if (!(error instanceof CursorError)) throw error;
    throw cursorRefusal(filter.cursor);
  }
}
