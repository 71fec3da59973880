/**
 * The saved searches of an account: GET and POST /api/v1/searches, GET, PATCH and DELETE /api/v1/searches/{id},
 * GET …/signals, POST …/read, POST and DELETE …/feed.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { commandSearches, newFeedToken, type SearchCommand } from '../../access/subscriptions.ts';
import { newToken } from '../../access/web-sessions.ts';
import {
  loadSearch,
  loadSearches,
  queryText,
  savedFilter,
  searchDocument,
  searchFeed,
} from '../../presentation/filters.ts';
import { linkBrands, listFiltered } from '../../presentation/public-records.ts';
import { subscriptionOf } from '../../projector/models/brief-queries.ts';
import { searchesOf } from '../../projector/models/saved-searches-queries.ts';
import { quoted, Refusal } from '../../schemas/input-errors.ts';
import { Cursor, wholeNumber, YesOrNo } from '../../schemas/parameters.ts';
import { filterOfText } from '../../schemas/signal-filter.ts';
import {
  SavedSearchId,
  SearchAnswer,
  SearchBody,
  type SearchDocument,
  SearchFeed,
  SearchList,
  SearchPatch,
  SearchReadBody,
  SearchSignals,
} from '../../schemas/subscriptions.ts';
import { signalExample } from '../description/examples.ts';
import { accountOf, addRoute, defineOperation, type RouteContext, sendJson, sendValue } from '../route.ts';

const searchExample: SearchDocument = {
  id: 'sch_7c1e0a5d94b2f638',
  name: 'Deals in Surat',
  query: 'kind=deals&city=Surat',
  description: 'Kind of move: Deals, City: Surat',
  url: 'https://clarity.example/searches/sch_7c1e0a5d94b2f638',
  unread: 1,
  read_until: '2026-11-20T04:30:00.000Z',
  saved_at: '2026-11-20T04:30:00.000Z',
  feed: false,
  digest: { every: 'daily', email: 'asha@kiri.example', status: 'active' },
};
const answered = { schema: SearchAnswer, example: { search: searchExample } };
const token = 'q3p0mFh8yZr1kV5xT9wB2nL7cD4sG6jA0eR8uI1oP3Q';

const OF_ACCOUNT = { tag: 'Searches', access: 'account' } as const;
const PATH = '/api/v1/searches';
const ONE = `${PATH}/{id}` as const;
const OF_SEARCH = {
  ...OF_ACCOUNT,
  pathParameters: {
    id: { description: 'Id of the search', example: searchExample.id, schema: SavedSearchId },
  },
} as const;

const listSearches = defineOperation({
  method: 'get',
  path: PATH,
  id: 'listSearches',
  ...OF_ACCOUNT,
  summary: "The account's saved searches",
  description: 'All of them by name, each with the number of signals that are unread.',
  answers: {
    200: { description: 'The saved searches.', schema: SearchList, example: { searches: [searchExample] } },
  },
});

const saveSearch = defineOperation({
  method: 'post',
  path: PATH,
  id: 'saveSearch',
  ...OF_ACCOUNT,
  summary: 'Save a filter under a name',
  description:
    '`query` is what follows `?` in an address of the feed, with the parameters of `/feed.json`. An account may have 50 searches.',
  body: { schema: SearchBody, example: { name: 'Deals in Surat', query: 'kind=deals&city=Surat' } },
  answers: {
    200: { description: 'It is saved already, under this name and with this filter.', ...answered },
    201: { description: 'The search is saved.', ...answered, headers: { Location: 'Address of the search' } },
  },
});

const getSearch = defineOperation({
  method: 'get',
  path: ONE,
  id: 'getSearch',
  ...OF_SEARCH,
  summary: 'One saved search',
  description: 'With its mails and the number of signals that are unread.',
  answers: { 200: { description: 'The search.', ...answered } },
});

const changeSearch = defineOperation({
  method: 'patch',
  path: ONE,
  id: 'changeSearch',
  ...OF_SEARCH,
  summary: 'Change its name, its filter or its mails',
  description:
    'What is not named stays. A changed filter restarts the search: signals that match already count as read. `digest` has new signals mailed: `at_once`, `daily` or `weekly` (07:00 IST), or not any more with null. Mails go only to an address that the issuer of the sign-in verified: that of the token, or the one that the account has mails sent to already.',
  body: { schema: SearchPatch, example: { digest: 'daily' } },
  answers: { 200: { description: 'The search as it is now.', ...answered } },
});

const removeSearch = defineOperation({
  method: 'delete',
  path: ONE,
  id: 'removeSearch',
  ...OF_SEARCH,
  summary: 'Remove a saved search',
  description: 'Its mails and its feed end.',
  answers: { 204: { description: 'The search is removed.' } },
});

const SignalsQuery = z.strictObject({
  limit: wholeNumber(1, 50).default(20),
  cursor: Cursor.optional(),
  unread: YesOrNo.optional(),
});

const listSearchSignals = defineOperation({
  method: 'get',
  path: `${ONE}/signals`,
  id: 'listSearchSignals',
  ...OF_SEARCH,
  summary: 'What a saved search finds, newest first',
  description:
    'Ask for the next page with `cursor` until `next_cursor` is null; `unread=true` leaves out what is read.',
  query: SignalsQuery,
  queryExamples: { limit: 20, unread: true },
  answers: {
    200: {
      description: 'A page of signals.',
      schema: SearchSignals,
      example: { items: [signalExample], unread: 1, read_until: searchExample.read_until, next_cursor: null },
    },
  },
});

const readSearch = defineOperation({
  method: 'post',
  path: `${ONE}/read`,
  id: 'readSearch',
  ...OF_SEARCH,
  summary: 'Mark what a saved search finds as read',
  description: 'Up to a moment, by default now. An earlier moment than that of the search changes nothing.',
  body: { schema: SearchReadBody, example: { up_to: signalExample.published_at } },
  answers: { 200: { description: 'The search as it is now.', ...answered } },
});

const issueFeed = defineOperation({
  method: 'post',
  path: `${ONE}/feed`,
  id: 'issueSearchFeed',
  ...OF_SEARCH,
  summary: 'Make a feed of a saved search; its addresses are shown this once',
  description: 'Everyone who has them may read the search, until the feed is revoked. A feed that it had before ends.',
  answers: {
    201: {
      description: 'The feed.',
      schema: SearchFeed,
      example: searchFeed('https://clarity.example', token),
    },
  },
});

const revokeFeed = defineOperation({
  method: 'delete',
  path: `${ONE}/feed`,
  id: 'revokeSearchFeed',
  ...OF_SEARCH,
  summary: 'Revoke the feed of a saved search',
  description: 'Its addresses answer 404 from now on.',
  answers: { 204: { description: 'The search has no feed.' } },
});

export const SEARCH_OPERATIONS = [
  listSearches,
  saveSearch,
  getSearch,
  changeSearch,
  removeSearch,
  listSearchSignals,
  readSearch,
  issueFeed,
  revokeFeed,
];

/** What is saved of a filter in a body. @throws Refusal for a parameter that no filter has, and for no filter */
const savedQuery = (query: string, { directory }: RouteContext): string =>
  queryText(savedFilter(filterOfText(query.replace(/^\?/, ''), directory, true)));

