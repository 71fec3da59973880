/** Days of work in a browser from start to end: an analyst of openings, one of results, and an operator's morning. */
import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CatalogueBrand } from '../../schemas/catalogue.ts';
import { type Serving, serving } from '../api/serving.ts';
import { lacksChromium, openChromium, signInAt } from '../harness/chromium.ts';
import { freePort } from '../harness/free-port.ts';
import { smallFile } from '../harness/gazetteer.ts';
import { brandSlug } from '../harness/ids.ts';
import { readWorkbook } from '../harness/workbook.ts';
import { brandRef, detected, idOf, opening, result, understanding } from '../projector/signal-events.ts';
import { polled, SOURCE, source } from '../projector/source-events.ts';
import { OPERATOR, type SigningIn } from './people/signing-in.ts';
import { withDesk } from './pipeline.desk.ts';

const slugOf = (name: string): string => name.toLowerCase().replaceAll(' ', '-');
const named = (name: string) => [brandRef(slugOf(name), name)];

/** A store that opens on a day. */
const store = (day: string, brand: string, city: string, stores: number) => {
  const name = `${slugOf(brand)}-${city.toLowerCase()}-${day}`;
  return detected(name, {
    published_at: `${day}T04:30:00Z`,
    understanding: understanding({
      headline: `${brand} opens ${stores} stores in ${city}`,
      brands: named(brand),
      cities: [city],
      openings: [opening({ brand, city, stores })],
    }),
  });
};

/** Figures of the second quarter. */
const figures = (day: string, company: string, [revenue, growth]: readonly [string, number], profit: string) =>
  detected(`results-${slugOf(company)}`, {
    published_at: `${day}T04:30:00Z`,
    understanding: understanding({
      move: 'results',
      headline: `${company} reports its second quarter`,
      brands: named(company),
      result: result({ company, period: 'Q2 FY27', metric: 'revenue', value: revenue, growth_pct: growth }),
      other_results: [result({ company, period: 'Q2 FY27', metric: 'profit', value: profit, growth_pct: null })],
    }),
  });

/** The file that a link of a page downloads. */
async function downloadOf(page: Page, link: string): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: link, exact: true }).click(),
  ]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

const sum = (values: readonly unknown[]): number => values.reduce<number>((all, one) => all + Number(one), 0);

let browser: Browser;

