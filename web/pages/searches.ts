/**
 * GET /searches/new and POST /searches: a filter is saved under a name. The forms of the inbox: POST /searches/read, /remove,
 * /feed and /feed/revoke.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { changeSearches, newFeedToken, type SearchCommand } from '../../access/saved-searches.ts';
import type { Reader } from '../../access/web-sessions.ts';
import { describeFilter, first } from '../../presentation/filter-text.ts';
import type { Markup } from '../../presentation/markup.ts';
import { MOST_UNREAD, type SavedSearch } from '../../presentation/saved-searches.ts';
import { clip, neutralise } from '../../presentation/text.ts';
import { waitForOwnWrite } from '../../projector/model-progress.ts';
import type { Directory } from '../../schemas/directory.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { readParameters } from '../../schemas/parameters.ts';
import { LONGEST_QUERY, SavedSearchId, SearchName } from '../../schemas/saved-search.ts';
import {
  filterAddress,
  filterOfText,
  narrows,
  parametersOfFilter,
  type SignalQuery,
} from '../../schemas/signal-filter.ts';
import { readFeedQuery } from '../feed.ts';
import { form, readForm, registerForms } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import { redirectToSignIn, type Site } from '../site.ts';

/** A filter as it is saved: without its place in a list. */
const queryText = (filter: SignalQuery): string => new URLSearchParams(parametersOfFilter(first(filter))).toString();

/** @throws Refusal for a filter that narrows nothing */
function savedFilter(filter: SignalQuery): SignalQuery {
  if (!narrows(filter))
    throw new Refusal('invalid_request', 'No filter is set. Choose a filter or search for words, then save it.');
  return filter;
}

const unreadText = (unread: number): string =>
  unread >= MOST_UNREAD ? `${MOST_UNREAD} or more unread` : unread === 0 ? 'nothing unread' : `${unread} unread`;

/** The saved searches of a reader, each with its forms. */
export const searchList = (reader: Reader, searches: readonly SavedSearch[], directory: Directory): Markup | null =>
  searches.length === 0
    ? null
    : html`<section class="followed"><h2 id="searches">Saved searches</h2><ul>${searches.map((search) => {
        const name = clip(neutralise(search.name), 80);
        const button = (action: string, label: string): Markup =>
          form(
            reader,
            action,
            { id: search.key },
            html`<button class="plain" aria-label="${label}: ${name}">${label}</button>`,
          );
        return html`<li><p><a href="${filterAddress('/', { ...search.filter, sort: 'time' })}">${name}</a> <b>${unreadText(search.unread)}</b>
          <small>${clip(describeFilter(search.filter, directory), 200)}</small></p>
          ${search.unread > 0 ? button('/searches/read', 'Mark as read') : null}
          ${button('/searches/feed', search.token_hash === null ? 'Make a feed' : 'Make a new feed')}
          ${search.token_hash === null ? null : button('/searches/feed/revoke', 'Revoke the feed')}
          ${button('/searches/remove', 'Remove')}</li>`;
      })}</ul></section>`;

const PAGE = { description: 'A filter of the record under a name, with a feed of its own.', path: null } as const;

/** The addresses of a feed, which are shown once. */
const feedPart = (baseUrl: string, token: string): Markup => html`<section><h2>Your feed</h2>
  <p>Whoever knows these addresses can read the search, but nothing else of your account. They are shown once. A new feed, or revoking
  it in <a href="/inbox#searches">your inbox</a>, ends them.</p>
  <ul>${['atom', 'json', 'csv'].map((ending) => html`<li><code>${baseUrl}/saved/${token}/feed.${ending}</code></li>`)}</ul></section>`;

const nameForm = (reader: Reader, filter: SignalQuery, directory: Directory): Markup => {
  const said = describeFilter(filter, directory);
  return html`<header class="subject"><p class="kicker">Saved searches</p><h1>Save this search</h1><p>${clip(said, 400)}</p></header>
  ${form(
    reader,
    '/searches',
    { query: queryText(filter) },
    html`<p class="field"><label for="name">Name</label><input id="name" name="name" maxlength="80" required value="${clip(said, 60)}"></p>
    <p><button>Save</button></p>`,
    'narrow',
  )}`;
};

const Saved = z.object({
  name: SearchName,
  query: z.string().max(LONGEST_QUERY).describe('the filter, as the parameters of an address').default(''),
});
const Chosen = z.object({ id: SavedSearchId.describe('the id of a saved search') });

/** Saved searches belong to the reader who is signed in. */
export function searchesPage(server: FastifyInstance, site: Site): void {
  const { database, store, directory, baseUrl, now } = site;

  server.get('/searches/new', async (request, reply) => {
    const { reader } = request;
    if (!reader) return redirectToSignIn(request, reply);
    const filter = savedFilter(readFeedQuery(request.query, directory));
    const page = { ...PAGE, title: 'Save a search · Clarity', body: nameForm(reader, filter, directory) };
    return sendPage(reply, await layout(site, page));
  });

  const change = async (reader: Reader, command: SearchCommand): Promise<void> => {
    const position = await changeSearches({ store, account: reader.account.id, now: now() }, command);
    await waitForOwnWrite(database, ['saved_searches'], position);
  };
  const chosen = (request: FastifyRequest): string => readParameters(Chosen, readForm(request)).id;

  registerForms(server, site, (own) => {
    own.post('/searches', async (request, reply) => {
      const { reader } = request;
      if (!reader) return redirectToSignIn(request, reply, '/inbox');
      const { form_token: _, ...sent } = readForm(request);
      const { name, query } = readParameters(Saved, sent);
      await change(reader, { do: 'save', name, query: queryText(savedFilter(filterOfText(query, directory))) });
      return reply.redirect('/inbox#searches', 303);
    });

    for (const [path, what] of [
      ['/searches/read', 'mark_read'],
      ['/searches/remove', 'remove'],
      ['/searches/feed/revoke', 'revoke_feed'],
    ] as const)
      own.post(path, async (request, reply) => {
        const { reader } = request;
        if (!reader) return redirectToSignIn(request, reply, '/inbox');
        await change(reader, { do: what, id: chosen(request) });
        return reply.redirect('/inbox#searches', 303);
      });

    own.post('/searches/feed', async (request, reply) => {
      const { reader } = request;
      if (!reader) return redirectToSignIn(request, reply, '/inbox');
      const { token, hash } = newFeedToken();
      await change(reader, { do: 'issue_feed', id: chosen(request), tokenHash: hash });
      const page = { ...PAGE, title: 'Feed of a saved search · Clarity', body: feedPart(baseUrl, token) };
      return sendPage(reply.header('cache-control', 'no-store'), await layout(site, page));
    });
  });
}
