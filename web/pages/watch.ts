/** GET /watch: brands side by side, chosen by a form whose address can be shared. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { DAY, formatDay } from '../../language/days.ts';
import { brandPath, cityPath, type Markup } from '../../presentation/markup.ts';
import { provisionalBrands } from '../../presentation/public-records.ts';
import { MOVE_NAMES } from '../../presentation/text.ts';
import { planOf } from '../../projector/models/accounts-queries.ts';
import { competitorWatch, namesOfBrands } from '../../projector/models/brands-queries.ts';
import type { Directory } from '../../schemas/directory.ts';
import { FREE_WATCH, WATCH_BRANDS, WATCH_DAYS, type Watch, type WatchedBrand } from '../../schemas/resources.ts';
import { BrandSlug, brandSlugOf, MOVES, type Move } from '../../schemas/scalar.ts';
import { choiceField, plainChoices, readQuery } from '../forms.ts';
import { showPage } from '../layout.ts';
import { startLoader } from '../names.ts';
import { dayTag, excerpt, part, scrolled, subject } from '../parts.ts';
import type { Site } from '../site.ts';
import { type Week, weekLoader } from '../week.ts';

const several = z.union([z.string().max(2_000), z.array(z.string().max(2_000)).max(100)]);
const Query = z.object({
  b: several.describe('slugs of brands, separated by commas').optional(),
  add: z.string().max(500).describe('names of brands, separated by commas').optional(),
  days: z
    .enum(WATCH_DAYS.map(String) as [string, ...string[]])
    .describe(`one of ${WATCH_DAYS.join(', ')}`)
    .optional(),
});

/** The brands that a reader wants to compare. */
interface WatchChoice {
  /** Slugs, each once, up to the maximum of the plan. */
  readonly brands: readonly BrandSlug[];
  readonly days: Watch['window_days'];
  /** Typed names that no brand has. */
  readonly unknown: readonly string[];
  /** True when the plan allows fewer brands or days than the reader chose. */
  readonly cut: boolean;
}

const words = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);

/** A slug in any case; undefined for text that is none. */
const slugIn = (text: string): BrandSlug | undefined => BrandSlug.safeParse(text.toLowerCase()).data;

/** Reads the choice from the address. @throws Refusal that names the invalid fields */
function readWatchQuery(query: unknown, directory: Directory, plan: 'free' | 'pro'): WatchChoice {
  const { b = [], add = '', days: period } = readQuery(Query, query);
  const ticked = [b].flat().flatMap(words);
  const typed = words(add).map((name) => directory.brandNamed(name)?.slug ?? brandSlugOf(name));
  const slugs = [...ticked.flatMap((slug) => slugIn(slug) ?? []), ...typed];
  const wanted = [...new Set(slugs.map((slug) => directory.currentSlug(slug)))];
  const maximum = plan === 'pro' ? WATCH_BRANDS : FREE_WATCH.brands;
  const days = WATCH_DAYS.find((one) => String(one) === period) ?? FREE_WATCH.days;
  const allowed = plan === 'pro' ? days : FREE_WATCH.days;
  return {
    brands: wanted.slice(0, maximum),
    days: allowed,
    unknown: ticked.filter((slug) => slugIn(slug) === undefined),
    cut: wanted.length > maximum || allowed !== days,
  };
}

const MAXIMUM_CITIES = 5;

/**
 * `12` and the value before: `▲ from 9`.
 * @param before null where the record does not reach back so far
 * @param maximum of the row, as wide as its bar can be
 */
const cell = (now: number, before: number | null, maximum: number): Markup => {
  const turn = now > (before ?? 0) ? '▲' : '▼';
  const width = maximum > 0 ? Math.round((now / maximum) * 100) : 0;
  return html`<td class="figure${now + (before ?? 0) === 0 ? ' nothing' : ''}">${now}
    ${before === null || now === before ? null : html`<small>${turn} from ${before}</small>`}
    ${width > 0 ? html`<svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="now" x="${100 - width}" width="${width}" height="4"></rect></svg>` : null}</td>`;
};

const tableRow = (
  name: string,
  brands: readonly WatchedBrand[],
  of: (brand: WatchedBrand) => [number, number | null],
): Markup => {
  const maximum = Math.max(...brands.map((brand) => of(brand)[0]));
  return html`<tr><th scope="row">${name}</th>${brands.map((brand) => cell(...of(brand), maximum))}</tr>`;
};

