/**
 * What a shared cache, such as a CDN, may store of the public pages and feeds: how long, and under which keys it is purged
 * when an event changes them (`cache-purge.ts`).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Configuration } from '../../schemas/configuration.ts';

/** The settings of the shared cache; without `CDN_PURGE_URL` nothing is purged, so nothing is stored for long. */
export type CacheSettings = Partial<Pick<Configuration, 'CDN_PURGE_URL' | 'CDN_PURGE_KEY' | 'CDN_API'>>;

/** Seconds that an answer stays fresh where nothing purges it. */
const FRESH = 30;
/** Seconds where events purge it: what has no event, such as the passing of a day, shows after this time at the latest. */
const FRESH_PURGED = 3_600;
/** Seconds that it may be served while the cache fetches it again, and while the service gives errors. */
const STALE = 60;
const STALE_ON_ERROR = 86_400;

/** The key of every stored answer, of every answer that lists the record, and of one signal, brand or theme. */
export const EVERYTHING = 'clarity';
export const LISTS = 'lists';
export type Subject = 'signal' | 'brand' | 'theme';
export const cacheKey = (subject: Subject, slug: string): string => `${subject}/${slug}`;

/** Signals of which an answer carries the key. A longer one is a list, which every event purges. */
const MAXIMUM_SIGNALS = 120;
const OWN_SUBJECT = /^\/(signal|brand|theme)\/([a-z0-9-]+)(?:\/|\.|$)/;
const LINKED_SIGNAL = /\/signal\/([a-z0-9-]+)/g;

/**
 * The keys of an answer: its subject, or that it is a list, and every signal that it links to.
 * @param path without the query
 */
export function cacheKeys(path: string, text: string): string[] {
  const [, subject, slug = ''] = OWN_SUBJECT.exec(path) ?? [];
  const keys = new Set([EVERYTHING, subject ? cacheKey(subject as Subject, slug) : LISTS]);
  for (const [, linked = ''] of text.matchAll(LINKED_SIGNAL)) {
    if (keys.size > MAXIMUM_SIGNALS) break;
    keys.add(cacheKey('signal', linked));
  }
  return [...keys];
}

/** True for what is the same for every anonymous reader: nothing of a session, a cookie or a refused call is in it. */
function isShared(request: FastifyRequest, reply: FastifyReply): boolean {
  const control = String(reply.getHeader('cache-control') ?? 'no-cache');
  return (
    (request.method === 'GET' || request.method === 'HEAD') &&
    [200, 301, 304].includes(reply.statusCode) &&
    request.headers.cookie === undefined &&
    request.headers.authorization === undefined &&
    !reply.hasHeader('set-cookie') &&
    !/no-store|private|max-age=[1-9]\d{3}/.test(control)
  );
}

/**
 * Lets shared caches store the answers of the routes that are registered after it, as far as they are the same for every
 * anonymous reader. Browsers ask as often as the route says, by default each
 * time, which the ETag makes cheap. The answers vary with `Cookie`.
 * @param options.purged true for answers that only events of signals change; others are stored for 30 seconds
 */
export function sharedCache(
  server: FastifyInstance,
  { settings, purged }: { readonly settings: CacheSettings; readonly purged: boolean },
): void {
  const isPurged = purged && settings.CDN_PURGE_URL !== undefined;
  const shared = `s-maxage=${isPurged ? FRESH_PURGED : FRESH}, stale-while-revalidate=${STALE}, stale-if-error=${STALE_ON_ERROR}`;
  server.addHook('onSend', async (request, reply, payload) => {
    if (!isShared(request, reply)) return payload;
    const own = /max-age=\d+/.exec(String(reply.getHeader('cache-control')))?.[0] ?? 'max-age=0, must-revalidate';
    reply.header('cache-control', `public, ${own}, ${shared}`);
    if (settings.CDN_PURGE_URL !== undefined && reply.statusCode !== 304) {
      const [path = ''] = request.url.split('?');
      const keys = cacheKeys(path, typeof payload === 'string' ? payload : '');
      if (settings.CDN_API === 'cloudflare') reply.header('cache-tag', keys.join(','));
      else reply.header('surrogate-key', keys.join(' '));
    }
    return payload;
  });
}