/** Carries out a command, and waits until readers see it. */
async function change(context: RouteContext, request: FastifyRequest, command: SearchCommand) {
  if (command.do !== 'save' && !SavedSearchId.safeParse(command.id).success) throw unknownSearch(command.id);
  return commandSearches(context, accountOf(request), command);
}

async function sendSearch(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  id: string,
): Promise<FastifyReply> {
  const search = searchDocument(await loadSearch(context, accountOf(request), id), context);
  reply.header('cache-control', 'private, no-cache');
  return sendValue(reply, { search });
}

/** The verified address of the caller. @throws Refusal `invalid_request` where none is known */
async function addressOf({ database, baseUrl }: RouteContext, request: FastifyRequest): Promise<string> {
  const { email } = request.access;
  if (email) return email;
  const account = accountOf(request);
  const [searches, brief] = await Promise.all([searchesOf(database, account), subscriptionOf(database, account)]);
  const address = brief?.email ?? searches.find(({ digest_email }) => digest_email !== null)?.digest_email;
  if (address) return address;
  throw new Refusal(
    'invalid_request',
    `digest: no verified e-mail address of this account is known. Choose the mails of one search on ${baseUrl}/searches, signed in.`,
  );
}

/** Searches of the caller's account; somebody else's, and those that never were, are 404. */
export function searchRoutes(server: FastifyInstance, context: RouteContext): void {
  const { baseUrl } = context;

  addRoute(server, context, listSearches, async ({ request, reply }) => {
    const searches = await loadSearches(context, accountOf(request));
    reply.header('cache-control', 'private, no-cache');
    return sendValue(reply, { searches: searches.map((search) => searchDocument(search, context)) });
  });

  addRoute(server, context, saveSearch, async ({ request, reply, body: { name, query } }) => {
    const { id, isNew } = await change(context, request, { do: 'save', name, query: savedQuery(query, context) });
    if (isNew) reply.code(201).header('location', `${baseUrl}${PATH}/${id}`);
    return sendSearch(context, request, reply, id);
  });

  addRoute(server, context, getSearch, ({ request, reply, parameters: { id } }) =>
    sendSearch(context, request, reply, id),
  );

  addRoute(server, context, changeSearch, async ({ request, reply, parameters: { id }, body }) => {
    const { name, query, digest } = body;
    if (name === undefined && query === undefined && digest === undefined)
      throw new Refusal('invalid_request', 'Send at least one of name, query and digest.');
    // All that can be refused is refused before anything changes.
    await loadSearch(context, accountOf(request), id);
    const saved = query === undefined ? undefined : savedQuery(query, context);
    const email = digest ? await addressOf(context, request) : null;
    await change(context, request, {
      do: 'change',
      id,
      ...(name !== undefined && { name }),
      ...(saved !== undefined && { query: saved }),
    });
    if (digest === null) await change(context, request, { do: 'end_digest', id, by: 'api' });
    else if (digest && email !== null)
      await change(context, request, { do: 'choose_digest', id, every: digest, email, token: newToken() });
    return sendSearch(context, request, reply, id);
  });

  addRoute(server, context, removeSearch, async ({ request, reply, parameters: { id } }) => {
    await change(context, request, { do: 'remove', id });
    return reply.code(204).send();
  });

  readingRoutes(server, context);
}

