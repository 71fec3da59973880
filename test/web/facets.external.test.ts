/** The filters of the feed in a browser: one job from the first page to the file, without a script, at three widths. */
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { lacksChromium } from '../harness/chromium.ts';
import { GURUGRAM, smallFile } from '../harness/gazetteer.ts';
import { brandRef, detected, report, reported, understanding } from '../projector/signal-events.ts';
import { browsedSite } from './browsed-site.ts';
import { fullRecord } from './full-record.ts';

const NAMES = { 'kiri-foods': 'Kiri Foods', 'maya-stores': 'Maya Stores', 'tilak-shoes': 'Tilak Shoes' } as const;

/** A story of some days before the clock of the test. */
const story = (
  days: number,
  slug: keyof typeof NAMES,
  city: string,
  { move = 'stores', outlet = 'Daily Trade' }: { move?: 'stores' | 'deals'; outlet?: string } = {},
) => {
  const name = `${slug}-${city}-${days}`.toLowerCase();
  const published_at = new Date(Date.UTC(2026, 10, 20, 12) - days * 86_400_000).toISOString();
  return detected(name, {
    published_at,
    report: report(name, { outlet, published_at }),
    understanding: understanding({
      move,
      headline: `${NAMES[slug]} ${move === 'stores' ? 'opens a store in' : 'raises money in'} ${city}, its largest in the north`,
      brands: [brandRef(slug, NAMES[slug])],
      cities: [city],
    }),
  });
};

const visit = browsedSite((baseUrl) => {
  const catalogue = { ...smallFile, cities: [...smallFile.cities, GURUGRAM] };
  return fullRecord({ baseUrl, catalogue });
});

describe.skipIf(lacksChromium)('the filters in Chromium', () => {
  beforeAll(async () => {
    await visit.site.append(
      story(2, 'kiri-foods', 'Gurugram'),
      reported('kiri-foods-gurugram-2', report('second', { outlet: 'Market Gazette' })),
      story(9, 'maya-stores', 'Gurugram', { outlet: 'Market Gazette' }),
      story(20, 'tilak-shoes', 'Gurugram'),
      story(45, 'kiri-foods', 'Gurugram'),
      story(4, 'kiri-foods', 'Gurugram', { move: 'deals' }),
      ...Array.from({ length: 24 }, (_, n) => story(n + 3, 'kiri-foods', 'Pune', { outlet: 'Bazaar Wire' })),
    );
  }, 120_000);

  it.each([390, 1366, 1920])(
    'given %d pixels, no script and the keyboard, then a reader finds all openings in Gurugram in 30 days and gets them as CSV',
    async (width) => {
      const context = await visit.browser.newContext({
        viewport: { width, height: 900 },
        javaScriptEnabled: false,
        acceptDownloads: true,
      });
      const page = await context.newPage();
      await page.goto(visit.baseUrl);
      const choose = async (name: RegExp | string): Promise<void> => {
        const summary = page.locator('.facets > summary');
        // On a narrow window the filters are one line that opens.
        if (await summary.isVisible()) {
          await summary.focus();
          await page.keyboard.press('Enter');
        }
        const link = page.locator('.facets').getByRole('link', { name, exact: true });
        await link.focus();
        await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
      };
      await choose('Stores');
      await choose('Gurugram');
      await choose('Last 30 days');

      expect(page.url()).toBe(`${visit.baseUrl}/?kind=stores&city=Gurugram&days=30`);
      expect(await page.locator('.entry').count()).toBe(3);
      expect(await page.locator('.chip').allInnerTexts()).toEqual([
        'Kind of move: Stores ✕',
        'City: Gurugram ✕',
        'Last 30 days ✕',
        'Remove all',
      ]);

      const opened = page.locator('.facets > summary');
      if (await opened.isVisible()) await opened.click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'These entries as CSV' }).click(),
      ]);
      const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
      expect(download.suggestedFilename()).toBe('clarity-signals.csv');
      expect(
        lines.slice(1).map((line) => /(Kiri Foods|Maya Stores|Tilak Shoes) opens a store/.exec(line)?.[1]),
      ).toEqual(['Kiri Foods', 'Maya Stores', 'Tilak Shoes']);

      await page.getByRole('link', { name: 'Remove the filter Last 30 days' }).click();
      expect(await page.locator('.entry').count()).toBe(4);
      await choose('Leave out Kiri Foods');
      expect(page.url()).toBe(`${visit.baseUrl}/?kind=stores&city=Gurugram&not_brand=kiri-foods`);
      expect(await page.locator('.entry').count()).toBe(2);
      await context.close();
    },
    60_000,
  );
});
