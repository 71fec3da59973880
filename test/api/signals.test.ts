import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ErrorBody, SignalPage } from '../../schemas/resources.ts';
import { detected, held, released, understanding } from '../projector/signal-events.ts';
import { type Serving, serving } from './serving.ts';

let site: Serving;
const get = async (query = '', headers: Record<string, string> = {}) =>
  site.server.inject({ method: 'GET', url: `/api/v1/signals${query}`, headers });
const slugs = async (query: string): Promise<string[]> =>
  SignalPage.parse((await get(query)).json()).signals.map(({ slug }) => slug);

beforeAll(async () => {
  site = await serving();
  const brand = (slug: string, role: 'primary' | 'secondary') => ({ slug, name: slug, role, provisional: false });
  await site.tell(
    detected('old', { published_at: '2026-11-18T18:29:59Z', understanding: understanding({ move: 'deals' }) }),
    detected('mid', {
      published_at: '2026-11-18T18:30:00Z',
      understanding: understanding({
        theme: null,
        brands: [brand('other', 'primary'), brand('kiri-foods', 'secondary')],
      }),
    }),
    detected('new', { published_at: '2026-11-20T10:00:00Z' }),
    detected('again', { status: 'resurfaced', status_reason: 'told before' }),
    detected('doubt'),
    held('doubt'),
  );
});
afterAll(() => site.close());

describe('GET /api/v1/signals', () => {
  it('given public, held and resurfaced signals, then the public ones come newest first in the form of the contract', async () => {
    const answer = await get();
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    const page = SignalPage.parse(answer.json());
    expect(page.signals.map(({ slug }) => slug)).toEqual(['slug-new', 'slug-mid', 'slug-old']);
    expect(page.next_cursor).toBeNull();
    expect(page.signals[0]?.url).toBe('http://clarity.test/signal/slug-new');
  });

  it('given a signal that is released, then who asks for what came since the last call gets it, newest first', async () => {
    const last = '2026-12-24T10:00:00Z';
    const another = await serving();
    await another.tell(
      detected('seen', { published_at: '2026-12-24T09:59:00Z' }),
      detected('doubt', { status: 'held', status_reason: 'it has no date' }),
    );
    const listed = async (query: string): Promise<[string, string][]> => {
      const page = await another.server.inject({ method: 'GET', url: `/api/v1/signals${query}` });
      return SignalPage.parse(page.json()).signals.map(({ slug, published_at }) => [slug, published_at]);
    };
    expect(await listed(`?since=${last}`)).toEqual([]);

    await another.tell({ ...released('doubt'), time: '2026-12-24T10:00:05Z' });

    expect(await listed(`?since=${last}`)).toEqual([['slug-doubt', '2026-12-24T10:00:05Z']]);
    expect(await listed('?limit=1')).toEqual([['slug-doubt', '2026-12-24T10:00:05Z']]);
    await another.close();
  });

  it.each([
    ['?brand=kiri-foods', ['slug-new', 'slug-old']],
    ['?brand=kiri-foods&mentions=true', ['slug-new', 'slug-mid', 'slug-old']],
    ['?brand=kiri-foods&mentions=false', ['slug-new', 'slug-old']],
    ['?theme=expansion', ['slug-new', 'slug-old']],
    ['?kind=deals', ['slug-old']],
    ['?kind=stores&brand=kiri-foods', ['slug-new']],
    ['?since=2026-11-19', ['slug-new', 'slug-mid']],
    ['?since=2026-11-18T18:30:01Z', ['slug-new']],
    ['?since=2026-11-19T00:00:00+05:30', ['slug-new', 'slug-mid']],
    ['?since=2027-01-01', []],
    ['?since=0000-01-01&limit=1', ['slug-new']],
  ])('given the filter %s, then it lists %j', async (query, expected) => {
    expect(await slugs(query)).toEqual(expected);
  });

  it.each([
    ['?colour=red', ['"colour"', 'brand, mentions, theme, kind, since, limit, cursor']],
    ['?limit=0', ['limit', '"0"', '1 to 50']],
    ['?limit=51', ['limit', '"51"', '1 to 50']],
    ['?limit=1e1', ['limit', '"1e1"']],
    ['?limit=', ['limit', '""']],
    ['?limit=5&limit=6', ['limit', '2 times']],
    ['?kind=gossip', ['kind', '"gossip"', 'stores, deals, people']],
    ['?mentions=maybe', ['mentions', '"maybe"', 'true or false']],
    ['?since=yesterday', ['since', '"yesterday"', 'ISO 8601']],
    ['?since=2026-02-30', ['since', '"2026-02-30"']],
    ['?brand=Not%20A%20Slug', ['brand', '"Not A Slug"', 'slug']],
    ['?brand=%00', ['brand']],
    ['?theme=a%27%3B--', ['theme']],
    ['?cursor=nonsense', ['cursor', '"nonsense"', 'next_cursor']],
    ['?cursor=!!', ['cursor', '"!!"', 'next_cursor']],
    ['?__proto__=1', ['__proto__']],
  ])('given the query %s, then 400 names the parameter, what was sent and what is allowed', async (query, words) => {
    const answer = await get(query);
    expect(answer.statusCode).toBe(400);
    const body = ErrorBody.parse(answer.json());
    expect(body.error).toBe('invalid_request');
    for (const word of words) expect(body.message).toContain(word);
  });

  it('given an ETag of before, then 304 without a body until something new is told', async () => {
    const first = await get('?limit=1');
    const tag = String(first.headers.etag);
    const same = await get('?limit=1', { 'if-none-match': `"other", ${tag}` });
    expect(same.statusCode).toBe(304);
    expect(same.body).toBe('');
    expect(same.headers.etag).toBe(tag);
    expect((await get('?limit=2', { 'if-none-match': tag })).statusCode).toBe(200);
  });

  it('given HEAD, then the headers of GET and no body', async () => {
    const [head, full] = [await site.server.inject({ method: 'HEAD', url: '/api/v1/signals' }), await get()];
    expect(head.statusCode).toBe(200);
    expect(head.body).toBe('');
    expect(head.headers.etag).toBe(full.headers.etag);
    expect(head.headers['content-length']).toBe(full.headers['content-length']);
  });
});
