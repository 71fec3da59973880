/** GET /brand/{slug}: stories and trends of a brand, and what the record has of it. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { DAY, formatDay } from '../../language/days.ts';
import { capitalised, formatCount } from '../../language/prose.ts';
import { TABLES } from '../../presentation/fact-tables.ts';
import { addressWith, brandPath, cityPath, type Markup } from '../../presentation/markup.ts';
import { findPublicBrand } from '../../presentation/public-records.ts';
import { slugToWords } from '../../presentation/text.ts';
import { busiestBrands, competitorWatch, storiesByWeek } from '../../projector/models/brands-queries.ts';
import { type BrandProfile, categoryName } from '../../schemas/directory.ts';
import { type Brand, FREE_WATCH, type WatchedBrand } from '../../schemas/resources.ts';
import { narrows } from '../../schemas/signal-filter.ts';
import { cardPath } from '../cards/subjects.ts';
import { moveBars, type Weeks, weekChart } from '../charts.ts';
import { feedLinks } from '../feed.ts';
import { filteredList, listedPage, listLoader, nothingFits } from '../feed-page.ts';
import { followButton, hidden, shareButton } from '../forms.ts';
import { showPage } from '../layout.ts';
import { startLoader } from '../names.ts';
import { countedPart, dayTag, excerpt, linkRow, listPart, part, subject } from '../parts.ts';
import type { Site } from '../site.ts';
import { countedNames, emptyPage, weekLoader } from '../week.ts';
import { loadBrandRecord, openingsPart, recordParts } from './brand-record.ts';
import { retiredNote } from './theme.ts';

const DAYS = 30;
const WEEKS = 26;
const LEAST_WEEKS = 4;
const WEEK = 604_800_000;
const MAXIMUM_CITIES = 12;

interface Windows {
  readonly window: WatchedBrand;
  /** When the record begins, where that is later than the window before; null where both windows are whole. */
  readonly start: Date | null;
  readonly timeline: Weeks;
}

/** @param loadStart when the record begins; null while it is empty */
async function loadWindows(
  { database, directory, baseUrl, now }: Site,
  { slug, name }: Brand,
  loadStart: () => Promise<Date | null>,
): Promise<Windows> {
  const slugs = directory.slugsOf(slug);
  const start = (await loadStart()) ?? now();
  const age = (now().getTime() - start.getTime()) / WEEK;
  // No more weeks than the record has, but enough for a chart.
  const count = Math.min(WEEKS, Math.max(LEAST_WEEKS, Math.ceil(age)));
  const weeks = { since: new Date(now().getTime() - count * WEEK), weeks: count };
  const [watch, counts] = await Promise.all([
    competitorWatch(database, { brands: [{ slug, name, slugs }], days: DAYS, now: now(), baseUrl }),
    storiesByWeek(database, slugs, weeks),
  ]);
  const [window] = watch.brands;
  if (!window) throw new Error('a watched brand was not found');
  return { window, start: age * 7 < 2 * DAYS ? start : null, timeline: { ...weeks, counts } };
}

/** The change from the window before, in words. @param start of the record, where it does not reach back to the window before */
const trend = ({ total, prior_total }: WatchedBrand, start: Date | null): string => {
  const stories = formatCount(total, 'story', 'stories');
  if (start)
    return `${stories} in ${DAYS} days. The record is kept since ${formatDay(start)}: there is no full period before to compare with.`;
  if (total === prior_total) return `${stories} in ${DAYS} days, as many as in the ${DAYS} before.`;
  return `${stories} in ${DAYS} days, ${total > prior_total ? 'up' : 'down'} from ${prior_total} in the ${DAYS} before.`;
};

const summary = ({ stories, stories_about, first_seen_at }: Brand, { window, start }: Windows): Markup => {
  if (first_seen_at === null) return html`<p>No stories yet.</p>`;
  const mentions = stories - stories_about;
  const kept = start
    ? null
    : html` On record since ${dayTag(first_seen_at)}: ${formatCount(stories_about, 'story', 'stories')} about it.`;
  return html`<p>${trend(window, start)}${kept}${mentions > 0 ? ` ${formatCount(mentions, 'more story', 'more stories')} only ${mentions === 1 ? 'mentions' : 'mention'} it.` : null}</p>`;
};

