/** Arguments of tools that list rows page by page. */
import { z } from 'zod';
import { cursorRefusal } from '../presentation/public-records.ts';
import { CursorError } from '../projector/models/page-cursors.ts';
import { Cursor } from '../schemas/parameters.ts';

const LARGEST_PAGE = 100;

/**
 * @param what is listed, such as `openings`
 * @param usual rows of a page unless set
 */
export const pageSize = (what: string, usual: number) =>
  z.int().min(1).max(LARGEST_PAGE).default(usual).describe(`${what} listed, 1 to ${LARGEST_PAGE}; ${usual} unless set`);

/** The argument that leads from page to page. */
export const nextPage = Cursor.optional().describe('next_cursor of the page before, with the same other arguments');

/** Turns the error about a cursor that no page gave out into a refusal that names it. */
export const refusingCursor =
  (cursor: string | undefined) =>
  (error: unknown): never => {
    throw error instanceof CursorError ? cursorRefusal(cursor) : error;
  };
