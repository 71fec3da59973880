import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Authorise } from '../../../access/authorise.ts';
import { AccountId } from '../../../schemas/access.ts';
import { CatalogueBrand } from '../../../schemas/catalogue.ts';
import { ErrorBody } from '../../../schemas/resources.ts';
import { FollowAnswer, FollowList, InboxPage } from '../../../schemas/subscriptions.ts';
import { sourceId } from '../../harness/ids.ts';
import {
  brandRef,
  detected,
  held,
  idOf,
  merged,
  report,
  reported,
  understanding,
} from '../../projector/signal-events.ts';
import { source } from '../../projector/source-events.ts';
import { type Serving, serving } from '../serving.ts';
import { searchTests } from './searches.ts';

let site: Serving;
const authorise: Authorise = () => async (request) => {
  const account = AccountId.parse(`acc_${String(request.headers['x-account'] ?? '0').padStart(16, '0')}`);
  request.access = { kind: 'key', account, name: 'test', plan: 'free', scopes: ['read'], keyId: null };
};
const call = (account: string, method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object) =>
  site.server.inject({
    method,
    url: `/api/v1/follow${path}`,
    headers: { 'x-account': account },
    ...(payload ? { payload } : {}),
  });
const follow = (account: string, type: string, slug: string) => call(account, 'POST', '', { target: { type, slug } });
const inbox = async (account: string, query = ''): Promise<InboxPage> =>
  InboxPage.parse((await call(account, 'GET', `/inbox${query}`)).json());
const ids = async (account: string, query = ''): Promise<string[]> =>
  (await inbox(account, query)).items.map(({ id }) => id);
const about = (slug: string, role: 'primary' | 'secondary' = 'primary') =>
  understanding({ theme: null, brands: [brandRef(slug, slug, role)] });
/** Minutes after the moment at which everything is followed. */
const later = (minutes: number): string => new Date(Date.UTC(2026, 10, 21, 4, 30 + minutes)).toISOString();

beforeAll(async () => {
  const zudio = CatalogueBrand.parse({
    slug: 'zudio',
    retired_slugs: ['zudio-old'],
    name: 'Zudio',
    category: 'fashion',
  });
  site = await serving({
    models: ['brands', 'follows', 'inbox_reads', 'saved_searches', 'brief_subscribers'],
    catalogue: { brands: [zudio], themes: [{ slug: 'funding', name: 'Funding', words: [], categories: [] }] },
    authorise,
  });
  await site.enrol(source());
  await site.append(detected('seed', { understanding: about('westside'), published_at: later(-60) }));
});
afterAll(() => site.close());

describe('POST, GET and DELETE /api/v1/follow', () => {
  it('given a new target, then 201; the same again, then 200 with the same follow', async () => {
    const first = await follow('1', 'brand', 'zudio');
    expect(first.statusCode).toBe(201);
    const { follow: made } = FollowAnswer.parse(first.json());
    expect(made).toMatchObject({ type: 'brand', slug: 'zudio', name: 'Zudio', channel: 'inbox' });
    expect(made.url).toBe('http://clarity.test/brand/zudio');
    const again = await follow('1', 'brand', 'zudio-old');
    expect([again.statusCode, again.json()]).toEqual([200, first.json()]);
    expect(FollowList.parse((await call('1', 'GET', '')).json())).toEqual({ follows: [made], unread: 0 });
  });

  it.each([
    ['brand', 'westside', 'westside'],
    ['theme', 'funding', 'Funding'],
    ['signal', 'slug-seed', 'Kiri Foods opens 40 stores'],
    ['source', 'daily-trade', 'Daily Trade'],
  ])('given the %s %s, then it can be followed', async (type, slug, name) => {
    const answer = await follow('2', type, slug);
    expect([answer.statusCode, answer.json().follow?.name]).toEqual([201, name]);
  });

  it.each(['brand', 'theme', 'signal', 'source'])('given an unknown %s, then 404', async (type) => {
    expect((await follow('2', type, 'nothing-here')).statusCode).toBe(404);
  });

  it.each([
    [{}, 'target is missing'],
    [{ target: { type: 'city', slug: 'pune' } }, 'target'],
    [{ target: { type: 'brand', slug: 'zudio' }, channel: 'email' }, 'channel: "email" comes in v2'],
    [{ target: { type: 'brand', slug: 'zudio' }, colour: 'red' }, '"colour" is unknown'],
    [{ target: { type: 'brand', slug: '\u0000' } }, 'target'],
  ])('given the body %j, then 400 names the field', async (body, words) => {
    const answer = await call('2', 'POST', '', body);
    expect(answer.statusCode).toBe(400);
    expect(ErrorBody.parse(answer.json()).message).toContain(words);
  });

  it('given DELETE, then 204 once, 404 again and 404 for another account; a new follow has a new id', async () => {
    const { id } = (await follow('4', 'brand', 'zudio')).json().follow;
    expect((await call('5', 'DELETE', `/${id}`)).statusCode).toBe(404);
    expect((await call('4', 'DELETE', `/${id}`)).statusCode).toBe(204);
    expect((await call('4', 'DELETE', `/${id}`)).statusCode).toBe(404);
    expect((await call('4', 'DELETE', '/nonsense')).statusCode).toBe(404);
    expect((await call('4', 'GET', '')).json()).toEqual({ follows: [], unread: 0 });
    expect((await follow('4', 'brand', 'zudio')).json().follow.id).not.toBe(id);
  });
});

