/** GET /card/{subject}/{name}.png: the picture of a page, shown where its address is shared. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { entityTag, matchesEntityTag } from '../../presentation/http/http-caching.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { drawCard } from '../cards/draw.ts';
import { NotPainted, painter, pictureCache } from '../cards/paint.ts';
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
} from '../cards/subjects.ts';
import type { Site } from '../site.ts';

/** A picture may be a day old; its address is permanent. */
const KEEP = 'public, max-age=86400, stale-while-revalidate=604800';

const Address = z.object({ subject: z.enum(SUBJECTS), file: z.string().max(200).endsWith('.png') });

/** Refuses a picture that cannot be painted now; other errors are thrown again. */
function unpainted(error: unknown): never {
  if (!(error instanceof NotPainted)) throw error;
  throw new Refusal('server_error', 'The picture is not available now. Retry in 5 seconds.', {
    'retry-after': '5',
  });
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
  const { paint, close } = painter();
  const picture = pictureCache({ paint });
  server.addHook('onClose', close);

  server.get('/card/:subject/:file', async (request, reply) => {
    const asked = Address.safeParse(request.params);
    if (!asked.success) throw new Refusal('not_found', 'No picture has this address.');
    const { subject, file } = asked.data;
    const card = await subjects[subject](site, file.slice(0, -'.png'.length));
    if ('redirect' in card) return reply.redirect(`${site.baseUrl}${cardPath(subject, card.redirect)}`, 301);
    const drawing = drawCard(card, site.demo);
    // The tag is that of the drawing, so that a cached picture is not painted again.
    const tag = entityTag(drawing);
    reply.headers({ 'cache-control': KEEP, etag: tag });
    if (matchesEntityTag(request.headers['if-none-match'], tag)) return reply.code(304).send();
    const png = await picture(tag, drawing).catch(unpainted);
    return reply.type('image/png').send(Buffer.from(png.buffer, png.byteOffset, png.byteLength));
  });
}
