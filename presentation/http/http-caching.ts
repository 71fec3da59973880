/**
 * Caching of answers: ETags with 304; what a shared cache, such as a CDN, may store of the public pages and feeds, how
 * long and under which keys; and the purge of what events of signals and of the catalogue change. The purge follows
 * the event store and waits until the read models contain an event, so that the cache does not store the old answer
 * again.
 */
import { hash as digest } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { keepRunning, pause, RETRY } from '../../log/backoff.ts';
import { logError } from '../../log/errors.ts';
import type { EventStore, Position, StoredEvent } from '../../log/event-store.ts';
import { asMember, type Group } from '../../log/postgres/topics/consumer-group.ts';
import { CATALOGUE_PREFIX } from '../../schemas/catalogue.ts';
import type { Configuration } from '../../schemas/configuration.ts';
import { readEvent } from '../../schemas/events.ts';
import { BRAND_PREFIX } from '../../schemas/resources.ts';
import { SIGNAL_PREFIX } from '../../schemas/signal.ts';
import { foldSignal } from '../../signal/signal.ts';

/** A weak entity tag of a text: the bytes may be compressed in transit, the meaning stays the same. */
export const entityTag = (text: string | Buffer): string => `W/"${digest('sha256', text, 'base64url').slice(0, 27)}"`;

/** Whether `If-None-Match` names the tag, compared weakly (RFC 9110, 13.1.2). */
export const matchesEntityTag = (ifNoneMatch: string | undefined, tag: string): boolean => {
  if (ifNoneMatch === undefined) return false;
  const bare = (one: string): string => one.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((one) => bare(one) === bare(tag));
};

/** Adds the tag to what routes send. A route whose text contains the current time sets its own `ETag`. */
export function entityTags(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    const reads = request.method === 'GET' || request.method === 'HEAD';
    if (!reads || reply.statusCode !== 200 || (typeof payload !== 'string' && !Buffer.isBuffer(payload)))
      return done(null, payload);
    const own = reply.getHeader('etag');
    const tag = typeof own === 'string' ? own : entityTag(payload);
    reply.header('etag', tag);
    if (!matchesEntityTag(request.headers['if-none-match'], tag)) return done(null, payload);
    reply.code(304).removeHeader('content-length').removeHeader('content-type');
    done(null, null);
  });
}

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
const EVERYTHING = 'clarity';
const LISTS = 'lists';
export type Subject = 'signal' | 'brand' | 'theme';
const cacheKey = (subject: Subject, slug: string): string => `${subject}/${slug}`;

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

/** Removes every stored answer that has one of the keys. @throws when the cache does not confirm it */
export type Purge = (keys: readonly string[]) => Promise<void>;

/** Keys of one request: the least that the plans of both services allow. */
const KEYS_PER_REQUEST = { fastly: 256, cloudflare: 30 } as const;
/** Above this number of keys it is cheaper to purge everything. */
const MAXIMUM_KEYS = 3_000;
/** Milliseconds until a request without an answer is given up. */
const TIMEOUT = 10_000;

/** The cache did not confirm a purge. */
class PurgeFailed extends Error {
  override name = 'PurgeFailed';
}

/**
 * Purges by HTTP. `fastly`: POST with the header `Surrogate-Key`
 * (https://www.fastly.com/documentation/reference/api/purging/), which other caches can be taught. `cloudflare`: POST of
 * `{"tags": […]}` (https://developers.cloudflare.com/cache/how-to/purge-cache/purge-by-tags/).
 * @throws PurgeFailed, or what `fetch` throws
 */
