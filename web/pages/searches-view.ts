/** Saved searches as pages show them: names, mails, forms, entries, and the button that saves one. */
import type { FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import type { Reader } from '../../access/web-sessions.ts';
import {
  comparedBrands,
  describeFilter,
  digestOf,
  MOST_UNREAD,
  queryText,
  type SavedSearch,
  searchAddress,
  searchFeed,
} from '../../presentation/filters.ts';
import type { Markup } from '../../presentation/markup.ts';
import { searchesOf } from '../../projector/models/saved-searches-queries.ts';
import type { Directory } from '../../schemas/directory.ts';
import type { SignalItem } from '../../schemas/resources.ts';
import { filterAddress, type SignalQuery } from '../../schemas/signal-filter.ts';
import { DIGESTS, type Digest } from '../../schemas/subscriptions.ts';
import { feedList } from '../feed.ts';
import { choiceField, form, options } from '../forms.ts';
import { excerpt, listPart, olderPager, part, subject } from '../parts.ts';
import { type Site, signInAddress } from '../site.ts';

/** The page of all saved searches, below which are those of each. */
export const SEARCHES = '/searches';

export const searchName = ({ name }: Pick<SavedSearch, 'name'>): string => excerpt(name, 80);
export const searchPath = ({ key }: Pick<SavedSearch, 'key'>): string => `${SEARCHES}/${key}`;

const nameField = (value: string): Markup =>
  html`<label for="name">Name</label><input id="name" name="name" maxlength="80" required value="${value}">`;

const unreadText = (unread: number): string =>
  unread >= MOST_UNREAD ? `${MOST_UNREAD} or more unread` : unread === 0 ? 'nothing unread' : `${unread} unread`;

const EVERY: Readonly<Record<Digest | 'none', string>> = {
  none: 'No mails',
  at_once: 'At once',
  daily: 'Every day at 07:00 IST',
  weekly: 'Mondays at 07:00 IST',
};

const MAIL_CHOICES = (['none', ...DIGESTS] as const).map((value) => ({ value, name: EVERY[value] }));

const WHEN: Readonly<Record<Digest, string>> = {
  at_once: 'at once',
  daily: 'every day at 07:00 IST',
  weekly: 'on Mondays at 07:00 IST',
};

const digestLine = (search: SavedSearch): Markup | null => {
  const digest = digestOf(search);
  if (!digest) return null;
  const address = excerpt(digest.email, 120);
  return digest.status === 'paused'
    ? html`<p class="wrong">Mails are paused: the mail server refuses <strong>${address}</strong>. Save them again to resume.</p>`
    : html`<p>Mailed to <strong>${address}</strong>: ${WHEN[digest.every]}.</p>`;
};

/** Why mails cannot be sent; null when they can. */
const mailsOff = ({ mails }: Pick<Site, 'mails'>, { email }: Reader): Markup | null => {
  if (email === null)
    return html`<p class="wrong">Your sign-in provided no verified e-mail address, so nothing can be mailed.</p>`;
  return mails
    ? null
    : html`<p class="wrong">This service sends no mail yet: its operator has to set <code>SMTP_URL</code>. Your choice is saved.</p>`;
};

/** The form that chooses mails; null without an address. @param id distinguishes the fields of several forms on a page */
const digestForm = (reader: Reader, search: SavedSearch, back: string, id: string): Markup | null =>
  reader.email === null
    ? null
    : form(
        reader,
        `${SEARCHES}/digest`,
        { id: search.key, back },
        html`<div class="row"><div class="field"><label for="every-${id}">Mails</label><select id="every-${id}" name="every">${options(MAIL_CHOICES, digestOf(search)?.every ?? 'none')}</select></div><button aria-label="Save the mails of ${searchName(search)}">Save</button></div>`,
        'narrow',
      );

const actions = (reader: Reader, search: SavedSearch, back: string): Markup => {
  const button = (action: string, label: string): Markup =>
    form(
      reader,
      action,
      { id: search.key, back },
      html`<button class="plain" aria-label="${label}: ${searchName(search)}">${label}</button>`,
    );
  return html`${search.unread > 0 ? button(`${SEARCHES}/read`, 'Mark as read') : null}
    ${button(`${SEARCHES}/feed`, search.token_hash === null ? 'Make a feed' : 'Make a new feed')}
    ${search.token_hash === null ? null : button(`${SEARCHES}/feed/revoke`, 'Revoke the feed')}
    ${button(`${SEARCHES}/remove`, 'Remove')}`;
};

const NOTHING_SAVED = html`<p class="empty">You have saved no search yet. Set filters on <a href="/">the feed</a> or search for words, then choose “Save this search”.
        Pages of cities and groups have a button for it.</p>`;

/** The page of all saved searches. */
export const searchesBody = (site: Site, reader: Reader, searches: readonly SavedSearch[]): Markup => {
  const item = (search: SavedSearch): Markup =>
    html`<li><div><h2><a href="${searchPath(search)}">${searchName(search)}</a> <b>${unreadText(search.unread)}</b></h2>
          <p class="note">${excerpt(describeFilter(search.filter, site.directory), 200)}</p>
          ${digestLine(search)}</div>
          <div class="do">${digestForm(reader, search, SEARCHES, search.key)}${actions(reader, search, SEARCHES)}</div></li>`;
  const list =
    searches.length === 0
      ? NOTHING_SAVED
      : html`${mailsOff(site, reader)}<ul class="searches">${searches.map(item)}</ul>`;
  return html`${subject(html`<a href="/my-brands">My brands</a>`, 'Saved searches')}${list}`;
};

/** A page of the entries of a search. */
export interface SearchEntries {
  readonly signals: readonly SignalItem[];
  /** Address of the next older page; null at the end. */
  readonly older: string | null;
  /** True on the first page: the script of the page looks for newer entries. */
  readonly isNewest: boolean;
}

/** The page of one search. */
export const searchBody = (
  site: Site,
  reader: Reader,
  search: SavedSearch,
  { signals, older, isNewest }: SearchEntries,
): Markup => {
  const path = searchPath(search);
  const isUnread = ({ published_at }: SignalItem): boolean => new Date(published_at) > search.read_until;
  const unread = signals.filter(isUnread);
  const read = signals.filter((signal) => !isUnread(signal));
  const what = html`<p>${excerpt(describeFilter(search.filter, site.directory), 400)}: <b>${unreadText(search.unread)}</b>.
      <a href="${searchAddress(search)}">Open in the feed</a></p>`;
  const compared = comparedBrands(search.filter).join(',');
  const sideBySide =
    compared === '' ? null : html`<a class="button plain" href="/watch?b=${compared}">Side by side</a>`;
  const rename = html`<div class="row"><div class="field">${nameField(searchName(search))}</div><button>Rename</button></div>`;
  return html`${subject(html`<a href="${SEARCHES}">Saved searches</a>`, searchName(search), what, sideBySide)}
  <div class="story-columns">
  <div class="stories">
    <div${isNewest ? html` data-live` : null}>
    ${listPart('Unread', unread, feedList)}
    ${listPart('Read', read, feedList)}
    ${signals.length === 0 ? html`<p class="empty">No entry fits yet. New ones appear here.</p>` : null}</div>
    ${olderPager(older)}
  </div>
  <section class="part" id="mails"><h2>By mail</h2>
    <p class="note">New entries in one mail, at most twenty with a link to the rest; none when nothing is new. At once means within about
      five minutes, and at most four mails an hour. Every mail has a link that ends them.</p>
    ${mailsOff(site, reader)}${digestLine(search)}
    ${digestForm(reader, search, path, 'chosen')}
  </section>
  ${part(
    'Change',
    html`${form(reader, `${SEARCHES}/name`, { id: search.key, back: path }, rename, 'narrow')}
    ${actions(reader, search, path)}`,
  )}</div>`;
};

/** The addresses of a feed, which are shown once. */
export const feedBody = (baseUrl: string, token: string, id: string): Markup => html`
  ${subject(html`<a href="${searchPath({ key: id })}">Saved search</a>`, 'Your feed')}
  <p>Anyone with these addresses can read the search, but nothing else of your account. They are shown once. A new feed, or revoking
  it, ends them.</p>
  <ul>${Object.values(searchFeed(baseUrl, token).urls).map((url) => html`<li><code>${url}</code></li>`)}</ul>`;

/** The form that saves a filter under a name. */
export const saveBody = (reader: Reader, filter: SignalQuery, directory: Directory): Markup => {
  const words = describeFilter(filter, directory);
  const fields = html`<p class="field">${nameField(excerpt(words, 60))}</p>
    ${reader.email === null ? null : choiceField('every', 'Mails', MAIL_CHOICES, 'none')}
    <p><button>Save</button></p>`;
  return html`${subject('Saved searches', 'Save this search', html`<p>${excerpt(words, 400)}</p>`)}
  ${form(reader, SEARCHES, { query: queryText(filter) }, fields, 'narrow')}`;
};

/**
 * The button that saves what a page is about as a search; a link to the search where it is saved already.
 * @param filter what is saved
 * @param name of the search
 */
export async function saveSearchButton(
  { database }: Pick<Site, 'database'>,
  { reader }: FastifyRequest,
  filter: SignalQuery,
  name: string,
): Promise<Markup> {
  if (!reader)
    return html`<p class="act"><a class="button" href="${signInAddress(filterAddress(`${SEARCHES}/new`, filter))}" rel="nofollow" aria-label="Follow as a saved search: ${name}, after signing in">Follow</a></p>`;
  const query = queryText(filter);
  const saved = (await searchesOf(database, reader.account.id)).find((search) => search.query === query);
  return saved
    ? html`<p class="act"><a class="button plain" href="${searchPath(saved)}" aria-label="Following ✓: ${searchName(saved)}">Following ✓</a></p>`
    : form(
        reader,
        SEARCHES,
        { name, query },
        html`<button aria-label="Follow as a saved search: ${name}">Follow</button>`,
      );
}
