/** Everything under /api/v1/webhooks: no longer offered. */
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../schemas/input-errors.ts';
import type { RouteContext } from '../route.ts';

/** Answers 410 `not_offered` and says what to do instead. The body is never read. */
export function webhookRoutes(server: FastifyInstance, { authorise }: RouteContext): void {
  const refuse = async (): Promise<never> => {
    throw new Refusal(
      'not_offered',
      'Webhooks are not offered. Poll GET /api/v1/signals with since or with the cursor of your last page.',
    );
  };
  for (const url of ['/api/v1/webhooks', '/api/v1/webhooks/*'])
    server.route({
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      url,
      onRequest: [authorise('read'), refuse],
      handler: refuse,
    });
}