describe.skipIf(lacksChromium)('jobs of analysts in Chromium', () => {
  let site: Serving;
  let baseUrl: string;

  beforeAll(async () => {
    const port = await freePort();
    baseUrl = `http://localhost:${port}`;
    const models = ['search', 'brands', 'openings', 'results'];
    [browser, site] = await Promise.all([openChromium(), serving({ baseUrl, catalogue: smallFile, models })]);
    await site.append(
      store('2026-09-30', 'Kiri Foods', 'Pune', 50),
      store('2026-10-02', 'Kiri Foods', 'Pune', 3),
      store('2026-10-20', 'Kiri Juice', 'Nagpur', 2),
      store('2026-11-03', 'Kiri Foods', 'Pune', 4),
      store('2026-11-10', 'Kiri Foods', 'Bengaluru', 1),
      store('2026-11-11', 'Tilak Shoes', 'Pune', 9),
      figures('2026-11-05', 'Kiri Foods', ['₹200 Cr', 18], '₹12 Cr'),
      figures('2026-11-09', 'Maya Stores', ['₹2,140 Cr', 7], '₹107 Cr'),
    );
    await site.server.listen({ port, host: 'localhost' });
  });
  afterAll(async () => {
    await site?.close();
  });

  const newPage = async (): Promise<Page> =>
    (await browser.newContext({ viewport: { width: 1366, height: 768 }, acceptDownloads: true })).newPage();

  it('given openings of a category in a quarter, then by city and month as a workbook that adds up to its rows', async () => {
    const page = await newPage();
    await page.goto(`${baseUrl}/tables/openings`);
    await page.getByLabel('Category', { exact: true }).first().selectOption('Food and beverage');
    await page.getByText('More', { exact: true }).click();
    await page.locator('#from').fill('2026-10-01');
    await page.locator('#to').fill('2026-12-31');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('link', { name: 'By city', exact: true }).click();

    const { name, bytes } = await downloadOf(page, 'This table as Excel');
    expect(name).toBe('clarity-openings.xlsx');
    const [sums, rows] = readWorkbook(bytes);
    expect(sums?.rows).toEqual([
      ['City', 'State', '2026-10', '2026-11', 'Total'],
      ['Pune', 'Maharashtra', 3, 4, 7],
      ['Nagpur', 'Maharashtra', 2, 0, 2],
      ['Bengaluru', 'Karnataka', 0, 1, 1],
    ]);
    const columns = rows?.rows[0] ?? [];
    const listed = rows?.rows.slice(1) ?? [];
    const of = (column: string) => listed.map((row) => row[columns.indexOf(column)]);
    expect(new Set(of('category'))).toEqual(new Set(['food_and_beverage']));
    expect(sum(of('stores'))).toBe(10);

    // A cell leads to the rows that it sums.
    await page.getByRole('row', { name: /^Pune/ }).getByRole('link', { name: '4', exact: true }).click();
    await page.waitForURL(/city=Pune/);
    expect(await page.locator('.rows tbody td[data-name=Stores]').allInnerTexts()).toEqual(['4']);

    // Next to the map, from its filters: every category, 90 days.
    await page.goto(`${baseUrl}/map?city=Pune`);
    const byMonth = page
      .locator('section')
      .filter({ has: page.getByRole('heading', { name: 'By month', exact: true }) });
    expect((await byMonth.getByRole('row', { name: /^Pune/ }).innerText()).split(/\s+/).at(-1)).toBe('66');
    await page.context().close();
  });

  it('given the season of a category, then its table sorted, as CSV, and its chart for a slide', async () => {
    const page = await newPage();
    await page.goto(baseUrl);
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Results' }).click();
    await page.getByLabel('Category').selectOption('Food and beverage');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/category=food_and_beverage/);
    await page.getByRole('link', { name: 'Revenue', exact: true }).click();
    await page.waitForURL(/sort=-revenue/);
    const shown = await page.getByRole('region', { name: 'Results of Q2 FY27' }).locator('tbody tr').allInnerTexts();
    expect(shown.map((row) => row.split('\n')[0])).toEqual(['Maya Stores', 'Kiri Foods']);

    const csv = await downloadOf(page, 'This table as CSV');
    expect(csv.name).toBe('clarity-results-q2-fy27.csv');
    expect(csv.bytes.toString()).toMatch(/\r\nMaya Stores,2026-11-09,2140,7,,107,/);
    const png = await downloadOf(page, 'Chart PNG');
    expect([png.name, png.bytes.readUInt32BE(16), png.bytes.readUInt32BE(20)]).toEqual([
      'clarity-results-q2-fy27-chart.png',
      1_600,
      900,
    ]);
    const svg = await downloadOf(page, 'Chart SVG');
    expect(svg.bytes.toString()).toContain('+18%');
    await page.context().close();
  });
});

const KIRI = CatalogueBrand.parse({ slug: 'kiri-foods', name: 'Kiri Foods', category: 'food_and_beverage' });