export function httpPurge({ CDN_PURGE_URL = '', CDN_PURGE_KEY, CDN_API = 'fastly' }: CacheSettings): Purge {
  const send = async (keys: readonly string[]): Promise<void> => {
    const answer = await fetch(CDN_PURGE_URL, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT),
      ...(CDN_API === 'cloudflare'
        ? {
            headers: {
              'content-type': 'application/json',
              ...(CDN_PURGE_KEY && { authorization: `Bearer ${CDN_PURGE_KEY}` }),
            },
            body: JSON.stringify({ tags: keys }),
          }
        : { headers: { 'surrogate-key': keys.join(' '), ...(CDN_PURGE_KEY && { 'fastly-key': CDN_PURGE_KEY }) } }),
    });
    await answer.body?.cancel();
    if (!answer.ok) throw new PurgeFailed(`the cache answered ${answer.status} to a purge of ${keys.length} keys`);
  };
  return async (keys) => {
    const all = keys.length > MAXIMUM_KEYS ? [EVERYTHING] : keys;
    for (let from = 0; from < all.length; from += KEYS_PER_REQUEST[CDN_API])
      await send(all.slice(from, from + KEYS_PER_REQUEST[CDN_API]));
  };
}

/** Milliseconds in which events are collected: many events of a moment are one purge. */
const COLLECT = 500;
/** Milliseconds until another process may take over, and between two attempts. */
const EVERY = 5_000;

interface PurgeOptions {
  readonly store: EventStore;
  readonly purge: Purge;
  /** Of the processes that serve pages, one purges. */
  readonly group: Group;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Waits for the read models to reach a position; false when they did not in time. */
  readonly projected: (position: Position) => Promise<boolean>;
}

/** Milliseconds after which every process has a change of the catalogue or a decision on a name: they look each second. */
const CATALOGUE_WITHIN = 3_000;

/** The keys of the answers that events of signals change: their pages, those of their brands and themes, and all lists. */
async function keysOfEvents(store: EventStore, events: readonly StoredEvent[]): Promise<string[]> {
  const keys = new Set<string>();
  for (const stream of new Set(events.map((event) => event.stream))) {
    const history = (await store.read(stream)).map((event) => readEvent(event));
    const state = foldSignal(history);
    if (!state) continue;
    // What it said before is on the pages of the brands that it named then.
    const before = history.flatMap((event) =>
      event.type === 'SignalRevised' || event.type === 'SignalCorrected' ? (event.data.before ?? []) : [],
    );
    for (const { brands, theme } of [state.understanding, ...before]) {
      for (const { slug } of brands) keys.add(cacheKey('brand', slug));
      if (theme) keys.add(cacheKey('theme', theme.slug));
    }
    keys.add(cacheKey('signal', state.slug)).add(LISTS);
  }
  return [...keys];
}

async function untilProjected({ projected, signal }: PurgeOptions, position: Position): Promise<void> {
  while (!signal.aborted && !(await projected(position)));
}

/** Purges everything, since nobody knows what happened before, and then what each event changes. */
async function follow(options: PurgeOptions): Promise<void> {
  const { store, purge, signal } = options;
  const head = await store.head();
  await untilProjected(options, head);
  await purge([EVERYTHING]);
  const prefixes = [SIGNAL_PREFIX, CATALOGUE_PREFIX, BRAND_PREFIX];
  for await (const page of store.subscribe({ after: head, prefixes, signal })) {
    if (page.events.length > 0) {
      await untilProjected(options, page.position);
      // Names are on any page.
      const ofNames = page.events.some(({ stream }) => !stream.startsWith(SIGNAL_PREFIX));
      if (ofNames) await pause(CATALOGUE_WITHIN, signal);
      if (!signal.aborted) await purge(ofNames ? [EVERYTHING] : await keysOfEvents(store, page.events));
    }
    await pause(COLLECT, signal);
  }
}

/** Follows while this process is the one of its group that purges. */
const purgeAsMember = (options: PurgeOptions): Promise<void> =>
  asMember(options.group, options.signal, async (member, signal) => {
    while (!signal.aborted) {
      const giveBack = await member.claim('cache purge');
      if (giveBack) await follow({ ...options, signal }).finally(giveBack);
      else await pause(EVERY, signal);
    }
  });

/**
 * Purges until the signal aborts. A process that was killed, or that could not reach the cache, purges everything when it
 * starts again: a change is never left out.
 */
export async function runCachePurge(options: PurgeOptions): Promise<void> {
  const { signal, logger } = options;
  await keepRunning(() => purgeAsMember(options), {
    ...RETRY.part,
    signal,
    failed: (error) => logError(logger, error, {}, 'purging the shared cache failed, retrying'),
  });
}
