/** The tables as pages and as files, on real PostgreSQL. */
import { load } from 'cheerio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Understanding } from '../../schemas/story.ts';
import { type Serving, serving } from '../api/serving.ts';
import { textsOf } from '../harness/elements.ts';
import { smallFile } from '../harness/gazetteer.ts';
import { readWorkbook } from '../harness/workbook.ts';
import {
  appointment,
  brandRef,
  detected,
  held,
  opening,
  report,
  reported,
  result,
  understanding,
} from '../projector/signal-events.ts';

let site: Serving;

const get = (url: string) => site.server.inject({ url, headers: { accept: 'text/html' } });
/** The rows of a page by their column names, and what else it says. */
async function open(url: string) {
  const answer = await get(url);
  const $ = load(answer.body);
  const rows = $('tbody tr')
    .toArray()
    .map((row) =>
      Object.fromEntries(
        $(row)
          .find('td')
          .toArray()
          .map((cell) => [$(cell).attr('data-name'), $(cell).text().replace(/\s+/g, ' ').trim()]),
      ),
    );
  const totals = Object.fromEntries(
    $('.totals span:has(b)')
      .toArray()
      .map((one) => [$(one).contents().last().text().trim(), $(one).find('b').text()]),
  );
  return { answer, $, rows, totals, text: $('main').text().replace(/\s+/g, ' ') };
}
const entries = async (url: string): Promise<(string | undefined)[]> =>
  (await open(url)).rows.map(({ Entry }) => Entry);

const KIRI = brandRef('kiri-foods', 'Kiri Foods');
const MAYA = brandRef('maya-stores', 'Maya Stores');

/** A signal that was reported and published on a day of November. */
const on = (day: number, name: string, changes: Partial<Understanding>, outlet = 'Daily Trade') => {
  const at = `2026-11-${String(day).padStart(2, '0')}T04:30:00Z`;
  return detected(name, {
    published_at: at,
    report: report(name, { outlet, published_at: at }),
    understanding: understanding({ headline: `Headline of ${name}`, brands: [KIRI], cities: ['Pune'], ...changes }),
  });
};

beforeAll(async () => {
  const models = ['search', 'openings', 'appointments', 'results', 'deals', 'enforcement'];
  site = await serving({ catalogue: smallFile, models });
  const maya = (changes = {}) => opening({ brand: 'Maya Stores', city: 'Nagpur', ...changes });
  await site.append(
    on(1, 'first', { openings: [opening({ stores: null }), opening({ status: 'planned', stores: 9 })] }),
    on(5, 'second', { openings: [maya({ stores: 4 })], brands: [MAYA], cities: ['Nagpur'] }, 'Market Gazette'),
    on(9, 'third', { openings: [maya({ stores: 2, status: 'closed' })], brands: [MAYA], cities: ['Nagpur'] }),
    on(12, 'hidden', { openings: [opening({ stores: 99 })] }),
    held('hidden'),
    reported('third', report('third-again', { outlet: 'Market Gazette' })),
    on(10, 'person', { move: 'people', people: [appointment({ direction: 'joined' })] }),
    on(11, 'leaver', { move: 'people', people: [appointment({ person: 'Bina Das', direction: 'left' })] }),
    on(12, 'figures', {
      move: 'results',
      result: result({ growth_pct: -3 }),
      other_results: [result({ metric: 'profit', value: '₹12 Cr', growth_pct: 18 })],
    }),
    on(13, 'deal', {
      move: 'deals',
      deal: { type: 'acquisition', amount: '₹40 Cr', target: 'Maya Stores', buyers: ['Kiri Foods'], status: 'agreed' },
      brands: [KIRI, MAYA],
    }),
    on(14, 'order', { move: 'rules', kind: 'Penalty', headline: 'CCPA fines Kiri Foods for misleading adverts' }),
    on(15, 'notice', { move: 'rules', kind: 'Notice', headline: '=HYPERLINK("x") FSSAI notice to Kiri Foods' }),
  );
});
afterAll(() => site?.close());

