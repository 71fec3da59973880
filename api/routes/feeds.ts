/** /feed.rss, /feed.atom, /feed.json, and the same under /brand/{slug} and /theme/{slug}. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findPublicBrand, listPage } from '../../presentation/public-records.ts';
import { findTheme } from '../../projector/models/themes-queries.ts';
import { quoted, Refusal } from '../../schemas/input-errors.ts';
import { NoParameters, readParameters } from '../../schemas/parameters.ts';
import { SignalItem } from '../../schemas/resources.ts';
import { Slug } from '../../schemas/scalar.ts';
import type { RouteContext } from '../context.ts';
import type { Feed } from '../feeds/feed.ts';
import { FEED_FORMS, type FeedForm } from '../feeds/forms.ts';

const ENTRIES = 50;
type About = Pick<Feed, 'title' | 'description' | 'page'> & { brand?: readonly string[]; theme?: string };
type WithSlug = FastifyRequest<{ Params: { slug: string } }>;

/** Feed readers and newsletters add parameters that measure visits; they change nothing. */
const checkQuery = (query: unknown): void =>
  void readParameters(
    NoParameters,
    Object.fromEntries(Object.entries(query as object).filter(([name]) => !name.startsWith('utm_'))),
  );

/** Answers the 50 latest moves; 404 for what is not there, 301 for a retired slug of a brand. */
export function feedRoutes(server: FastifyInstance, context: RouteContext): void {
  const { database, directory, baseUrl, now } = context;

  async function send(reply: FastifyReply, { ending, type, write }: FeedForm, about: About): Promise<FastifyReply> {
    const { title, description, page, brand, theme } = about;
    const { documents } = await listPage(database, { brand, theme, limit: ENTRIES });
    const signals = documents.map((document) => SignalItem.parse(JSON.parse(document)));
    const updated = signals[0]?.published_at ?? now().toISOString();
    const self = `${page.replace(/\/$/, '')}/feed.${ending}`;
    const text = write({ title, description, page, self, updated, signals });
    return reply.header('cache-control', 'public, max-age=60').type(`${type}; charset=utf-8`).send(text);
  }

  for (const form of FEED_FORMS) {
    server.get(`/feed.${form.ending}`, async (request, reply) => {
      checkQuery(request.query);
      const description = 'Moves in Indian retail: every one dated and with its source.';
      return send(reply, form, { title: 'Clarity', description, page: `${baseUrl}/` });
    });

    server.get(`/brand/:slug/feed.${form.ending}`, async (request: WithSlug, reply) => {
      checkQuery(request.query);
      const found = await findPublicBrand(context, request.params.slug);
      if ('redirect' in found) return reply.redirect(`${baseUrl}/brand/${found.redirect}/feed.${form.ending}`, 301);
      const { name, slug, url } = found.brand;
      const description = `Every dated, source-cited move of ${name} in Indian retail.`;
      return send(reply, form, { title: `${name} · Clarity`, description, page: url, brand: directory.slugsOf(slug) });
    });

    server.get(`/theme/:slug/feed.${form.ending}`, async (request: WithSlug, reply) => {
      checkQuery(request.query);
      const { slug } = request.params;
      const isSlug = Slug.safeParse(slug).success;
      const theme = directory.theme(slug) ?? (isSlug ? await findTheme(database, slug, { now: now(), baseUrl }) : null);
      if (!theme) throw new Refusal('not_found', `No theme has the slug ${quoted(slug)}.`);
      const description = `Every dated, source-cited move in Indian retail under the theme ${theme.name}.`;
      const page = `${baseUrl}/theme/${slug}`;
      return send(reply, form, { title: `${theme.name} · Clarity`, description, page, theme: slug });
    });
  }
}
