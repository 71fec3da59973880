/** The map in a browser: choosing places, enlarging, the list that follows, by pointer, by keyboard and without a script. */
import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { serving } from '../api/serving.ts';
import { lacksChromium, WIDTHS_AND_THEMES } from '../harness/chromium.ts';
import { smallFile } from '../harness/gazetteer.ts';
import { detected, opening, understanding } from '../projector/signal-events.ts';
import { browsedSite } from './browsed-site.ts';
import { faultsOf } from './faults.ts';

const THANE = {
  name: 'Thane',
  aliases: [],
  state: 'Maharashtra',
  latitude: 19.2,
  longitude: 72.97,
  common_word: false,
};
const MUMBAI = { ...THANE, name: 'Mumbai', latitude: 19.07, longitude: 72.88 };

const opened = (city: string, count: number) =>
  detected(`opened-${city}`.toLowerCase(), {
    understanding: understanding({
      headline: `Kiri Foods opens in ${city}`,
      cities: [city],
      openings: Array.from({ length: count }, (_, n) => opening({ city, mall: `Mall ${n}`, stores: 1 })),
    }),
  });

const visit = browsedSite((baseUrl) => {
  const catalogue = { ...smallFile, cities: [...smallFile.cities, MUMBAI, THANE] };
  return serving({ baseUrl, catalogue, models: ['brands', 'openings'] });
});
const openMap = (path = '/map', options: BrowserContextOptions = {}): Promise<Page> => visit.open(path, options);

const citiesInList = (page: Page): Promise<string[]> =>
  page.locator('.list tbody tr').filter({ visible: true }).locator('th').allInnerTexts();

describe.skipIf(lacksChromium)('the map in Chromium', () => {
  beforeAll(async () => {
    await visit.site.append(
      ...Object.entries({ Bengaluru: 5, Mumbai: 4, Pune: 3, Thane: 2, Nagpur: 1 }).map(([city, count]) =>
        opened(city, count),
      ),
    );
  });

  it('given a click on a city, then the page is narrowed to it without being left; back undoes it', async () => {
    const page = await openMap();
    await page.evaluate('window.kept = true');
    await page.getByRole('link', { name: /^Pune: / }).click();
    await page.getByRole('heading', { level: 1, name: 'Who is opening in Pune' }).waitFor();
    expect([page.url(), await page.title()]).toEqual([
      `${visit.baseUrl}/map?city=Pune`,
      'Who is opening in Pune · Clarity',
    ]);
    expect(await page.locator('.marker[aria-current]').getAttribute('href')).toBe('/map?city=Pune');
    expect(await page.locator('[data-part=details]').innerText()).not.toContain('Bengaluru');
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Who is opening where' }).waitFor();
    expect(await page.evaluate<boolean>('window.kept')).toBe(true);
    await page.context().close();
  });

  it('given a marker of several cities, then a click separates them, and the list follows what the map shows', async () => {
    const page = await openMap();
    expect(await citiesInList(page)).toEqual(['Bengaluru', 'Mumbai', 'Pune', 'Thane', 'Nagpur']);
    await page.getByRole('link', { name: /^Mumbai, Thane: 6 openings/ }).click();
    await page.getByText(/in view, /).waitFor();
    await page.getByRole('button', { name: 'Enlarge the map' }).click();
    await page.getByRole('link', { name: /^Thane: 2 openings/ }).waitFor();
    await page.getByText('3 cities in view, 9 openings').waitFor();
    expect(await citiesInList(page)).toEqual(['Mumbai', 'Pune', 'Thane']);
    await page.getByRole('button', { name: 'All of the map' }).click();
    await page.getByText('5 cities with openings').waitFor();
    await page.context().close();
  });

  it('given the keyboard alone, then a city is chosen, and the map enlarged and moved', async () => {
    const page = await openMap();
    await page.getByRole('link', { name: /^Bengaluru: / }).focus();
    await page.keyboard.press('+');
    await page.keyboard.press('+');
    await page.getByText(/in view, /).waitFor();
    const before = await page.locator('.map svg').getAttribute('viewBox');
    await page.keyboard.press('ArrowUp');
    expect(await page.locator('.map svg').getAttribute('viewBox')).not.toBe(before);
    // The marker that gets the focus comes into the window.
    await page.getByRole('link', { name: /^Nagpur: / }).focus();
    await expect.poll(() => citiesInList(page)).toContain('Nagpur');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${visit.baseUrl}/map?city=Nagpur`);
    await page.keyboard.press('0');
    await page.getByText('5 cities with openings').waitFor();
    await page.context().close();
  });

  it('given no script, then states and cities are links, and every list is there', async () => {
    const page = await openMap('/map', { javaScriptEnabled: false });
    expect(await page.getByRole('button', { name: /map/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Karnataka' }).click();
    await page.waitForURL(`${visit.baseUrl}/map?state=Karnataka`);
    expect(await page.locator('[data-part=found] dd').first().innerText()).toBe('5');
    await page.locator('.marker[href="/map?city=Pune"]').first().click();
    await page.waitForURL(`${visit.baseUrl}/map?city=Pune`);
    await page.context().close();
  });

  it.each(WIDTHS_AND_THEMES)(
    'given %d pixels in the %s theme, then axe has no findings on the enlarged map',
    async (width, colorScheme) => {
      const page = await openMap('/map', { viewport: { width, height: 900 }, colorScheme });
      await page.getByRole('button', { name: 'Enlarge the map' }).click();
      await page.getByText(/in view, /).waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await page.context().close();
    },
  );
});