describe('openings', () => {
  it('given columns that a reader hides, then the page lacks them, its links keep the choice, and files have all', async () => {
    const { $ } = await open('/tables/openings?hide=City&hide=Status');
    const heads = textsOf($, '.rows th');
    expect(heads).not.toContain('City');
    expect(heads).not.toContain('Status');
    expect(heads).toContain('Brand');
    expect($('.rows th a').last().attr('href')).toContain('hide=City&hide=Status');
    expect($('a[download]').first().attr('href')).toBe('/tables/openings.csv');
    expect($('input[name=hide][checked]')).toHaveLength(2);
  });

  it('given no filters, then every row with its date, outlet and links, newest first; held signals are missing', async () => {
    const { rows, totals, text, $ } = await open('/tables/openings');

    expect(rows.map(({ Date: date, Brand, City, Status, Stores }) => [date, Brand, City, Status, Stores])).toEqual([
      ['9 November 2026', 'Maya Stores', 'Nagpur', 'closed', '2'],
      ['5 November 2026', 'Maya Stores', 'Nagpur', 'opened', '4'],
      ['1 November 2026', 'Kiri Foods', 'Pune', 'planned', '9'],
      ['1 November 2026', 'Kiri Foods', 'Pune', 'opened', ''],
    ]);
    expect(rows[0]?.Report).toBe('Daily Trade and 1 more outlet');
    expect($('tbody a[href="https://outlet.test/second"]').text()).toBe('Market Gazette');
    expect($('tbody a[href="/signal/slug-second"]').text()).toBe('Headline of second');
    expect(totals).toEqual({
      'stores opened, at least': '5',
      'stores announced or planned, at least': '9',
      'stores closed, at least': '2',
    });
    expect(text).toContain('A report without a number of stores counts as one store: 1 of 4 rows.');
  });

  it.each([
    ['brand=Maya+Stores', ['third', 'second']],
    ['not_brand=maya-stores&status=opened', ['first']],
    ['city=Nagpur&city=Pune&status=opened', ['second', 'first']],
    ['not_city=Nagpur&status=planned', ['first']],
    ['from=2026-11-02&to=2026-11-05', ['second']],
    ['days=15&status=closed&status=opened', ['third']],
    ['outlet=market+gazette', ['second']],
    ['not_outlet=Market+Gazette&not_status=planned', ['third', 'first']],
    ['outlets=2', ['third']],
    ['brand=nobody', []],
  ])('given %s, then the rows that match', async (query, expected) => {
    expect(await entries(`/tables/openings?${query}`)).toEqual(expected.map((name) => `Headline of ${name}`));
  });

  it.each([
    ['stores', ['2', '4', '9', '']],
    ['-stores', ['9', '4', '2', '']],
    ['date', ['', '9', '4', '2']],
    ['brand', ['9', '', '2', '4']],
  ])('given the order %s, then rows without a value last, others of one value newest first', async (sort, stores) => {
    expect((await open(`/tables/openings?sort=${sort}`)).rows.map(({ Stores }) => Stores)).toEqual(stores);
  });

  it('given a column head, then its link sorts, keeps the filters, and turns the order round', async () => {
    const { $ } = await open('/tables/openings?city=Nagpur&sort=-stores');
    const head = (name: string) => $('th').filter((_, one) => $(one).text().startsWith(name));

    expect(head('Stores').attr('aria-sort')).toBe('descending');
    expect(head('Stores').find('a').attr('href')).toBe('/tables/openings?city=Nagpur&sort=stores');
    expect(head('Brand').attr('aria-sort')).toBeUndefined();
    expect(head('Brand').find('a').attr('href')).toBe('/tables/openings?city=Nagpur&sort=brand');
    expect(head('Entry').find('a')).toHaveLength(0);
  });

  it('given filters, then chips that remove one each, dates written out, and the filters of the form kept', async () => {
    const { $ } = await open('/tables/openings?brand=maya-stores&not_city=Pune&from=2026-11-02&outlets=2');
    const chips = $('.chips a')
      .toArray()
      .map((one) => [$(one).text().replace('✕', '').trim(), $(one).attr('href')]);

    expect(chips.map(([said]) => said)).toEqual([
      'Brand: Maya Stores',
      'Not City: Pune',
      'From 2 November 2026',
      'Reported by at least 2 outlets',
      'Remove all',
    ]);
    expect(chips[0]?.[1]).toBe('/tables/openings?not_city=Pune&from=2026-11-02&outlets=2');
    expect(chips[1]?.[1]).toBe('/tables/openings?brand=maya-stores&from=2026-11-02&outlets=2');
    expect($('#from-words').text()).toBe('2 November 2026');
    expect($('form.finder input[type=hidden][name=brand]').attr('value')).toBe('maya-stores');
  });

  it('given filters that no row matches, then it says which of them to remove, and how many rows there are then', async () => {
    const { $ } = await open('/tables/openings?brand=maya-stores&city=Bengaluru');
    expect(
      $('.empty li')
        .map((_, one) =>
          $(one)
            .text()
            .replace(/: \d+ rows?$/, ': some rows'),
        )
        .get(),
    ).toEqual(['Without City: Bengaluru: some rows']);
    expect($('.empty li a').attr('href')).toBe('/tables/openings?brand=maya-stores');
  });

  it('given a form with empty fields, then the short address, with names as the catalogue has them', async () => {
    const { statusCode, headers } = await get(
      '/tables/openings?brand=&city=poona&status=&from=&to=&not_brand=&outlets=',
    );
    expect([statusCode, headers.location]).toEqual([303, '/tables/openings?city=Pune']);
  });

  it.each([
    'status=open',
    'sort=secret',
    'days=0',
    'from=2026-02-30',
    'from=2026-11-09&to=2026-11-01',
    'outlets=many',
    'cursor=no-cursor',
    'city=%00',
  ])('given %s, then 400 that names what is wrong', async (query) => {
    expect((await get(`/tables/openings?${query}`)).statusCode).toBe(400);
    expect((await get(`/tables/openings.csv?${query}`)).statusCode).toBe(400);
  });
});

