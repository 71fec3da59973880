/** GET /city/{slug}: who is opening in a city, and what the record says of it. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { expansionMap } from '../../projector/models/openings/expansion.ts';
import { searchSignals } from '../../projector/models/search/queries.ts';
import { recentCounts } from '../../projector/models/signals/recent/queries.ts';
import { slugify } from '../../schemas/identity.ts';
import { Refusal } from '../../schemas/refusal.ts';
import { SignalItem } from '../../schemas/resources.ts';
import { Slug } from '../../schemas/scalar.ts';
import { layout } from '../layout.ts';
import { address, cityPath } from '../links.ts';
import { feed } from '../parts/feed.ts';
import { openingCounts, openingFigures, openingList, pitchList } from '../parts/openings.ts';
import { remember } from '../remember.ts';
import { sendPage } from '../send-page.ts';
import type { Site } from '../site.ts';
import { clip, neutralise, readDocument } from '../text.ts';

const DAY = 86_400_000;
const DAYS = 90;
const OPENINGS = 15;
const LATEST = 10;

/** A city of the record that the catalogue lacks is known by its stories of the last days. */
const toldCities = ({ database, now }: Site): (() => Promise<ReadonlyMap<string, string>>) =>
  remember(300, now, async () => {
    const { cities } = await recentCounts(database, new Date(now().getTime() - DAYS * DAY), 5_000);
    return new Map(cities.map(({ key }) => [slugify(key), key]));
  });

/** 301 for another name of a city, 404 for a place that neither the catalogue nor the record knows. */
export function cityPage(server: FastifyInstance, site: Site): void {
  const { database, directory, gazetteer, baseUrl, now } = site;
  const told = toldCities(site);
  server.get<{ Params: { slug: string } }>('/city/:slug', async (request, reply) => {
    const { slug } = request.params;
    if (!Slug.safeParse(slug).success) throw new Refusal('not_found', 'No city of the record has this address.');
    const known = directory.city(slug);
    if (known && known.slug !== slug) return reply.redirect(`${baseUrl}${cityPath(known.name)}`, 301);
    const city = known?.name ?? (await told()).get(slug);
    if (city === undefined) throw new Refusal('not_found', 'No city of the record has this address.');
    const [map, found] = await Promise.all([
      expansionMap(database, { city, days: DAYS, limit: OPENINGS }, { now: now(), baseUrl, gazetteer }),
      searchSignals(database, { cities: [city], limit: LATEST }),
    ]);
    const signals = found
      .map(({ signal }) => readDocument(JSON.stringify(signal), SignalItem))
      .toSorted((one, other) => other.published_at.localeCompare(one.published_at));
    const name = clip(neutralise(city), 60);
    return sendPage(
      reply,
      await layout(site, {
        title: `${name} · Clarity`,
        description: `Who is opening in ${name}, in which mall, and every dated, source-cited retail move there.`,
        path: `/city/${slug}`,
        body: html`<header class="subject"><p class="kicker"><span>City</span>${known ? html` <span>${known.state}</span>` : null}</p><h1>${name}</h1></header>
        ${openingFigures(map, DAYS)}
        ${openingCounts(map, { cities: false })}
        ${pitchList(map.who_to_pitch)}
        ${openingList(map.openings)}
        <section class="part"><h2>Latest from ${name}</h2>
          ${signals.length === 0 ? html`<p class="empty">Nothing is on record from ${name} yet. <a href="/map">The map</a> shows where something opens.</p>` : feed(signals)}
          ${signals.length === LATEST ? html`<p class="note"><a href="${address('/', { city })}">Everything from ${name}</a></p>` : null}
        </section>`,
      }),
    );
  });
}