describe.skipIf(lacksChromium)("an operator's morning in Chromium", () => {
  let people: SigningIn;

  beforeAll(async () => {
    const models = [
      'audit',
      'audit_actors',
      'review',
      'brands',
      'catalogue',
      'search',
      'oracle',
      'openings',
      'signals',
    ];
    [browser, people] = await Promise.all([browser ?? openChromium(), withDesk(models, {}, { brands: [KIRI] })]);
    const provisional = [
      { slug: brandSlug('quillon-bakery'), name: 'Quillon Bakery', role: 'primary' as const, provisional: true },
    ];
    await people.site.enrol(source({ outlet: 'Sona Samachar' }));
    const failed = {
      outcome: 'failed',
      http_status: 410,
      error: { code: 'gone', message: 'the feed is gone' },
    } as const;
    const polls = people.site.engine.topics.topic('polls');
    await polls.publish([1, 2, 3].map((hour) => ({ key: SOURCE, event: polled(failed, hour) })));
    await people.site.append(
      store('2026-11-20', 'Kiri Foods', 'Pune', 40),
      detected('plant', { understanding: understanding({ move: 'deals', headline: 'Kiri Foods sells its plant' }) }),
      detected('quillon', {
        understanding: understanding({ headline: 'Quillon Bakery opens in Surat', brands: provisional }),
      }),
    );
  });
  afterAll(async () => {
    await browser?.close();
    await people?.close();
  });

  it('given a mistake that a reader reported, then the opening is corrected, a wrong headline too, a candidate is decided, and a failing source repaired', async () => {
    const id = idOf('kiri-foods-pune-2026-11-20');
    const reader = await (await browser.newContext()).newPage();
    await reader.goto(`${people.baseUrl}/signal/slug-kiri-foods-pune-2026-11-20/report`);
    await reader.locator('main select').first().selectOption({ index: 1 });
    await reader.locator('textarea').first().fill('These are shops of others, not stores.');
    await reader.getByRole('main').getByRole('button').last().click();
    await reader.context().close();

    const page = await signInAt(
      await browser.newContext({ viewport: { width: 1366, height: 900 } }),
      `${people.baseUrl}/operate`,
      OPERATOR,
    );
    await expect
      .poll(async () => {
        await page.reload();
        return page.locator('.board a').filter({ hasText: 'mistakes reported by readers' }).innerText();
      })
      .toMatch(/^1/);
    await page
      .getByRole('link', { name: /^Review: / })
      .first()
      .click();
    const one = page.locator(`#${id}`);
    await one.getByText('Correct fields').click();
    for (const field of await one.locator('select[name^="openings.0."]').all()) await field.selectOption('');
    for (const field of await one.locator('input[name^="openings.0."]').all()) await field.fill('');
    await one.locator(`#why-correct-${id}`).fill('No store of its own.');
    await one.getByRole('button', { name: 'Correct' }).click();
    await one.waitFor({ state: 'detached' });

    await page.goto(`${people.baseUrl}/tables/openings`);
    expect(await page.locator('.rows tbody tr').count()).toBe(0);
    await page.goto(`${people.baseUrl}/operate`);
    expect(await page.locator('.board a').filter({ hasText: 'mistakes reported by readers' }).innerText()).toMatch(
      /^0/,
    );

    await page.getByRole('link', { name: /names without a page/ }).click();
    await page
      .getByRole('button', { name: /^Accept/ })
      .first()
      .click();
    await page.waitForLoadState();
    await expect
      .poll(async () => {
        await page.goto(`${people.baseUrl}/operate`);
        return page.locator('.board a').filter({ hasText: 'names without a page' }).innerText();
      })
      .toMatch(/^0/);

    // A headline that says the opposite: readers and the corrections have the right one.
    await page.goto(`${people.baseUrl}/signal/slug-plant`);
    await page.getByRole('link', { name: 'Review this entry' }).click();
    const plant = page.locator(`#${idOf('plant')}`);
    await plant.getByText('Correct fields').click();
    await plant.getByLabel('Headline').fill('Kiri Foods buys a plant');
    await plant.locator(`#why-correct-${idOf('plant')}`).fill('It is the buyer.');
    await plant.getByRole('button', { name: 'Correct' }).click();
    await plant.waitFor({ state: 'detached' });
    await page.goto(`${people.baseUrl}/signal/slug-plant`);
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Kiri Foods buys a plant');
    await page.goto(`${people.baseUrl}/corrections`);
    expect(await page.locator('main').innerText()).toContain('It is the buyer.');

    // The board names the source that fails, with its reason; its page has the way to repair it.
    await page.goto(`${people.baseUrl}/operate`);
    const state = page.getByRole('complementary', { name: 'How the service does' });
    expect(await state.innerText()).toMatch(/LAST CORRECTIONS\s+Kiri Foods buys a plant/i);
    const failing = page.getByRole('listitem').filter({ hasText: 'Sona Samachar' });
    expect(await failing.innerText()).toContain('the feed is gone');
    await failing.getByRole('link').click();
    await page.getByText('Edit', { exact: true }).click();
    await page.getByLabel('Address', { exact: true }).fill('https://outlet.test/feeds/all');
    await page.locator('#why-edit').fill('The outlet moved its feed.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The outlet moved its feed.').waitFor();
    expect(await page.getByLabel('Address', { exact: true }).inputValue()).toBe('https://outlet.test/feeds/all');
    await page.context().close();
  }, 60_000);
});
