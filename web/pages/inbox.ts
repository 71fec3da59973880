/** GET /inbox and POST /inbox/read: signals on what the reader follows. POST /follow and /unfollow: the follow buttons. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { addFollow, type FollowCommand, removeFollow } from '../../access/subscriptions.ts';
import { localPath, type Reader } from '../../access/web-sessions.ts';
import { formatCount } from '../../language/prose.ts';
import { loadSearches, type SavedSearch } from '../../presentation/filters.ts';
import type { Markup } from '../../presentation/markup.ts';
import { readCursor } from '../../presentation/public-records.ts';
import { type ActiveFollow, findTarget, loadAccountFollows, markItemsRead } from '../../presentation/subscriptions.ts';
import { parseDocument } from '../../presentation/text.ts';
import { waitForOwnWrite } from '../../projector/model-progress.ts';
import { countUnread, followDocument, type InboxEntry, inboxItems } from '../../projector/models/follows-queries.ts';
import { decodeCursor, encodeCursor } from '../../projector/models/query-parts.ts';
import type { AccountId } from '../../schemas/access.ts';
import { Cursor, readParameters } from '../../schemas/parameters.ts';
import { SignalItem } from '../../schemas/resources.ts';
import { SignalIdText } from '../../schemas/scalar.ts';
import { FollowBody, FollowId } from '../../schemas/subscriptions.ts';
import { signalEntry } from '../feed.ts';
import { withoutDeadLinks } from '../feed-page.ts';
import { followForm, form, readForm, registerForms } from '../forms.ts';
import { showPage } from '../layout.ts';
import { excerpt, linkRow, listPart, olderPager, subject } from '../parts.ts';
import { readerRoutes, type Site } from '../site.ts';
import { emptyPage, type Week, weekLoader } from '../week.ts';
import { searchList } from './searches-view.ts';

const ITEMS = 20;
const Query = z.object({ unread: z.literal('1').optional().catch(undefined), cursor: Cursor.optional() });
const ItemId = SignalIdText.describe('the id of an item of the inbox');
/** One item, or the item up to which all items are read. */
const Read = z.object({ id: ItemId.optional(), up_to: ItemId.optional() });

/** An entry of the inbox with its signal. */
type Entry = Omit<InboxEntry, 'document'> & { readonly signal: SignalItem };

interface Shown {
  readonly follows: readonly ActiveFollow[];
  readonly items: readonly Entry[];
  readonly unread: number;
  readonly onlyUnread: boolean;
  readonly older: string | null;
  readonly searches: readonly SavedSearch[];
}

const KINDS = { brand: 'Brand', theme: 'Theme', signal: 'Signal', source: 'Source' } as const;

const item = (reader: Reader, { id, signal, read_at }: Entry): Markup => html`<li class="${read_at ? 'read' : 'new'}">
  ${signalEntry(signal)}
  ${read_at ? null : form(reader, '/inbox/read', { id }, html`<button class="plain">Mark as read</button>`)}
</li>`;

const followed = (reader: Reader, baseUrl: string, follow: ActiveFollow): Markup => {
  const name = excerpt(follow.name, 120);
  const { url } = followDocument(follow, '', baseUrl);
  return html`<li><span class="kicker">${KINDS[follow.type]}</span> ${follow.hasPage ? html`<a href="${url.slice(baseUrl.length)}">${name}</a>` : name}
    ${followForm(reader, { ...follow, name }, follow.id, '/inbox')}</li>`;
};

const NOTHING_FOLLOWED = html`You follow nothing yet. Every brand, theme and signal has a Follow button:
  <a href="/">start with the feed</a>, or with a name.`;

