/** The kit of parts: no page leaves the sizes and heights of the kit. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { lacksChromium } from '../harness/chromium.ts';
import { browsedSite } from './browsed-site.ts';
import { fullRecord, PAGES } from './full-record.ts';

const WIDTHS = [390, 1366] as const;

const visit = browsedSite((baseUrl) => fullRecord({ baseUrl, models: ['accounts', 'follows', 'inbox_reads'] }));

const opened = (width: number, path: string): Promise<Page> => visit.open(path, { viewport: { width, height: 900 } });

/** Letters and controls that are not of the kit: sizes other than its five, heights other than its one. */
const OUTSIDE = `(() => {
  const kit = getComputedStyle(document.documentElement);
  const sizes = ['--t1', '--t2', '--t3', '--t4', '--t5'].map((name) => parseFloat(kit.getPropertyValue(name)) * 16);
  const control = parseFloat(kit.getPropertyValue('--control'));
  const shown = (part) => part.checkVisibility({ visibilityProperty: true }) && !part.closest('svg, .unseen, .skip');
  const texts = [...document.querySelectorAll('body *')].filter((part) =>
    shown(part) && !part.closest('code, pre, kbd, sup, option, input, select, textarea, .nameplate') &&
    [...part.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''));
  const controls = [...document.querySelectorAll('button, .button, select, input:not([type=checkbox]):not([type=radio]):not([type=hidden])')]
    .filter((part) => shown(part) && !part.matches('.chip'));
  const nameOf = (part) => part.tagName + '.' + part.className + ' "' + part.textContent.trim().slice(0, 30) + '"';
  return [
    ...texts.filter((part) => !sizes.some((size) => Math.abs(size - parseFloat(getComputedStyle(part).fontSize)) < 0.2))
      .map((part) => nameOf(part) + ' has ' + getComputedStyle(part).fontSize),
    ...controls.filter((part) => Math.abs(part.getBoundingClientRect().height - control) > 1)
      .map((part) => nameOf(part) + ' is ' + part.getBoundingClientRect().height + ' high'),
  ];
})()`;

describe.skipIf(lacksChromium)('the kit of parts', () => {
  it.each(WIDTHS)(
    'given %d pixels, then every page has the five sizes of type and one height of controls',
    async (width) => {
      const faults: string[] = [];
      const page = await visit.browser.newPage({ viewport: { width, height: 900 } });
      for (const path of [...PAGES, '/send?s=slug-kiri-pune', '/signal/slug-kiri-pune/report']) {
        await page.goto(`${visit.baseUrl}${path}`);
        faults.push(...(await page.evaluate<string[]>(OUTSIDE)).map((fault) => `${path}: ${fault}`));
      }
      await page.close();
      expect([...new Set(faults)]).toEqual([]);
    },
  );

  it('given the first Tab, then the way past the navigation is shown in front of the bar', async () => {
    const page = await opened(1366, '/');
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to the record' });
    const { x = 0, y = 0, height = 0 } = (await skip.boundingBox()) ?? {};
    expect(height).toBeGreaterThan(24);
    expect(await page.evaluate(`document.elementFromPoint(${x + 5}, ${y + 5}).className`)).toBe('skip');
    await page.close();
  });

  it.each([
    ['/tables/openings', '.rows tbody tr', 220],
    ['/city/pune', '.entry', 220],
    ['/brand/kiri-foods', '.entry', 260],
    ['/brief', '.entry', 220],
  ])('given %s at 1366 pixels, then what it lists begins within reach', async (path, first, most) => {
    const page = await opened(1366, path);
    expect((await page.locator(first).first().boundingBox())?.y).toBeLessThanOrEqual(most);
    await page.close();
  });

  it('given a phone, then every link of a story is at least 40 pixels high', async () => {
    const page = await opened(390, '/');
    const heights = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.entry a')].filter((link) => link.checkVisibility()).map((link) => link.getBoundingClientRect().height)`,
    );
    expect(heights.length).toBeGreaterThan(4);
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(40);
    await page.close();
  });
});
