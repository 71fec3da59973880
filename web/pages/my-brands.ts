/** GET /my-brands, POST /my-brands/add and /my-brands/read, and the follow buttons: POST /follow and /unfollow. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { addFollow, removeFollow } from '../../access/subscriptions.ts';
import { localPath } from '../../access/web-sessions.ts';
import { DAY, istDay } from '../../language/days.ts';
import { loadSearches } from '../../presentation/filters.ts';
import { listFiltered, readCursor } from '../../presentation/public-records.ts';
import { DAYS_BEFORE, findTarget, loadAccountFollows, markItemsRead } from '../../presentation/subscriptions.ts';
import { parseDocument } from '../../presentation/text.ts';
import { busiestBrands } from '../../projector/models/brands-queries.ts';
import { subscriptionOf } from '../../projector/models/brief-queries.ts';
import { countItems, countUnread, inboxItems } from '../../projector/models/follows-queries.ts';
import { decodeCursor, encodeCursor } from '../../projector/models/query-parts.ts';
import { teamListsOf } from '../../projector/models/team-lists-queries.ts';
import type { AccountId } from '../../schemas/access.ts';
import { Cursor, readParameters } from '../../schemas/parameters.ts';
import { SignalItem } from '../../schemas/resources.ts';
import { BrandSlug, SignalIdText, StoredBrandSlug } from '../../schemas/scalar.ts';
import { FollowBody, FollowId } from '../../schemas/subscriptions.ts';
import { LONGEST_NAMES, namedBrands, slugOfName, splitNames } from '../brand-names.ts';
import { densityOf } from '../feed.ts';
import { withoutDeadLinks } from '../feed-page.ts';
import { readForm, readQuery, registerForms } from '../forms.ts';
import { showPage } from '../layout.ts';
import { readerRoutes, type Site, signInAddress } from '../site.ts';
import { weekLoader } from '../week.ts';
import { type MyBrands, myBrandsBody, PATH, type Rival } from './my-brands-view.ts';

const ITEMS = { default: 20, compact: 40 } as const;
const RIVALS = 8;
const RIVAL_DAYS = 7;

const Query = z.object({
  of: z.string().max(200).optional(),
  show: z.enum(['unread', 'rivals']).optional().catch(undefined),
  left: z.string().max(LONGEST_NAMES).optional().catch(undefined),
  cursor: Cursor.optional(),
});
type Chosen = z.output<typeof Query>;

/** Brands of the same categories with most stories of the last days, without those that are followed. */
async function rivalsOf(
  { database, directory, gazetteer, now }: Site,
  followed: readonly BrandSlug[],
): Promise<Rival[]> {
  const own = new Set(followed.flatMap((slug) => directory.slugsOf(slug)));
  const categories = new Set(followed.flatMap((slug) => gazetteer.categoryOf(slug) ?? []));
  const listed = [...categories].flatMap((category) => gazetteer.brandsOf(category)).filter((slug) => !own.has(slug));
  const since = new Date(now().getTime() - RIVAL_DAYS * DAY);
  const busy = await busiestBrands(database, listed, { since, limit: RIVALS });
  return busy.flatMap(({ slug, stories }) => {
    const brand = directory.brand(directory.currentSlug(slug));
    return brand ? [{ slug: brand.slug, name: brand.name, stories }] : [];
  });
}

/** The address of the page with what was chosen, and the next place in its list. */
const olderAddress = ({ of, show }: Chosen, cursor: string | null): string | null =>
  cursor === null
    ? null
    : `${PATH}?${new URLSearchParams({ ...(of === undefined ? {} : { of }), ...(show && { show }), cursor })}`;

type Listed = Pick<MyBrands, 'signals' | 'unreadIds' | 'older'>;

/** Stories about the rivals of the last days. */
async function rivalStories(site: Site, rivals: readonly Rival[], chosen: Chosen, limit: number): Promise<Listed> {
  if (rivals.length === 0) return { signals: [], unreadIds: new Set(), older: null };
  const only = { brand: rivals.map(({ slug }) => slug) };
  const place = chosen.cursor === undefined ? {} : { cursor: chosen.cursor };
  const filter = { only, without: {}, about: true, days: DAYS_BEFORE, sort: 'time', ...place } as const;
  const { documents, next_cursor } = await listFiltered(site, filter, { limit, dated: 'reported_at' });
  const signals = documents.map((document) => parseDocument(document, SignalItem));
  return {
    signals: await withoutDeadLinks(site, signals),
    unreadIds: new Set(),
    older: olderAddress(chosen, next_cursor),
  };
}

type Follows = Awaited<ReturnType<typeof loadAccountFollows>>;

async function followedStories(
  site: Site,
  account: AccountId,
  waiting: Follows['waiting'],
  chosen: Chosen,
  limit: number,
): Promise<Listed> {
  const place = chosen.cursor === undefined ? null : readCursor(chosen.cursor, decodeCursor);
  const after = place && { at: place[0], id: place[1] };
  const entries = await inboxItems(site.database, { account, waiting, unread: chosen.show === 'unread', limit, after });
  const items = entries.slice(0, limit);
  const signals = items.map(({ document }) => parseDocument(document, SignalItem));
  const last = items.at(-1);
  return {
    signals: await withoutDeadLinks(site, signals),
    unreadIds: new Set(items.filter(({ read_at }) => read_at === null).map(({ id }) => id)),
    older: olderAddress(chosen, entries.length > limit && last ? encodeCursor([last.at, last.id]) : null),
  };
}

