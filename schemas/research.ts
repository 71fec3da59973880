/** Research briefings: what `POST /research` takes and gives. Stream `investigation-<id>`. */
import { z } from 'zod';
import { AccountId } from './access.ts';
import { Citation } from './ask.ts';
import { Moment } from './parameters.ts';
import { Instant, Slug, trimmedText } from './scalar.ts';

export const InvestigationId = z.string().regex(/^inv_[0-9a-f]{16}$/, 'must be inv_ and 16 hexadecimal characters');

export const PRESETS = ['standard', 'deep'] as const;
export const Preset = z.enum(PRESETS);
export type Preset = z.infer<typeof Preset>;

const Slugs = z.array(Slug).max(25);

export const ResearchBody = z.strictObject({
  topic: trimmedText(3, 300).describe('3 to 300 characters'),
  preset: Preset.default('standard').describe(`one of ${PRESETS.join(', ')}`),
  brands: Slugs.default([]).describe('up to 25 slugs of brands'),
  themes: Slugs.default([]).describe('up to 25 slugs of themes'),
  since: Moment.optional().describe('an ISO 8601 date such as 2026-10-01 or time: what moved before is left out'),
});
export type ResearchBody = z.infer<typeof ResearchBody>;

export const ResearchResult = z.object({
  id: InvestigationId,
  status: z.literal('completed'),
  report_url: z.string(),
  citation_count: z.int().nonnegative(),
  cost_usd: z.number().nonnegative(),
});
export type ResearchResult = z.infer<typeof ResearchResult>;

export const QueuedResearch = z.object({ id: InvestigationId, status: z.literal('queued'), status_url: z.string() });

export const Investigation = z.object({
  id: InvestigationId,
  status: z.enum(['queued', 'completed', 'failed']),
  topic: z.string(),
  preset: Preset,
  created_at: Instant,
  completed_at: Instant.nullable(),
  report_url: z.string().nullable().describe('Page of the report, once it is completed'),
  report_markdown: z.string().nullable(),
  citations: z.array(Citation),
  citation_count: z.int().nonnegative(),
  cost_usd: z.number().nonnegative(),
  error: z.string().nullable().describe('What went wrong, when it failed'),
});
export type Investigation = z.infer<typeof Investigation>;

const OfInvestigation = z.object({ investigation_id: InvestigationId });

export const InvestigationEvents = {
  ResearchRequested: {
    1: OfInvestigation.extend({
      account_id: AccountId,
      topic: z.string(),
      preset: Preset,
      brands: z.array(z.string()),
      themes: z.array(z.string()),
      since: Instant.nullable(),
      request_id: z.string(),
    }),
  },
  ResearchCompleted: {
    1: OfInvestigation.extend({ report_markdown: z.string(), citations: z.array(Citation), cost_usd: z.number() }),
  },
  ResearchFailed: { 1: OfInvestigation.extend({ error: z.string() }) },
  /** Its owner was erased: nothing of it is shown any more. */
  ResearchErased: { 1: OfInvestigation },
} as const;

export const investigationStream = (id: string): string => `investigation-${id}`;
export const INVESTIGATION_PREFIX = 'investigation-';
