/** An answer as server-sent events. */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerFrames, errorFrame, type Frame, frameText, messageStart, PING } from '../../answer/answer-stream.ts';
import { type AskedTurn, answerOpen, type OpenQuestion } from '../../answer/ask.ts';
import type { RouteContext } from '../context.ts';

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

/** Streams the answer. A client that leaves ends the stream; its turn is kept all the same. */
export function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { answers, baseUrl, giveBack }: RouteContext,
  question: OpenQuestion,
): FastifyReply {
  const failed = async (error: unknown): Promise<void> => {
    // Nothing to give again: a repetition asks anew.
    request.onceFailed = true;
    request.log.error({ err: error, request_id: request.id }, 'an answer failed in its stream');
    await giveBack(request).catch((failure: unknown) =>
      request.log.error({ err: failure, request_id: request.id }, 'a question could not be given back'),
    );
  };
  const frames = framesOf(question, () => answerOpen(answers, question), { baseUrl, failed });
  reply.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
  return reply.send(Readable.from(frames, { objectMode: false }));
}
