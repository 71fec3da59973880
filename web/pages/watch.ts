/** GET /watch: brands side by side, chosen by a form whose address can be shared. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { shortDay } from '../../presentation/dates.ts';
import { brandPath, cityPath, type Markup, timeTag } from '../../presentation/markup.ts';
import { clip, MOVE_NAMES, neutralise } from '../../presentation/text.ts';
import { planOf } from '../../projector/models/accounts-queries.ts';
import { competitorWatch, namesOfBrands } from '../../projector/models/competitor-watch-queries.ts';
import { FREE_WATCH, WATCH_BRANDS, WATCH_DAYS, type Watch, type WatchedBrand } from '../../schemas/brand.ts';
import type { Directory } from '../../schemas/directory.ts';
import { MOVES, type Move, Slug, slugify } from '../../schemas/scalar.ts';
import { choiceField, plainChoices, readQuery } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import { type Week, weekOf } from '../names.ts';
import type { Site } from '../site.ts';

// Which brands a reader wants side by side: ticked, in the address, or typed in by name.

const several = z.union([z.string().max(2_000), z.array(z.string().max(2_000)).max(100)]);
const Query = z.object({
  b: several.describe('slugs of brands, separated by commas').optional(),
  add: z.string().max(500).describe('names of brands, separated by commas').optional(),
  days: z
    .enum(WATCH_DAYS.map(String) as [string, ...string[]])
    .describe(`one of ${WATCH_DAYS.join(', ')}`)
    .optional(),
});

interface WatchChoice {
  /** Slugs, each once, at most as many as the plan allows. */
  readonly brands: readonly string[];
  readonly days: Watch['window_days'];
  /** What was typed in and is no brand's name. */
  readonly unknown: readonly string[];
  /** True when more was asked for than the plan allows. */
  readonly cut: boolean;
}

const words = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);

/** @throws Refusal naming what cannot be used */
function readWatchQuery(query: unknown, directory: Directory, plan: 'free' | 'pro'): WatchChoice {
  const { b = [], add = '', days: asked } = readQuery(Query, query);
  const ticked = [b].flat().flatMap(words);
  const typed = words(add).map((name) => ({ name, slug: directory.brandNamed(name)?.slug ?? slugify(name) }));
  const slugs = [...ticked, ...typed.map(({ slug }) => slug)].map((slug) => directory.currentSlug(slug.toLowerCase()));
  const wanted = [...new Set(slugs)].filter((slug) => Slug.safeParse(slug).success);
  const most = plan === 'pro' ? WATCH_BRANDS : FREE_WATCH.brands;
  const days = WATCH_DAYS.find((one) => String(one) === asked) ?? FREE_WATCH.days;
  const allowed = plan === 'pro' ? days : FREE_WATCH.days;
  return {
    brands: wanted.slice(0, most),
    days: allowed,
    unknown: ticked.filter((slug) => !Slug.safeParse(slug.toLowerCase()).success),
    cut: wanted.length > most || allowed !== days,
  };
}

// Brands side by side, a column each: stories by kind of move, with the window before.

const MAXIMUM_CITIES = 5;
const shown = (text: string, most = 60): string => clip(neutralise(text), most);

/** `12` and how it stood before: `▲ from 9`. */
const cell = (now: number, before: number, most: number): Markup => {
  const turn = now > before ? '▲' : '▼';
  const width = most > 0 ? Math.round((now / most) * 100) : 0;
  return html`<td class="figure${now + before === 0 ? ' nothing' : ''}">${now}
    ${now === before ? null : html`<small>${turn} from ${before}</small>`}
    ${width > 0 ? html`<svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="now" x="${100 - width}" width="${width}" height="4"></rect></svg>` : null}</td>`;
};

const tableRow = (
  name: string,
  brands: readonly WatchedBrand[],
  of: (brand: WatchedBrand) => [number, number],
): Markup => {
  const most = Math.max(...brands.map((brand) => of(brand)[0]));
  return html`<tr><th scope="row">${name}</th>${brands.map((brand) => cell(...of(brand), most))}</tr>`;
};

/** Kinds without a story about any of them are left out. */
function watchTable({ brands, window_days }: Watch): Markup {
  const told = MOVES.filter((move) =>
    brands.some(({ by_move, prior_by_move }) => (by_move[move] ?? 0) + (prior_by_move[move] ?? 0) > 0),
  );
  const counts =
    (move: Move) =>
    (brand: WatchedBrand): [number, number] => [brand.by_move[move] ?? 0, brand.prior_by_move[move] ?? 0];
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Brands side by side"><table class="watch">
    <caption>Stories about each brand in ${window_days} days, and in the ${window_days} days before</caption>
    <thead><tr><td></td>${brands.map(({ slug, name }) => html`<th scope="col" class="figure"><a href="${brandPath(slug)}">${shown(name)}</a></th>`)}</tr></thead>
    <tbody>${tableRow('All', brands, ({ total, prior_total }) => [total, prior_total])}
      ${told.map((move) => tableRow(MOVE_NAMES[move], brands, counts(move)))}</tbody>
  </table></div>`;
}

/** What each of them did last, and where. */
const watchLatest = ({ brands }: Watch): Markup => html`<div class="columns part">
  ${brands.map(
    ({ name, slug, latest, cities }) => html`<section><h2><a href="${brandPath(slug)}">${shown(name)}</a></h2>
    ${
      latest.length === 0
        ? html`<p class="note">Nothing in this time.</p>`
        : html`<ul class="plain-list">${latest.map(
            ({ slug: entry, headline, published_at, delta }) =>
              html`<li><a href="/signal/${entry}">${shown(headline, 160)}</a> ${delta ? html`<b class="amount">${shown(delta, 40)}</b>` : null}<small>${timeTag(published_at, shortDay(published_at))}</small></li>`,
          )}</ul>`
    }
    ${cities.length > 0 ? html`<p class="note">In ${cities.slice(0, MAXIMUM_CITIES).map((city) => html`<a href="${cityPath(city)}">${shown(city, 40)}</a> `)}</p>` : null}</section>`,
  )}</div>`;

// GET /watch: brands side by side, picked by a form that is an address.

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
