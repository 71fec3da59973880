/** GET /city/{slug}: openings and signals of a city. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { address } from '../../presentation/markup.ts';
import { clip, neutralise, parseDocument } from '../../presentation/text.ts';
import { expansionMap } from '../../projector/models/expansion-map.ts';
import { searchSignals } from '../../projector/models/search-queries.ts';
import { SignalItem } from '../../schemas/resources.ts';
import { cardPath } from '../cards/subjects.ts';
import { feedList } from '../feed.ts';
import { layout, sendPage } from '../layout.ts';
import { cityFinder } from '../names.ts';
import { openingCounts, openingFigures, openingList, pitchList } from '../openings.ts';
import type { Site } from '../site.ts';
import { cityAbout } from '../structured-data.ts';

const DAYS = 90;
const OPENINGS = 15;
const LATEST = 10;

/** 301 for an alternative name of a city, 404 for a city that neither the catalogue nor the record knows. */
export function cityPage(server: FastifyInstance, site: Site): void {
  const { database, gazetteer, baseUrl, now } = site;
  const find = cityFinder(site);
  server.get<{ Params: { slug: string } }>('/city/:slug', async (request, reply) => {
    const { slug } = request.params;
    const { name: city, state, redirect } = await find(slug);
    if (redirect !== null) return reply.redirect(`${baseUrl}/city/${redirect}`, 301);
    const [map, found] = await Promise.all([
      expansionMap(database, { city, days: DAYS, limit: OPENINGS }, { now: now(), baseUrl, gazetteer }),
      searchSignals(database, { cities: [city], limit: LATEST }),
    ]);
    const signals = found
      .map(({ signal }) => parseDocument(JSON.stringify(signal), SignalItem))
      .toSorted((one, other) => other.published_at.localeCompare(one.published_at));
    const name = clip(neutralise(city), 60);
    return sendPage(
      reply,
      await layout(site, {
        title: `${name} · Clarity`,
        description: `Who is opening in ${name}, in which mall, and every dated, source-cited retail move there.`,
        path: `/city/${slug}`,
        card: cardPath('city', slug),
        collection: {
          about: cityAbout(name, state),
          trail: [
            { name: 'Map', path: '/map' },
            { name, path: `/city/${slug}` },
          ],
          entries: signals,
        },
        body: html`<header class="subject"><p class="kicker"><span>City</span>${state ? html` <span>${state}</span>` : null}</p><h1>${name}</h1></header>
        ${openingFigures(map, DAYS)}
        ${openingCounts(map, { cities: false })}
        ${pitchList(map.who_to_pitch)}
        ${openingList(map.openings)}
        <section class="part"><h2>Latest from ${name}</h2>
          ${signals.length === 0 ? html`<p class="empty">No signals from ${name} yet. <a href="/map">The map</a> shows openings elsewhere.</p>` : feedList(signals)}
          ${signals.length === LATEST ? html`<p class="note"><a href="${address('/', { city })}">All signals from ${name}</a></p>` : null}
        </section>`,
      }),
    );
  });
}
