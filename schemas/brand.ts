/** What the API answers about one brand, and about several brands side by side (Competitor Watch). */
import { z } from 'zod';
import { SignalItem } from './resources.ts';
import { type BrandSlug, Instant, MoveCounts, StoredBrandSlug } from './scalar.ts';

const stories = z.int().nonnegative().describe('Distinct public stories');

/** A window from `since` (in) to `until` (out), and the stories about a brand in it. */
export const MoveWindow = z.object({
  since: Instant,
  until: Instant,
  total: z.int().nonnegative(),
  by_move: MoveCounts.describe('Stories by kind of move, zeros included'),
});
export type MoveWindow = z.infer<typeof MoveWindow>;

export const Brand = z.object({
  name: z.string(),
  slug: StoredBrandSlug,
  url: z.string().describe('Brand page on the service'),
  stories: stories.describe('Distinct stories that name the brand'),
  stories_about: stories.describe('Stories about the brand'),
  first_seen_at: Instant.nullable(),
  last_seen_at: Instant.nullable(),
  last_30_days: MoveWindow.nullable().describe(
    'Stories about the brand in the last 30 days; null while there are none at all',
  ),
  themes: z.array(z.object({ slug: z.string(), name: z.string(), url: z.string(), stories })).max(10),
  related_brands: z.array(z.object({ name: z.string(), slug: StoredBrandSlug, url: z.string(), stories })).max(10),
  top_outlets: z.array(z.object({ outlet: z.string(), stories })).max(10),
});
export type Brand = z.infer<typeof Brand>;

export const BrandAnswer = z.object({
  brand: Brand,
  latest: z.array(SignalItem).max(10).describe("The brand's 10 latest moves, newest first"),
});

/** Windows that can be watched, in days. */
export const WATCH_DAYS = [7, 30, 90] as const;
/** Most brands of one request, and what a plan without Pro may ask for. */
export const WATCH_BRANDS = 25;
export const FREE_WATCH = { brands: 5, days: 7 } as const;

const count = z.int().nonnegative();

export const WatchMove = SignalItem.pick({
  id: true,
  slug: true,
  url: true,
  headline: true,
  move: true,
  delta: true,
  published_at: true,
  source: true,
});

export const WatchedBrand = z.object({
  name: z.string(),
  slug: StoredBrandSlug,
  url: z.string(),
  total: count.describe('Public stories about the brand in the window; one event counts once'),
  prior_total: count.describe('The same for the equal window before'),
  by_move: MoveCounts,
  prior_by_move: MoveCounts,
  cities: z.array(z.string()).describe('Cities of the stories in the window, the most frequent first'),
  latest: z.array(WatchMove).max(3).describe('The latest moves in the window, newest first'),
});
export type WatchedBrand = z.infer<typeof WatchedBrand>;

export const Watch = z.object({
  window_days: z.union(WATCH_DAYS.map((days) => z.literal(days))),
  since: Instant,
  until: Instant,
  brands: z.array(WatchedBrand).max(WATCH_BRANDS).describe('One per requested brand, in the order of asking'),
  quiet: z.array(StoredBrandSlug).describe('Slugs of the brands with no story about them in twice the window'),
});
export type Watch = z.infer<typeof Watch>;

/** What an operator decided about a name from headlines, in the stream of its slug. */
const BrandDecision = z.object({
  slug: StoredBrandSlug,
  name: z.string().min(1).max(200),
  by: z.string(),
  why: z.string(),
});

/** A name that the catalogue lacks has a page from its promotion on; a refused one has none, whatever is reported. */
export const BrandEvents = { BrandPromoted: { 1: BrandDecision }, BrandRefused: { 1: BrandDecision } } as const;

/** The event of each decision. */
export const BRAND_DECISIONS = { promote: 'BrandPromoted', refuse: 'BrandRefused' } as const;

export const BRAND_PREFIX = 'brand-';
export const brandStream = (slug: BrandSlug): string => `${BRAND_PREFIX}${slug}`;