function inboxBody(reader: Reader, site: Site, shown: Shown, week: Week): Markup {
  const { follows, items, unread, onlyUnread, older, searches } = shown;
  const [newest] = items;
  const heading = unread === 0 ? 'Nothing unread' : formatCount(unread, 'unread entry', 'unread entries');
  const nothing = onlyUnread
    ? 'You have read everything.'
    : 'No signals yet on what you follow. New signals appear here.';
  return html`${subject('Inbox', heading)}
  ${searchList(reader, searches, site.directory)}
  ${follows.length === 0 ? emptyPage(NOTHING_FOLLOWED, week) : null}
  ${linkRow('Filter', [
    { path: '/inbox', name: 'All', isCurrent: !onlyUnread },
    { path: '/inbox?unread=1', name: 'Unread', isCurrent: onlyUnread },
  ])}
  ${newest && unread > 0 ? form(reader, '/inbox/read', { up_to: newest.id }, html`<button class="plain">Mark all as read</button>`) : null}
  <h2 class="unseen">Entries, newest first</h2>
  <ul class="inbox">${items.map((one) => item(reader, one))}</ul>
  ${items.length === 0 && follows.length > 0 ? html`<p class="empty">${nothing}</p>` : null}
  ${olderPager(older)}
  ${listPart('What you follow', follows, () => html`<ul>${follows.map((one) => followed(reader, site.baseUrl, one))}</ul>`, 'followed')}`;
}

async function load(site: Site, account: AccountId, query: z.output<typeof Query>): Promise<Shown> {
  const { database, directory } = site;
  const place = query.cursor === undefined ? null : readCursor(query.cursor, decodeCursor);
  const onlyUnread = query.unread !== undefined;
  const { active, waiting } = await loadAccountFollows(database, directory, account);
  const after = place && { at: place[0], id: place[1] };
  const entries = await inboxItems(database, { account, waiting, unread: onlyUnread, limit: ITEMS, after });
  const listed = entries.slice(0, ITEMS);
  const signals = await withoutDeadLinks(
    site,
    listed.map(({ document }) => parseDocument(document, SignalItem)),
  );
  const items = listed.flatMap((entry, index): Entry[] => {
    const signal = signals[index];
    return signal ? [{ ...entry, signal }] : [];
  });
  const last = items.at(-1);
  const cursor = entries.length > ITEMS && last ? encodeCursor([last.at, last.id]) : null;
  const older = cursor && `/inbox?${new URLSearchParams({ ...(onlyUnread ? { unread: '1' } : {}), cursor })}`;
  const [unread, searches] = await Promise.all([countUnread(database, account, waiting), loadSearches(site, account)]);
  return { follows: active, items, unread, onlyUnread, older, searches };
}

/** Newest first; an entry is read when the reader marks it. */
export function inboxPage(server: FastifyInstance, site: Site): void {
  const loadWeek = weekLoader(site);
  readerRoutes(server).get('/inbox', async (reader, request, reply) => {
    const shown = await load(site, reader.account.id, readParameters(Query, request.query));
    return showPage(reply, site, {
      title: 'Inbox',
      description: 'What you follow, and new signals on it.',
      body: inboxBody(reader, site, shown, await loadWeek()),
    });
  });
  registerForms(server, site, (own) => {
    readerRoutes(own, '/inbox').post('/inbox/read', async (reader, request, reply) => {
      const { id, up_to } = readParameters(Read, readForm(request));
      const ids = id === undefined ? [] : [id];
      await markItemsRead(site, reader.account.id, up_to === undefined ? { ids } : { up_to });
      return reply.redirect('/inbox', 303);
    });
  });
}

const Unfollow = z.object({ id: FollowId.describe('the id of a follow') });

/** Each form returns to the page that it was sent from. */
export function followPage(server: FastifyInstance, site: Site): void {
  const { database, store, now } = site;
  const commandOf = (account: AccountId): FollowCommand => ({ store, account, now: now() });
  const backOf = (request: FastifyRequest): string => localPath(readForm(request).back, '/inbox');

  registerForms(server, site, (own) => {
    const forms = readerRoutes(own, backOf);
    forms.post('/follow', async (reader, request, reply) => {
      const { type, slug } = readForm(request);
      const { target } = readParameters(FollowBody, { target: { type, slug } });
      const followed = await findTarget(site, target.type, target.slug);
      const { position } = await addFollow(commandOf(reader.account.id), followed);
      await waitForOwnWrite(database, ['follows'], position);
      return reply.redirect(backOf(request), 303);
    });
    forms.post('/unfollow', async (reader, request, reply) => {
      const { id } = readParameters(Unfollow, readForm(request));
      await waitForOwnWrite(database, ['follows'], await removeFollow(commandOf(reader.account.id), id));
      return reply.redirect(backOf(request), 303);
    });
  });
}
