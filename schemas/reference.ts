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
