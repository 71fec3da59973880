/**
 * GET /searches and /searches/{id}: the saved searches of a reader, and one of them with its entries, its mails and its feed.
 * GET /searches/new and POST /searches: a filter is saved under a name. The forms: POST /searches/read, /remove, /name,
 * /digest, /feed and /feed/revoke.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { changeSearches, newFeedToken, type SearchCommand } from '../../access/subscriptions.ts';
import { localPath, newToken, type Reader } from '../../access/web-sessions.ts';
import {
  describeFilter,
  digestOf,
  loadSearch,
  loadSearches,
  MOST_UNREAD,
  queryText,
  type SavedSearch,
  savedFilter,
  searchAddress,
  searchFeed,
} from '../../presentation/filters.ts';
import type { Markup } from '../../presentation/markup.ts';
import { listFiltered } from '../../presentation/public-records.ts';
import { clip, neutralise, parseDocument } from '../../presentation/text.ts';
import { waitForOwnWrite } from '../../projector/model-progress.ts';
import { searchesOf } from '../../projector/models/saved-searches-queries.ts';
import type { Directory } from '../../schemas/directory.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { Cursor, readParameters } from '../../schemas/parameters.ts';
import { SignalItem } from '../../schemas/resources.ts';
import { filterAddress, filterOfText, type SignalQuery } from '../../schemas/signal-filter.ts';
import { DIGESTS, type Digest, LONGEST_QUERY, SavedSearchId, SearchName } from '../../schemas/subscriptions.ts';
import { feedList, readFeedQuery, withoutDeadLinks } from '../feed.ts';
import { choiceField, form, readForm, readQuery, registerForms } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import { redirectToSignIn, type Site, signInAddress } from '../site.ts';

const LIST = '/searches';
const INBOX = '/inbox';

const nameOf = ({ name }: Pick<SavedSearch, 'name'>): string => clip(neutralise(name), 80);
const pageOf = ({ key }: Pick<SavedSearch, 'key'>): string => `${LIST}/${key}`;

const unreadText = (unread: number): string =>
  unread >= MOST_UNREAD ? `${MOST_UNREAD} or more unread` : unread === 0 ? 'nothing unread' : `${unread} unread`;

// The mails of a search.

const EVERY: Readonly<Record<Digest | 'none', string>> = {
  none: 'No mails',
  at_once: 'At once',
  daily: 'Every day at 07:00 IST',
  weekly: 'Mondays at 07:00 IST',
};

const SAID: Readonly<Record<Digest, string>> = {
  at_once: 'at once',
  daily: 'every day at 07:00 IST',
  weekly: 'on Mondays at 07:00 IST',
};

const digestLine = (search: SavedSearch): Markup | null => {
  const digest = digestOf(search);
  if (!digest) return null;
  const address = clip(neutralise(digest.email), 120);
  return digest.status === 'paused'
    ? html`<p class="wrong">Mails are paused: the mail server refuses <strong>${address}</strong>. Save them again to resume.</p>`
    : html`<p>Mailed to <strong>${address}</strong>: ${SAID[digest.every]}.</p>`;
};

/** Why mails cannot be sent; null when they can. */
const mailsOff = ({ mails }: Pick<Site, 'mails'>, { email }: Reader): Markup | null => {
  if (email === null)
    return html`<p class="wrong">Your sign-in provided no verified e-mail address, so nothing can be mailed.</p>`;
  return mails
    ? null
    : html`<p class="wrong">This service sends no mail yet: its operator has to set <code>SMTP_URL</code>. Your choice is saved.</p>`;
};

/** The form that chooses mails. @param id distinguishes the fields of several forms on a page */
const digestForm = (reader: Reader, search: SavedSearch, back: string, id: string): Markup =>
  form(
    reader,
    `${LIST}/digest`,
    { id: search.key, back },
    html`<div class="row"><div class="field"><label for="every-${id}">Mails</label><select id="every-${id}" name="every">${(
      ['none', ...DIGESTS] as const
    ).map(
      (every) =>
        html`<option value="${every}"${every === (digestOf(search)?.every ?? 'none') ? html` selected` : null}>${EVERY[every]}</option>`,
    )}</select></div><button aria-label="Save the mails of ${nameOf(search)}">Save</button></div>`,
    'narrow',
  );

