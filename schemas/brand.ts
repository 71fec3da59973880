/** What the API answers of one brand. */
import { z } from 'zod';
import { SignalItem } from './resources.ts';
import { Instant, MoveCounts } from './scalar.ts';

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
  slug: z.string(),
  url: z.string().describe('Brand page on the service'),
  stories: stories.describe('Distinct stories that name the brand'),
  stories_about: stories.describe('Stories about the brand'),
  first_seen_at: Instant.nullable(),
  last_seen_at: Instant.nullable(),
  last_30_days: MoveWindow.nullable().describe(
    'Stories about the brand in the last 30 days; null while there are none at all',
  ),
  themes: z.array(z.object({ slug: z.string(), name: z.string(), url: z.string(), stories })).max(10),
  related_brands: z.array(z.object({ name: z.string(), slug: z.string(), url: z.string(), stories })).max(10),
  top_outlets: z.array(z.object({ outlet: z.string(), stories })).max(10),
});
export type Brand = z.infer<typeof Brand>;

export const BrandAnswer = z.object({
  brand: Brand,
  latest: z.array(SignalItem).max(10).describe("The brand's 10 latest moves, newest first"),
});