/**
 * A column for each brand: stories by kind of move. Kinds without any story are omitted.
 * @param start of the record, where it does not reach back to the window before
 */
function watchTable({ brands, window_days }: Watch, start: Date | null): Markup {
  const shownMoves = MOVES.filter((move) =>
    brands.some(({ by_move, prior_by_move }) => (by_move[move] ?? 0) + (prior_by_move[move] ?? 0) > 0),
  );
  const counts =
    (move: Move) =>
    (brand: WatchedBrand): [number, number | null] => [
      brand.by_move[move] ?? 0,
      start ? null : (brand.prior_by_move[move] ?? 0),
    ];
  const caption = start
    ? `Stories about each brand in ${window_days} days. The record is kept since ${formatDay(start)}: there is no full period before to compare with.`
    : `Stories about each brand in ${window_days} days, and in the ${window_days} days before`;
  return scrolled(
    'Brands side by side',
    html`<table class="watch">
    <caption>${caption}</caption>
    <thead><tr><td></td>${brands.map(({ slug, name }) => html`<th scope="col" class="figure"><a href="${brandPath(slug)}">${excerpt(name)}</a></th>`)}</tr></thead>
    <tbody>${tableRow('All', brands, ({ total, prior_total }) => [total, start ? null : prior_total])}
      ${shownMoves.map((move) => tableRow(MOVE_NAMES[move], brands, counts(move)))}</tbody>
  </table>`,
  );
}

/** The latest signals and the cities of each brand. */
const watchLatest = ({ brands }: Watch): Markup => html`<div class="columns part stories">
  ${brands.map(
    ({ name, slug, latest, cities }) => html`<section><h2><a href="${brandPath(slug)}">${excerpt(name)}</a></h2>
    ${
      latest.length === 0
        ? html`<p class="note">No signals in this period.</p>`
        : html`<ul class="plain-list">${latest.map(
            ({ slug: entry, headline, published_at, delta }) =>
              html`<li><a href="/signal/${entry}">${excerpt(headline, 160)}</a> ${delta ? html`<b class="amount">${excerpt(delta, 40)}</b>` : null}<small>${dayTag(published_at)}</small></li>`,
          )}</ul>`
    }
    ${cities.length > 0 ? html`<p class="note">In ${cities.slice(0, MAXIMUM_CITIES).map((city) => html`<a href="${cityPath(city)}">${excerpt(city, 40)}</a> `)}</p>` : null}</section>`,
  )}</div>`;

/** Brands that the form suggests in addition to the chosen ones. */
const OFFERED = 18;

type Plan = 'free' | 'pro';
const planOfReader = async ({ database }: Site, { reader }: FastifyRequest): Promise<Plan> =>
  reader ? ((await planOf(database, reader.account.id)) ?? 'free') : 'free';

interface Chosen {
  readonly slug: BrandSlug;
  readonly name: string;
  readonly slugs: readonly BrandSlug[];
}

/** Splits slugs into brands with their names, and slugs that neither the catalogue nor a story knows. */
async function namedBrands({ database, directory }: Site, slugs: readonly BrandSlug[]) {
  const unlisted = slugs.filter((slug) => !directory.brand(slug));
  const [named, provisional] = await Promise.all([
    namesOfBrands(database, unlisted),
    provisionalBrands({ database, directory }, unlisted),
  ]);
  const names = new Map(named.filter(({ slug }) => !provisional.has(slug)).map(({ slug, name }) => [slug, name]));
  const brands = slugs.flatMap((slug): Chosen[] => {
    const name = directory.brand(slug)?.name ?? names.get(slug);
    return name === undefined ? [] : [{ slug, name, slugs: directory.slugsOf(slug) }];
  });
  return { brands, unknown: slugs.filter((slug) => !brands.some((brand) => brand.slug === slug)) };
}

const choice = ({ slug, name }: { slug: string; name: string }, ticked: boolean): Markup =>
  html`<label><input type="checkbox" name="b" value="${slug}"${ticked ? html` checked` : null}>${excerpt(name, 50)}</label>`;