// The list, on the inbox and on a page of its own.

const actions = (reader: Reader, search: SavedSearch, back: string): Markup => {
  const button = (action: string, label: string): Markup =>
    form(
      reader,
      action,
      { id: search.key, back },
      html`<button class="plain" aria-label="${label}: ${nameOf(search)}">${label}</button>`,
    );
  return html`${search.unread > 0 ? button(`${LIST}/read`, 'Mark as read') : null}
    ${button(`${LIST}/feed`, search.token_hash === null ? 'Make a feed' : 'Make a new feed')}
    ${search.token_hash === null ? null : button(`${LIST}/feed/revoke`, 'Revoke the feed')}
    ${button(`${LIST}/remove`, 'Remove')}`;
};

const listItem = (reader: Reader, search: SavedSearch, directory: Directory, back: string): Markup =>
  html`<li><p><a href="${pageOf(search)}">${nameOf(search)}</a> <b>${unreadText(search.unread)}</b>
    <small>${clip(describeFilter(search.filter, directory), 200)}</small></p>
    ${actions(reader, search, back)}</li>`;

/** The saved searches of a reader on the inbox, each with its forms; null without any. */
export const searchList = (reader: Reader, searches: readonly SavedSearch[], directory: Directory): Markup | null =>
  searches.length === 0
    ? null
    : html`<section class="followed"><h2 id="searches">Saved searches</h2>
    <ul>${searches.map((search) => listItem(reader, search, directory, INBOX))}</ul>
    <p><a href="${LIST}">Saved searches and their mails</a></p></section>`;

const listBody = (site: Site, reader: Reader, searches: readonly SavedSearch[]): Markup => html`
  <header class="subject"><p class="kicker"><a href="${INBOX}">Inbox</a></p><h1>Saved searches</h1></header>
  ${searches.length === 0 ? null : mailsOff(site, reader)}
  ${
    searches.length === 0
      ? html`<p class="empty">You have saved no search yet. Set filters on <a href="/">the feed</a> or search for words, then choose “Save this search”.
        Pages of cities and groups have a button for it.</p>`
      : html`<ul class="searches">${searches.map(
          (
            search,
          ) => html`<li><h2><a href="${pageOf(search)}">${nameOf(search)}</a> <b>${unreadText(search.unread)}</b></h2>
          <p class="note">${clip(describeFilter(search.filter, site.directory), 200)}</p>
          ${digestLine(search)}
          ${reader.email === null ? null : digestForm(reader, search, LIST, search.key)}
          <div>${actions(reader, search, LIST)}</div></li>`,
        )}</ul>`
  }`;

// The page of one search.

const ENTRIES = 30;
const PageQuery = z.object({ cursor: Cursor.optional() });

async function loadEntries(site: Site, search: SavedSearch, cursor: string | undefined) {
  const filter = { ...search.filter, sort: 'time', ...(cursor !== undefined && { cursor }) } as const;
  const { documents, next_cursor } = await listFiltered(site, filter, { limit: ENTRIES });
  const signals = await withoutDeadLinks(
    site,
    documents.map((document) => parseDocument(document, SignalItem)),
  );
  return { signals, older: next_cursor && `${pageOf(search)}?${new URLSearchParams({ cursor: next_cursor })}` };
}

