/**
 * GET /card/{subject}/{name}.png: the picture of a page, shown where its address is shared. PNG is made of drawn cards
 * in a thread of its own so that no other answer waits, and the last ones are cached.
 */
import { Worker } from 'node:worker_threads';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { entityTag, matchesEntityTag } from '../../presentation/http/http-caching.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import type { Site } from '../site.ts';
import { drawCard } from './draw.ts';
import type { Painted, ToPaint } from './painter.ts';
import {
  brandCard,
  type CardSubject,
  cardPath,
  cityCard,
  groupCard,
  mallCard,
  pageCard,
  SUBJECTS,
  signalCard,
  themeCard,
} from './subjects.ts';

/** Maximum number of waiting pictures; later ones would be too late. */
const MAXIMUM_WAITING = 32;
/** A thread that takes longer for one picture, including its start, is ended; the next picture starts another. */
const LONGEST_MS = 30_000;
/** An idle thread is ended after this time: it holds some 60 MB. */
const IDLE_MS = 60_000;

/** A transient failure: too many pictures wait, or the thread failed. */
export class NotPainted extends Error {
  override name = 'NotPainted';
}

interface Waiting {
  readonly svg: string;
  readonly done: (png: Uint8Array) => void;
  readonly failed: (error: NotPainted) => void;
}

interface Painter {
  /**
   * @returns a PNG
   * @throws NotPainted
   */
  paint(svg: string): Promise<Uint8Array>;
  /** Ends the thread; waiting pictures fail. */
  close(): Promise<void>;
}

/** Makes a painter; its thread starts with the first picture. */
export function painter(settings: { readonly longestMs?: number; readonly idleMs?: number } = {}): Painter {
  const { longestMs = LONGEST_MS, idleMs = IDLE_MS } = settings;
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let timer: NodeJS.Timeout | undefined;
  let count = 0;

  const end = (reason: string, current = worker): void => {
    if (current !== worker) return;
    clearTimeout(timer);
    worker = null;
    for (const { failed } of waiting.values()) failed(new NotPainted(reason));
    waiting.clear();
    void current?.terminate();
  };

  /** Restarts the timeout: of the current picture, or of the idle thread. */
  const watch = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => end('the thread took too long'), waiting.size > 0 ? longestMs : idleMs).unref();
  };

  const start = (): Worker => {
    const started = new Worker(new URL('./painter.ts', import.meta.url), { execArgv: [], env: {} });
    started.unref();
    started.on('message', ({ number, png }: Painted) => {
      const one = waiting.get(number);
      waiting.delete(number);
      if (png) one?.done(png);
      else one?.failed(new NotPainted('the drawing is not readable'));
      watch();
    });
    started.on('error', () => end('the thread failed', started));
    started.on('exit', () => end('the thread ended', started));
    return started;
  };

  return {
    paint: (svg) =>
      new Promise((done, failed) => {
        if (waiting.size >= MAXIMUM_WAITING) return failed(new NotPainted('too many pictures are waiting'));
        worker ??= start();
        count += 1;
        waiting.set(count, { svg, done, failed });
        if (waiting.size === 1) watch();
        worker.postMessage({ number: count, svg } satisfies ToPaint);
      }),
    close: async () => end('the service is stopping'),
  };
}

/** Pictures in the cache; some 30 kB each. */
const MAXIMUM_KEPT = 256;

/** Makes a cache of the last pictures, by the hash of their drawing. Concurrent requests for one picture share it. */
export function pictureCache({ paint }: Pick<Painter, 'paint'>, maximumKept = MAXIMUM_KEPT) {
  const kept = new Map<string, Promise<Uint8Array>>();
  return (tag: string, svg: string): Promise<Uint8Array> => {
    const picture = kept.get(tag) ?? paint(svg);
    // Most recently used last: the first one is the oldest.
    kept.delete(tag);
    kept.set(tag, picture);
    for (const oldest of kept.keys()) if (kept.size > maximumKept) kept.delete(oldest);
    picture.catch(() => kept.get(tag) === picture && kept.delete(tag));
    return picture;
  };
}

/** A picture may be a day old; its address is permanent. */
const KEEP = 'public, max-age=86400, stale-while-revalidate=604800';

const Address = z.object({ subject: z.enum(SUBJECTS), file: z.string().max(200).endsWith('.png') });

/** Refuses a picture that cannot be painted now; other errors are thrown again. */
function unpainted(error: unknown): never {
  if (!(error instanceof NotPainted)) throw error;
  throw new Refusal('server_error', 'The picture is not available now. Retry in 5 seconds.', 5);
}

/**
 * Makes pictures for a server, in a thread that ends with it.
 * @throws Refusal for a picture that cannot be painted now
 */
export function picturesOf(server: FastifyInstance): (tag: string, svg: string) => Promise<Buffer> {
  const { paint, close } = painter();
  const picture = pictureCache({ paint });
  server.addHook('onClose', close);
  return async (tag, svg) => {
    const png = await picture(tag, svg).catch(unpainted);
    return Buffer.from(png.buffer, png.byteOffset, png.byteLength);
  };
}

/** 301 for a retired slug, as its page does; 404 where there is no page. */
export function cardPage(server: FastifyInstance, site: Site): void {
  const subjects: Readonly<Record<(typeof SUBJECTS)[number], CardSubject>> = {
    signal: signalCard,
    brand: brandCard,
    theme: themeCard,
    city: cityCard(site),
    mall: mallCard,
    group: groupCard,
    page: pageCard,
  };
  const picture = picturesOf(server);

  server.get('/card/:subject/:file', async (request, reply) => {
    const address = Address.safeParse(request.params);
    if (!address.success) throw new Refusal('not_found', 'No picture has this address.');
    const { subject, file } = address.data;
    const card = await subjects[subject](site, file.slice(0, -'.png'.length));
    if ('redirect' in card) return reply.redirect(`${site.baseUrl}${cardPath(subject, card.redirect)}`, 301);
    const drawing = drawCard(card, site.demo);
    // The tag is that of the drawing, so that a cached picture is not painted again.
    const tag = entityTag(drawing);
    reply.headers({ 'cache-control': KEEP, etag: tag });
    if (matchesEntityTag(request.headers['if-none-match'], tag)) return reply.code(304).send();
    return reply.type('image/png').send(await picture(tag, drawing));
  });
}