const picker = (chosen: readonly Chosen[], { brands }: Week, days: number, plan: Plan): Markup => {
  const others = brands.filter(({ key }) => !chosen.some(({ slug }) => slug === key)).slice(0, OFFERED);
  return html`<form class="pick" action="/watch" method="get">
    <fieldset><legend>Brands${others.length > 0 ? ', those with most stories this week first' : ''}</legend><div class="choices">
      ${chosen.map((brand) => choice(brand, true))}
      ${others.map(({ key, name }) => choice({ slug: key, name }, false))}</div></fieldset>
    <div class="row"><div class="field"><label for="add">Other brands, separated by commas</label>
      <input id="add" name="add" maxlength="500" autocomplete="off" placeholder="Zudio, Westside"></div>
      ${plan === 'pro' ? html`${choiceField('days', 'Days', plainChoices(WATCH_DAYS.map(String)), String(days))}` : null}
      <button type="submit">Compare</button></div>
    ${plan === 'free' ? html`<p class="note">Up to ${FREE_WATCH.brands} brands over ${FREE_WATCH.days} days. <a href="/plans">Pro</a>: ${WATCH_BRANDS} brands over ${WATCH_DAYS.join(', ')} days.</p>` : null}
  </form>`;
};

/** Names like those that no brand has. */
const similar = ({ gazetteer }: Site, unknown: readonly string[]): string[] => [
  ...new Set(
    unknown.flatMap((name) => {
      const { found: company, nearest = [] } = gazetteer.findCompany(name.replaceAll('-', ' '));
      return company ? [company.name] : nearest.slice(0, 3);
    }),
  ),
];

const remarks = (site: Site, { cut }: WatchChoice, unknown: readonly string[]): Markup => {
  const names = similar(site, unknown);
  return html`
  ${unknown.length > 0 ? html`<p class="wrong" role="alert">No brand has the name ${unknown.map((name) => excerpt(name)).join(', ')}.${names.length > 0 ? ` Similar names: ${names.join(', ')}.` : ''} <a href="/index">The index</a> lists the names.</p>` : null}
  ${cut ? html`<p class="wrong" role="status">Your plan compares up to ${FREE_WATCH.brands} brands over ${FREE_WATCH.days} days; <a href="/plans">Pro</a> compares more.</p>` : null}`;
};

const compared = (watch: Watch, start: Date | null): Markup => {
  const quiet = watch.brands.filter(({ slug }) => watch.quiet.includes(slug)).map(({ name }) => excerpt(name, 50));
  return html`${part(
    'Side by side',
    html`${watchTable(watch, start)}
  ${quiet.length > 0 ? html`<p class="note">No stories in twice this period: ${quiet.join(', ')}.</p>` : null}`,
    'part charts',
  )}
  ${watchLatest(watch)}`;
};

export function watchPage(server: FastifyInstance, site: Site): void {
  const { database, directory, baseUrl, now } = site;
  const loadWeek = weekLoader(site);
  const loadStart = startLoader(site);
  /** When the record begins; null where it has the window and the one before, which is as long. */
  const startWithin = async (days: number): Promise<Date | null> => {
    const start = await loadStart();
    return start !== null && start.getTime() <= now().getTime() - 2 * days * DAY ? null : start;
  };
  server.get('/watch', async (request, reply) => {
    const plan = await planOfReader(site, request);
    const choice = readWatchQuery(request.query, directory, plan);
    const { days } = choice;
    const [week, { brands, unknown }] = await Promise.all([loadWeek(), namedBrands(site, choice.brands)]);
    const watch = brands.length > 0 ? await competitorWatch(database, { brands, days, now: now(), baseUrl }) : null;
    const names = brands.map(({ name }) => excerpt(name, 50)).join(', ');
    const slugs = brands.map(({ slug }) => slug).join(',');
    return showPage(reply, site, {
      title: names || 'Competitor Watch',
      description: 'Brands of Indian retail side by side: stories by kind of move, compared with the days before.',
      path: slugs === '' ? '/watch' : `/watch?b=${slugs}${days === FREE_WATCH.days ? '' : `&days=${days}`}`,
      body: html`${subject('Competitor Watch', names || 'Brands side by side')}
        ${remarks(site, choice, [...choice.unknown, ...unknown])}
        <div class="story-columns watching">${watch ? compared(watch, await startWithin(days)) : null}
        ${part(watch ? 'Change the selection' : 'Choose brands', picker(brands, week, days, plan))}</div>`,
    });
  });
}
