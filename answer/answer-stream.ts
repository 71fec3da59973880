/**
 * An answer as frames of a streaming messages API. Clients of that API read the frames unchanged and ignore the events
 * that begin with `clarity.`.
 */
import type { AskedTurn, OpenQuestion } from './ask.ts';

/** One frame: `event` is its `type` too. */
export interface Frame {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The text of a frame. JSON.stringify emits no line breaks, so the data is one line. */
export const frameText = (frame: Frame): string => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`;

const MODEL = 'clarity';
/** Words are counted: an answer may be composed without a model, and then there are no tokens. */
const tokens = (text: string): number => text.split(/\s+/).filter(Boolean).length;

/** The first frame; it is sent before the search begins. */
const messageStart = ({ request, text, session }: OpenQuestion): Frame => ({
  type: 'message_start',
  message: {
    id: request.requestId,
    type: 'message',
    role: 'assistant',
    model: MODEL,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: tokens(text), output_tokens: 0 },
    session_id: session.id,
    session_slug: session.slug,
  },
});

/** The frames of an answer after the first: text, each citation as it is first used, confidence, end. */
function* answerFrames({ answer, ordinal, parts }: AskedTurn, baseUrl: string): Generator<Frame> {
  yield { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '', citations: null } };
  const sent = new Set<string>();
  for (const { text, ids } of parts.pieces) {
    yield { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } };
    for (const id of ids) {
      const citation = answer.citations.find((one) => one.id === id);
      if (!citation || sent.has(id)) continue;
      sent.add(id);
      yield { type: 'clarity.citation_emitted', citation };
    }
  }
  yield { type: 'content_block_stop', index: 0 };
  yield { type: 'clarity.confidence_updated', confidence: answer.confidence };
  if (parts.research_topic !== null)
    yield {
      type: 'clarity.research_promotion_available',
      topic: parts.research_topic,
      research_url: `${baseUrl}/api/v1/research`,
    };
  yield {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: tokens(answer.content) },
  };
  const { content: _, ...rest } = answer;
  yield { type: 'message_stop', clarity: { ...rest, turn: ordinal } };
}

/** What a client gets when the answer fails after the stream began. */
const errorFrame = (requestId: string): Frame => ({
  type: 'error',
  error: {
    type: 'api_error',
    message: `The service failed; the question was not counted. Quote request ${requestId} to support.`,
  },
  request_id: requestId,
});

const PING: Frame = { type: 'ping' };

/** Proxies and clients take a line that is silent for longer for dead. In milliseconds. */
const HEARTBEAT = 10_000;

type Outcome = { readonly turn: AskedTurn } | { readonly error: unknown };

/** Heartbeats until the outcome is there. */
async function* waiting(outcome: Promise<Outcome>, heartbeat: number): AsyncGenerator<Frame, Outcome> {
  for (;;) {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), heartbeat);
    });
    try {
      const done = await Promise.race([outcome, silence]);
      if (done) return done;
    } finally {
      clearTimeout(timer);
    }
    yield PING;
  }
}

/**
 * The frames of an answer, an `error` frame where it fails.
 * @param failed called once when it does, with the error
 */
export async function* framesOf(
  question: OpenQuestion,
  answer: () => Promise<AskedTurn>,
  options: {
    readonly baseUrl: string;
    readonly failed: (error: unknown) => Promise<void>;
    readonly heartbeat?: number;
  },
): AsyncGenerator<string> {
  yield frameText(messageStart(question));
  const outcome = answer().then(
    (turn): Outcome => ({ turn }),
    (error: unknown): Outcome => ({ error }),
  );
  const silent = waiting(outcome, options.heartbeat ?? HEARTBEAT);
  let next = await silent.next();
  for (; !next.done; next = await silent.next()) yield frameText(next.value);
  if ('turn' in next.value) {
    for (const frame of answerFrames(next.value.turn, options.baseUrl)) yield frameText(frame);
    return;
  }
  await options.failed(next.value.error);
  yield frameText(errorFrame(question.request.requestId));
}
