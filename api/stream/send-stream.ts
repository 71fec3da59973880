/** An answer as server-sent events. */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { framesOf } from '../../answer/answer-stream.ts';
import { answerOpen, type OpenQuestion } from '../../answer/ask.ts';
import type { RouteContext } from '../context.ts';

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