describe('openings by month', () => {
  /** The cells of a pivot by row, as text. */
  async function pivot(url: string) {
    const { $ } = await open(url);
    const lines = $('.pivot tr')
      .toArray()
      .map((line) => [...$(line).find('th, td')].map((cell) => $(cell).text().trim()));
    return { $, lines };
  }

  it.each([
    [
      'city',
      [
        ['Nagpur', '4', '4'],
        ['Pune', '1', '1'],
      ],
    ],
    ['state', [['Maharashtra', '5', '5']]],
    [
      'brand',
      [
        ['Maya Stores', '4', '4'],
        ['Kiri Foods', '1', '1'],
      ],
    ],
    [
      'category',
      [
        ['Value fashion', '4', '4'],
        ['Food and beverage', '1', '1'],
      ],
    ],
  ])('given rows by %s, then the stores that opened, with a total', async (by, rows) => {
    const { lines } = await pivot(`/tables/openings?by=${by}`);
    expect(lines[0]?.slice(1)).toEqual(['Nov 2026', 'Total']);
    expect(lines.slice(1, -1)).toEqual(rows);
    expect(lines.at(-1)).toEqual(['All', '5', '5']);
  });

  it('given a cell, then it leads to the rows that it sums, with the filters of the pivot', async () => {
    const { $ } = await pivot('/tables/openings?by=state&status=closed&status=planned&days=30');
    const address = $('.pivot tbody td a').first().attr('href') ?? '';
    expect(address).toBe(
      '/tables/openings?state=Maharashtra&status=closed&status=planned&from=2026-11-01&to=2026-11-30',
    );
    const { rows } = await open(address);
    expect(rows.map(({ Stores }) => Stores)).toEqual(['2', '9']);
    expect($('.pivot tbody td a').first().text()).toBe('11');
  });

  it.each([
    ['category=value_fashion', ['third', 'second']],
    ['not_category=value_fashion', ['first', 'first']],
    ['category=none', []],
    ['state=maharashtra&status=opened', ['second', 'first']],
    ['state=Karnataka', []],
    ['state=none', []],
    ['city=none', []],
    ['mall=Hill+Mall', []],
  ])('given %s, then the rows that match', async (query, expected) => {
    expect(await entries(`/tables/openings?${query}`)).toEqual(expected.map((name) => `Headline of ${name}`));
  });

  it('given a workbook, then the pivot and the rows that it sums, with category and day of the report', async () => {
    const { rawPayload, headers } = await get('/tables/openings.xlsx?by=city');
    expect(headers['content-disposition']).toBe('attachment; filename="clarity-openings.xlsx"');
    const [sums, rows] = readWorkbook(rawPayload);
    expect(sums).toEqual({
      name: 'By city',
      rows: [
        ['City', 'State', '2026-11', 'Total'],
        ['Nagpur', 'Maharashtra', 4, 4],
        ['Pune', 'Maharashtra', 1, 1],
      ],
    });
    const columns = rows?.rows[0] ?? [];
    const [category, reported] = [columns.indexOf('category'), columns.indexOf('reported_on')];
    // The report is of 9 November 2026, as a spreadsheet counts days.
    expect(rows?.rows.slice(1).map((row) => [row[category], row[reported]])[0]).toEqual(['value_fashion', 46_335]);
  });

  it('given the file of a pivot as CSV, then it has the sums alone', async () => {
    const { body } = await get('/tables/openings.csv?by=brand&status=planned');
    expect(body).toBe('\uFEFFBrand,2026-11,Total\r\nKiri Foods,9,9\r\n');
  });
});

