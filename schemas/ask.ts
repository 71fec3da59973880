/**
 * Questions and their answers: what `POST /ask` takes and gives, and sessions, whose turns are kept as events; and
 * research briefings, what `POST /research` takes and gives, in streams `investigation-<id>`.
 */
import { z } from 'zod';
import { AccountId } from './access.ts';
import { Moment } from './parameters.ts';
import { ERASED, open, personal } from './personal.ts';
import { BrandSlug, hasWords, Instant, SignalIdText, Slug, StoredBrandSlug, trimmedText } from './scalar.ts';

export const SessionId = z.string().regex(/^ses_[0-9a-f]{16}$/, 'must be ses_ and 16 hexadecimal characters');

/** Most characters of a question, and most messages that are taken with it. */
export const LONGEST_QUESTION = 500;
const MAX_MESSAGES = 40;

const Message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('user'), content: trimmedText(1, LONGEST_QUESTION) }),
  // Answers of ours come back here with their citations, and are longer than questions.
  z.strictObject({ role: z.literal('assistant'), content: trimmedText(0, 20_000) }),
]);
export type Message = z.infer<typeof Message>;

/** A query as JSON, as answers carry it. */
const EncodedQuery = z.string().min(2).max(4_000);

/** How a question was read: what readers see as chips, each of which can be taken away. */
export const AskQuery = z.object({
  query: EncodedQuery.describe('The whole query, for the field query of a request'),
  chips: z
    .array(
      z.object({
        field: z.string().describe('The field of the query, such as places'),
        label: z.string().describe('What the field is, such as Place'),
        value: z.string().describe('Its value, such as Gurugram'),
        without: EncodedQuery.nullable().describe('The query without it; null where nothing would be left'),
      }),
    )
    .max(60),
});
export type AskQuery = z.infer<typeof AskQuery>;

export const AskBody = z.strictObject({
  messages: z
    .array(Message)
    .min(1)
    .max(MAX_MESSAGES)
    .refine((messages) => messages.at(-1)?.role === 'user', 'the last must be of the role user')
    .describe(
      `1 to ${MAX_MESSAGES} objects {"role", "content"} with role user or assistant, the last one user; ` +
        `content of a user has 1 to ${LONGEST_QUESTION} characters`,
    ),
  stream: z.boolean().optional().describe('true for server-sent events, false for JSON'),
  session_id: SessionId.optional().describe('the session_id of an earlier answer, to go on with that session'),
  query: EncodedQuery.optional().describe(
    'a query of an earlier answer, changed or not: it is answered in place of a reading of the last message',
  ),
});
export type AskBody = z.infer<typeof AskBody>;

export const Quote = z.object({
  text: z.string(),
  start: z.int().nonnegative().describe('Where it begins in the text of the report, in UTF-16 code units'),
  end: z.int().nonnegative().describe('Where it ends there'),
});
export type Quote = z.infer<typeof Quote>;

export const Citation = z.object({
  id: SignalIdText,
  slug: z.string(),
  url: z.string().describe('Page of the signal on the service'),
  headline: z.string().describe('Title of the report that is cited'),
  outlet: z.string().nullable().describe('Publisher of that report'),
  source_url: z.string().nullable().describe('Link to that report'),
  published_at: Instant.describe('When the outlet published it'),
  quotes: z.array(Quote),
});
export type Citation = z.infer<typeof Citation>;

export const AskAnswer = z.object({
  content: z.string().describe('Markdown; [sig_…] marks a cited signal'),
  citations: z.array(Citation).describe('The reports cited, in order of first citation; a signal can have several'),
  confidence: z.number().min(0).max(1).describe('How often such answers are right; 0 where nothing was found'),
  query: AskQuery.optional().describe('How the question was read'),
  request_id: z.string(),
  session_id: SessionId,
  session_slug: z
    .string()
    .describe('The session is read at /ask/{session_slug}/{turn_ordinal} when its owner shares it'),
});
export type AskAnswer = z.infer<typeof AskAnswer>;

export const Turn = z.object({
  /** Counts from 1. */
  ordinal: z.int().positive(),
  question: z.string(),
  content: z.string(),
  citations: z.array(Citation),
  confidence: z.number(),
  query: AskQuery.optional(),
  asked_at: Instant,
});
export type Turn = z.infer<typeof Turn>;

export const SharedTurn = z.object({
  session_slug: z.string(),
  turns: z.int().positive().describe('Turns of the session so far'),
  turn: Turn,
});
export type SharedTurn = z.infer<typeof SharedTurn>;

export const ShareAnswer = z.object({ public: z.boolean(), url: z.string() });

/** Of the request that asked. */
const RequestId = open(z.string());

const OfSession = z.object({ session_id: SessionId });

export const SessionEvents = {
  /** `account_id` is null for an anonymous session, which has no owner and stays private. */
  SessionStarted: {
    1: OfSession.extend({ slug: personal(z.string(), 'account_id', ERASED), account_id: AccountId.nullable() }),
  },
  QuestionAnswered: {
    1: OfSession.extend({
      ...Turn.shape,
      question: personal(z.string(), 'first_event', ERASED),
      content: personal(z.string(), 'first_event', ERASED),
      citations: personal(z.array(Citation), 'first_event', []),
      query: personal(AskQuery.optional(), 'first_event', undefined),
      request_id: RequestId,
      cost_usd: z.number(),
    }),
  },
  SessionShared: { 1: OfSession },
  SessionUnshared: { 1: OfSession },
  /** Its owner was erased: nothing of it is shown any more. */
  SessionErased: { 1: OfSession },
} as const;

export const sessionStream = (id: string): string => `session-${id}`;
export const SESSION_PREFIX = 'session-';

export const InvestigationId = z.string().regex(/^inv_[0-9a-f]{16}$/, 'must be inv_ and 16 hexadecimal characters');

export const PRESETS = ['standard', 'deep'] as const;
export const Preset = z.enum(PRESETS);
export type Preset = z.infer<typeof Preset>;

const HAS_WORDS = 'must contain a letter or a digit';

export const ResearchBody = z.strictObject({
  topic: trimmedText(3, 300).refine(hasWords, HAS_WORDS).describe('3 to 300 characters with a letter or digit'),
  preset: Preset.default('standard').describe(`one of ${PRESETS.join(', ')}`),
  brands: z.array(BrandSlug).max(25).default([]).describe('up to 25 slugs of brands'),
  themes: z.array(Slug).max(25).default([]).describe('up to 25 slugs of themes'),
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
      topic: personal(z.string(), 'account_id', ERASED),
      preset: Preset,
      brands: personal(z.array(StoredBrandSlug), 'account_id', []),
      themes: personal(z.array(z.string()), 'account_id', []),
      since: Instant.nullable(),
      request_id: RequestId,
    }),
  },
  ResearchCompleted: {
    1: OfInvestigation.extend({
      report_markdown: personal(z.string(), 'first_event', ERASED),
      citations: personal(z.array(Citation), 'first_event', []),
      cost_usd: z.number(),
    }),
  },
  ResearchFailed: { 1: OfInvestigation.extend({ error: open(z.string()) }) },
  /** Its owner was erased: nothing of it is shown any more. */
  ResearchErased: { 1: OfInvestigation },
} as const;

export const investigationStream = (id: string): string => `investigation-${id}`;
export const INVESTIGATION_PREFIX = 'investigation-';