async function load(site: Site, request: FastifyRequest, account: AccountId, chosen: Chosen): Promise<MyBrands> {
  const { database, directory, now } = site;
  const follows = await loadAccountFollows(database, directory, account);
  const one = follows.active.find(({ slug }) => slug === chosen.of) ?? null;
  // What an ended follow delivered is no story about what the reader follows now.
  const waiting = follows.waiting.filter(({ until }) => until === null);
  const brands = follows.active.flatMap(({ type, slug }) =>
    type === 'brand' ? [directory.currentSlug(StoredBrandSlug.parse(slug))] : [],
  );
  const density = densityOf(request);
  const rivals = await rivalsOf(site, brands);
  const shown = one ? waiting.filter(({ id }) => id === one.id) : waiting;
  const [listed, unread, today, searches, lists, brief] = await Promise.all([
    chosen.show === 'rivals'
      ? rivalStories(site, rivals, chosen, ITEMS[density])
      : followedStories(site, account, shown, chosen, ITEMS[density]),
    countUnread(database, account, shown),
    countItems(database, account, waiting, new Date(`${istDay(now())}T00:00:00+05:30`)),
    loadSearches(site, account),
    teamListsOf(database, account),
    subscriptionOf(database, account),
  ]);
  const left = splitNames(chosen.left ?? '');
  return {
    ...listed,
    follows: follows.active,
    one,
    show: chosen.show ?? null,
    isNewest: chosen.cursor === undefined,
    unread,
    today,
    rivals,
    searches,
    lists,
    brief,
    left,
    density,
  };
}

/** Names that a visitor typed are kept here until the sign-in. Only our own form sets it. */
const COOKIE = 'brands';
const COOKIE_SECONDS = 3_600;

const cookie = ({ baseUrl }: Site, names: string, seconds: number): string =>
  `${COOKIE}=${encodeURIComponent(names)}; Path=${PATH}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${baseUrl.startsWith('https:') ? '; Secure' : ''}`;

/** The names that a visitor typed before the sign-in; null for none. */
function namesBefore({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  const [, kept] = /(?:^|;\s*)brands=([^;]*)/.exec(headers.cookie ?? '') ?? [];
  try {
    return kept ? decodeURIComponent(kept).slice(0, LONGEST_NAMES) : null;
  } catch {
    return null;
  }
}

/** Follows the brands that go by these names. @returns the names that no brand has */
async function followNames(site: Site, account: AccountId, text: string): Promise<string[]> {
  const typed = splitNames(text).map((name) => ({ name, slug: BrandSlug.safeParse(slugOfName(site, name)).data }));
  const { brands } = await namedBrands(
    site,
    typed.flatMap(({ slug }) => slug ?? []),
  );
  for (const { slug, name } of brands) await addFollow(site, account, { type: 'brand', slug, name, signal_id: null });
  return typed.filter(({ slug }) => !brands.some((brand) => brand.slug === slug)).map(({ name }) => name);
}

const backWith = (reply: FastifyReply, left: readonly string[]): FastifyReply =>
  reply.redirect(left.length === 0 ? PATH : `${PATH}?${new URLSearchParams({ left: left.join(', ') })}`, 303);

const Read = z.object({ up_to: SignalIdText.describe('the story up to which all are read') });
const Names = z.object({ names: z.string().max(LONGEST_NAMES).describe('names of brands, separated by commas') });

/** Newest first; a story is read when the reader marks it. */
export function myBrandsPage(server: FastifyInstance, site: Site): void {
  const loadWeek = weekLoader(site);
  server.get('/inbox', (_request, reply) => reply.redirect(`${site.baseUrl}${PATH}`, 301));
  readerRoutes(server).get(PATH, async (reader, request, reply) => {
    const typed = namesBefore(request);
    if (typed !== null) {
      reply.header('set-cookie', cookie(site, '', 0));
      return backWith(reply, await followNames(site, reader.account.id, typed));
    }
    const shown = await load(site, request, reader.account.id, readQuery(Query, request.query));
    return showPage(reply, site, {
      title: 'My brands',
      description: 'Stories about what you follow.',
      section: PATH,
      body: myBrandsBody(reader, site, shown, await loadWeek()),
    });
  });
  registerForms(server, site, (own) => {
    own.post(`${PATH}/add`, async (request, reply) => {
      const { names } = readParameters(Names, { names: readForm(request).names ?? '' });
      const { reader } = request;
      if (reader) return backWith(reply, await followNames(site, reader.account.id, names));
      return reply.header('set-cookie', cookie(site, names, COOKIE_SECONDS)).redirect(signInAddress(PATH), 303);
    });
    readerRoutes(own, PATH).post(`${PATH}/read`, async (reader, request, reply) => {
      const { back, up_to } = readForm(request);
      await markItemsRead(site, reader.account.id, readParameters(Read, { up_to }));
      return reply.redirect(localPath(back, PATH), 303);
    });
  });
}

const Unfollow = z.object({ id: FollowId.describe('the id of a follow') });

/** Each form returns to the page that it was sent from. */
export function followPage(server: FastifyInstance, site: Site): void {
  const backOf = (request: FastifyRequest): string => localPath(readForm(request).back, PATH);

  registerForms(server, site, (own) => {
    const forms = readerRoutes(own, backOf);
    forms.post('/follow', async (reader, request, reply) => {
      const { type, slug } = readForm(request);
      const { target } = readParameters(FollowBody, { target: { type, slug } });
      await addFollow(site, reader.account.id, await findTarget(site, target.type, target.slug));
      return reply.redirect(backOf(request), 303);
    });
    forms.post('/unfollow', async (reader, request, reply) => {
      const { id } = readParameters(Unfollow, readForm(request));
      await removeFollow(site, reader.account.id, id);
      return reply.redirect(backOf(request), 303);
    });
  });
}