describe('the other tables', () => {
  it('given people, then filtered by direction and by the city of the signal', async () => {
    expect(await entries('/tables/people?direction=left')).toEqual(['Headline of leaver']);
    expect(await entries('/tables/people?not_direction=left&city=Pune')).toEqual(['Headline of person']);
    expect(await entries('/tables/people?not_city=Pune')).toEqual([]);
    expect((await open('/tables/people')).totals).toEqual({ joined: '1', left: '1', promoted: '0' });
  });

  it('given results, then by quarter and metric, and sorted by growth', async () => {
    const growth = async (query: string) => (await open(`/tables/results?${query}`)).rows.map(({ Growth }) => Growth);
    expect(await growth('sort=-growth&quarter=Q2+FY27')).toEqual(['+18%', '−3%']);
    expect(await growth('metric=profit')).toEqual(['+18%']);
    expect(await growth('not_quarter=Q2+FY27')).toEqual([]);
  });

  it('given deals, then by type, status and either party', async () => {
    const { rows, totals } = await open('/tables/deals?brand=kiri-foods&type=acquisition&status=agreed');
    expect(rows).toMatchObject([
      { Type: 'acquisition', Company: 'Maya Stores', 'Buyers or investors': 'Kiri Foods', Amount: '₹40 Cr' },
    ]);
    expect(totals).toMatchObject({ agreed: '1', completed: '0' });
    expect(await entries('/tables/deals?brand=maya-stores')).toHaveLength(1);
    expect(await entries('/tables/deals?not_brand=maya-stores')).toEqual([]);
  });

  it('given enforcement, then regulator, firm, action and status', async () => {
    const { rows } = await open('/tables/enforcement?sort=regulator');
    expect(rows).toMatchObject([
      { 'Regulator or court': 'CCPA', Firm: 'Kiri Foods', Action: 'penalty', Status: 'decided' },
      { 'Regulator or court': 'FSSAI', Firm: 'Kiri Foods', Action: 'notice', Status: 'pending' },
    ]);
    expect(await entries('/tables/enforcement?not_action=notice&regulator=CCPA')).toHaveLength(1);
  });

  it('given all tables, then each is in the overview, with a link, and brand pages link to them', async () => {
    const { $ } = await open('/tables');
    for (const table of ['openings', 'people', 'results', 'deals', 'enforcement'])
      expect($(`main h2 a[href="/tables/${table}"]`)).toHaveLength(1);
    expect((await open('/')).$('nav.sections a[href="/tables"]')).toHaveLength(1);
    expect((await open('/brand/maya-stores')).$('.kinds a[href="/tables/openings?brand=maya-stores"]')).toHaveLength(1);
  });
});

