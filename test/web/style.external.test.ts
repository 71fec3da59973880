/** The kit of parts: the page of all parts looks as stored, and no page leaves the sizes and heights of the kit. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Serving } from '../api/serving.ts';
import { lacksChromium, openChromium } from '../harness/chromium.ts';
import { freePort } from '../harness/free-port.ts';
import { faultsOf } from './faults.ts';
import { fullRecord, PAGES } from './full-record.ts';

const WIDTHS = [390, 1366] as const;
const THEMES = ['light', 'dark'] as const;
const PICTURES = join(import.meta.dirname, 'style');
/** The share of pixels that may differ: other machines smooth the edges of letters otherwise. */
const TOLERANCE = 0.01;

let browser: Browser;
let site: Serving;
let baseUrl: string;

async function opened(width: number, colorScheme: 'light' | 'dark', path: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  await page.goto(`${baseUrl}${path}`);
  return page;
}

/** The share of pixels that differ between two pictures; 1 where their sizes differ. */
async function difference(one: Buffer, other: Buffer): Promise<number> {
  const page = await browser.newPage();
  const pictures = JSON.stringify([one, other].map((picture) => `data:image/png;base64,${picture.toString('base64')}`));
  const share = await page.evaluate<number>(`(async () => {
    const [one, other] = await Promise.all(${pictures}.map(async (address) => {
      const picture = new Image();
      picture.src = address;
      await picture.decode();
      const canvas = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
      canvas.drawImage(picture, 0, 0);
      return canvas.getImageData(0, 0, picture.width, picture.height);
    }));
    if (one.width !== other.width || one.height !== other.height) return 1;
    let count = 0;
    for (let at = 0; at < one.data.length; at += 4)
      if ([0, 1, 2].some((part) => Math.abs(one.data[at + part] - other.data[at + part]) > 48)) count += 1;
    return count / (one.data.length / 4);
  })()`);
  await page.close();
  return share;
}

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
  beforeAll(async () => {
    const port = await freePort();
    baseUrl = `http://localhost:${port}`;
    [browser, site] = await Promise.all([
      openChromium(),
      fullRecord({ baseUrl, models: ['accounts', 'follows', 'inbox', 'inbox_reads'] }),
    ]);
    await site.server.listen({ port, host: 'localhost' });
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  for (const width of WIDTHS)
    for (const theme of THEMES)
      it(`given ${width} pixels in the ${theme} theme, then every part looks as in the stored picture, and axe has no findings`, async () => {
        const page = await opened(width, theme, '/style');
        const picture = await page.screenshot({ fullPage: true });
        const file = join(PICTURES, `${width}-${theme}.png`);
        // A part that is changed on purpose: remove its pictures, and look at the new ones.
        if (!existsSync(file)) {
          await mkdir(PICTURES, { recursive: true });
          await writeFile(file, picture);
        }
        expect(await difference(picture, await readFile(file))).toBeLessThan(TOLERANCE);
        expect(await faultsOf(page)).toEqual([]);
        await page.close();
      });

  it.each(WIDTHS)(
    'given %d pixels, then every page has the five sizes of type and one height of controls',
    async (width) => {
      const faults: string[] = [];
      const page = await browser.newPage({ viewport: { width, height: 900 } });
      for (const path of [...PAGES, '/style', '/send?s=slug-kiri-pune', '/signal/slug-kiri-pune/report']) {
        await page.goto(`${baseUrl}${path}`);
        faults.push(...(await page.evaluate<string[]>(OUTSIDE)).map((fault) => `${path}: ${fault}`));
      }
      await page.close();
      expect([...new Set(faults)]).toEqual([]);
    },
  );

  it('given the first Tab, then the way past the navigation is shown in front of the bar', async () => {
    const page = await opened(1366, 'light', '/');
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
    const page = await opened(1366, 'light', path);
    expect((await page.locator(first).first().boundingBox())?.y).toBeLessThanOrEqual(most);
    await page.close();
  });

  it('given a phone, then every link of a story is at least 40 pixels high', async () => {
    const page = await opened(390, 'light', '/');
    const heights = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.entry a')].filter((link) => link.checkVisibility()).map((link) => link.getBoundingClientRect().height)`,
    );
    expect(heights.length).toBeGreaterThan(4);
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(40);
    await page.close();
  });
});
