/** The tables in a browser: one job from the first page to the file, at three widths, without a script. */
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { serving } from '../api/serving.ts';
import { lacksChromium, WIDTHS } from '../harness/chromium.ts';
import { GURUGRAM, smallFile } from '../harness/gazetteer.ts';
import { brandRef, detected, opening, report, reported, understanding } from '../projector/signal-events.ts';
import { browsedSite } from './browsed-site.ts';

const visit = browsedSite((baseUrl) => {
  const models = ['search', 'brands', 'openings', 'appointments', 'results', 'deals', 'enforcement'];
  const catalogue = { ...smallFile, cities: [...smallFile.cities, GURUGRAM] };
  return serving({ baseUrl, catalogue, models });
});

/** A store that opens in a city, days before the clock of the test. */
const store = (days: number, brand: string, city: string, changes: Parameters<typeof opening>[0] = {}) => {
  const name = `${brand}-${city}-${days}`.toLowerCase().replaceAll(' ', '-');
  const published = new Date(Date.UTC(2026, 10, 21) - days * 86_400_000).toISOString();
  const brands = [brandRef(brand.toLowerCase().replaceAll(' ', '-'), brand)];
  const headline = `${brand} opens a store in ${city}, its largest in the north, with a café and a tailor`;
  return detected(name, {
    published_at: published,
    report: report(name, { published_at: published }),
    understanding: understanding({
      headline,
      brands,
      cities: [city],
      openings: [opening({ brand, city, ...changes })],
    }),
  });
};

describe.skipIf(lacksChromium)('the tables in Chromium', () => {
  beforeAll(async () => {
    await visit.site.append(
      store(2, 'Kiri Foods', 'Gurugram', { stores: 3, mall: 'Ambience Mall' }),
      reported('kiri-foods-gurugram-2', report('second', { outlet: 'Market Gazette' })),
      store(9, 'Maya Stores', 'Gurugram', { stores: null, status: 'announced', date: '2026-12-05' }),
      store(20, 'Tilak Shoes', 'Gurugram', { status: 'closed', stores: 2 }),
      store(45, 'Kiri Foods', 'Gurugram', { stores: 8 }),
      store(3, 'Kiri Foods', 'Pune', { stores: 1 }),
    );
  });

  it.each(WIDTHS)(
    'given %d pixels and no script, then a reader finds the openings in Gurugram of the last 30 days and gets them as CSV',
    async (width) => {
      const context = await visit.browser.newContext({
        viewport: { width, height: 900 },
        javaScriptEnabled: false,
        acceptDownloads: true,
      });
      const page = await context.newPage();
      await page.goto(visit.baseUrl);
      // Sections for which the bar has no room are in its menu.
      const inBar = page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Tables' });
      if (!(await inBar.isVisible())) await page.getByText('Menu', { exact: true }).click();
      await page.getByRole('banner').getByRole('link', { name: 'Tables' }).filter({ visible: true }).first().click();
      await page.getByRole('main').getByRole('link', { name: 'Openings', exact: true }).click();
      await page.getByLabel('City').first().fill('Gurgaon');
      await page.getByRole('button', { name: 'Filter' }).click();
      await page.getByRole('link', { name: '30 days', exact: true }).click();

      expect(page.url()).toBe(`${visit.baseUrl}/tables/openings?city=Gurugram&days=30`);
      expect(await page.getByRole('row').count()).toBe(4);
      expect(await page.locator('.chip').allInnerTexts()).toEqual(['City: Gurugram ✕', 'Last 30 days ✕', 'Remove all']);

      // By keyboard: a column head is a link like any other.
      await page.getByRole('link', { name: 'Stores', exact: true }).focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(/sort=-stores$/);
      expect(await page.locator('th[aria-sort="descending"]').innerText()).toContain('Stores');

      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'These rows as CSV' }).click(),
      ]);
      const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
      expect(download.suggestedFilename()).toBe('clarity-openings.csv');
      expect(lines.slice(1).map((line) => line.split(',').filter((_, at) => [1, 3, 6, 7].includes(at)))).toEqual([
        ['Kiri Foods', 'Gurugram', '3', 'opened'],
        ['Tilak Shoes', 'Gurugram', '2', 'closed'],
        ['Maya Stores', 'Gurugram', '', 'announced'],
      ]);

      await page.getByRole('link', { name: 'Remove the filter Last 30 days' }).click();
      expect(await page.getByRole('row').count()).toBe(5);
      await context.close();
    },
    60_000,
  );

  it('given a script, then a chosen day is written out next to its field at once', async () => {
    const page = await visit.browser.newPage();
    await page.goto(`${visit.baseUrl}/tables/openings`);
    await page.getByText('More', { exact: true }).click();
    await page.getByLabel('From').fill('2026-11-03');
    await expect.poll(() => page.locator('#from-words').innerText()).toBe('3 November 2026');
    await page.close();
  });
});
