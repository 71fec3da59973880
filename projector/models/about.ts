/** What an answer depends on besides the question, and how it cites. */
import { z } from 'zod';
import type { Gazetteer } from '../../schemas/gazetteer.ts';
import type { SignalReference } from '../../schemas/reference.ts';

export interface About {
  readonly now: Date;
  /** Address that readers use, without a slash at its end. */
  readonly baseUrl: string;
  readonly gazetteer: Gazetteer;
}

const DAY = 86_400_000;

/** A window of days that ends now: from `since` (in) to `until` (out). */
export const windowOf = (now: Date, days: number): { since: Date; until: Date } => ({
  since: new Date(now.getTime() - days * DAY),
  until: now,
});

/** Columns by which a row cites its signal. */
export const Cited = z.object({ key: z.string(), slug: z.string(), headline: z.string(), published_at: z.date() });

/** The signal that a row is taken from, as an answer names it. */
export const referenceOf = (
  { key, slug, headline, published_at }: z.infer<typeof Cited>,
  baseUrl: string,
): SignalReference => ({
  id: key,
  slug,
  url: `${baseUrl}/signal/${slug}`,
  headline,
  published_at: published_at.toISOString(),
});