/** More owned brands would be a list of their own. */
const MAXIMUM_OWNED = 12;

const KINDS: Readonly<Record<string, string>> = { d2c: 'Direct-to-consumer brand', mall_operator: 'Operator of malls' };

/** What a brand is: its kind, category, listing, owner and the brands that it owns; where the catalogue lacks it, that. */
function identity(profile: BrandProfile | null): Markup {
  if (profile === null) return html`<p class="identity">Named in headlines, not confirmed by an editor yet</p>`;
  const { brand, owner, owned } = profile;
  const link = (one: BrandProfile['brand']): Markup =>
    html`<a href="${brandPath(one.slug)}">${excerpt(one.name, 50)}</a>`;
  const more = owned.length > MAXIMUM_OWNED ? ` and ${owned.length - MAXIMUM_OWNED} more` : '';
  const parts = [
    html`${KINDS[brand.kind] ?? capitalised(brand.kind)}, ${categoryName(brand.category)}`,
    ...(brand.nse ? [html`listed on NSE as ${brand.nse}`] : []),
    ...(owner ? [html`owned by ${link(owner)}`] : []),
    ...(owned.length > 0
      ? [html`owns ${owned.slice(0, MAXIMUM_OWNED).map((one, at) => html`${at > 0 ? ', ' : ''}${link(one)}`)}${more}`]
      : []),
  ];
  return html`<p class="identity">${parts.map((one, at) => html`${at > 0 ? ' · ' : ''}${one}`)}</p>`;
}

const named = (
  heading: string,
  entries: readonly { readonly slug: string; readonly name: string; readonly stories: number }[],
  pathOf: (slug: string) => string,
): Markup | null =>
  countedNames(
    heading,
    entries.map(({ slug, name, stories }) => ({ key: slug, name: excerpt(name, 50), stories })),
    pathOf,
  );

const aside = ({ related_brands, themes, top_outlets }: Brand, cities: readonly string[]): Markup => html`
  ${named('Named together with', related_brands, brandPath)}
  ${named('Themes', themes, (slug) => `/theme/${slug}`)}
  ${countedPart(
    'Sources: outlets that reported it',
    top_outlets.map(({ outlet, stories }) => html`<li>${excerpt(outlet, 50)} <span>${stories}</span></li>`),
  )}
  ${countedPart(
    `Cities, ${DAYS} days`,
    cities.slice(0, MAXIMUM_CITIES).map((city) => html`<li><a href="${cityPath(city)}">${excerpt(city, 40)}</a></li>`),
  )}`;

function charts(name: string, path: string, { window, start, timeline }: Windows, openings: Markup | null): Markup {
  const hasStories = window.total + window.prior_total > 0;
  const moves = { days: DAYS, now: window.by_move, before: start ? null : window.prior_by_move };
  return html`<div class="charts">
    ${hasStories ? part(start ? `Last ${DAYS} days` : `Last ${DAYS} days and the ${DAYS} days before`, moveBars(`Stories about ${name} by kind of move`, moves, path)) : null}
    ${listPart(`By week, ${timeline.weeks === WEEKS ? 'half a year' : `${timeline.weeks} weeks`}`, timeline.counts, () => weekChart(name, timeline))}
    ${openings}</div>`;
}

/** Competitors that the form offers: those of its category with most stories. */
const OFFERED = 8;
const OFFERED_DAYS = 90;

