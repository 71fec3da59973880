/** Competitor Watch: several brands side by side, by kind of move. */
import { z } from 'zod';
import { SignalItem } from './resources.ts';
import { Instant, MoveCounts } from './scalar.ts';

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
  slug: z.string(),
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
  quiet: z.array(z.string()).describe('Slugs of the brands with no story about them in twice the window'),
});
export type Watch = z.infer<typeof Watch>;