const searchBody = (
  site: Site,
  reader: Reader,
  search: SavedSearch,
  { signals, older }: Awaited<ReturnType<typeof loadEntries>>,
): Markup => {
  const isUnread = ({ published_at }: SignalItem): boolean => new Date(published_at) > search.read_until;
  const entries = (title: string, list: readonly SignalItem[]): Markup | null =>
    list.length === 0 ? null : html`<section class="part"><h2>${title}</h2>${feedList(list)}</section>`;
  return html`<header class="subject"><p class="kicker"><a href="${LIST}">Saved searches</a></p><h1>${nameOf(search)}</h1>
    <p>${clip(describeFilter(search.filter, site.directory), 400)}: <b>${unreadText(search.unread)}</b>.
      <a href="${searchAddress(search)}">Open in the feed</a></p></header>
  <div class="story-columns">
  <div class="stories">
    ${entries('Unread', signals.filter(isUnread))}
    ${entries(
      'Read',
      signals.filter((signal) => !isUnread(signal)),
    )}
    ${signals.length === 0 ? html`<p class="empty">No entry fits yet. New ones appear here and in your inbox.</p>` : null}
    ${older ? html`<nav class="pager" aria-label="Pages"><a href="${older}" rel="next">Older entries</a></nav>` : null}
  </div>
  <section class="part" id="mails"><h2>By mail</h2>
    <p class="note">New entries in one mail, at most twenty with a link to the rest; none when nothing is new. At once means within about
      five minutes, and at most four mails an hour. Every mail has a link that ends them.</p>
    ${mailsOff(site, reader)}${digestLine(search)}
    ${reader.email === null ? null : digestForm(reader, search, pageOf(search), 'chosen')}
  </section>
  <section class="part"><h2>Change</h2>
    ${form(
      reader,
      `${LIST}/name`,
      { id: search.key, back: pageOf(search) },
      html`<div class="row"><div class="field"><label for="name">Name</label><input id="name" name="name" maxlength="80" required value="${nameOf(search)}"></div><button>Rename</button></div>`,
      'narrow',
    )}
    ${actions(reader, search, pageOf(search))}
  </section></div>`;
};

const PAGE = {
  description: 'A filter of the record under a name, with mails and a feed of its own.',
  path: null,
} as const;

/** The addresses of a feed, which are shown once. */
const feedPart = (baseUrl: string, token: string, id: string): Markup => html`<header class="subject">
  <p class="kicker"><a href="${pageOf({ key: id })}">Saved search</a></p><h1>Your feed</h1></header>
  <p>Anyone with these addresses can read the search, but nothing else of your account. They are shown once. A new feed, or revoking
  it, ends them.</p>
  <ul>${Object.values(searchFeed(baseUrl, token).urls).map((url) => html`<li><code>${url}</code></li>`)}</ul>`;

const nameForm = (reader: Reader, filter: SignalQuery, directory: Directory): Markup => {
  const said = describeFilter(filter, directory);
  return html`<header class="subject"><p class="kicker">Saved searches</p><h1>Save this search</h1><p>${clip(said, 400)}</p></header>
  ${form(
    reader,
    LIST,
    { query: queryText(filter) },
    html`<p class="field"><label for="name">Name</label><input id="name" name="name" maxlength="80" required value="${clip(said, 60)}"></p>
    ${reader.email === null ? null : choiceField('every', 'Mails', mailChoices, 'none')}
    <p><button>Save</button></p>`,
    'narrow',
  )}`;
};
const mailChoices = (['none', ...DIGESTS] as const).map((value) => ({ value, name: EVERY[value] }));

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
    return html`<p class="act"><a class="button plain" href="${signInAddress(filterAddress(`${LIST}/new`, filter))}" rel="nofollow" aria-label="Save as a search: ${name}, after signing in">Save as a search</a></p>`;
  const query = queryText(filter);
  const known = (await searchesOf(database, reader.account.id)).find((search) => search.query === query);
  return known
    ? html`<p class="act"><a class="button plain" href="${pageOf(known)}" aria-label="Saved ✓: ${nameOf(known)}">Saved ✓</a></p>`
    : form(
        reader,
        LIST,
        { name, query },
        html`<button aria-label="Save as a search: ${name}">Save as a search</button>`,
      );
}

const Every = z.enum(['none', ...DIGESTS]).describe(`none or one of ${DIGESTS.join(', ')}`);
const Saved = z.object({
  name: SearchName,
  query: z.string().max(LONGEST_QUERY).describe('the filter, as the parameters of an address').default(''),
  every: Every.default('none'),
});
const Chosen = z.object({ id: SavedSearchId.describe('the id of a saved search') });

