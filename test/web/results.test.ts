/** The results season as a page, as files and as a picture, on real PostgreSQL. */
import { load } from 'cheerio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Serving, serving } from '../api/serving.ts';
import { smallFile } from '../harness/gazetteer.ts';
import { readWorkbook } from '../harness/workbook.ts';
import { brandRef, detected, result, understanding } from '../projector/signal-events.ts';

let site: Serving;

const get = (url: string) => site.server.inject({ url, headers: { accept: 'text/html' } });

const NAMES = { 'kiri-foods': 'Kiri Foods', 'maya-stores': 'Maya Stores', 'tilak-shoes': 'Tilak Shoes' } as const;

/** A report of figures of a company. */
const figures = (
  name: string,
  day: string,
  slug: keyof typeof NAMES,
  period: string,
  [first, ...others]: readonly Parameters<typeof result>[0][],
) => {
  const of = (changes: Parameters<typeof result>[0]) =>
    result({ company: NAMES[slug], period, value: null, growth_pct: null, ...changes });
  return detected(name, {
    published_at: `${day}T04:30:00Z`,
    understanding: understanding({
      move: 'results',
      headline: `${NAMES[slug]} reports ${period}`,
      brands: [brandRef(slug, NAMES[slug])],
      result: of(first),
      other_results: others.map(of),
    }),
  });
};

beforeAll(async () => {
  site = await serving({ catalogue: smallFile, models: ['search', 'results', 'brands'] });
  await site.append(
    figures('kiri-1', '2026-08-10', 'kiri-foods', 'Q1 FY27', [
      { metric: 'revenue', value: '₹180 Cr' },
      { metric: 'profit', value: '₹9 Cr' },
    ]),
    figures('kiri-2', '2026-11-05', 'kiri-foods', 'Q2 FY27', [
      { metric: 'revenue', value: '₹200 Cr', growth_pct: 18 },
      { metric: 'profit', value: '₹12 Cr', growth_pct: -4 },
    ]),
    figures('maya-2', '2026-11-09', 'maya-stores', 'Q2 FY27', [
      { metric: 'revenue', value: '₹2,140 Cr', growth_pct: 7 },
    ]),
    figures('maya-loss', '2026-11-10', 'maya-stores', 'Q2 FY27', [{ metric: 'loss', value: '₹30 Cr', growth_pct: 5 }]),
    figures('tilak-1', '2026-08-12', 'tilak-shoes', 'Q1 FY27', [{ metric: 'revenue', value: '₹75 Cr' }]),
  );
});
afterAll(() => site?.close());

/** The rows of the table of those that reported. */
async function season(url: string) {
  const $ = load((await get(url)).body);
  const rows = $('table').first().find('tbody tr').toArray();
  const text = (cell: Parameters<typeof $>[0]): string => $(cell).text().replace(/\s+/g, ' ').trim();
  return { $, rows: rows.map((row) => $(row).find('th, td').toArray().map(text)) };
}

describe('the results season', () => {
  it('given reports of the quarter that ended, then sums in crore, growth, the quarter before, and the margin of one report', async () => {
    const { $, rows } = await season('/results');
    expect($('h1').text()).toBe('Results, Q2 FY27');
    expect(rows).toEqual([
      ['Maya StoresValue fashion', '9 Nov', '2,140', '+7%', '–', '−30', '–', '–', '–', '–', '–'],
      ['Kiri FoodsFood and beverage', '5 Nov', '200', '+18%', '180', '12', '−4%', '9', '6%', '+1', '5%'],
    ]);
    expect($('main').text()).toContain('2 of 3 companies have reported Q2 FY27');
    expect($('section:contains("Due: 1 company") tbody').text().replace(/\s+/g, ' ')).toContain(
      'Tilak ShoesFootwear75–',
    );
  });

  it.each([
    ['revenue', ['Kiri', 'Maya']],
    ['-revenue', ['Maya', 'Kiri']],
    ['-revenue_growth', ['Kiri', 'Maya']],
    ['margin', ['Kiri', 'Maya']],
    ['profit', ['Maya', 'Kiri']],
  ])('given the order %s, then companies in it, those without a value last', async (sort, names) => {
    const { rows } = await season(`/results?sort=${sort}`);
    expect(rows.map(([company]) => company?.slice(0, 4))).toEqual(names);
  });

  it('given a category, then its companies; given a quarter, then its reports', async () => {
    expect((await season('/results?category=value_fashion')).rows.map(([company]) => company)).toEqual([
      'Maya StoresValue fashion',
    ]);
    const { rows } = await season('/results?quarter=Q1+FY27&sort=company');
    expect(rows.map(([company, , revenue]) => [company?.slice(0, 4), revenue])).toEqual([
      ['Kiri', '180'],
      ['Tila', '75'],
    ]);
    expect((await get('/results?category=shoes')).statusCode).toBe(400);
  });

  it('given files, then the rows of the page and those due, with what was reported', async () => {
    const csv = (await get('/results.csv?sort=-revenue')).body;
    const [columns, maya, kiri, tilak] = csv.split('\r\n');
    expect(columns).toMatch(/^\uFEFFcompany,reported,revenue,revenue_growth,revenue_before,profit/);
    expect(maya).toMatch(/^Maya Stores,2026-11-09,2140,7,,-30,,,,,,value_fashion,Q2 FY27,Q1 FY27,"₹2,140 Cr",₹30 Cr,/);
    expect(kiri).toMatch(/^Kiri Foods,2026-11-05,200,18,180,12,-4,9,6,1,5,food_and_beverage/);
    expect(tilak).toMatch(/^Tilak Shoes,,,,75,/);
    const [sheet] = readWorkbook((await get('/results.xlsx?sort=-revenue')).rawPayload);
    expect(sheet?.rows.map(([company, , revenue]) => [company, revenue])).toEqual([
      ['company', 'revenue'],
      ['Maya Stores', 2140],
      ['Kiri Foods', 200],
      ['Tilak Shoes', null],
    ]);
  });

  it('given the chart, then the growth of the season as SVG and as PNG', async () => {
    const svg = await get('/results/chart.svg');
    expect(svg.headers['content-type']).toContain('image/svg+xml');
    expect(svg.body.match(/[+−]\d+%/g)).toEqual(['+18%', '+7%']);
    const png = await get('/results/chart.png');
    expect([png.headers['content-type'], png.rawPayload.subarray(1, 4).toString()]).toEqual(['image/png', 'PNG']);
    expect(png.rawPayload.readUInt32BE(16)).toBe(1600);
  });

  it('given a report without any figure, then it is no row, and its company is not due', async () => {
    await site.append(figures('tilak-2', '2026-11-12', 'tilak-shoes', 'Q2 FY27', [{ metric: 'profit' }]));
    const { $, rows } = await season('/results');
    expect(rows.map(([company]) => company?.slice(0, 4))).toEqual(['Maya', 'Kiri']);
    expect($('main').text()).toContain('Reported without a figure on record: Tilak Shoes.');
    expect($('main').text()).not.toContain('Due:');
    const { body } = await get('/tables/results.csv?brand=tilak-shoes');
    expect(body.trimEnd().split('\r\n')).toHaveLength(2);
  });
});
