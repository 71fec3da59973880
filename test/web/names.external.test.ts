/** Pages of names and what leads to them, in Chromium: cities, themes, groups and brands, the search that offers them, an entry, the brief without a network. */
import { load } from 'cheerio';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { lacksChromium } from '../harness/chromium.ts';
import { textsOf } from '../harness/elements.ts';
import { browsedSite, LAPTOP } from './browsed-site.ts';
import { faultsOf } from './faults.ts';
import { fullRecord } from './full-record.ts';

const visit = browsedSite((baseUrl) => fullRecord({ baseUrl, models: ['follows'] }));

const PHONE = { viewport: { width: 390, height: 844 } };

const boxOf = async (page: Page, selector: string) => {
  const box = await page.locator(selector).first().boundingBox();
  if (!box) throw new Error(`${selector} is not shown on ${page.url()}`);
  return box;
};

/** The titles of the entries of a feed. */
const titlesOf = async (address: string): Promise<string[]> => {
  const $ = load(await (await fetch(`${visit.baseUrl}${address}`)).text(), { xml: true });
  return textsOf($, 'item > title, entry > title');
};

describe.skipIf(lacksChromium)('pages of names in Chromium', () => {
  it.each([
    ['/city/pune', '.rail'],
    ['/theme/expansion', '.facets'],
    ['/group/food', '.rail'],
    ['/brand/kiri-foods', '.charts'],
  ])(
    'given %s, then its stories are first and at the left of %s, it is followed, and announces feeds with these stories',
    async (path, right) => {
      await visit.within(LAPTOP, async (page) => {
        await page.goto(`${visit.baseUrl}${path}`);
        const [entry, rail] = [await boxOf(page, '.entry'), await boxOf(page, right)];
        expect(entry.y).toBeLessThan(260);
        expect(rail.x).toBeGreaterThanOrEqual(entry.x + entry.width);
        await page
          .getByRole('link', { name: /follow/i })
          .first()
          .waitFor();
        const shown = await page.locator('.entry h3').allTextContents();
        for (const type of ['application/rss+xml', 'application/atom+xml']) {
          const address = await page.locator(`link[rel=alternate][type="${type}"]`).first().getAttribute('href');
          expect(await titlesOf(address ?? ''), type).toEqual(expect.arrayContaining(shown));
        }
        expect(await faultsOf(page)).toEqual([]);
      });
    },
  );

  it.each([
    ['/city/PUNE', 'Openings in Pune', /Kiri Foods.*\d+ Nov · Daily Trade/s],
    ['/group/FOOD', 'Openings of Food', /(Kiri Foods.*Pune|Maya Stores.*Nagpur).*\d+ Nov · Daily Trade/s],
  ])(
    'given %s, then four figures, what opened and what is planned, each with its day and outlet',
    async (path, name, row) => {
      await visit.within(LAPTOP, async (page) => {
        await page.goto(`${visit.baseUrl}${path}`);
        expect(page.url()).toBe(`${visit.baseUrl}${path.toLowerCase()}`);
        const rail = page.getByRole('complementary', { name });
        expect(await rail.locator('.figures dt').count()).toBe(4);
        for (const heading of ['Opened', 'Announced and planned']) {
          const part = rail
            .locator('section')
            .filter({ has: page.getByRole('heading', { name: heading, exact: true }) });
          expect(await part.getByRole('listitem').first().textContent()).toMatch(row);
        }
        expect(await faultsOf(page)).toEqual([]);
      });
    },
  );

  it('given a brand, then what it is, and its owner and owned brands one click away', async () => {
    await visit.within(LAPTOP, async (page) => {
      await page.goto(`${visit.baseUrl}/brand/kiri-cafe`);
      const line = page.locator('.identity');
      expect(await line.textContent()).toMatch(/restaurants and cafes.*owned by Kiri Foods/is);
      await line.getByRole('link', { name: 'Kiri Foods' }).click();
      await page.waitForURL(`${visit.baseUrl}/brand/kiri-foods`);
      expect(await line.textContent()).toMatch(/Kiri Café.*Kiri Juice/s);
      await line.getByRole('link', { name: 'Kiri Juice' }).click();
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('Kiri Juice');
    });
  });

  it('given letters in the search of the bar, then brands, cities, people and headlines are offered; on a phone a result has its day in the line of outlets', async () => {
    await visit.within(LAPTOP, async (page) => {
      await page.goto(visit.baseUrl);
      const field = page.getByLabel('Search the record');
      const offers = async (typed: string, expected: RegExp) => {
        await field.fill('');
        await field.pressSequentially(typed);
        await expect
          .poll(() => page.getByRole('option').allTextContents())
          .toContainEqual(expect.stringMatching(expected));
      };
      await offers('kiri f', /^Kiri Foods.*Brand/);
      await offers('pun', /^Pune.*City/);
      await offers('asha', /^Asha Rao.*Person/);
      await offers('revenue rises', /^Kiri Foods revenue rises.*Story/);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForURL(`${visit.baseUrl}/signal/slug-kiri-results`);
    });
    await visit.within(PHONE, async (page) => {
      await page.goto(`${visit.baseUrl}/?q=kiri`);
      const [hour, outlets] = [await boxOf(page, '.entry .hour'), await boxOf(page, '.entry .about')];
      const middle = hour.y + hour.height / 2;
      expect(middle).toBeGreaterThan(outlets.y);
      expect(middle).toBeLessThan(outlets.y + outlets.height);
      expect(await page.locator('.entry .hour').first().textContent()).toMatch(/Nov/);
    });
  });

  it('given an entry of several outlets, then its day, who reported it, the report, and near stories of its brand and kind', async () => {
    await visit.within(LAPTOP, async (page) => {
      await page.goto(`${visit.baseUrl}/signal/slug-kiri-pune`);
      const head = page.locator('.signal > .subject');
      expect(await head.textContent()).toMatch(
        /20 November 2026.* · Daily Trade and 1 more, .* · Read at Daily Trade/s,
      );
      await head.getByText('Cite', { exact: true }).click();
      for (const way of ['Link', 'Text', 'Markdown', 'BibTeX'])
        await head.getByRole('heading', { name: way, exact: true }).waitFor();
      const near = page.getByRole('complementary', { name: 'About this entry' });
      expect(await near.textContent()).toMatch(/Kiri Foods revenue rises.*More of Stores.*Maya Stores opens/s);
      // What is only an earlier story is no reason.
      expect(await page.getByRole('heading', { name: 'Why it matters' }).count()).toBe(0);
    });
  });

  it('given no network, then the last brief is shown in place of a page', async () => {
    await visit.within(LAPTOP, async (page) => {
      await page.goto(`${visit.baseUrl}/brief`);
      const shown = await page.locator('.entry h3').allTextContents();
      expect(shown.length).toBeGreaterThan(0);
      await page.evaluate('navigator.serviceWorker.ready');
      await expect
        .poll(() => page.evaluate<boolean>("caches.match('/brief').then((kept) => kept !== undefined)"))
        .toBe(true);
      await page.context().setOffline(true);
      await page.goto(`${visit.baseUrl}/people`);
      expect(await page.locator('.entry h3').allTextContents()).toEqual(shown);
    });
  });
});
