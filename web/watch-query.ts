/** Which brands a reader wants side by side: ticked, in the address, or typed in by name. */
import { z } from 'zod';
import type { Directory } from '../schemas/directory.ts';
import { slugify } from '../schemas/identity.ts';
import { Slug } from '../schemas/scalar.ts';
import { FREE_WATCH, WATCH_BRANDS, WATCH_DAYS, type Watch } from '../schemas/watch.ts';
import { readQuery } from './read-query.ts';

const several = z.union([z.string().max(2_000), z.array(z.string().max(2_000)).max(100)]);
const Query = z.object({
  b: several.describe('slugs of brands, separated by commas').optional(),
  add: z.string().max(500).describe('names of brands, separated by commas').optional(),
  days: z
    .enum(WATCH_DAYS.map(String) as [string, ...string[]])
    .describe(`one of ${WATCH_DAYS.join(', ')}`)
    .optional(),
});

export interface WatchChoice {
  /** Slugs, each once, at most as many as the plan allows. */
  readonly brands: readonly string[];
  readonly days: Watch['window_days'];
  /** What was typed in and is no brand's name. */
  readonly unknown: readonly string[];
  /** True when more was asked for than the plan allows. */
  readonly cut: boolean;
}

const words = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);

/** @throws Refusal naming what cannot be used */
export function readWatchQuery(query: unknown, directory: Directory, plan: 'free' | 'pro'): WatchChoice {
  const { b = [], add = '', days: asked } = readQuery(Query, query);
  const ticked = [b].flat().flatMap(words);
  const typed = words(add).map((name) => ({ name, slug: directory.brandNamed(name)?.slug ?? slugify(name) }));
  const slugs = [...ticked, ...typed.map(({ slug }) => slug)].map((slug) => directory.currentSlug(slug.toLowerCase()));
  const wanted = [...new Set(slugs)].filter((slug) => Slug.safeParse(slug).success);
  const most = plan === 'pro' ? WATCH_BRANDS : FREE_WATCH.brands;
  const days = WATCH_DAYS.find((one) => String(one) === asked) ?? FREE_WATCH.days;
  const allowed = plan === 'pro' ? days : FREE_WATCH.days;
  return {
    brands: wanted.slice(0, most),
    days: allowed,
    unknown: ticked.filter((slug) => !Slug.safeParse(slug.toLowerCase()).success),
    cut: wanted.length > most || allowed !== days,
  };
}
