/** One date rule: what people read shows, and is sorted by, the date of the first report. */
import { load } from 'cheerio';
import RssParser from 'rss-parser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CatalogueBrand } from '../../schemas/catalogue.ts';
import type { BrandSlug } from '../../schemas/scalar.ts';
import { type Serving, serving } from '../api/serving.ts';
import { brandSlug } from '../harness/ids.ts';
import { appointment, detected, opening, report, result, understanding } from '../projector/signal-events.ts';

let site: Serving;
const get = async (url: string): Promise<string> => {
  const answer = await site.server.inject({ url, headers: { accept: url.includes('.') ? '*/*' : 'text/html' } });
  expect([url, answer.statusCode]).toEqual([url, 200]);
  return answer.body;
};
const json = async (url: string) => (await site.server.inject({ url })).json();

const about = (slug: BrandSlug) => [{ slug, name: 'Zudio', role: 'primary' as const, provisional: false }];
/** A signal that was published at one time, and reported at another. */
const signal = (name: string, published_at: string, reported: string) =>
  detected(name, {
    published_at,
    understanding: understanding({
      headline: `Zudio is ${name}`,
      brands: about(brandSlug('zudio')),
      openings: [opening({ brand: 'Zudio' })],
      people: [appointment({ company: 'Zudio' })],
      result: result({ company: 'Zudio' }),
    }),
    report: report(name, { published_at: reported }),
  });

beforeAll(async () => {
  const zudio = CatalogueBrand.parse({ slug: 'zudio', name: 'Zudio', category: 'fashion' });
  site = await serving({
    models: ['brands', 'search', 'openings', 'appointments', 'results'],
    catalogue: { brands: [zudio], themes: [] },
  });
  await site.append(
    signal('fresh', '2026-11-20T05:00:00Z', '2026-11-20T04:40:00Z'),
    // Found by the first poll of its source, after the other one was published.
    signal('late', '2026-11-21T04:00:00Z', '2026-11-16T05:00:00Z'),
  );
});
afterAll(() => site.close());

const FRESH = '2026-11-20T04:40:00.000Z';
const LATE = '2026-11-16T05:00:00.000Z';

describe('the date that people read', () => {
  it.each(['/feed', '/brand/zudio/feed', '/theme/expansion/feed'])(
    'given %s, then RSS, Atom and JSON are sorted and dated by the first report',
    async (feed) => {
      for (const ending of ['rss', 'atom']) {
        const { items } = await new RssParser().parseString(await get(`${feed}.${ending}`));
        expect(items.map(({ title, isoDate }) => [title, isoDate])).toEqual([
          ['Zudio is fresh', FRESH],
          ['Zudio is late', LATE],
        ]);
      }
      const { items } = JSON.parse(await get(`${feed}.json`));
      const dated = (item: { title: string; date_published: string }) => [
        item.title,
        new Date(item.date_published).toISOString(),
      ];
      expect(items.map(dated)).toEqual([
        ['Zudio is fresh', FRESH],
        ['Zudio is late', LATE],
      ]);
    },
  );

  it('given pages of a feed, then the next one begins after the last date', async () => {
    const first = JSON.parse(await get('/feed.json?limit=1'));
    const second = JSON.parse(await get(first.next_url.replace('http://clarity.test', '')));
    expect([...first.items, ...second.items].map(({ title }) => title)).toEqual(['Zudio is fresh', 'Zudio is late']);
  });

  it('given days, then the first report counts', async () => {
    expect(JSON.parse(await get('/feed.json?days=2')).items).toHaveLength(1);
    expect(load(await get('/?days=2'))('.entry h3').text()).toBe('Zudio is fresh');
  });

  it('given CSV, then it has both dates', async () => {
    const [names, ...rows] = (await get('/feed.csv')).trim().split('\r\n');
    expect(names?.split(',').slice(0, 3)).toEqual(['id', 'reported_at', 'published_at']);
    expect(
      rows.map((row) =>
        row
          .split(',')
          .slice(1, 3)
          .map((at) => new Date(at).toISOString()),
      ),
    ).toEqual([
      [FRESH, '2026-11-20T05:00:00.000Z'],
      [LATE, '2026-11-21T04:00:00.000Z'],
    ]);
  });

  it.each(['/', '/brand/zudio', '/theme/expansion', '/city/pune'])(
    'given %s, then days are those of reports',
    async (path) => {
      const $ = load(await get(path));
      expect(
        $('.entry')
          .toArray()
          .map((entry) => [$('h3', entry).text(), $('time', entry).first().attr('datetime')]),
      ).toEqual([
        ['Zudio is fresh', '2026-11-20T04:40:00Z'],
        ['Zudio is late', '2026-11-16T05:00:00Z'],
      ]);
    },
  );

  it('given Competitor Watch, then its latest moves too, and its counts are of what was published in the window', async () => {
    const $ = load(await get('/watch?b=zudio'));
    const items = $('.stories li').toArray();
    expect(items.map((item) => [$('a', item).text(), $('time', item).attr('datetime')?.slice(0, 10)])).toEqual([
      ['Zudio is fresh', '2026-11-20'],
      ['Zudio is late', '2026-11-16'],
    ]);
    const { brands } = await json('/api/v1/watch?b=zudio');
    expect(brands[0].total).toBe(2);
    expect(brands[0].latest[1]).toMatchObject({
      published_at: '2026-11-21T04:00:00Z',
      reported_at: '2026-11-16T05:00:00Z',
    });
  });

  it.each(['openings', 'people', 'results'])(
    'given the table of %s, then pages, files and the API agree',
    async (table) => {
      const $ = load(await get(`/tables/${table}`));
      const rows = $('main table tbody tr').toArray();
      expect(rows.map((row) => $('time', row).first().attr('datetime'))).toEqual([FRESH, LATE]);
      const { rows: answered } = await json(`/api/v1/tables/${table}`);
      expect(answered.map(({ reported_at }: { reported_at: string }) => reported_at)).toEqual([FRESH, LATE]);
      const lines = (await get(`/tables/${table}.csv`)).trim().split('\r\n');
      expect(lines.slice(1).map((line) => /,(2026-\d\d-\d\d),/.exec(line.replace(/^[^,]*/, ''))?.[1])).toEqual([
        '2026-11-20',
        '2026-11-16',
      ]);
      const since = await json(`/api/v1/tables/${table}?since=2026-11-18`);
      expect(since.rows).toHaveLength(1);
    },
  );

  it('given the REST list, then it is by publication, as the contract says', async () => {
    const { signals } = await json('/api/v1/signals');
    expect(signals.map(({ headline }: { headline: string }) => headline)).toEqual(['Zudio is late', 'Zudio is fresh']);
  });
});
