/** The desk of sources in a browser, on the whole program: see why a source is degraded, repair its address and poll it. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { lacksChromium, openChromium } from '../harness/chromium.ts';
import { type Clarity, startClarity } from '../harness/clarity.ts';
import { dataFolder } from '../harness/data-folder.ts';
import { freePort } from '../harness/free-port.ts';
import { type Outlets, startOutlets } from '../harness/outlets.ts';
import { WAIT_OPTIONS } from '../harness/wait-options.ts';
import { faultsOf } from './faults.ts';

const OPERATOR = 'olga@clarity.test';
const DESK = '/operate/sources';
/** Where pictures of the pages are written, for people to look at; nowhere when unset. */
const PICTURES = process.env.PICTURES;

let folder: string;
let outlets: Outlets;
let clarity: Clarity;
let browser: Browser;
let baseUrl: string;

async function openDesk(options: BrowserContextOptions = {}): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage();
  await page.goto(`${baseUrl}${DESK}`);
  await page.getByRole('link', { name: /^Sign in at/ }).click();
  await page.getByLabel('E-mail address').fill(OPERATOR);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${baseUrl}${DESK}`);
  return page;
}

describe.skipIf(lacksChromium)('the desk of sources in Chromium', () => {
  beforeAll(async () => {
    folder = await dataFolder('clarity-sources');
    outlets = await startOutlets(['daily-trade', 'market-times', 'new-paper', 'other'], 3_600);
    const published = new Date();
    for (const [at, outlet] of ['daily-trade', 'market-times', 'new-paper', 'other'].entries())
      outlets.publish(outlet, {
        guid: `zudio-${at}`,
        title: `Zudio opens ${at + 2}0,000 sq ft store at Phoenix Marketcity, Pune`,
        summary: 'Zudio has opened a store in Pune.',
        published,
      });
    const roster = join(folder, 'live.yaml');
    const of = (id: string, path: string): string => `  - { id: ${id}, outlet: ${id}, url: ${outlets.url}/${path} }\n`;
    await writeFile(roster, `sources:\n${of('daily-trade', 'daily-trade')}${of('market-times', 'old-address')}`);
    const port = await freePort();
    baseUrl = `http://localhost:${port}`;
    clarity = startClarity(['up', '--roster', roster], {
      ...{ DATA_DIR: join(folder, 'data'), PORT: String(port), ALLOW_PRIVATE_SOURCES: '1', OPERATORS: OPERATOR },
    });
    browser = await openChromium();
    await vi.waitFor(() => expect(clarity.output()).toContain('1 source answered, 1 failed.'), WAIT_OPTIONS);
  });

  afterAll(async () => {
    await browser?.close();
    await clarity?.stop();
    await outlets?.close();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  it('shows why a source is degraded; its address is repaired, and it is polled', async () => {
    const page = await openDesk({ viewport: { width: 1366, height: 900 } });
    expect(await page.locator('#market-times').textContent()).toContain('The last poll got HTTP 404.');
    await page.getByRole('link', { name: 'market-times' }).click();
    expect(await page.locator('.wrong').textContent()).toContain('nothing is at this address any more');
    await page.getByText('Edit', { exact: true }).click();
    await page.getByLabel('Address', { exact: true }).fill(`${outlets.url}/market-times`);
    await page.locator('#why-edit').fill('The outlet moved its feed.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The outlet moved its feed.').waitFor();
    await page.getByRole('button', { name: 'Poll now' }).click();
    await page.getByText(/Polled .* ago: HTTP 200, 1 item, \d new/).waitFor();
    await expect
      .poll(async () => {
        await page.goto(`${baseUrl}${DESK}/market-times`);
        return page.locator('main').textContent();
      }, WAIT_OPTIONS)
      .toMatch(/changed\s+200\s+1\s+1/);
    await page.goto(`${baseUrl}${DESK}`);
    expect(await page.locator('#market-times').textContent()).toMatch(/1 of the last \d polls got HTTP 404\./);
    await page.context().close();
  });

  it('previews an address and adds it', async () => {
    const page = await openDesk();
    await page.getByRole('link', { name: 'Add a source' }).click();
    await page.getByLabel('Address of a feed, a page or a site').fill(`${outlets.url}/new-paper`);
    await page.getByRole('button', { name: 'Preview' }).click();
    expect(await page.locator('tbody tr').textContent()).toMatch(/Zudio opens[\s\S]*a move\s+stores, Zudio/);
    await page.locator('#why-add').fill('Asked for by readers.');
    await page.getByRole('button', { name: 'Add it' }).click();
    await page.waitForURL(`${baseUrl}${DESK}/new-paper`);
    await page.context().close();
  });

  it.each([
    [390, 'light'],
    [390, 'dark'],
    [1366, 'light'],
    [1366, 'dark'],
  ] as const)(
    'given %d pixels in the %s theme, with every form open, then axe has no findings',
    async (width, colorScheme) => {
      const page = await openDesk({ viewport: { width, height: 900 }, colorScheme });
      for (const [name, path] of [
        ['table', DESK],
        ['source', `${DESK}/market-times`],
        ['add', `/operate/add-source?${new URLSearchParams({ url: `${outlets.url}/other` })}`],
      ] as const) {
        await page.goto(`${baseUrl}${path}`);
        if (PICTURES)
          await page.screenshot({ path: join(PICTURES, `${name}-${width}-${colorScheme}.png`), fullPage: true });
        await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
        expect([path, await faultsOf(page)]).toEqual([path, []]);
      }
      await page.context().close();
    },
  );
});
