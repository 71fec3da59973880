/**
 * Queries by name: which brand, theme or city with a page a text means; and which names from headlines are brands of
 * the record. Such a name has a page, and links to it, once there is evidence enough that it is a brand. This is the
 * only place that decides; pages, feeds, tools and routes ask it.
 */
import { z } from 'zod';
import { type Queryable, query, queryKeys } from '../../log/postgres/database.ts';
import { StoredBrandSlug, slugify } from '../../schemas/scalar.ts';

const Evidence = z.object({
  /** The last decision of an operator. */
  decision: z.enum(['promoted', 'refused']).nullable(),
  /** A public signal has it from the catalogue, or two readers of its words agree on it. */
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
 * Whether a name has a page: the word of an operator counts first, then the catalogue and what two readers agree on, then a
 * second story about it by another outlet or on another day. One outlet that repeats a word on one day is not enough.
 */
export const hasPage = ({ decision, listed, stories, outlets, days }: Evidence): boolean =>
  decision === null ? listed || (stories > 1 && (outlets > 1 || days > 1)) : decision === 'promoted';

/** Stories that decide: more would not change the answer but for a flood by one outlet on one day. */
const DECIDING = 100;

const EVIDENCE = {
  name: 'projector_evidence_of_brands',
  text: `SELECT asked.brand AS slug,
    (SELECT decision FROM read.brand_decisions d WHERE d.key = asked.brand) AS decision,
    EXISTS (SELECT FROM read.signal_brands s WHERE s.brand = asked.brand AND NOT s.is_provisional) AS listed,
    about.stories, about.outlets, about.days
  FROM unnest($1::text[]) AS asked(brand), LATERAL (
    SELECT count(DISTINCT key)::int AS stories, count(DISTINCT outlet)::int AS outlets,
      count(DISTINCT (published_at AT TIME ZONE 'Asia/Kolkata')::date)::int AS days
    FROM (SELECT key, published_at, outlets FROM read.signal_brands s WHERE s.brand = asked.brand AND is_primary
      ORDER BY published_at LIMIT ${DECIDING}) AS earliest LEFT JOIN LATERAL unnest(earliest.outlets) AS outlet ON true) AS about
  WHERE EXISTS (SELECT FROM read.signal_brands s WHERE s.brand = asked.brand)`,
};

const EvidenceOfBrand = Evidence.extend({ slug: StoredBrandSlug });

/**
 * The brands among these that have no page yet. Brands that no public signal names are not among them: nothing is known of them.
 * @param slugs of brands that the catalogue lacks; for others the catalogue has the word
 */
export async function brandsWithoutPage(database: Queryable, slugs: readonly string[]): Promise<ReadonlySet<string>> {
  if (slugs.length === 0) return new Set();
  const evidences = await queryKeys(database, EVIDENCE, [...new Set(slugs)], EvidenceOfBrand);
  return new Set(evidences.filter((evidence) => !hasPage(evidence)).map(({ slug }) => slug));
}

const Named = z.object({
  type: z.enum(['brand', 'theme', 'city']),
  slug: z.string(),
  name: z.string(),
  /** 1 for the name itself or an alias, less for a similar spelling. */
  score: z.number(),
});
export type Named = z.infer<typeof Named>;

/** Names and aliases that are known before a signal mentions them, such as a directory. */
export interface KnownNames {
  brandNamed(text: string): { readonly slug: string; readonly name: string } | null;
  theme(slug: string): { readonly slug: string; readonly name: string } | null;
  city(text: string): { readonly slug: string; readonly name: string } | null;
}

const IS_MENTIONED = `EXISTS (
    SELECT FROM read.search_signals s WHERE s.is_public AND CASE n.type
      WHEN 'brand' THEN s.brands @> ARRAY[n.slug] WHEN 'theme' THEN s.theme = n.slug
      ELSE s.cities @> ARRAY[n.name] END)`;

/** Names in public signals only: held signals have no page. */
const ALIKE = `SELECT n.type, n.slug, n.name,
    greatest(similarity(n.folded, $1), 0.9 * word_similarity($1, n.folded))::float8 AS score
  FROM read.names n
  WHERE (n.folded % $1 OR $1 <% n.folded) AND ${IS_MENTIONED}
  ORDER BY score DESC, length(n.name), n.key LIMIT $2`;

/**
 * Brands, themes and cities that a text may mean, the surest first. Provisional brands have no page and are left out.
 * @param text a name as people write it
 * @param options `provisional` adds those brands: a question may be about one
 */
export async function findNames(
  database: Queryable,
  text: string,
  {
    limit = 10,
    directory,
    provisional = false,
  }: { limit?: number; directory?: KnownNames; provisional?: boolean } = {},
): Promise<Named[]> {
  const folded = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\0]/g, '')
    .toWellFormed()
    .toLowerCase()
    .trim()
    .slice(0, 100);
  if (folded === '') return [];
  const exact = directory ? knownAs(directory, text) : [];
  const similar = await query(database, ALIKE, [folded, limit + PROVISIONAL], Named);
  const alike = provisional ? similar : await withPages(database, similar, directory);
  const all = [...exact, ...alike].toSorted((one, other) => other.score - one.score);
  return all
    .filter((one, index) => all.findIndex(({ type, slug }) => type === one.type && slug === one.slug) === index)
    .slice(0, limit);
}