/** What a search finds, how far it was read, and its feed. */
function readingRoutes(server: FastifyInstance, context: RouteContext): void {
  const { baseUrl, now } = context;
  addRoute(server, context, listSearchSignals, async ({ request, reply, parameters: { id }, query }) => {
    const { limit, cursor, unread: onlyUnread = false } = query;
    const { filter, unread, unread_since, read_until } = await loadSearch(context, accountOf(request), id);
    const page = { ...filter, sort: 'time', ...(cursor !== undefined && { cursor }) } as const;
    const since = onlyUnread ? { since: unread_since } : {};
    const { documents, next_cursor } = await listFiltered(context, page, { limit, ...since });
    const items = (await linkBrands(context, documents)).join(',');
    reply.header('cache-control', 'private, no-cache');
    return sendJson(
      reply,
      `{"items":[${items}],"unread":${unread},"read_until":${JSON.stringify(read_until)},"next_cursor":${JSON.stringify(next_cursor)}}`,
    );
  });

  addRoute(server, context, readSearch, async ({ request, reply, parameters: { id }, body: { up_to } }) => {
    const moment = now().toISOString();
    // What is not published yet cannot have been read.
    const upTo = up_to === undefined ? moment : [new Date(up_to).toISOString(), moment].toSorted()[0];
    await change(context, request, { do: 'mark_read', id, ...(upTo !== undefined && { upTo }) });
    return sendSearch(context, request, reply, id);
  });

  addRoute(server, context, issueFeed, async ({ request, reply, parameters: { id } }) => {
    const feed = newFeedToken();
    await change(context, request, { do: 'issue_feed', id, tokenHash: feed.hash });
    reply.code(201).header('cache-control', 'no-store');
    return sendValue(reply, searchFeed(baseUrl, feed.token));
  });

  addRoute(server, context, revokeFeed, async ({ request, reply, parameters: { id } }) => {
    await change(context, request, { do: 'revoke_feed', id });
    return reply.code(204).send();
  });
}

const unknownSearch = (id: string): Refusal =>
  new Refusal('not_found', `You have no saved search ${quoted(id)}. GET /api/v1/searches lists yours.`);
