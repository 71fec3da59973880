/** GET /watch: brands side by side, picked by a form that is an address. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { planOf } from '../../projector/models/accounts-queries.ts';
import { competitorWatch, namesOfBrands } from '../../projector/models/competitor-watch-queries.ts';
import { FREE_WATCH, WATCH_BRANDS, WATCH_DAYS, type Watch } from '../../schemas/watch.ts';
import { layout } from '../layout.ts';
import type { Markup } from '../markup.ts';
import { choiceField, plainChoices } from '../parts/choice.ts';
import { watchLatest, watchTable } from '../parts/watch-table.ts';
import { type Week, weekOf } from '../parts/week.ts';
import { sendPage } from '../send-page.ts';
import type { Site } from '../site.ts';
import { clip, neutralise } from '../text.ts';
import { readWatchQuery, type WatchChoice } from '../watch-query.ts';

/** Brands that are offered to tick besides those that are chosen. */
const OFFERED = 18;

type Plan = 'free' | 'pro';
const planOfReader = async ({ database }: Site, { reader }: FastifyRequest): Promise<Plan> =>
  reader ? ((await planOf(database, reader.account.id)) ?? 'free') : 'free';

interface Chosen {
  readonly slug: string;
  readonly name: string;
  readonly slugs: readonly string[];
}

/** The chosen brands by name; those that neither the catalogue nor a story knows are told apart. */
async function known({ database, directory }: Site, slugs: readonly string[]) {
  const told = await namesOfBrands(
    database,
    slugs.filter((slug) => !directory.brand(slug)),
  );
  const names = new Map(told.map(({ slug, name }) => [slug, name]));
  const brands = slugs.flatMap((slug): Chosen[] => {
    const name = directory.brand(slug)?.name ?? names.get(slug);
    return name === undefined ? [] : [{ slug, name, slugs: directory.slugsOf(slug) }];
  });
  return { brands, unknown: slugs.filter((slug) => !brands.some((brand) => brand.slug === slug)) };
}

const choice = ({ slug, name }: { slug: string; name: string }, ticked: boolean): Markup =>
  html`<label><input type="checkbox" name="b" value="${slug}"${ticked ? html` checked` : null}>${clip(neutralise(name), 50)}</label>`;

const picker = (chosen: readonly Chosen[], { brands }: Week, days: number, plan: Plan): Markup => {
  const others = brands.filter(({ key }) => !chosen.some(({ slug }) => slug === key)).slice(0, OFFERED);
  return html`<form class="pick" action="/watch" method="get">
    <fieldset><legend>Brands${others.length > 0 ? ', those told most this week first' : ''}</legend><div class="choices">
      ${chosen.map((brand) => choice(brand, true))}
      ${others.map(({ key, name }) => choice({ slug: key, name }, false))}</div></fieldset>
    <div class="row"><div class="field"><label for="add">Others, by name, with commas between them</label>
      <input id="add" name="add" maxlength="500" autocomplete="off" placeholder="Zudio, Westside"></div>
      ${plan === 'pro' ? html`${choiceField('days', 'Days', plainChoices(WATCH_DAYS.map(String)), String(days))}` : null}
      <button type="submit">Compare</button></div>
    ${plan === 'free' ? html`<p class="note">Up to ${FREE_WATCH.brands} brands over ${FREE_WATCH.days} days. <a href="/plans">Pro</a>: ${WATCH_BRANDS} brands over ${WATCH_DAYS.join(', ')} days.</p>` : null}
  </form>`;
};

const remarks = ({ cut }: WatchChoice, unknown: readonly string[]): Markup => html`
  ${unknown.length > 0 ? html`<p class="wrong" role="alert">No brand is called ${unknown.map((name) => clip(neutralise(name), 60)).join(', ')}. <a href="/index">The index</a> lists the names.</p>` : null}
  ${cut ? html`<p class="wrong" role="status">More was asked for than is shown here: up to ${FREE_WATCH.brands} brands over ${FREE_WATCH.days} days without <a href="/plans">Pro</a>.</p>` : null}`;

const compared = (watch: Watch): Markup => html`<section class="part"><h2>Side by side</h2>${watchTable(watch)}
  ${
    watch.quiet.length > 0
      ? html`<p class="note">No story in twice this time: ${watch.brands
          .filter(({ slug }) => watch.quiet.includes(slug))
          .map(({ name }) => clip(neutralise(name), 50))
          .join(', ')}.</p>`
      : null
  }</section>
  ${watchLatest(watch)}`;

export function watchPage(server: FastifyInstance, site: Site): void {
  const { database, directory, baseUrl, now } = site;
  const loadWeek = weekOf(site);
  server.get('/watch', async (request, reply) => {
    const plan = await planOfReader(site, request);
    const asked = readWatchQuery(request.query, directory, plan);
    const [week, { brands, unknown }] = await Promise.all([loadWeek(), known(site, asked.brands)]);
    const watch =
      brands.length > 0 ? await competitorWatch(database, { brands, days: asked.days, now: now(), baseUrl }) : null;
    const names = brands.map(({ name }) => clip(neutralise(name), 50));
    const slugs = brands.map(({ slug }) => slug).join(',');
    const days = asked.days === FREE_WATCH.days ? '' : `&days=${asked.days}`;
    return sendPage(
      reply,
      await layout(site, {
        title: `${names.length > 0 ? names.join(', ') : 'Competitor Watch'} · Clarity`,
        description: 'Brands of Indian retail side by side: their stories by kind of move, against the days before.',
        path: slugs === '' ? '/watch' : `/watch?b=${slugs}${days}`,
        body: html`<header class="subject"><p class="kicker">Competitor Watch</p>
          <h1>${names.length > 0 ? names.join(', ') : 'Brands side by side'}</h1></header>
        ${remarks(asked, [...asked.unknown, ...unknown])}
        ${watch ? compared(watch) : null}
        <section class="part"><h2>${watch ? 'Another choice' : 'Pick some brands'}</h2>${picker(brands, week, asked.days, plan)}</section>`,
      }),
    );
  });
}