describe('files', () => {
  it('given the address of a page with .csv, then the rows of the page in its order', async () => {
    const { $ } = await open('/tables/openings?city=Nagpur&sort=stores');
    const address = $('a[download]').first().attr('href') ?? '';
    const { headers, body } = await get(address);

    expect(address).toBe('/tables/openings.csv?city=Nagpur&sort=stores');
    expect(headers['content-type']).toContain('text/csv');
    expect(headers['content-disposition']).toBe('attachment; filename="clarity-openings.csv"');
    const [head, ...lines] = body.trimEnd().split('\r\n');
    expect(head).toBe(
      '\uFEFFpublished_at,brand,brand_slug,city,mall,locality,stores,status,opens_on,category,reported_on,headline,outlets,outlet,source_url,id,url',
    );
    expect(lines.map((line) => line.split(',').slice(0, 8).join(','))).toEqual([
      '2026-11-09T04:30:00.000Z,Maya Stores,maya-stores,Nagpur,,,2,closed',
      '2026-11-05T04:30:00.000Z,Maya Stores,maya-stores,Nagpur,,,4,opened',
    ]);
  });

  it('given a headline that a spreadsheet would run, then it begins with an apostrophe', async () => {
    const { body } = await get('/tables/enforcement.csv?regulator=FSSAI');
    expect(body).toContain(`"'=HYPERLINK(""x"") FSSAI notice to Kiri Foods"`);
  });

  it('given no rows, then a file of the column names alone', async () => {
    expect((await get('/tables/deals.csv?brand=nobody')).body.trimEnd().split('\r\n')).toHaveLength(1);
  });

  it('given .json, then the rows, what they add up to, and the page', async () => {
    const { rows, ...about } = (await get('/tables/openings.json?status=opened&sort=stores')).json();
    expect(about).toEqual({
      table: 'openings',
      page: 'http://clarity.test/tables/openings?status=opened&sort=stores',
      rows_total: 2,
      totals: { opened: 5, planned: 0, closed: 0, unnumbered: 1 },
      next: null,
    });
    expect(rows).toMatchObject([{ brand: 'Maya Stores', stores: 4, outlet: 'Market Gazette' }, { stores: null }]);
  });
});

describe('pages of a long table', () => {
  beforeAll(async () => {
    const many = Array.from({ length: 35 }, (_, n) =>
      opening({ brand: 'Tilak Shoes', city: 'Indore', stores: n % 5 || null }),
    );
    await site.append(
      on(2, 'many', { openings: many, brands: [brandRef('tilak-shoes', 'Tilak Shoes')], cities: ['Indore'] }),
      on(3, 'more', { openings: many, brands: [brandRef('tilak-shoes', 'Tilak Shoes')], cities: ['Indore'] }),
    );
  });

  it.each(['-date', 'date', 'stores', '-stores', 'brand', 'status'])(
    'given the order %s, then every row once, in the order of the file',
    async (sort) => {
      const seen: unknown[] = [];
      let address: string | undefined = `/tables/openings?city=Indore&sort=${sort}`;
      const { rows } = (await get(address.replace('openings', 'openings.json'))).json();
      while (address) {
        const page = await open(address);
        seen.push(...page.rows.map(({ Date: date, Stores }) => [date, Stores]));
        address = page.$('a[rel=next]').attr('href');
      }
      const written = (row: { published_at: string; stores: number | null }) => [
        `${Number(row.published_at.slice(8, 10))} November 2026`,
        row.stores === null ? '' : String(row.stores),
      ];
      expect(seen).toHaveLength(70);
      expect(seen).toEqual(rows.map(written));
    },
  );

  it('given a cursor of another order, then 400', async () => {
    const { $ } = await open('/tables/openings?city=Indore&sort=stores');
    const next = $('a[rel=next]').attr('href') ?? '';
    expect((await get(next)).statusCode).toBe(200);
    expect((await get(next.replace('sort=stores', 'sort=brand'))).statusCode).toBe(400);
    const forged = Buffer.from('["stores",false,"many","2026-11-02 04:30:00Z","sig_0000000000000000",0]');
    const cursor = forged.toString('base64url');
    expect((await get(`/tables/openings?sort=stores&cursor=${cursor}`)).statusCode).toBe(400);
  });
});
