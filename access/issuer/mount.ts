/** The embedded issuer on the port of the API. */
import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../schemas/refusal.ts';
import { ISSUER_PATH } from '../sign-in.ts';
import type { EmbeddedIssuer } from './embedded.ts';
import { cameOtherwise } from './own-address.ts';

/** Where clients look for what the issuer says of itself: RFC 8414 section 3.1 puts the path of the issuer last. */
const METADATA = ['oauth-authorization-server', 'openid-configuration'];

/** The issuer's router minds neither case nor a slash at the end. */
const REGISTRATION = /^\/reg\/?(\?|$)/i;
const REGISTRATION_PREFLIGHT = {
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-allow-headers': 'Accept, Content-Type, MCP-Protocol-Version',
  'access-control-max-age': '86400',
};

/** Hands requests of the protocol over, bodies unread: the issuer reads them by its own rules. */
export function mountIssuer(issuer: EmbeddedIssuer, baseUrl: string): FastifyPluginCallback {
  const answer = async (request: FastifyRequest, reply: FastifyReply, path: string): Promise<unknown> => {
    const refused = cameOtherwise(request.raw, baseUrl);
    if (refused) throw new Refusal('not_found', refused);
    if (REGISTRATION.test(path)) {
      // A program in a browser is no client yet whose origin could be known (RFC 7591 leaves this open).
      reply.header('access-control-allow-origin', '*');
      if (request.method === 'OPTIONS') return reply.code(204).headers(REGISTRATION_PREFLIGHT).send();
      if (request.method === 'POST') await issuer.admitRegistration(request.raw, request.ip);
    }
    reply.hijack();
    const headers = {
      ...reply.getHeaders(),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    };
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) reply.raw.setHeader(name, value);
    await issuer.answer(request.raw, reply.raw, path);
    return reply;
  };
  return (server: FastifyInstance, _options, done) => {
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
    server.route({
      method: ['GET', 'POST', 'OPTIONS'],
      url: `${ISSUER_PATH}/*`,
      handler: (request, reply) => answer(request, reply, request.url.slice(ISSUER_PATH.length)),
    });
    for (const name of METADATA)
      server.get(`/.well-known/${name}${ISSUER_PATH}`, (request, reply) =>
        answer(request, reply, '/.well-known/openid-configuration'),
      );
    done();
  };
}
