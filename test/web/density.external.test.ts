/** How much of a list a reader sees without scrolling, in a browser at three widths; and the page of a signal as a record. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { lacksChromium } from '../harness/chromium.ts';
import { brandRef, detected, idOf, report, reported, understanding } from '../projector/signal-events.ts';
import { browsedSite, LAPTOP } from './browsed-site.ts';
import { fullRecord } from './full-record.ts';

const SIZES = [
  { width: 390, height: 844, stories: 5, lines: 12, ofName: 3, ofBrief: 4 },
  { width: 1366, height: 768, stories: 9, lines: 18, ofName: 5, ofBrief: 8 },
  { width: 1920, height: 1080, stories: 13, lines: 26, ofName: 8, ofBrief: 12 },
] as const;
const OUTLETS = ['Daily Trade', 'Market Gazette', 'Bazaar Wire', 'The Retail Post'];

const visit = browsedSite((baseUrl) => fullRecord({ baseUrl, models: ['follows'], demo: true }));

/** A day of stories as long as real ones: every third of several outlets. */
const stories = Array.from({ length: 60 }, (_, n) => {
  const name = `day-${n}`;
  return [
    detected(name, {
      published_at: new Date(Date.parse('2026-11-20T15:00:00Z') - n * 900_000).toISOString(),
      understanding: understanding({
        headline: `Kiri Foods to open ${n + 3} format stores across western India by the end of the fiscal year`,
        summary: `The company said on Friday that it would open ${n + 3} stores in Maharashtra and Gujarat, funded from its own cash, and hire six hundred people for them.`,
        move: (['stores', 'deals', 'results', 'launches'] as const)[n % 4] ?? 'stores',
        delta: n % 5 === 4 ? null : `${n + 3} stores`,
        brands: [brandRef('kiri-foods', 'Kiri Foods')],
        cities: n % 2 ? ['Pune'] : [],
        event_at: null,
      }),
      report: report(name, { outlet: OUTLETS[n % 4] ?? '' }),
      follows: n === 3 ? idOf('day-20') : null,
    }),
    ...OUTLETS.slice(0, n % 3 === 0 ? 3 : 0).map((outlet, at) =>
      reported(name, report(`${name}-${at}`, { outlet, title: `Kiri Foods plans ${n + 3} stores, says chief` })),
    ),
  ];
}).flat();

/** Stories that are wholly in the window. */
const aboveTheFold = (page: Page): Promise<number> =>
  page.evaluate<number>(
    `[...document.querySelectorAll('.entry')].filter((entry) => entry.getBoundingClientRect().bottom <= innerHeight).length`,
  );

describe.skipIf(lacksChromium)('the density of reading', () => {
  beforeAll(() => visit.site.append(...stories), 180_000);

  for (const { stories: least, lines, ofName, ofBrief, ...size } of SIZES)
    for (const colorScheme of ['light', 'dark'] as const)
      it(`given ${size.width} by ${size.height} in the ${colorScheme} theme without a script, then at least ${least} stories, and ${lines} as lines`, async () => {
        await visit.within({ viewport: size, colorScheme, javaScriptEnabled: false }, async (page) => {
          await page.goto(visit.baseUrl);
          expect((await page.locator('.bar').boundingBox())?.height).toBe(48);
          const shown = await aboveTheFold(page);
          await page.getByRole('link', { name: 'Compact' }).click();
          await page.locator('.feed.compact').waitFor();
          const listed = await aboveTheFold(page);
          expect(shown).toBeGreaterThanOrEqual(least);
          expect(listed).toBeGreaterThanOrEqual(lines);
          await page.goto(`${visit.baseUrl}/view?density=default&to=/`);
          for (const [path, count] of [
            ['/brand/kiri-foods', ofName],
            ['/city/pune', ofName],
            ['/brief', ofBrief],
          ] as const) {
            await page.goto(`${visit.baseUrl}${path}`);
            expect(await aboveTheFold(page), path).toBeGreaterThanOrEqual(count);
          }
          await page.goto(`${visit.baseUrl}/view?density=compact&to=/`);
          // The choice is kept for the next page, and taken back by the other link.
          await page.goto(`${visit.baseUrl}/brand/kiri-foods`);
          expect(await page.locator('.feed.compact').count()).toBe(1);
          await page.getByRole('link', { name: 'Summaries' }).click();
          expect([page.url(), await page.locator('.feed.compact').count()]).toEqual([
            `${visit.baseUrl}/brand/kiri-foods`,
            0,
          ]);
        });
      }, 120_000);

  it('given the citations, then a button copies each; without a script their text is shown', async () => {
    const citation = new RegExp(`^@misc\\{${idOf('day-3')},[^]*url = \\{${visit.baseUrl}/signal/slug-day-3\\}`);
    await visit.within({ ...LAPTOP, permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
      await page.goto(`${visit.baseUrl}/signal/slug-day-3`);
      await page.getByText('Cite', { exact: true }).click();
      await page.getByRole('button', { name: 'Copy BibTeX' }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      expect(await page.evaluate<string>('navigator.clipboard.readText()')).toMatch(citation);
    });
    await visit.within({ ...LAPTOP, javaScriptEnabled: false }, async (page) => {
      await page.goto(`${visit.baseUrl}/signal/slug-day-3`);
      expect(await page.locator('[data-copy=BibTeX] pre').textContent()).toMatch(citation);
      expect(await page.getByRole('button', { name: /^Copy/ }).count()).toBe(0);
    });
  });
});
