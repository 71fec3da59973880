/** Sends text that is JSON already. */
import type { FastifyReply } from 'fastify';

/** Answers 200 unless the reply has another status; the text goes out byte for byte. */
export const sendJson = (reply: FastifyReply, text: string): FastifyReply =>
  reply.type('application/json; charset=utf-8').send(text);
