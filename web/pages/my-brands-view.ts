/** My brands as a page: the strip of what is followed, its stories, and next to them rivals, mail and saved searches. */
import { html } from 'hono/html';
import type { Reader } from '../../access/web-sessions.ts';
import { formatCount } from '../../language/prose.ts';
import { MOST_UNREAD, type SavedSearch } from '../../presentation/filters.ts';
import { addressWith, brandPath, type Markup } from '../../presentation/markup.ts';
import type { ActiveFollow } from '../../presentation/subscriptions.ts';
import type { Subscriber } from '../../projector/models/brief-queries.ts';
import { followDocument } from '../../projector/models/follows-queries.ts';
import type { ListedTeamList } from '../../projector/models/team-lists-queries.ts';
import { FREE_WATCH, type SignalItem } from '../../schemas/resources.ts';
import type { BrandSlug } from '../../schemas/scalar.ts';
import { MY_BRANDS } from '../../schemas/signal-filter.ts';
import { LONGEST_NAMES, unknownNames } from '../brand-names.ts';
import { type Density, feedList } from '../feed.ts';
import { densityLinks } from '../feed-page.ts';
import { followForm, form } from '../forms.ts';
import { counted, countedPart, excerpt, linkRow, listPart, olderPager, part } from '../parts.ts';
import type { Site } from '../site.ts';
import { emptyPage, type Week } from '../week.ts';
import { searchPath } from './searches-view.ts';
import { listsPart } from './team-lists-view.ts';

export const PATH = '/my-brands';

/** A brand of a category of one that is followed, with its stories of seven days. */
export interface Rival {
  readonly slug: BrandSlug;
  readonly name: string;
  readonly stories: number;
}

/** What the page shows. */
export interface MyBrands {
  readonly follows: readonly ActiveFollow[];
  /** The follow that was chosen; null for all. */
  readonly one: ActiveFollow | null;
  readonly show: 'unread' | 'rivals' | null;
  readonly signals: readonly SignalItem[];
  readonly unreadIds: ReadonlySet<string>;
  readonly older: string | null;
  /** True on the first page: the script of the page looks for newer stories. */
  readonly isNewest: boolean;
  readonly unread: number;
  /** Stories of today by follow, and of all under null. */
  readonly today: ReadonlyMap<string | null, number>;
  readonly rivals: readonly Rival[];
  readonly searches: readonly SavedSearch[];
  readonly lists: readonly ListedTeamList[];
  readonly brief: Subscriber | null;
  /** Typed names that no brand has. */
  readonly left: readonly string[];
  readonly density: Density;
}

/** The field of brand names that starts following. @param reader null for a visitor, who signs in first */
export const followField = (reader: Reader | null): Markup =>
  form(
    reader,
    `${PATH}/add`,
    {},
    html`<span class="do"><input name="names" maxlength="${LONGEST_NAMES}" required autocomplete="off" data-names aria-label="Brands to follow, separated by commas" placeholder="Zudio, Nykaa, Blinkit"><button>Follow</button></span>`,
  );

const isTopic = ({ type }: ActiveFollow): boolean => type === 'brand' || type === 'theme';

const addressOf = (one: ActiveFollow | null, show: MyBrands['show'] = null): string =>
  addressWith(PATH, { ...(one ? { of: one.slug } : {}), ...(show ? { show } : {}) });

/** Brands and themes with the stories of today, then their rivals. */
const strip = ({ follows, one, show, today, rivals }: MyBrands): Markup => {
  const chip = (path: string, name: string, isCurrent: boolean, count = 0): Markup =>
    html`<li><a class="chip" href="${path}"${isCurrent ? html` aria-current="true"` : null}>${name}${count > 0 ? html` <b>${count}</b>` : null}</a></li>`;
  return html`<nav aria-label="What you follow, with the stories of today"><ul class="chips strip">
    ${chip(PATH, 'All', one === null && show !== 'rivals', today.get(null))}
    ${follows.filter(isTopic).map((follow) => chip(addressOf(follow), excerpt(follow.name, 40), one?.id === follow.id, today.get(follow.id)))}
    ${rivals.length > 0 ? chip(addressOf(null, 'rivals'), 'Rivals', show === 'rivals') : null}</ul></nav>`;
};

/** The page of a followed brand or theme, and the button that ends the follow. */
const about = (reader: Reader, baseUrl: string, follow: ActiveFollow): Markup => {
  const name = excerpt(follow.name, 80);
  const { url } = followDocument(follow, '', baseUrl);
  return html`${follow.hasPage ? html`<a class="button plain" href="${url.slice(baseUrl.length)}">Page of ${name}</a>` : null}${followForm(reader, { ...follow, name }, follow.id, PATH)}`;
};

const tools = (reader: Reader, baseUrl: string, shown: MyBrands): Markup => {
  const { one, show, unread, signals, density } = shown;
  const [newest] = signals;
  const here = addressOf(one, show);
  const mark =
    newest && unread > 0 && show !== 'rivals' && one === null
      ? form(
          reader,
          `${PATH}/read`,
          { up_to: newest.id, back: here },
          html`<button class="plain">Mark all as read</button>`,
        )
      : null;
  return html`<div class="tools">${
    show === 'rivals'
      ? html`<p class="note">Brands of the same categories with most stories this week</p>`
      : linkRow('Filter', [
          { path: addressOf(one), name: 'All', isCurrent: show === null },
          { path: addressOf(one, 'unread'), name: `Unread ${unread}`, isCurrent: show === 'unread' },
        ])
  }<div class="do">${mark}${one ? about(reader, baseUrl, one) : null}${densityLinks(here, density)}</div></div>`;
};

