/** The brief: the moves of a day that matter most. */
import { z } from 'zod';
import { SourceRef } from './resources.ts';
import { Instant, IstDay, SignalId } from './scalar.ts';

/** Most items of a brief. */
export const BRIEF_ITEMS = 12;

export const BriefItem = z.object({
  id: SignalId,
  headline: z.string(),
  url: z.string().describe('Page on the service; to be cited'),
  delta: z.string().nullable(),
  why_it_matters: z.string().nullable(),
  what_to_watch: z.string().nullable(),
  brand: z.string().nullable().describe('Name of the brand that the story is about'),
  source: SourceRef,
  other_outlets: z.int().nonnegative().describe('Publishers that reported it besides the source'),
  published_at: Instant,
});
export type BriefItem = z.infer<typeof BriefItem>;

export const Brief = z.object({
  date: IstDay.describe('IST day of the brief'),
  label: z.string(),
  window_hours: z.int().min(1).max(72),
  filters: z.object({ brands: z.array(z.string()), themes: z.array(z.string()) }),
  items: z
    .array(BriefItem)
    .max(BRIEF_ITEMS)
    .describe('Ranked: by outlets, then by how many follow its brands, then the newest'),
});
export type Brief = z.infer<typeof Brief>;