describe('the inbox', () => {
  beforeAll(async () => {
    for (const [type, slug] of [
      ['brand', 'zudio'],
      ['signal', 'slug-seed'],
      ['source', 'daily-trade'],
    ] as const)
      await follow('9', type, slug);
    await follow('8', 'brand', 'zudio');
    const elsewhere = report('elsewhere', { source_id: sourceId('other'), outlet: 'Other' });
    await site.append(
      detected('before', { understanding: about('zudio'), published_at: later(-1), report: elsewhere }),
      detected('both', { understanding: about('zudio'), published_at: later(1) }),
      detected('old-slug', { understanding: about('zudio-old'), published_at: later(2), report: elsewhere }),
      detected('mention', { understanding: about('zudio', 'secondary'), published_at: later(3), report: elsewhere }),
      detected('doubt', { understanding: about('zudio'), published_at: later(4), report: elsewhere }),
      held('doubt'),
      detected('double', { understanding: about('zudio'), published_at: later(5), report: elsewhere }),
      merged('double', 'both'),
      detected('next', { understanding: about('x'), published_at: later(6), report: elsewhere, follows: idOf('seed') }),
      detected('elsewhere', { understanding: about('x'), published_at: later(7), report: elsewhere }),
      reported('elsewhere', report('ours', { first_seen_at: later(8) })),
    );
  });

  it('given signals that fit several follows, then each comes once, the newest first, with the follows it fits', async () => {
    const { items, unread, next_cursor } = await inbox('9');
    const names = ['elsewhere', 'next', 'old-slug', 'both', 'before', 'seed'];
    expect(items.map(({ id }) => id)).toEqual(names.map(idOf));
    expect(items.map(({ follows }) => follows.length)).toEqual([1, 1, 1, 2, 1, 1]);
    expect(items.map(({ delivered_at }) => delivered_at)).toEqual([8, 6, 2, 1, -1, -60].map(later));
    expect([unread, next_cursor]).toEqual([4, null]);
    expect(await ids('8')).toEqual([idOf('old-slug'), idOf('both'), idOf('before')]);
    expect(await ids('7')).toEqual([]);
  });

  it('given the 14 days before the follow, then they are there, read since it began, and nothing older', async () => {
    await site.append(
      detected('fortnight', { understanding: about('zudio'), published_at: later(-14 * 24 * 60 + 1) }),
      detected('older', { understanding: about('zudio'), published_at: later(-14 * 24 * 60 - 1) }),
    );
    const { items, unread } = await inbox('8');
    expect(items.map(({ id }) => id)).toEqual(['old-slug', 'both', 'before', 'fortnight'].map(idOf));
    expect(items.map(({ read_at }) => read_at)).toEqual([null, null, later(0), later(0)]);
    expect([unread, await ids('8', '?unread=true')]).toEqual([2, ['old-slug', 'both'].map(idOf)]);
  });

  it('given pages of one, then every item once', async () => {
    const walked: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: InboxPage = await inbox('9', `?limit=1${cursor && `&cursor=${cursor}`}`);
      walked.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(walked).toEqual(await ids('9'));
  });

  it('given items that are read, then the unread are fewer, and only for that account', async () => {
    const read = await call('9', 'POST', '/inbox/read', { ids: [idOf('next')] });
    expect([read.statusCode, read.json()]).toEqual([200, { unread: 3 }]);
    expect((await inbox('9')).items.map(({ read_at }) => read_at !== null)).toEqual([
      false,
      true,
      false,
      false,
      true,
      true,
      true,
      true,
    ]);
    expect(await ids('9', '?unread=true')).toEqual([idOf('elsewhere'), idOf('old-slug'), idOf('both')]);
    expect((await call('9', 'POST', '/inbox/read', { up_to: idOf('old-slug') })).json()).toEqual({ unread: 1 });
    expect(await ids('9', '?unread=true')).toEqual([idOf('elsewhere')]);
    expect((await call('9', 'GET', '')).json().unread).toBe(1);
    expect((await inbox('8')).unread).toBe(2);
  });

  it('given an item of another inbox, then 404; given neither or both fields, then 400', async () => {
    expect((await call('8', 'POST', '/inbox/read', { ids: [idOf('next')] })).statusCode).toBe(404);
    for (const body of [{}, { ids: [idOf('both')], up_to: idOf('both') }, { ids: [] }, { ids: ['x'] }])
      expect((await call('8', 'POST', '/inbox/read', body)).statusCode).toBe(400);
    for (const query of ['?cursor=nonsense', '?limit=0', '?unread=maybe', '?x=1'])
      expect((await call('8', 'GET', `/inbox${query}`)).statusCode).toBe(400);
  });

  it('given a follow that ended, then what comes after its end is not delivered', async () => {
    const { follows } = (await call('8', 'GET', '')).json();
    await call('8', 'DELETE', `/${follows[0].id}`);
    expect(await ids('8')).toEqual([]);
  });
});

searchTests(() => site);
