/** GET /mall/{slug}: openings in a mall within a year, and announced ones. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { cityPath, mallPath } from '../../presentation/markup.ts';
import { clip, neutralise } from '../../presentation/text.ts';
import { expansionMap } from '../../projector/models/expansion-map.ts';
import { cardPath } from '../cards/subjects.ts';
import { layout, sendPage } from '../layout.ts';
import { findMall, MALL_KINDS } from '../names.ts';
import { openingCounts, openingFigures, openingList, pitchList } from '../openings.ts';
import type { Site } from '../site.ts';
import { mallAbout } from '../structured-data.ts';

/** Days of openings: one mall has few. */
const DAYS = 365;
const OPENINGS = 30;

/** 301 for an alternative name of a mall, 404 for a mall that the catalogue lacks. */
export function mallPage(server: FastifyInstance, site: Site): void {
  const { database, gazetteer, baseUrl, now } = site;
  server.get<{ Params: { slug: string } }>('/mall/:slug', async (request, reply) => {
    const { slug } = request.params;
    const { name: mall, city, kind, redirect } = findMall(gazetteer, slug);
    if (redirect !== null) return reply.redirect(`${baseUrl}/mall/${redirect}`, 301);
    const map = await expansionMap(database, { mall, days: DAYS, limit: OPENINGS }, { now: now(), baseUrl, gazetteer });
    const name = clip(neutralise(mall), 60);
    const path = mallPath(mall);
    return sendPage(
      reply,
      await layout(site, {
        title: `${name} · Clarity`,
        description: `Who opened and who plans to open at ${name} in ${city}, every opening with its report.`,
        path,
        card: cardPath('mall', slug),
        collection: {
          about: mallAbout({ name, city, kind }, map.place.state),
          trail: [
            { name: 'Map', path: '/map' },
            { name: city, path: cityPath(city) },
            { name, path },
          ],
          entries: map.openings.map(({ signal }) => signal),
        },
        body: html`<header class="subject"><p class="kicker"><span>${MALL_KINDS[kind]}</span>${map.place.state ? html` <span>${map.place.state}</span>` : null}</p><h1>${name}</h1>
          <p>In <a href="${cityPath(city)}">${city}</a>.</p></header>
        ${openingFigures(map, DAYS)}
        ${openingCounts(map, { cities: false, malls: false })}
        ${pitchList(map.who_to_pitch)}
        ${openingList(map.openings)}`,
      }),
    );
  });
}
