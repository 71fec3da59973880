/**
 * Which names from headlines are brands of the record: one has a page, and links to it, once there is evidence enough
 * that it is a brand. This is the only place that decides; pages, feeds, tools and routes ask it.
 */
import { z } from 'zod';
import { type Queryable, query } from '../../log/postgres/database.ts';
import { StoredBrandSlug } from '../../schemas/scalar.ts';

const Evidence = z.object({
  /** The last decision of an operator. */
  decision: z.enum(['promoted', 'refused']).nullable(),
  /** A public signal has it from the catalogue. */
  listed: z.boolean(),
  /** Public signals about it; one that only mentions it counts nowhere. */
  stories: z.int(),
  /** Outlets of these signals. */
  outlets: z.int(),
  /** IST days on which they were published. */
  days: z.int(),
});
export type Evidence = z.infer<typeof Evidence>;

/**
 * Whether a name has a page: the word of an operator counts first, then the catalogue, then a second story about it
 * by another outlet or on another day. One outlet that repeats a word on one day is not enough.
 */
export const hasPage = ({ decision, listed, stories, outlets, days }: Evidence): boolean =>
  decision === null ? listed || (stories > 1 && (outlets > 1 || days > 1)) : decision === 'promoted';

/** Stories that decide: more would not change the answer but for a flood by one outlet on one day. */
const DECIDING = 100;

const EVIDENCE = `SELECT asked.brand AS slug,
    (SELECT decision FROM read.brand_decisions d WHERE d.key = 'brand:' || asked.brand) AS decision,
    EXISTS (SELECT FROM read.brand_stories s WHERE s.brand = asked.brand AND NOT s.is_provisional) AS listed,
    about.stories, about.outlets, about.days
  FROM unnest($1::text[]) AS asked(brand), LATERAL (
    SELECT count(DISTINCT key)::int AS stories, count(DISTINCT outlet)::int AS outlets,
      count(DISTINCT (published_at AT TIME ZONE 'Asia/Kolkata')::date)::int AS days
    FROM (SELECT key, published_at, outlets FROM read.brand_stories s WHERE s.brand = asked.brand AND is_primary
      ORDER BY published_at LIMIT ${DECIDING}) AS earliest LEFT JOIN LATERAL unnest(earliest.outlets) AS outlet ON true) AS about
  WHERE EXISTS (SELECT FROM read.brand_stories s WHERE s.brand = asked.brand)`;

/**
 * The brands among these that have no page yet. Brands that no public signal names are not among them: nothing is known of them.
 * @param slugs of brands that the catalogue lacks; for others the catalogue has the word
 */
export async function brandsWithoutPage(database: Queryable, slugs: readonly string[]): Promise<ReadonlySet<string>> {
  if (slugs.length === 0) return new Set();
  const found = await query(database, EVIDENCE, [[...new Set(slugs)]], Evidence.extend({ slug: StoredBrandSlug }));
  return new Set(found.filter((evidence) => !hasPage(evidence)).map(({ slug }) => slug));
}
