/**
 * The catalogue: what the service knows before it reads a headline. YAML files under `CATALOGUE`, each with one or
 * more of the top-level keys below; files of one key are added up. Changes of operators are events of one stream, so
 * that a name belongs to one brand whoever changes what at the same time. The catalogue in use is the shipped one with
 * these changes applied; see `ingest/catalogue/effective-catalogue.ts`.
 */
import { z } from 'zod';
import { openEvents } from './personal.ts';
import { BrandSlug, Instant, Move, Slug } from './scalar.ts';

const RetiredSlugs = z.array(Slug).optional().describe('slugs that it had before; their addresses lead to this one');
const RetiredAt = Instant.optional().describe('from then on no new story is put under it; its page stays');
const Names = z.array(z.string().min(1)).default([]);

export const CATEGORIES = [
  'value_fashion',
  'fashion',
  'jewellery',
  'footwear',
  'quick_service_restaurants',
  'restaurants_and_cafes',
  'hypermarkets_and_grocery',
  'quick_commerce',
  'ecommerce',
  'electronics',
  'beauty',
  'personal_care',
  'fmcg',
  'food_and_beverage',
  'alcohol',
  'department_stores',
  'eyewear',
  'watches_and_accessories',
  'luggage',
  'home_and_furniture',
  'paints',
  'pharmacy_and_health',
  'fitness_and_sports',
  'baby_and_kids',
  'pet_care',
  'luxury',
  'malls_and_real_estate',
  'entertainment',
  'travel_and_hospitality',
  'consumer_services',
  'logistics_and_retail_technology',
  'automobiles',
  'conglomerate',
  'other',
] as const;
export const Category = z.enum(CATEGORIES);
export type Category = z.infer<typeof Category>;

export const CatalogueBrand = z.strictObject({
  slug: BrandSlug,
  retired_slugs: z.array(BrandSlug).optional().describe('slugs that it had before; their addresses lead to this one'),
  name: z.string().min(1),
  aliases: Names.describe('other names in headlines'),
  legal_names: Names.describe('company names in filings'),
  nse: z
    .string()
    .regex(/^[A-Z0-9&-]+$/)
    .optional()
    .describe('NSE symbol where listed'),
  category: Category,
  kind: z.enum(['brand', 'retailer', 'company', 'mall_operator', 'marketplace', 'd2c']).default('brand'),
  parent: BrandSlug.optional().describe('the company that owns it'),
  operators: z
    .array(BrandSlug)
    .optional()
    .describe(
      'the companies that run it in India under a licence or franchise, such as Devyani International for KFC; the results that such a company reports are its own',
    ),
  group: Slug.optional().describe('the group of businesses it is counted in'),
  common_word: z.boolean().default(false).describe('its name is an ordinary word: it counts only in context'),
  context: Names.describe('words near by that make a common word the brand'),
  not_context: Names.describe('words near by that rule it out'),
  retired_at: RetiredAt,
});
export type CatalogueBrand = z.infer<typeof CatalogueBrand>;

export const CatalogueTheme = z.strictObject({
  slug: Slug,
  retired_slugs: RetiredSlugs,
  name: z.string().min(1),
  words: Names.describe('words and phrases that put a story under the theme'),
  goods: z
    .array(z.string().min(1))
    .optional()
    .describe('what is sold, such as skincare, and companies that sell nothing else: one in a headline is enough'),
  categories: z.array(Category).default([]),
  moves: z.array(Move).optional().describe('kinds of move that the theme is for, where words do not decide'),
  kinds: z.array(z.string()).optional().describe('labels of these moves, such as IPO, that it is for; unset for all'),
  retired_at: RetiredAt,
});
export type CatalogueTheme = z.infer<typeof CatalogueTheme>;

export const CatalogueGroup = z.strictObject({
  slug: Slug,
  retired_slugs: RetiredSlugs,
  name: z.string().min(1),
  aliases: Names,
  categories: z.array(Category).default([]),
  members: z.array(BrandSlug).describe('its listed companies, by brand slug'),
  retired_at: RetiredAt,
});
export type CatalogueGroup = z.infer<typeof CatalogueGroup>;

export const CatalogueCity = z.strictObject({
  name: z.string().min(1),
  aliases: Names,
  state: z.string().min(1),
  latitude: z.number().min(6).max(38),
  longitude: z.number().min(68).max(98),
  common_word: z.boolean().default(false),
});
export type CatalogueCity = z.infer<typeof CatalogueCity>;

export const CatalogueMall = z.strictObject({
  name: z.string().min(1),
  aliases: Names,
  city: z.string().min(1),
  kind: z.enum(['mall', 'high_street', 'airport', 'other']).default('mall'),
});
export type CatalogueMall = z.infer<typeof CatalogueMall>;

export const CatalogueOutlet = z.strictObject({
  name: z.string().min(1),
  domains: z.array(z.string().min(3)),
  authority: z.number().min(0).max(1),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .optional()
    .describe(
      'where it publishes, ISO 3166-1; unset for India. News of a foreign outlet counts only with a tie to India',
    ),
  prefixes: Names.describe('house prefixes of headlines that are stripped'),
});
export type CatalogueOutlet = z.infer<typeof CatalogueOutlet>;

