/** Forms of the pages: read as text, and taken from our own pages alone. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isOwnForm } from '../access/issuer/issuer-requests.ts';
import { sameToken } from '../access/web-session-store.ts';
import { Refusal } from '../schemas/refusal.ts';
import type { Site } from './site.ts';

const MOST_BYTES = 16_384;

/** What a form sends: each name once, the last wins, empty fields left out. */
export type Form = Readonly<Record<string, string>>;

/** The form of a request that `formRoutes` let in. */
export const formOf = ({ body }: Pick<FastifyRequest, 'body'>): Form => (body ?? {}) as Form;

const parsed = (text: string): Form =>
  Object.fromEntries(
    [...new URLSearchParams(text)]
      .map(([name, value]) => [name, value.trim()] as const)
      .filter(([, value]) => value !== ''),
  );

/**
 * Whether a form comes from the very address that it is sent to: the service has other names than BASE_URL, such as
 * 127.0.0.1. A stranger's name that leads here carries no session, whose cookie belongs to the name it was made for.
 */
const isOfSameHost = ({ origin, host }: FastifyRequest['headers']): boolean =>
  origin !== undefined && host !== undefined && URL.parse(origin)?.host === host;

/**
 * Registers routes whose forms are guarded: they must come from our own pages, and those of somebody who is signed in
 * must carry the token of the session, so that no other site can act for them.
 * @throws Refusal `invalid_request` for others, before their route runs
 */
export function formRoutes(
  server: FastifyInstance,
  site: Pick<Site, 'baseUrl'>,
  add: (own: FastifyInstance) => void,
): void {
  server.register(async (own) => {
    own.removeAllContentTypeParsers();
    own.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: MOST_BYTES },
      (_request, body, done) => done(null, parsed(String(body))),
    );
    own.addHook('preHandler', async (request, reply) => {
      if (request.method !== 'POST') return;
      reply.header('cache-control', 'no-store');
      if (!isOwnForm(request.headers, site.baseUrl) && !isOfSameHost(request.headers))
        throw new Refusal(
          'invalid_request',
          'This form was sent from another site. Open the page here and send it anew.',
        );
      const { reader } = request;
      if (reader && !sameToken(formOf(request).form_token ?? '', reader.formToken))
        throw new Refusal(
          'invalid_request',
          'This form was made before you signed in, or for somebody else. Go back, load the page anew and send it again.',
        );
    });
    add(own);
  });
}