/** Names asked for in addition, since provisional ones among them are left out. */
const PROVISIONAL = 20;

/** Leaves out provisional brands, except those that the directory has by now. */
async function withPages<Name extends { readonly type: string; readonly slug: string; readonly name: string }>(
  database: Queryable,
  names: readonly Name[],
  directory?: Pick<KnownNames, 'brandNamed'>,
): Promise<Name[]> {
  const without = await brandsWithoutPage(
    database,
    names.flatMap(({ type, slug, name }) => (type === 'brand' && !directory?.brandNamed(name) ? [slug] : [])),
  );
  return names.filter(({ type, slug }) => type !== 'brand' || !without.has(slug));
}

const Exact = Named.omit({ score: true }).extend({ folded: z.string() });

/**
 * Names of public signals that are written exactly so.
 * @param texts in lower case without accents
 */
export const namesWritten = (database: Queryable, texts: readonly string[]): Promise<z.infer<typeof Exact>[]> =>
  query(
    database,
    `SELECT n.type, n.slug, n.name, n.folded FROM read.names n WHERE n.folded = ANY($1) AND ${IS_MENTIONED} ORDER BY n.key`,
    [texts],
    Exact,
  );

function knownAs(directory: KnownNames, text: string): Named[] {
  const entries = {
    brand: directory.brandNamed(text),
    theme: directory.theme(slugify(text)),
    city: directory.city(text),
  };
  return (['brand', 'theme', 'city'] as const).flatMap((type) => {
    const entry = entries[type];
    return entry ? [{ type, slug: entry.slug, name: entry.name, score: 1 }] : [];
  });
}

const Row = Named.omit({ score: true });
type MentionedName = z.infer<typeof Row>;

/**
 * Every brand, theme and city that a public signal mentions and that has a page, by name.
 * @param directory its brands have a page, whatever the record says
 */
export const listNames = async (
  database: Queryable,
  limit: number,
  directory?: Pick<KnownNames, 'brandNamed'>,
): Promise<MentionedName[]> => withPages(database, await mentionedNames(database, limit), directory);

const mentionedNames = (database: Queryable, limit: number): Promise<MentionedName[]> =>
  query(
    database,
    `SELECT n.type, n.slug, n.name FROM read.names n WHERE ${IS_MENTIONED} ORDER BY n.type, lower(n.name), n.slug LIMIT $1`,
    [limit],
    Row,
  );