/** Saved searches belong to the reader who is signed in. */
export function searchesPage(server: FastifyInstance, site: Site): void {
  const { database, store, directory, baseUrl, now } = site;

  const show = async (reply: FastifyReply, title: string, body: Markup): Promise<FastifyReply> =>
    sendPage(reply, await layout(site, { ...PAGE, title: `${clip(title, 80)} · Clarity`, body }));

  server.get(LIST, async (request, reply) => {
    const { reader } = request;
    if (!reader) return redirectToSignIn(request, reply);
    return show(reply, 'Saved searches', listBody(site, reader, await loadSearches(site, reader.account.id)));
  });

  server.get(`${LIST}/new`, async (request, reply) => {
    const { reader } = request;
    if (!reader) return redirectToSignIn(request, reply);
    const filter = savedFilter(readFeedQuery(request.query, directory));
    return show(reply, 'Save a search', nameForm(reader, filter, directory));
  });

  server.get<{ Params: { id: string } }>(`${LIST}/:id`, async (request, reply) => {
    const { reader } = request;
    if (!reader) return redirectToSignIn(request, reply);
    const search = await loadSearch(site, reader.account.id, request.params.id);
    const { cursor } = readQuery(PageQuery, request.query);
    return show(reply, nameOf(search), searchBody(site, reader, search, await loadEntries(site, search, cursor)));
  });

  const change = async (reader: Reader, command: SearchCommand): Promise<string> => {
    const { id, position } = await changeSearches({ store, account: reader.account.id, now: now() }, command);
    await waitForOwnWrite(database, ['saved_searches'], position);
    return id;
  };
  const chosen = (request: FastifyRequest): string => readParameters(Chosen, readForm(request)).id;
  const back = (request: FastifyRequest, reply: FastifyReply, otherwise = INBOX): FastifyReply => {
    const path = localPath(readForm(request).back, otherwise);
    return reply.redirect(path === INBOX ? `${INBOX}#searches` : path, 303);
  };

  /** Has a search mailed to the verified address of its reader, or not any more. */
  const chooseDigest = async (reader: Reader, id: string, every: z.infer<typeof Every>): Promise<void> => {
    if (every === 'none') await change(reader, { do: 'end_digest', id, by: 'page' });
    else if (reader.email === null)
      throw new Refusal('invalid_request', 'Your sign-in provided no verified e-mail address.');
    else await change(reader, { do: 'choose_digest', id, every, email: reader.email, token: newToken() });
  };

  registerForms(server, site, (own) => {
    own.post(LIST, async (request, reply) => {
      const { reader } = request;
      if (!reader) return redirectToSignIn(request, reply, INBOX);
      const { form_token: _, ...sent } = readForm(request);
      const { name, query, every } = readParameters(Saved, sent);
      const filter = savedFilter(filterOfText(query, directory));
      const id = await change(reader, { do: 'save', name, query: queryText(filter) });
      if (every !== 'none') await chooseDigest(reader, id, every);
      return reply.redirect(pageOf({ key: id }), 303);
    });

    own.post(`${LIST}/digest`, async (request, reply) => {
      const { reader } = request;
      if (!reader) return redirectToSignIn(request, reply, LIST);
      const { every } = readParameters(z.object({ every: Every }), readForm(request));
      await chooseDigest(reader, chosen(request), every);
      return back(request, reply, LIST);
    });

    own.post(`${LIST}/name`, async (request, reply) => {
      const { reader } = request;
      if (!reader) return redirectToSignIn(request, reply, LIST);
      const { name } = readParameters(z.object({ name: SearchName }), readForm(request));
      await change(reader, { do: 'change', id: chosen(request), name });
      return back(request, reply, LIST);
    });

    for (const [path, what] of [
      [`${LIST}/read`, 'mark_read'],
      [`${LIST}/feed/revoke`, 'revoke_feed'],
      [`${LIST}/remove`, 'remove'],
    ] as const)
      own.post(path, async (request, reply) => {
        const { reader } = request;
        if (!reader) return redirectToSignIn(request, reply, INBOX);
        const id = await change(reader, { do: what, id: chosen(request) });
        // The page of a search that was removed is gone.
        return what === 'remove' && readForm(request).back === pageOf({ key: id })
          ? reply.redirect(LIST, 303)
          : back(request, reply);
      });

    own.post(`${LIST}/feed`, async (request, reply) => {
      const { reader } = request;
      if (!reader) return redirectToSignIn(request, reply, INBOX);
      const { token, hash } = newFeedToken();
      const id = await change(reader, { do: 'issue_feed', id: chosen(request), tokenHash: hash });
      return show(reply.header('cache-control', 'no-store'), 'Feed of a saved search', feedPart(baseUrl, token, id));
    });
  });
}
