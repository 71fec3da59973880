/** GET /watch and /watch.csv: brands side by side, under an address that can be shared and saved as a search. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { DAY, formatDay } from '../../language/days.ts';
import { sendCsv, watchRows } from '../../presentation/csv.ts';
import { brandPath, cityPath, type Markup } from '../../presentation/markup.ts';
import { MOVE_NAMES } from '../../presentation/text.ts';
import { planOf } from '../../projector/models/accounts-queries.ts';
import { competitorWatch } from '../../projector/models/brands-queries.ts';
import { quoted, Refusal } from '../../schemas/input-errors.ts';
import {
  FREE_WATCH,
  reportedAt,
  WATCH_BRANDS,
  WATCH_DAYS,
  type Watch,
  type WatchedBrand,
} from '../../schemas/resources.ts';
import { BrandSlug, MOVES, type Move } from '../../schemas/scalar.ts';
import { LONGEST_NAMES, type NamedBrand, namedBrands, slugOfName, splitNames, unknownNames } from '../brand-names.ts';
import { hidden, readFileQuery, readQuery, shareButton } from '../forms.ts';
import { showPage } from '../layout.ts';
import { startLoader } from '../names.ts';
import { dayTag, excerpt, linkRow, part, scrolled, subject } from '../parts.ts';
import type { Site } from '../site.ts';
import { type Week, weekLoader } from '../week.ts';
import { saveSearchButton } from './searches-view.ts';

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
  /** Slugs, each once. */
  readonly wanted: readonly BrandSlug[];
  /** Most brands that the plan compares. */
  readonly maximum: number;
  readonly days: Watch['window_days'];
  /** Texts that are no slug. */
  readonly unknown: readonly string[];
  /** True when the plan allows fewer days than the reader chose. */
  readonly isShorter: boolean;
}

/** More brands than any plan compares are not looked up. */
const MOST_TYPED = 2 * WATCH_BRANDS;

/** A slug in any case; undefined for text that is none. */
const slugIn = (text: string): BrandSlug | undefined => BrandSlug.safeParse(text.toLowerCase()).data;

/** Reads the choice from the address. @throws Refusal that names the invalid fields */
function readWatchQuery(query: unknown, site: Site, plan: Plan, read = readQuery): WatchChoice {
  const { b = [], add = '', days: period } = read(Query, query);
  const ticked = [b].flat().flatMap(splitNames);
  const typed = splitNames(add).map((name) => slugOfName(site, name));
  const slugs = [...ticked.flatMap((slug) => slugIn(slug) ?? []), ...typed];
  const wanted = [...new Set(slugs.map((slug) => site.directory.currentSlug(slug)))];
  const days = WATCH_DAYS.find((one) => String(one) === period) ?? FREE_WATCH.days;
  const allowed = plan === 'pro' ? days : FREE_WATCH.days;
  return {
    wanted: wanted.slice(0, MOST_TYPED),
    maximum: plan === 'pro' ? WATCH_BRANDS : FREE_WATCH.brands,
    days: allowed,
    unknown: ticked.filter((slug) => slugIn(slug) === undefined),
    isShorter: allowed !== days,
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
            ({ slug: entry, headline, delta, ...dates }) =>
              html`<li><a href="/signal/${entry}">${excerpt(headline, 160)}</a> ${delta ? html`<b class="amount">${excerpt(delta, 40)}</b>` : null}<small>${dayTag(reportedAt(dates))}</small></li>`,
          )}</ul>`
    }
    ${cities.length > 0 ? html`<p class="note">In ${cities.slice(0, MAXIMUM_CITIES).map((city) => html`<a href="${cityPath(city)}">${excerpt(city, 40)}</a> `)}</p>` : null}</section>`,
  )}</div>`;

/** Brands that are offered where none is chosen. */
const OFFERED = 18;

type Plan = 'free' | 'pro';
const planOfReader = async ({ database }: Site, { reader }: FastifyRequest): Promise<Plan> =>
  reader ? ((await planOf(database, reader.account.id)) ?? 'free') : 'free';

const addressOf = (slugs: readonly string[], days: number, ending = ''): string =>
  slugs.length === 0
    ? '/watch'
    : `/watch${ending}?b=${slugs.join(',')}${days === FREE_WATCH.days ? '' : `&days=${days}`}`;

/** The chosen brands, each of which can be left out; where none is chosen, those with most stories. */
const chips = (chosen: readonly NamedBrand[], { brands }: Week, days: number): Markup => {
  const slugs = chosen.map(({ slug }) => slug);
  const items =
    chosen.length > 0
      ? chosen.map(
          ({ slug, name }) =>
            html`<li><a class="chip" href="${addressOf(
              slugs.filter((one) => one !== slug),
              days,
            )}" aria-label="Leave out ${excerpt(name, 50)}">${excerpt(name, 50)} <span aria-hidden="true">✕</span></a></li>`,
        )
      : brands
          .slice(0, OFFERED)
          .map(({ key, name }) => html`<li><a class="chip" href="${addressOf([key], days)}">${name}</a></li>`);
  return html`<ul class="chips">${items}</ul>`;
};

