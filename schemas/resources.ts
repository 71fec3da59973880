/**
 * What the API answers: signals and their reports, lists, the health of sources, errors; one brand, and several brands
 * side by side (Competitor Watch).
 */
import { z } from 'zod';
import { OracleCheck } from './oracle.ts';
import { openEvents } from './personal.ts';
import { BrandRole, type BrandSlug, Instant, Move, MoveCounts, SignalIdText, StoredBrandSlug } from './scalar.ts';
import { ANALYSIS_FIELDS, CORRECTABLE } from './signal.ts';

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
  summary: z.string().nullable().describe('One-sentence answer, in the words of a report'),
  summary_by: z
    .literal('clarity')
    .optional()
    .describe('Set where no report has a summary: then it is our sentence, which states the facts of the tables'),
  move: Move,
  kind: z.string().nullable().describe('Editorial kind label'),
  theme: ThemeRef.nullable(),
  brands: z.array(BrandRef),
  cities: z.array(z.string()),
  published_at: Instant.describe('When the service made it public; after a release the moment of the release'),
  reported_at: Instant.optional().describe('Date of the first report'),
  event_at: Instant.nullable().describe('When it happened, when known'),
  source: SourceRef,
  outlets: z.int().positive().describe('Number of publishers that reported it'),
});
export type SignalItem = z.infer<typeof SignalItem>;

/** The date of a signal that people read: that of its first report. Rows of earlier releases have none. */
export const reportedAt = ({ reported_at, published_at }: Pick<SignalItem, 'reported_at' | 'published_at'>): string =>
  reported_at ?? published_at;

export const SignalReport = z.object({
  outlet: z.string(),
  url: z.string().describe('Link to the report'),
  headline: z.string(),
  published_at: Instant.nullable().describe('When the outlet published it; null where it states no time'),
});
export type SignalReport = z.infer<typeof SignalReport>;

const SignalCorrection = z.object({
  at: Instant,
  fields: z.array(z.enum(CORRECTABLE)).describe('The fields that were wrong; they have the corrected values now'),
  by: z.literal('operator').describe('Who corrected it'),
  why: z.string(),
});

/** A sentence of the analysis of a signal. */
export const SentenceOfAnalysis = z.object({
  field: z.enum(ANALYSIS_FIELDS),
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
  reported_at: Instant.optional().describe('Date of the first report'),
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
    .describe(
      'The sentences of `why_it_matters` and `what_to_watch`, and `background`, each with the signals that it was computed from',
    ),
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
  reported_at: Instant.optional().describe('Date of the first report of the signal'),
};

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
  reported_at: true,
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
  latest: z.array(WatchMove).max(3).describe('The latest moves in the window, by the date of the first report'),
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
export const BrandEvents = openEvents({
  BrandPromoted: { 1: BrandDecision },
  BrandRefused: { 1: BrandDecision },
} as const);

/** The event of each decision. */
export const BRAND_DECISIONS = { promote: 'BrandPromoted', refuse: 'BrandRefused' } as const;

export const BRAND_PREFIX = 'brand-';
export const brandStream = (slug: BrandSlug): string => `${BRAND_PREFIX}${slug}`;