async function competitorsOf({ database, directory, gazetteer, now }: Site, { slug, related_brands }: Brand) {
  const category = gazetteer.categoryOf(slug);
  const own = new Set(directory.slugsOf(slug));
  const listed = category ? gazetteer.brandsOf(category).filter((one) => !own.has(one)) : [];
  const since = new Date(now().getTime() - OFFERED_DAYS * DAY);
  const busy = await busiestBrands(database, listed, { since, limit: OFFERED });
  const slugs = [...busy, ...related_brands].map((one) => directory.currentSlug(one.slug));
  return [...new Set(slugs)]
    .filter((one) => !own.has(one))
    .slice(0, OFFERED)
    .map((one) => ({ slug: one, name: directory.brand(one)?.name ?? slugToWords(one) }));
}

/** The form that compares the brand with others, up to as many as every reader may compare. */
const compareForm = (
  { slug }: Brand,
  name: string,
  competitors: Awaited<ReturnType<typeof competitorsOf>>,
): Markup => html`<details class="compare"><summary class="button plain">Compare</summary>
  <form class="pick" action="/watch" method="get" aria-label="Compare ${name}">${hidden({ b: slug })}
    <fieldset><legend>Compare ${name} with up to ${FREE_WATCH.brands - 1} others</legend><div class="choices">${competitors.map(
      (one) => html`<label><input type="checkbox" name="b" value="${one.slug}">${excerpt(one.name, 50)}</label>`,
    )}</div></fieldset>
    <div class="row"><div class="field"><label for="add">Other brands, separated by commas</label><input id="add" name="add" maxlength="500" autocomplete="off"></div>
      <button type="submit">Compare</button></div></form></details>`;

/** Stories about the brand and stories that mention it; 301 for a retired slug, 404 for an unknown brand. */
export function brandPage(server: FastifyInstance, site: Site): void {
  const loadList = listLoader(site);
  const loadStart = startLoader(site);
  const loadWeek = weekLoader(site);
  server.get<{ Params: { slug: string } }>('/brand/:slug', async (request, reply) => {
    const located = await findPublicBrand(site, request.params.slug);
    if ('redirect' in located) return reply.redirect(`${site.baseUrl}${brandPath(located.redirect)}`, 301);
    const { brand } = located;
    const { slug } = brand;
    const path = brandPath(slug);
    const name = excerpt(brand.name, 80);
    const [list, windows, record, competitors, follow] = await Promise.all([
      loadList(request, { path, fixed: { brand: [slug] } }),
      loadWindows(site, brand, loadStart),
      loadBrandRecord(site, slug, site.directory.slugsOf(slug)),
      competitorsOf(site, brand),
      followButton(site, request, { type: 'brand', slug, name }),
    ]);
    if ('redirect' in list) return reply.redirect(list.redirect, 303);
    const { shown } = list;
    const isFirst = !narrows(shown) && shown.sort === undefined && shown.cursor === undefined;
    const nothingYet = html`No stories about ${name} yet. Follow it to be notified of the first one; <a href="/index">the index</a> lists brands with stories.`;
    const empty = brand.stories === 0 ? emptyPage(nothingYet, await loadWeek()) : nothingFits(path);
    const tables = TABLES.map((table) => ({
      path: addressWith(`/tables/${table}`, { brand: slug }),
      name: slugToWords(table),
    }));
    return showPage(reply, site, {
      ...listedPage(list, name, site.directory),
      description: `Every dated, source-cited move of ${name} in Indian retail.`,
      card: cardPath('brand', slug),
      head: feedLinks(path, name),
      body: html`${subject(
        null,
        name,
        html`${identity(site.gazetteer.profileOf(slug))}${summary(brand, windows)}${retiredNote(site.directory.brand(slug))}`,
        html`${follow}${shareButton(name, path)}${compareForm(brand, name, competitors)}`,
      )}
        <div class="story-columns whole">
          ${part(html`<span class="unseen">${isFirst ? 'Latest' : 'On record'}</span>`, filteredList(site, list, { empty }, null), 'stories')}
          ${isFirst ? html`${charts(name, path, windows, openingsPart(slug, record))}${recordParts(slug, record)}` : null}
          <aside class="rail" aria-label="Related to ${name}">${linkRow(`Tables of ${name}`, tables)}${aside(brand, windows.window.cities)}</aside>
        </div>`,
    });
  });
}