const rivalsPart = ({ rivals, follows }: MyBrands): Markup | null => {
  const brands = follows.filter(({ type }) => type === 'brand').map(({ slug }) => slug);
  const compared = brands.slice(0, FREE_WATCH.brands).join(',');
  return listPart(
    'Rivals, stories in seven days',
    rivals,
    (all) =>
      html`${counted(all.map(({ slug, name, stories }) => html`<li><a href="${brandPath(slug)}">${excerpt(name, 50)}</a> <span>${stories}</span></li>`))}
      <p><a href="/watch?b=${compared}">Compare my brands</a></p>`,
    null,
  );
};

const mailPart = ({ brief }: MyBrands): Markup => {
  const what = brief?.scope === 'everything' ? 'Everything' : 'My brands';
  const line = brief
    ? html`<li>${what}, at 07:30 <a href="/brief/mail">Change</a></li>`
    : html`<li>Not mailed yet <a href="/brief/mail">Mail at 07:30</a></li>`;
  return part(html`<a href="/brief">Morning brief</a>`, counted([line]), null);
};

const unreadCount = ({ unread }: SavedSearch): string => {
  if (unread === 0) return '';
  return unread >= MOST_UNREAD ? `${MOST_UNREAD} or more new` : `${unread} new`;
};

/** Searches, and the way to one of the brands that are followed: with mails and a feed of its own. */
const searchesPart = ({ searches, follows }: MyBrands): Markup | null => {
  const rows = searches.map(
    (search) =>
      html`<li><a href="${searchPath(search)}">${excerpt(search.name, 80)}</a> <span>${unreadCount(search)}</span></li>`,
  );
  const isOffered =
    follows.some(({ type }) => type === 'brand') && searches.every(({ query }) => query !== OF_MY_BRANDS);
  const offer = html`<li><a href="/searches/new?${OF_MY_BRANDS}" rel="nofollow">Save my brands as a search</a></li>`;
  return countedPart(html`<a href="/searches">Saved searches</a>`, [...rows, ...(isOffered ? [offer] : [])]);
};

/** The search that finds stories of the brands that are followed. */
const OF_MY_BRANDS = `brand=${MY_BRANDS}`;

const KINDS = { brand: 'Brand', theme: 'Theme', signal: 'Story', source: 'Source' } as const;

/** Stories and sources have no place in the strip. */
const othersPart = (reader: Reader, baseUrl: string, { follows }: MyBrands): Markup | null =>
  listPart(
    'Also followed',
    follows.filter((follow) => !isTopic(follow)),
    (others) =>
      html`<ul class="followed plain-list">${others.map((follow) => {
        const name = excerpt(follow.name, 120);
        const { url } = followDocument(follow, '', baseUrl);
        return html`<li><span class="kicker">${KINDS[follow.type]}</span> <a href="${url.slice(baseUrl.length)}">${name}</a>
          ${followForm(reader, { ...follow, name }, follow.id, PATH)}</li>`;
      })}</ul>`,
    null,
  );

const NOTHING_FOLLOWED = html`You follow nothing yet. Name your brands in the field: their stories of the last 14 days are here at once, and the
  <a href="/brief">morning brief</a> begins with them.`;

const emptyList = ({ show, one, follows }: MyBrands): Markup => {
  if (show === 'unread') return html`<p class="empty">You have read everything.</p>`;
  if (follows.length === 0) return html`<p class="empty">${NOTHING_FOLLOWED}</p>`;
  if (show === 'rivals') return html`<p class="empty">No stories about rivals in the last 14 days.</p>`;
  return html`<p class="empty">No stories ${one ? `about ${excerpt(one.name, 80)} ` : ''}in the last 14 days. New ones appear here.</p>`;
};

/** Brands with most stories this week, each followed by one click. */
const offers = (reader: Reader, { brands }: Week): Markup | null =>
  brands.length === 0
    ? null
    : form(
        reader,
        `${PATH}/add`,
        {},
        html`<p class="note">Most stories this week:</p><span class="do">${brands.slice(0, 8).map(({ name }) => html`<button class="plain" name="names" value="${name}">${name}</button>`)}</span>`,
      );

/** The page of a reader. */
export function myBrandsBody(reader: Reader, site: Site, shown: MyBrands, week: Week): Markup {
  const { follows, signals, unreadIds, density, older, left, today } = shown;
  const heading = html`<h1 class="unseen">My brands: ${formatCount(today.get(null) ?? 0, 'story', 'stories')} today</h1>`;
  if (follows.length === 0 && shown.searches.length === 0 && shown.lists.length === 0)
    return html`${heading}<div class="tools">${followField(reader)}</div>${unknownNames(site, left)}
      ${emptyPage(NOTHING_FOLLOWED, { ...week, brands: [] })}${offers(reader, week)}`;
  return html`${heading}${strip(shown)}${unknownNames(site, left)}
  <div class="story-columns">
    <div class="stories" id="stories">${tools(reader, site.baseUrl, shown)}
      <div${shown.isNewest ? html` data-live` : null}>${signals.length === 0 ? emptyList(shown) : feedList(signals, { density, unread: unreadIds })}</div>
      ${olderPager(older)}</div>
    <aside class="rail" aria-label="Rivals, mail, searches and lists">${part('Follow more brands', followField(reader), null)}${rivalsPart(shown)}${mailPart(shown)}${searchesPart(shown)}${listsPart(shown.lists)}
      ${othersPart(reader, site.baseUrl, shown)}</aside>
  </div>`;
}