export const CatalogueInvestor = z.strictObject({ name: z.string().min(1), aliases: Names });
export type CatalogueInvestor = z.infer<typeof CatalogueInvestor>;

/** One file of the catalogue. `sources` names where its facts come from. */
export const CatalogueFile = z.strictObject({
  sources: z.array(z.string()).min(1),
  brands: z.array(CatalogueBrand).default([]),
  themes: z.array(CatalogueTheme).default([]),
  groups: z.array(CatalogueGroup).default([]),
  cities: z.array(CatalogueCity).default([]),
  malls: z.array(CatalogueMall).default([]),
  outlets: z.array(CatalogueOutlet).default([]),
  investors: z.array(CatalogueInvestor).default([]),
  other_years: z
    .array(BrandSlug)
    .default([])
    .describe('companies whose fiscal year does not start in April: they have no Indian quarters, nor do their brands'),
  indian_years: z
    .array(BrandSlug)
    .default([])
    .describe('companies below one of `other_years` that report by Indian years all the same, and their brands'),
});
export type CatalogueFile = z.infer<typeof CatalogueFile>;

/** All files added up, checked against each other. `version` is a fingerprint of the content. */
export type Catalogue = Omit<CatalogueFile, 'sources'> & { version: string };

/** Entries that operators change. Cities, malls, outlets and investors are changed in the files. */
export const CATALOGUE_KINDS = ['brand', 'theme', 'group'] as const;
export const CatalogueKind = z.enum(CATALOGUE_KINDS);
export type CatalogueKind = z.infer<typeof CatalogueKind>;

/** An entry by its kind. */
export interface CatalogueEntries {
  readonly brand: CatalogueBrand;
  readonly theme: CatalogueTheme;
  readonly group: CatalogueGroup;
}
export type CatalogueEntry = CatalogueEntries[CatalogueKind];

export const ENTRY_SCHEMAS = { brand: CatalogueBrand, theme: CatalogueTheme, group: CatalogueGroup } as const;

/** In every change: its place among all changes, from 1, and who made it and why. */
const About = {
  number: z.int().positive(),
  by: z.string().min(1),
  why: z.string(),
};

const Added = z.discriminatedUnion('kind', [
  z.object({ ...About, kind: z.literal('brand'), entry: CatalogueBrand }),
  z.object({ ...About, kind: z.literal('theme'), entry: CatalogueTheme }),
  z.object({ ...About, kind: z.literal('group'), entry: CatalogueGroup }),
]);

/** With the previous entry, so that a change can be distinguished from what a later release ships. */
const Changed = z.discriminatedUnion('kind', [
  z.object({ ...About, kind: z.literal('brand'), before: CatalogueBrand, after: CatalogueBrand }),
  z.object({ ...About, kind: z.literal('theme'), before: CatalogueTheme, after: CatalogueTheme }),
  z.object({ ...About, kind: z.literal('group'), before: CatalogueGroup, after: CatalogueGroup }),
]);

const Named = { ...About, kind: CatalogueKind, slug: z.string().min(1) };

/** How far the stories that changes affect are understood again. */
export const CatalogueProgress = z.object({
  /** All changes up to this one are in the catalogue that the stories are understood by. */
  through: z.int().nonnegative(),
  /** Changes up to this one had been done before. */
  since: z.int().nonnegative(),
  state: z.enum(['running', 'done']),
  phase: z.enum(['search', 'history', 'items', 'signals', 'stories']),
  done: z.int().nonnegative(),
  total: z.int().nonnegative(),
  /** Signals that were compared, items that were new moves, and events appended; 0 until it is done. */
  signals: z.int().nonnegative(),
  stories: z.int().nonnegative(),
  appended: z.int().nonnegative(),
  /** When it began. */
  began_at: Instant,
});
export type CatalogueProgress = z.infer<typeof CatalogueProgress>;

export const CatalogueEvents = openEvents({
  CatalogueEntryAdded: { 1: Added },
  CatalogueEntryChanged: { 1: Changed },
  /** The slug and the names of `slug` belong to `into` from then on. */
  CatalogueEntryMerged: { 1: z.object({ ...Named, into: z.string().min(1) }) },
  CatalogueEntryRetired: { 1: z.object(Named) },
  CatalogueEntryRestored: { 1: z.object(Named) },
  CatalogueUnderstood: { 1: CatalogueProgress },
} as const);

/** The events that change the catalogue. */
export const CATALOGUE_CHANGES = [
  'CatalogueEntryAdded',
  'CatalogueEntryChanged',
  'CatalogueEntryMerged',
  'CatalogueEntryRetired',
  'CatalogueEntryRestored',
] as const;

export const CATALOGUE_PREFIX = 'catalogue-';
export const CATALOGUE_STREAM = 'catalogue-changes';
/** Apart from the changes: who follows those need not wake for progress. */
export const UNDERSTOOD_PREFIX = 'understood-';
export const UNDERSTOOD_STREAM = `${UNDERSTOOD_PREFIX}catalogue`;

/** Address of a page or form below the catalogue desk. */
export const entryPath = (kind: CatalogueKind, slug: string): string => `/operate/catalogue/${kind}/${slug}`;
