/** The desk of sources in a browser, on the whole program: see why a source is degraded, repair its address and poll it; go live. */
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type BrowsedProgram,
  lacksChromium,
  openProgram,
  PROGRAM_OPERATOR,
  signInAt,
  WIDTHS,
  WIDTHS_AND_THEMES,
} from '../harness/chromium.ts';
import { startClarity } from '../harness/clarity.ts';
import { eventually } from '../harness/eventually.ts';
import { freePort } from '../harness/free-port.ts';
import { faultsOf } from './faults.ts';

const DESK = '/operate/sources';
/** Where pictures of the pages are written, for people to look at; nowhere when unset. */
const PICTURES = process.env.PICTURES;
/** A source for each width that is repaired there. */
const BROKEN = WIDTHS.map((width) => `times-${width}`);
const OUTLETS = ['daily-trade', ...BROKEN, 'new-paper', 'other'];

let program: BrowsedProgram;
let baseUrl: string;
const openDesk = (options: BrowserContextOptions = {}): Promise<Page> => program.asOperator(DESK, options);

describe.skipIf(lacksChromium)('the desk of sources in Chromium', () => {
  beforeAll(async () => {
    program = await openProgram({
      name: 'clarity-sources',
      outlets: OUTLETS,
      cadence: 3_600,
      publish(outlets) {
        for (const [at, outlet] of OUTLETS.entries())
          outlets.publish(outlet, {
            guid: `zudio-${at}`,
            title: `Zudio opens ${at + 2}0,000 sq ft store at Phoenix Marketcity, Pune`,
            summary: 'Zudio has opened a store in Pune.',
            published: new Date(),
          });
      },
      roster({ url }) {
        const of = (id: string, path: string): string => `  - { id: ${id}, outlet: ${id}, url: ${url}/${path} }\n`;
        return `sources:\n${of('daily-trade', 'daily-trade')}${BROKEN.map((id) => of(id, `old-${id}`)).join('')}`;
      },
    });
    ({ baseUrl } = program);
    await eventually(() => expect(program.clarity.output()).toContain('1 source answered, 3 failed.'));
  });
  afterAll(() => program?.close());

  it.each(WIDTHS)(
    'given %d pixels, then it shows why a source is degraded; its address is repaired, and it is polled',
    async (width) => {
      const id = `times-${width}`;
      const page = await openDesk({ viewport: { width, height: 900 } });
      expect(await page.locator(`#${id}`).textContent()).toContain('The last poll got HTTP 404.');
      await page.getByRole('link', { name: id, exact: true }).click();
      expect(await page.locator('.wrong').textContent()).toContain('nothing is at this address any more');
      await page.getByText('Edit', { exact: true }).click();
      await page.getByLabel('Address', { exact: true }).fill(`${program.outlets.url}/${id}`);
      await page.locator('#why-edit').fill('The outlet moved its feed.');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The outlet moved its feed.').waitFor();
      await page.getByRole('button', { name: 'Poll now' }).click();
      await page.getByText(/Polled .* ago: HTTP 200, 1 item, \d new/).waitFor();
      await expect
        .poll(async () => {
          await page.goto(`${baseUrl}${DESK}/${id}`);
          return page.locator('main').textContent();
        })
        .toMatch(/changed\s+200\s+1\s+1/);
      await page.goto(`${baseUrl}${DESK}`);
      expect(await page.locator(`#${id}`).textContent()).toMatch(/1 of the last \d polls got HTTP 404\./);
      await page.context().close();
    },
  );

  it('previews an address and adds it', async () => {
    const page = await openDesk();
    await page.getByRole('link', { name: 'Add a source' }).click();
    await page.getByLabel('Address of a feed, a page or a site').fill(`${program.outlets.url}/new-paper`);
    await page.getByRole('button', { name: 'Preview' }).click();
    expect(await page.locator('tbody tr').textContent()).toMatch(/Zudio opens[\s\S]*a move\s+stores, Zudio/);
    await page.locator('#why-add').fill('Asked for by readers.');
    await page.getByRole('button', { name: 'Add it' }).click();
    await page.waitForURL(`${baseUrl}${DESK}/new-paper`);
    await page.context().close();
  });

  it.each(WIDTHS_AND_THEMES)(
    'given %d pixels in the %s theme, with every form open, then axe has no findings',
    async (width, colorScheme) => {
      const page = await openDesk({ viewport: { width, height: 900 }, colorScheme });
      for (const [name, path] of [
        ['table', DESK],
        ['source', `${DESK}/${BROKEN[0]}`],
        ['add', `/operate/add-source?${new URLSearchParams({ url: `${program.outlets.url}/other` })}`],
      ] as const) {
        await page.goto(`${baseUrl}${path}`);
        if (PICTURES)
          await page.screenshot({ path: join(PICTURES, `${name}-${width}-${colorScheme}.png`), fullPage: true });
        await page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true");
        expect([path, await faultsOf(page)]).toEqual([path, []]);
      }
      await page.context().close();
    },
  );
});

describe.skipIf(lacksChromium)('going live from the demo in Chromium', () => {
  it('given the demo newsroom, then its page names the command; the live record has the real sources and no invented story', async () => {
    const live = await openProgram({
      name: 'clarity-go-live',
      outlets: ['daily-trade'],
      publish: (outlets) =>
        outlets.publish('daily-trade', {
          guid: 'zudio',
          title: 'Zudio opens 20,000 sq ft store at Phoenix Marketcity, Pune',
          summary: 'Zudio has opened a store in Pune.',
          published: new Date(),
        }),
    });
    const port = await freePort();
    const demoUrl = `http://localhost:${port}`;
    const settings = { ...live.settings, DATA_DIR: join(live.folder, 'demo'), PORT: String(port), METRICS_PORT: '0' };
    const demo = startClarity(['up'], settings);
    try {
      const shown = async (url: string): Promise<string> => (await fetch(url)).text().catch(() => '');
      await eventually(async () => expect(await shown(demoUrl)).toContain('/signal/'));
      for (const width of WIDTHS) {
        const context = await live.browser.newContext({ viewport: { width, height: 900 } });
        const page = await signInAt(context, `${demoUrl}${DESK}`, PROGRAM_OPERATOR);
        expect(await page.locator('#go-live code').innerText()).toBe('npm start -- --roster india');
        expect(await faultsOf(page)).toEqual([]);
        await context.close();
      }
      await demo.stop();
      // The demo's record is never filled by real outlets.
      const roster = join(live.folder, 'live.yaml');
      const refused = startClarity(['up', '--roster', roster], settings);
      expect(await refused.ended).not.toBe(0);
      expect(refused.output()).toContain('was filled from the demo newsroom');

      await eventually(async () => expect(await shown(live.baseUrl)).toContain('Zudio opens'));
      for (const width of WIDTHS) {
        const page = await live.asOperator(DESK, { viewport: { width, height: 900 } });
        expect(await page.locator('#go-live').count()).toBe(0);
        expect(await page.locator('#daily-trade').innerText()).toContain('daily-trade');
        await page.goto(live.baseUrl);
        expect(await page.locator('.feed .entry h3').allInnerTexts()).toEqual([expect.stringContaining('Zudio opens')]);
        await page.context().close();
      }
    } finally {
      await demo.stop();
      await live.close();
    }
  }, 180_000);
});
