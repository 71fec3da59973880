/** Questions and their answers: what `POST /ask` takes and gives, and sessions, whose turns are kept as events. */
import { z } from 'zod';
import { AccountId } from './access.ts';
import { Instant, SignalIdText, trimmedText } from './scalar.ts';

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
});
export type AskBody = z.infer<typeof AskBody>;

export const Quote = z.object({
  text: z.string(),
  start: z.int().nonnegative().describe('Where it begins in the stored text of the signal, in UTF-16 code units'),
  end: z.int().nonnegative().describe('Where it ends there'),
});
export type Quote = z.infer<typeof Quote>;

export const Citation = z.object({
  id: SignalIdText,
  slug: z.string(),
  url: z.string().describe('Page of the signal on the service'),
  headline: z.string(),
  outlet: z.string().nullable(),
  source_url: z.string().nullable().describe('Link to the original report'),
  published_at: Instant,
  quotes: z.array(Quote),
});
export type Citation = z.infer<typeof Citation>;

export const AskAnswer = z.object({
  content: z.string().describe('Markdown; [sig_…] marks a cited signal'),
  citations: z.array(Citation).describe('In order of first citation'),
  confidence: z.number().min(0).max(1).describe('How often such answers are right; 0 where nothing was found'),
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

const OfSession = z.object({ session_id: SessionId });

export const SessionEvents = {
  /** `account_id` is null for an anonymous session, which has no owner and stays private. */
  SessionStarted: { 1: OfSession.extend({ slug: z.string(), account_id: AccountId.nullable() }) },
  QuestionAnswered: { 1: OfSession.extend({ ...Turn.shape, request_id: z.string(), cost_usd: z.number() }) },
  SessionShared: { 1: OfSession },
  SessionUnshared: { 1: OfSession },
  /** Its owner was erased: nothing of it is shown any more. */
  SessionErased: { 1: OfSession },
} as const;

export const sessionStream = (id: string): string => `session-${id}`;
export const SESSION_PREFIX = 'session-';
