/** GET /map: store openings by city, mall and category. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { addressWith, cityPath, type Markup } from '../../presentation/markup.ts';
import { clip, neutralise } from '../../presentation/text.ts';
import { expansionMap } from '../../projector/models/expansion-map.ts';
import { CATEGORIES, Category } from '../../schemas/catalogue.ts';
import type { ExpansionMap } from '../../schemas/expansion.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { type Choice, choiceField, plainChoices, readQuery } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import { cityMap } from '../map.ts';
import { categoryOf, openingCounts, openingFigures, openingList, pitchList } from '../openings.ts';
import type { Frame, Site } from '../site.ts';

const WINDOWS = ['30', '90', '180', '365'] as const;
const USUAL = '90';
const OPENINGS = 15;
/** Cities on the map, and rows of each table below it. */
const PLACES = 150;

const MapQuery = z.object({
  days: z
    .enum(WINDOWS)
    .describe(`one of ${WINDOWS.join(', ')}`)
    .default(USUAL),
  category: Category.describe(`one of ${CATEGORIES.join(', ')}`).optional(),
  mall: z.string().trim().min(1).max(120).describe('the name of a mall').optional(),
});
type MapQuery = z.output<typeof MapQuery>;

const CATEGORY_CHOICES: readonly Choice[] = [
  { value: '', name: 'Every category' },
  ...CATEGORIES.map((category) => ({ value: category, name: categoryOf(category) })),
];

const chooser = ({ days, category, mall }: MapQuery): Markup => html`<form class="row" action="/map" method="get">
  ${choiceField('category', 'Category', CATEGORY_CHOICES, category)}
  <div class="field"><label for="mall">Mall</label><input id="mall" name="mall" value="${mall ?? ''}" maxlength="120" placeholder="Phoenix Palladium"></div>
  ${choiceField('days', 'Days', plainChoices(WINDOWS), days)}
  <button type="submit">Show</button>
</form>`;

const addressOf = ({ days, ...narrowed }: MapQuery): string =>
  addressWith('/map', { ...narrowed, days: days === USUAL ? undefined : days });

const headingOf = ({ place }: ExpansionMap): string =>
  place.type === 'mall' ? `Opening at ${clip(neutralise(place.name), 60)}` : 'Who is opening where';

const render = (site: Frame, asked: MapQuery, map: ExpansionMap): Promise<string> =>
  layout(site, {
    title: `${headingOf(map)} · Clarity`,
    description: 'Store openings in India by city, mall and category, every one with its report.',
    path: addressOf(asked),
    collection: {
      ...(map.place.type === 'india' ? { about: { '@type': 'Country', name: 'India' } } : {}),
      trail: [{ name: 'Map', path: '/map' }],
      entries: map.openings.map(({ signal }) => signal),
    },
    body: html`<header class="subject"><p class="kicker"><span>Expansion map</span>${map.category ? html`<span>${categoryOf(map.category)}</span>` : null}</p>
      <h1>${headingOf(map)}</h1>
      ${map.place.city ? html`<p>In <a href="${cityPath(map.place.city)}">${map.place.city}</a>. <a href="/map">All of India</a></p>` : null}</header>
    ${chooser(asked)}
    <div class="map-page">${map.place.type === 'india' ? cityMap(map.by_city) : null}<div>${openingFigures(map, Number(asked.days))}${pitchList(map.who_to_pitch)}</div></div>
    ${openingCounts(map, { cities: map.place.type === 'india' })}
    ${openingList(map.openings)}`,
  });

export function mapPage(server: FastifyInstance, site: Site): void {
  const { database, gazetteer, baseUrl, now } = site;
  server.get('/map', async (request, reply) => {
    const asked = readQuery(MapQuery, request.query);
    const named = asked.mall === undefined ? null : gazetteer.findMall(asked.mall);
    if (named && !named.found)
      throw new Refusal(
        'invalid_request',
        `No mall has this name. ${named.nearest.length > 0 ? `Similar names: ${named.nearest.join(', ')}.` : ''}`,
      );
    const question = {
      mall: named?.found?.name,
      category: asked.category,
      days: Number(asked.days),
      limit: OPENINGS,
      places: PLACES,
    };
    const map = await expansionMap(database, question, { now: now(), baseUrl, gazetteer });
    return sendPage(reply, await render(site, { ...asked, mall: named?.found?.name }, map));
  });
}
