import { z } from 'zod';
import { OracleCheck } from './oracle.ts';
import { BrandRole, Instant, Move, SignalIdText, StoredBrandSlug } from './scalar.ts';
import { CORRECTABLE } from './signal.ts';

export const BrandRef = z.object({
  name: z.string(),
  slug: StoredBrandSlug,
  url: z
    .string()
    .describe(
      'Brand page on the service; the page of the signal while the name is from headlines only and has no page',
    ),
  role: BrandRole.describe('primary = the story is about the brand; secondary = a mention'),
});
export type BrandRef = z.infer<typeof BrandRef>;

export const SourceRef = z.object({
  outlet: z.string().nullable().describe('Publisher name'),
  url: z.string().nullable().describe('Link to the original report'),
});

export const ThemeRef = z.object({ slug: z.string(), name: z.string(), url: z.string() });

export const SignalItem = z.object({
  id: SignalIdText,
  slug: z.string(),
  url: z.string().describe('Canonical page on the service; to be cited'),
  headline: z.string(),
  delta: z.string().nullable().describe('The move in one figure'),
  summary: z.string().nullable().describe('One-sentence answer'),
  move: Move,
  kind: z.string().nullable().describe('Editorial kind label'),
  theme: ThemeRef.nullable(),
  brands: z.array(BrandRef),
  cities: z.array(z.string()),
  published_at: Instant.describe('When the service made it public; after a release the moment of the release'),
  event_at: Instant.nullable().describe('When it happened, when known'),
  source: SourceRef,
  outlets: z.int().positive().describe('Number of publishers that reported it'),
});
export type SignalItem = z.infer<typeof SignalItem>;

export const SignalReport = z.object({
  outlet: z.string(),
  url: z.string().describe('Link to the report'),
  headline: z.string(),
  published_at: Instant.nullable().describe('When the outlet published it; null where it states no time'),
});
export type SignalReport = z.infer<typeof SignalReport>;

/** A correction by an operator. */
const SignalCorrection = z.object({
  at: Instant,
  fields: z.array(z.enum(CORRECTABLE)).describe('The fields that were wrong; they have the corrected values now'),
  by: z.literal('operator').describe('Who corrected it'),
  why: z.string(),
});

/** A sentence of the analysis of a signal. */
export const SentenceOfAnalysis = z.object({
  field: z.enum(['why_it_matters', 'what_to_watch']),
  text: z.string(),
  signals: z
    .array(z.object({ id: SignalIdText, url: z.string().describe('Leads to the page of the signal') }))
    .describe('The earlier signals that it was computed from; empty where the signal itself says it'),
});

export const SignalReference = z.object({
  id: SignalIdText,
  slug: z.string(),
  url: z.string().describe('Page of the signal on the service; to be cited'),
  headline: z.string(),
  published_at: Instant,
});
export type SignalReference = z.infer<typeof SignalReference>;

/** Another signal of the thread of a signal. */
export const ThreadStep = z.object({ ...SignalReference.shape, move: Move });
export type ThreadStep = z.infer<typeof ThreadStep>;

/** Signals that a thread names before a signal, and as many after it. */
export const MAXIMUM_STEPS = 10;

/** What a signal itself says: all of its detail but its thread. */
export const SignalText = SignalItem.extend({
  deck: z.string().nullable(),
  why_it_matters: z.string().nullable(),
  what_to_watch: z.string().nullable(),
  analysis: z
    .array(SentenceOfAnalysis)
    .describe('The sentences of `why_it_matters` and `what_to_watch`, each with the signals that it was computed from'),
  key_facts: z.array(z.string()),
  reports: z.array(SignalReport).describe('Every report that counts, from first to last'),
  corrections: z
    .array(SignalCorrection)
    .describe('What operators corrected, oldest first; later reports do not change these fields'),
});
export type SignalText = z.infer<typeof SignalText>;

export const SignalDetail = SignalText.extend({
  before: z
    .array(ThreadStep)
    .max(MAXIMUM_STEPS)
    .describe(
      'Earlier signals of the same thread (rumour, agreement, approval), in the order in which they were reported: the last ten',
    ),
  after: z.array(ThreadStep).max(MAXIMUM_STEPS).describe('Later signals of the same thread, likewise: the first ten'),
});
export type SignalDetail = z.infer<typeof SignalDetail>;

export const SignalPage = z.object({
  signals: z.array(z.union([SignalDetail, SignalItem])).describe('Items; with `expand=detail` details'),
  next_cursor: z.string().nullable(),
});
export type SignalPage = z.infer<typeof SignalPage>;

export const SourceHealth = z.enum(['healthy', 'degraded', 'failing', 'silent', 'paused']);
export type SourceHealth = z.infer<typeof SourceHealth>;

export const HealthSnapshot = z.object({
  generated_at: Instant,
  stats: z.object({
    sources: z.int(),
    active: z.int(),
    paused: z.int(),
    healthy: z.int(),
    degraded: z.int(),
    failing: z.int(),
    silent: z.int(),
    items_per_hour: z.number(),
    signals_24h: z.int(),
  }),
  oracle: z
    .object({
      miss_rate: z.number(),
      checked: z.int(),
      missed: z.int(),
      window_hours: z.int(),
      slo: z.number(),
      measured_at: Instant,
      misses: z.array(
        z.object({ headline: z.string(), url: z.string(), outlet: z.string(), published_at: Instant.nullable() }),
      ),
      sample: z
        .array(OracleCheck)
        .describe(
          'The newest items that were checked: by which reading each is a move, and the signal that reports it',
        ),
    })
    .nullable(),
  sources: z.array(
    z.object({
      id: z.string(),
      outlet: z.string(),
      url: z.string(),
      kind: z.string(),
      health: SourceHealth,
      cadence_seconds: z.int(),
      items_24h: z.int(),
      last_polled_at: Instant.nullable(),
      last_success_at: Instant.nullable(),
      last_item_at: Instant.nullable(),
      consecutive_failures: z.int(),
      last_error: z.string().nullable(),
    }),
  ),
});
export type HealthSnapshot = z.infer<typeof HealthSnapshot>;

/** Error codes of the contract, each with its status. */
export const ERROR_STATUS = {
  invalid_request: 400,
  auth_required: 401,
  invalid_key: 401,
  insufficient_scope: 403,
  pro_required: 403,
  application_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  not_offered: 410,
  rate_limited: 429,
  quota_exhausted: 429,
  ask_quota: 429,
  server_error: 500,
  unavailable: 503,
} as const;
export type ErrorCode = keyof typeof ERROR_STATUS;
export const ERROR_CODES = Object.keys(ERROR_STATUS) as ErrorCode[];

export const ErrorBody = z.object({
  error: z.enum(ERROR_CODES).describe('Machine-readable code'),
  message: z.string().describe('What happened and what to do'),
});

/** What every row that cites a signal says of the report that states it. */
export const CitedReport = {
  outlet: z.string().nullable().describe('Publisher of the report that states it'),
  source_url: z.string().nullable().describe('Address of that report'),
  published_at: Instant.describe('When the service published the signal'),
};
