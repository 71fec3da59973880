/** How an answer names the signal that it took a fact from. */
import { z } from 'zod';
import { Instant, SignalId } from './scalar.ts';

export const SignalReference = z.object({
  id: SignalId,
  slug: z.string(),
  url: z.string().describe('Page of the signal on the service; to be cited'),
  headline: z.string(),
  published_at: Instant,
});
export type SignalReference = z.infer<typeof SignalReference>;

/** What every row that cites a signal says of the report that states it. */
export const CitedReport = {
  outlet: z.string().nullable().describe('Publisher of the report that states it'),
  source_url: z.string().nullable().describe('Address of that report'),
  published_at: Instant.describe('When the service published the signal'),
};
