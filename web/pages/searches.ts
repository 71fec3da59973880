/** GET /searches, /searches/{id} and /searches/new, and the forms that save and change saved searches. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { commandSearches, newFeedToken, type SearchCommand } from '../../access/subscriptions.ts';
import { localPath, newToken, type Reader } from '../../access/web-sessions.ts';
import { loadSearch, loadSearches, queryText, type SavedSearch, savedFilter } from '../../presentation/filters.ts';
import { addressWith, type Markup } from '../../presentation/markup.ts';
import { listFiltered } from '../../presentation/public-records.ts';
import { parseDocument } from '../../presentation/text.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { Cursor, readParameters } from '../../schemas/parameters.ts';
import { SignalItem } from '../../schemas/resources.ts';
import { filterOfText } from '../../schemas/signal-filter.ts';
import { DIGESTS, LONGEST_QUERY, SavedSearchId, SearchName } from '../../schemas/subscriptions.ts';
import { readFeedQuery, withoutDeadLinks } from '../feed-page.ts';
import { readForm, readQuery, registerForms } from '../forms.ts';
import { showPage } from '../layout.ts';
import { excerpt } from '../parts.ts';
import { readerRoutes, type Site } from '../site.ts';
import {
  feedBody,
  SEARCHES,
  type SearchEntries,
  saveBody,
  searchBody,
  searchesBody,
  searchName,
  searchPath,
} from './searches-view.ts';

const ENTRIES = 30;
const PageQuery = z.object({ cursor: Cursor.optional() });

async function loadEntries(site: Site, search: SavedSearch, cursor: string | undefined): Promise<SearchEntries> {
  const filter = { ...search.filter, sort: 'time', ...(cursor !== undefined && { cursor }) } as const;
  const { documents, next_cursor } = await listFiltered(site, filter, { limit: ENTRIES, dated: 'reported_at' });
  const signals = documents.map((document) => parseDocument(document, SignalItem));
  return {
    signals: await withoutDeadLinks(site, signals),
    older: next_cursor === null ? null : addressWith(searchPath(search), { cursor: next_cursor }),
    isNewest: cursor === undefined,
  };
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
  const { directory } = site;
  const show = (reply: FastifyReply, title: string, body: Markup): Promise<FastifyReply> =>
    showPage(reply, site, {
      title: excerpt(title, 80),
      description: 'A filter of the record under a name, with mails and a feed of its own.',
      body,
    });
  const pages = readerRoutes(server);

  pages.get(SEARCHES, async (reader, _request, reply) =>
    show(reply, 'Saved searches', searchesBody(site, reader, await loadSearches(site, reader.account.id))),
  );
  pages.get(`${SEARCHES}/new`, async (reader, request, reply) => {
    const filter = savedFilter(readFeedQuery(request.query, directory));
    return show(reply, 'Save a search', saveBody(reader, filter, directory));
  });
  pages.get<{ Params: { id: string } }>(`${SEARCHES}/:id`, async (reader, request, reply) => {
    const search = await loadSearch(site, reader.account.id, request.params.id);
    const { cursor } = readQuery(PageQuery, request.query);
    const entries = await loadEntries(site, search, cursor);
    return show(reply, searchName(search), searchBody(site, reader, search, entries));
  });
  registerForms(server, site, (own) => {
    const change = searchChanger(site);
    changeForms(own, change);
    readerRoutes(own, SEARCHES).post(`${SEARCHES}/feed`, async (reader, request, reply) => {
      const { token, hash } = newFeedToken();
      const id = await change(reader, { do: 'issue_feed', id: chosenId(request), tokenHash: hash });
      const body = feedBody(site.baseUrl, token, id);
      return show(reply.header('cache-control', 'no-store'), 'Feed of a saved search', body);
    });
    readerRoutes(own, SEARCHES).post(SEARCHES, async (reader, request, reply) => {
      const { form_token: _, ...typed } = readForm(request);
      const { name, query, every } = readParameters(Saved, typed);
      const filter = savedFilter(filterOfText(query, directory));
      const id = await change(reader, { do: 'save', name, query: queryText(filter) });
      if (every !== 'none') await chooseDigest(change, reader, id, every);
      return reply.redirect(searchPath({ key: id }), 303);
    });
  });
}

type ChangeSearch = (reader: Reader, command: SearchCommand) => Promise<string>;

/** Makes the function that changes a search, waits until it is visible, and returns its id. */
const searchChanger =
  (site: Site): ChangeSearch =>
  async (reader, command) =>
    (await commandSearches(site, reader.account.id, command)).id;

const chosenId = (request: FastifyRequest): string => readParameters(Chosen, readForm(request)).id;

/** Leads to the page that a form was on. */
const back = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply.redirect(localPath(readForm(request).back, SEARCHES), 303);

/** Has a search mailed to the verified address of its reader, or not any more. */
async function chooseDigest(change: ChangeSearch, reader: Reader, id: string, every: z.infer<typeof Every>) {
  if (every === 'none') await change(reader, { do: 'end_digest', id, by: 'page' });
  else if (reader.email === null)
    throw new Refusal('invalid_request', 'Your sign-in provided no verified e-mail address.');
  else await change(reader, { do: 'choose_digest', id, every, email: reader.email, token: newToken() });
}

/** The forms of a search: its mails, its name, marked as read, its feed revoked, removed. */
function changeForms(own: FastifyInstance, change: ChangeSearch): void {
  const fromList = readerRoutes(own, SEARCHES);
  fromList.post(`${SEARCHES}/digest`, async (reader, request, reply) => {
    const { every } = readParameters(z.object({ every: Every }), readForm(request));
    await chooseDigest(change, reader, chosenId(request), every);
    return back(request, reply);
  });
  fromList.post(`${SEARCHES}/name`, async (reader, request, reply) => {
    const { name } = readParameters(z.object({ name: SearchName }), readForm(request));
    await change(reader, { do: 'change', id: chosenId(request), name });
    return back(request, reply);
  });
  for (const [path, what] of [
    ['read', 'mark_read'],
    ['feed/revoke', 'revoke_feed'],
    ['remove', 'remove'],
  ] as const)
    fromList.post(`${SEARCHES}/${path}`, async (reader, request, reply) => {
      const id = await change(reader, { do: what, id: chosenId(request) });
      // The page of a search that was removed is gone.
      const isGone = what === 'remove' && readForm(request).back === searchPath({ key: id });
      return isGone ? reply.redirect(SEARCHES, 303) : back(request, reply);
    });
}