/** Brands are added by name; readers of Pro choose the days. */
const picker = (chosen: readonly NamedBrand[], week: Week, days: number, plan: Plan): Markup => {
  const slugs = chosen.map(({ slug }) => slug);
  const periods = WATCH_DAYS.map((one) => ({
    path: addressOf(slugs, one),
    name: `${one} days`,
    isCurrent: one === days,
  }));
  return html`<div class="pitch">${chips(chosen, week, days)}
    <form action="/watch" method="get">${slugs.length > 0 ? hidden({ b: slugs.join(','), days: String(days) }) : null}<span class="do"><input name="add" maxlength="${LONGEST_NAMES}" required autocomplete="off" data-names aria-label="Brands to compare, separated by commas" placeholder="Zudio, Westside"><button type="submit">Compare</button></span></form>
    ${plan === 'pro' && slugs.length > 0 ? linkRow('Days', periods) : null}</div>`;
};

/** @param beyond chosen brands that the plan leaves out */
const remarks = (site: Site, beyond: readonly NamedBrand[], unknown: readonly string[], isShorter: boolean): Markup => {
  const left = beyond.map(({ name }) => excerpt(name, 50)).join(', ');
  return html`${unknownNames(site, unknown)}
  ${left !== '' || isShorter ? html`<p class="wrong" role="status">Your plan compares up to ${FREE_WATCH.brands} brands over ${FREE_WATCH.days} days; <a href="/plans">Pro</a> compares more.${left === '' ? null : ` Left out: ${left}.`}</p>` : null}`;
};

/** Saves the comparison as a search, which is mailed and has a feed; and takes it along. */
async function actions(
  site: Site,
  request: FastifyRequest,
  brands: readonly NamedBrand[],
  days: number,
): Promise<Markup> {
  const slugs = brands.map(({ slug }) => slug);
  const names = excerpt(brands.map(({ name }) => name).join(', '), 80);
  const saved = await saveSearchButton(site, request, { only: { brand: slugs }, without: {}, about: true }, names);
  const path = addressOf(slugs, days);
  return html`${saved}<a class="button plain" href="${addressOf(slugs, days, '.csv')}" download="clarity-watch.csv">CSV</a>${shareButton(names, path)}`;
}

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
  const { database, baseUrl, now } = site;
  const loadWeek = weekLoader(site);
  const loadStart = startLoader(site);
  /** When the record begins; null where it has the window and the one before, which is as long. */
  const startWithin = async (days: number): Promise<Date | null> => {
    const start = await loadStart();
    return start !== null && start.getTime() <= now().getTime() - 2 * days * DAY ? null : start;
  };
  const loadWatch = async (request: FastifyRequest, read = readQuery) => {
    const plan = await planOfReader(site, request);
    const choice = readWatchQuery(request.query, site, plan, read);
    const named = await namedBrands(site, choice.wanted);
    const brands = named.brands.slice(0, choice.maximum);
    const question = { brands, days: choice.days, now: now(), baseUrl };
    return {
      plan,
      choice,
      brands,
      beyond: named.brands.slice(choice.maximum),
      unknown: [...choice.unknown, ...named.unknown],
      watch: brands.length > 0 ? await competitorWatch(database, question) : null,
    };
  };
  server.get('/watch.csv', async (request, reply) => {
    const { watch, unknown } = await loadWatch(request, readFileQuery);
    const [name] = unknown;
    if (name !== undefined)
      throw new Refusal('invalid_request', `b: no brand has the slug ${quoted(name)}. Allowed: slugs of brands.`);
    if (!watch) throw new Refusal('invalid_request', 'b: missing. Allowed: slugs of brands, separated by commas.');
    return sendCsv(reply, 'clarity-watch', watchRows(watch));
  });
  server.get('/watch', async (request, reply) => {
    const [week, { plan, choice, brands, beyond, unknown, watch }] = await Promise.all([
      loadWeek(),
      loadWatch(request),
    ]);
    const { days } = choice;
    const names = brands.map(({ name }) => excerpt(name, 50)).join(', ');
    const offers = html`<p class="note">Up to ${FREE_WATCH.brands} brands over ${FREE_WATCH.days} days. <a href="/plans">Pro</a>: ${WATCH_BRANDS} brands over ${WATCH_DAYS.join(', ')} days.</p>`;
    return showPage(reply, site, {
      title: names ? `Compare ${names}` : 'Competitor Watch',
      description: 'Brands of Indian retail side by side: stories by kind of move, compared with the days before.',
      path: addressOf(
        brands.map(({ slug }) => slug),
        days,
      ),
      body: html`${subject(null, 'Competitor Watch', null, watch ? await actions(site, request, brands, days) : null)}
        ${picker(brands, week, days, plan)}
        ${remarks(site, beyond, unknown, choice.isShorter)}
        ${watch ? compared(watch, await startWithin(days)) : offers}`,
    });
  });
}
