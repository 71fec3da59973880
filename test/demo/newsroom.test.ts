import { load } from 'cheerio';
import Parser from 'rss-parser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listTruth } from '../../demo/desk.ts';
import { type Newsroom, startNewsroom } from '../../demo/newsroom.ts';
import { Source } from '../../schemas/source.ts';

const NOW = new Date('2026-11-21T04:30:00Z');
let now = NOW;
let newsroom: Newsroom;

beforeAll(async () => {
  newsroom = await startNewsroom({ port: 0, clock: () => now });
});
afterAll(() => newsroom.close());

// No keep-alive: a newsroom that stops could close the connection during the next request.
const once = { headers: { connection: 'close' } };
const bytes = async (address: string): Promise<Buffer> => Buffer.from(await (await fetch(address, once)).arrayBuffer());
const text = async (address: string): Promise<string> => {
  const response = await fetch(address);
  const charset = /charset=(\S+)/.exec(response.headers.get('content-type') ?? '')?.[1] ?? 'utf-8';
  return new TextDecoder(charset).decode(await response.arrayBuffer());
};
const sourceOf = (id: string) => {
  const source = newsroom.sources.find((one) => one.id === `demo-${id}`);
  if (!source) throw new Error(`no source ${id}`);
  return source;
};
/** Addresses of news items as each kind of source gives them, tracking parameters removed. */
async function addressesIn(source: Source): Promise<string[]> {
  const body = await text(source.url);
  const clean = (address: string): string => new URL(address, source.url).href.replace(/\?.*$/, '');
  if (body.startsWith('{')) return JSON.parse(body).items.map((item: { url: string }) => clean(item.url));
  if (source.kind === 'news_sitemap') {
    const $ = load(body, { xml: true });
    return $('url > loc')
      .map((_, loc) => clean($(loc).text()))
      .get();
  }
  if (source.kind === 'html') {
    const $ = load(body);
    const { item = '', link = '' } = source.selectors ?? {};
    return $(item)
      .map((_, entry) => clean($(entry).find(link).attr('href') ?? ''))
      .get();
  }
  const feed = await new Parser().parseString(body);
  return feed.items.map(({ link = '' }) => clean(link));
}

describe('the newsroom over HTTP', () => {
  it('has an outlet of every kind, valid as a roster, all marked as demo', () => {
    expect(new Set(newsroom.sources.map(({ kind }) => kind))).toEqual(new Set(['feed', 'html', 'news_sitemap']));
    for (const source of newsroom.sources) {
      expect(Source.safeParse(source).success).toBe(true);
      expect(source.outlet).toMatch(/\(demo\)$/);
    }
  });

  it('lists exactly the items of its ground truth in its feeds and pages', async () => {
    const { events, noise } = listTruth(() => NOW, newsroom.url);
    const expected = [
      ...noise,
      ...events.flatMap((e) => [...e.reports, ...e.corrections, ...e.resurfaced, ...e.oracle]),
    ];
    for (const source of newsroom.sources) {
      const addresses = await addressesIn(source);
      const expectedUrls = expected.filter(({ source_id }) => source_id === source.id).map(({ url }) => url);
      expect(addresses.toSorted(), source.id).toEqual(expectedUrls.toSorted());
    }
  });

  it('gives listing pages a headline and a date in each entry', async () => {
    for (const source of newsroom.sources.filter(({ kind }) => kind === 'html')) {
      const $ = load(await text(source.url));
      const { item = '', title = '', date = '' } = source.selectors ?? {};
      $(item).each((_, entry) => {
        expect($(entry).find(title).text().trim()).not.toBe('');
        const when = $(entry).find(date);
        expect(Date.parse(when.attr('datetime') ?? when.text())).not.toBeNaN();
      });
    }
  });

  it('keeps its deliberate faults: double encoding, dates without a time zone, an old character set', async () => {
    const dukaan = (await bytes(sourceOf('dukaan').url)).toString();
    expect(dukaan).toContain('&amp;#039;');
    expect((await bytes(sourceOf('corner').url)).toString()).toMatch(
      /<pubDate>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d<\/pubDate>/,
    );
    expect((await bytes(sourceOf('rupee').url)).toString()).toMatch(/ IST<\/pubDate>/);
    expect((await bytes(sourceOf('sona').url)).toString('latin1')).toContain('encoding="ISO-8859-1"');
  });

  it('serves an article with its canonical address, marked as demo data', async () => {
    const report = listTruth(() => NOW, newsroom.url).events[0]?.reports[0];
    const $ = load(await text(report?.url ?? ''));
    expect($('link[rel=canonical]').attr('href')).toBe(report?.url);
    expect($('.demo').text()).toContain('Demo data');
    expect($('h1').text()).not.toBe('');
  });

  it('redirects an article under another title to its own address', async () => {
    const report = listTruth(() => NOW, newsroom.url).events[0]?.reports[0];
    const response = await fetch(`${report?.url.replace(/[^/]+$/, 'another-title')}`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([301, report?.url]);
  });

  it('answers 304 to a client that has the document, by tag or by date', async () => {
    for (const { url } of newsroom.sources) {
      const first = await fetch(url);
      const etag = first.headers.get('etag') ?? '';
      const modified = first.headers.get('last-modified') ?? '';
      await first.arrayBuffer();
      expect((await fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304);
      expect((await fetch(url, { headers: { 'if-modified-since': modified } })).status).toBe(304);
      const other = await fetch(url, { headers: { 'if-none-match': '"other"', 'if-modified-since': modified } });
      expect(other.status).toBe(200);
      await other.arrayBuffer();
    }
  });

  it('has another tag once something new is listed', async () => {
    const tags = async (): Promise<(string | null)[]> =>
      Promise.all(newsroom.sources.map(async ({ url }) => (await fetch(url, { method: 'HEAD' })).headers.get('etag')));
    const before = await tags();
    now = new Date(NOW.getTime() + 15 * 60_000);
    const after = await tags();
    now = NOW;
    expect(after.filter((tag, index) => tag !== before[index])).not.toEqual([]);
  });

  it('gives the same bytes after a restart at the same time', async () => {
    const before = await Promise.all(newsroom.sources.map(({ url }) => bytes(url)));
    const port = Number(new URL(newsroom.url).port);
    await newsroom.close();
    newsroom = await startNewsroom({ port, clock: () => now });
    const after = await Promise.all(newsroom.sources.map(({ url }) => bytes(url)));
    expect(after.every((body, index) => body.equals(before[index] ?? Buffer.alloc(0)))).toBe(true);
  });

  it.each([
    ['GET', '/nowhere', 404],
    ['GET', '/patrika/news/live-99999999999/x', 404],
    ['GET', '/patrika/news/live-9999999999/x', 404],
    ['GET', '/patrika/news/zudio-surat-trio-c9999/x', 404],
    ['GET', '/patrika/../../etc/passwd', 404],
    ['GET', '/%00', 404],
    ['POST', '/', 405],
  ])('given %s %s, then %i', async (method, path, status) => {
    const response = await fetch(newsroom.url + path, { method });
    await response.arrayBuffer();
    expect(response.status).toBe(status);
  });

  it('reports a port that is in use', async () => {
    await expect(startNewsroom({ port: Number(new URL(newsroom.url).port) })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });
});
