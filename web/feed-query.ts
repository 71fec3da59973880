/** The filters of a feed page as they stand in its address. */
import { z } from 'zod';
import type { Directory } from '../schemas/directory.ts';
import { slugify } from '../schemas/identity.ts';
import { Cursor, MoveKind } from '../schemas/parameters.ts';
import { readQuery } from './read-query.ts';

const NAME = /^[\p{L}\p{M}\p{N} .,'’()&+!-]{1,80}$/u;
const name = (what: string) => z.string().trim().regex(NAME).describe(what);

const FeedQuery = z.object({
  q: z
    .string()
    .trim()
    .max(200)
    .refine((text) => !text.includes('\0'))
    .describe('words to search for, at most 200 characters')
    .optional(),
  kind: MoveKind.optional(),
  brand: name('a brand, such as Zudio').optional(),
  theme: name('a theme, such as quick-commerce').optional(),
  city: name('the name of a city, such as Pune').optional(),
  cursor: Cursor.optional(),
});
export type FeedQuery = z.output<typeof FeedQuery>;

/**
 * Reads them. People type names; what a name stands for is looked up: a brand and a theme become their slugs, a city its
 * name in the catalogue.
 * @throws Refusal naming what cannot be used
 */
export function readFeedQuery(query: unknown, directory: Directory): FeedQuery {
  const { brand, theme, city, ...others } = readQuery(FeedQuery, query);
  return {
    ...others,
    ...(brand && { brand: directory.currentSlug(directory.brandNamed(brand)?.slug ?? slugify(brand)) }),
    ...(theme && { theme: slugify(theme) }),
    ...(city && { city: directory.city(city)?.name ?? city }),
  };
}

/** Whether anything narrows the feed. */
export const isNarrowed = (shown: FeedQuery): boolean => Object.values(shown).some((value) => value !== undefined);
