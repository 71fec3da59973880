/**
 * GET /card/{subject}/{name}.png: the picture of a page, shown where its address is shared. PNG is made of drawn cards
 * in a process of its own so that no other answer waits, and the last ones are cached.
 */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ChildJobs } from '../../log/child-jobs.ts';
import { entityTag, matchesEntityTag } from '../../presentation/http/http-caching.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import type { Site } from '../site.ts';
import { drawCard } from './draw.ts';
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
/** A process that takes longer for one picture is ended; the next picture starts another. */
const LONGEST_MS = 30_000;
/** An idle process is ended after this time: it holds some 90 MB. */
const IDLE_MS = 60_000;

/** A transient failure: too many pictures wait, or the process failed. */
export class NotPainted extends Error {
  override name = 'NotPainted';
}

interface Painter {
  /**
   * @returns a PNG
   * @throws NotPainted
   */
  paint(svg: string): Promise<Uint8Array>;
  /** Ends the process; waiting pictures fail. */
  close(): Promise<void>;
}

/** Makes a painter; its process starts with the first picture. */
export function painter({ longestMs = LONGEST_MS }: { readonly longestMs?: number } = {}): Painter {
  const jobs = new ChildJobs<string, Uint8Array>({
    program: new URL('./painter.ts', import.meta.url),
    deadlineMs: longestMs,
    idleMs: IDLE_MS,
  });
  let waiting = 0;
  return {
    async paint(svg) {
      if (waiting >= MAXIMUM_WAITING) throw new NotPainted('too many pictures are waiting');
      waiting += 1;
      try {
        return await jobs.run(svg);
      } catch (error) {
        throw new NotPainted('the picture could not be painted', { cause: error });
      } finally {
        waiting -= 1;
      }
    },
    close: () => jobs.close(),
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
 * Makes pictures for a server, in a process that ends with it.
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
