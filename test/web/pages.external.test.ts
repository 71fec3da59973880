/** The pages in a browser: accessible at three widths in both themes, complete without a script, safe with hostile text. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Understanding } from '../../schemas/story.ts';
import { lacksChromium } from '../harness/chromium.ts';
import { detected, understanding } from '../projector/signal-events.ts';
import { browsedSite } from './browsed-site.ts';
import { faultsOf, WIDER } from './faults.ts';
import { appendHostileSignals, fullRecord, PAGES } from './full-record.ts';

const WIDTHS = [360, 768, 1280];
const THEMES = ['light', 'dark'] as const;
/** Pages that are not among those of the record: with filters, a form, and last the choice of lines, which is kept. */
const STATES = [
  '/?kind=stores&city=Pune&not_brand=maya-stores&outlets=2',
  '/?q=store&days=90',
  '/?sort=salience',
  '/brand/kiri-foods?city=Pune',
  '/theme/expansion?kind=stores',
  '/city/pune?days=30',
  '/tables/openings?city=Pune&from=2026-10-01',
  '/tables/openings?by=state',
  '/map?state=Maharashtra',
  '/map?days=90',
  '/results',
  '/signal/slug-kiri-pune/report',
  '/view?density=compact&to=/',
];

const RAISED: Understanding['deal'] = {
  type: 'funding',
  amount: '₹40 Cr',
  target: 'Kiri Foods',
  buyers: ['Ganga Capital'],
  status: 'agreed',
};

const visit = browsedSite((baseUrl) => fullRecord({ baseUrl, models: ['accounts', 'follows', 'inbox_reads'] }));

describe.skipIf(lacksChromium)('the pages in Chromium', () => {
  beforeAll(async () => {
    await visit.site.append(detected('raised', { understanding: understanding({ move: 'deals', deal: RAISED }) }));
  });

  for (const width of WIDTHS)
    for (const colorScheme of THEMES)
      it(`given ${width} pixels in the ${colorScheme} theme, then axe has no findings on any page and none is too wide`, async () => {
        const context = await visit.browser.newContext({ viewport: { width, height: 900 }, colorScheme });
        const page = await context.newPage();
        const faults: string[] = [];
        page.on('console', (message) => {
          if (/Content Security Policy/.test(message.text())) faults.push(message.text());
        });
        for (const path of [...PAGES, ...STATES]) {
          await page.goto(`${visit.baseUrl}${path}`);
          // Those of the page: the menu of the head, when open, lies over it.
          await page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true");
          faults.push(...(await faultsOf(page)).map((fault) => `${path}: ${fault}`));
        }
        await context.close();
        expect(faults).toEqual([]);
        // Every page of the site is loaded and checked by axe.
      }, 300_000);

  it('given no script, then a reader searches, narrows, compares and proposes', async () => {
    const context = await visit.browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(visit.baseUrl);
    await page.getByLabel('Search the record').fill('chief marketing');
    await page.getByRole('button', { name: 'Search' }).click();
    await expect.poll(() => page.getByRole('heading', { name: /Asha Rao/ }).count()).toBe(1);
    await page.goto(`${visit.baseUrl}/watch`);
    await page.getByRole('main').getByRole('link', { name: 'Kiri Foods' }).click();
    await page.getByLabel('Brands to compare, separated by commas').fill('Maya Retail');
    await page.getByRole('button', { name: 'Compare' }).click();
    expect(await page.locator('.watch thead th').allTextContents()).toEqual(['Kiri Foods', 'Maya Stores']);
    await page.goto(`${visit.baseUrl}/sources`);
    await page.getByRole('link', { name: 'Propose a source' }).click();
    await page.getByLabel('Address of a feed or page').fill('https://new.test/feed');
    await page.getByRole('button', { name: 'Propose' }).click();
    expect(await page.getByRole('status').textContent()).toContain('Thank you');
    await context.close();
  });

  it('given a keyboard alone, then the first tab stop skips to the content, and every focused element is visible', async () => {
    const page = await visit.browser.newPage();
    await page.goto(visit.baseUrl);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    await page.close();
  });

  it('given a new entry while the feed is open, then it is announced, and shown on request', async () => {
    const page = await visit.browser.newPage();
    await page.clock.install();
    await page.goto(visit.baseUrl);
    await visit.site.append(
      detected('newest', {
        published_at: '2026-11-21T04:00:00Z',
        understanding: understanding({ headline: 'Kiri Foods opens a bakery' }),
      }),
    );
    await page.clock.fastForward(46_000);
    await page.getByRole('button', { name: 'Show 1 newer entry' }).click();
    expect(await page.locator('.entry h3').first().textContent()).toBe('Kiri Foods opens a bakery');
    await page.close();
  });

  it('given the pointer on a city of the map, then its name is shown', async () => {
    const page = await visit.browser.newPage();
    await page.goto(`${visit.baseUrl}/map`);
    await page.locator('.map a[href="/map?city=Pune"]').hover();
    expect(await page.locator('.tip').textContent()).toContain('Pune: 2 openings');
    await page.close();
  });

  it('given the printed page, then links show their addresses and no control is visible', async () => {
    const page = await visit.browser.newPage();
    await page.emulateMedia({ media: 'print' });
    await page.goto(`${visit.baseUrl}/brief`);
    for (const control of await page.locator('nav, form, button').all()) expect(await control.isVisible()).toBe(false);
    const after = await page.evaluate<string>(
      "getComputedStyle(document.querySelector('.outward'), '::after').content",
    );
    expect(after).toContain('https://outlet.test/');
    await page.close();
  });

  describe('given hostile text from a source', () => {
    beforeAll(() => appendHostileSignals(visit.site));

    it('then on no page one of its scripts or links runs, and no page is wider than its window', async () => {
      const context = await visit.browser.newContext({ viewport: { width: 360, height: 800 } });
      const page = await context.newPage();
      const faults: string[] = [];
      for (const path of [...PAGES, '/signal/slug-hostile-0', '/brand/hostile']) {
        await page.goto(`${visit.baseUrl}${path}`);
        const injected = await page.evaluate<boolean>("'injected' in globalThis");
        const links = await page.evaluate<number>(
          '[...document.links].filter(({ protocol }) => !/^(https?|mailto):$/.test(protocol)).length',
        );
        const over = await page.evaluate<number>(WIDER);
        if (injected || links > 0 || over > 0) faults.push(`${path}: ${JSON.stringify({ injected, links, over })}`);
      }
      await context.close();
      expect(faults).toEqual([]);
    });
  });
});
