/** The filters of a feed page as they stand in its address. */
import { z } from 'zod';
import { BrandSlug, Cursor, MoveKind, readParameters, ThemeSlug } from '../schemas/parameters.ts';

/** A city as an address can name it. */
export const City = z
  .string()
  .regex(/^[\p{L}\p{M}\p{N} .,'’()&-]{1,60}$/u)
  .describe('the name of a city, such as Pune');

// Other parameters are let pass, unlike in the API: people share links with trackers hung on to them.
const FeedQuery = z.object({
  kind: MoveKind.optional(),
  brand: BrandSlug.optional(),
  theme: ThemeSlug.optional(),
  city: City.optional(),
  cursor: Cursor.optional(),
});
export type FeedQuery = z.output<typeof FeedQuery>;

/**
 * Reads them; an empty one, as a form sends it, counts as unset.
 * @throws Refusal naming what cannot be used
 */
export const readFeedQuery = (query: unknown): FeedQuery =>
  readParameters(FeedQuery, Object.fromEntries(Object.entries(Object(query)).filter(([, value]) => value !== '')));
