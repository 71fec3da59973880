/** GET /.well-known/openapi.yaml: the description of the API. */
import type { FastifyInstance } from 'fastify';
import { NoParameters, readParameters } from '../../schemas/parameters.ts';
import { descriptionText } from '../description/document.ts';

/** Answers YAML, for everybody. */
export function descriptionRoute(server: FastifyInstance): void {
  let text: string | undefined;
  server.get('/.well-known/openapi.yaml', async (request, reply) => {
    readParameters(NoParameters, request.query);
    text ??= descriptionText();
    return reply.header('cache-control', 'public, max-age=300').type('application/yaml; charset=utf-8').send(text);
  });
}
