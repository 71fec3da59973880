/** The card of a signal in a host that people use: the Inspector's web page in Chromium. */
import { resolve } from 'node:path';
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { launchChromium } from './browser.ts';
import { type InspectorHost, inspectorHost } from './inspector-host.ts';
import { type ServingMcp, servingMcp } from './serving-mcp.ts';
import { ID, PLANTED, RECORD } from './small-record.ts';

/** `PICTURES=1` keeps what is seen here for the documents. */
const PICTURE = process.env.PICTURES ? resolve(import.meta.dirname, '../../docs/picture-card.png') : null;

let serving: ServingMcp;
let host: InspectorHost;
let browser: Browser;
beforeAll(async () => {
  serving = await servingMcp();
  await serving.site.append(...RECORD);
  host = await inspectorHost(`${serving.baseUrl}/mcp`);
  browser = await launchChromium();
  // npx downloads the Inspector first.
}, 180_000);
afterAll(async () => {
  await browser.close();
  await host.close();
  await serving.close();
});

interface Shown {
  readonly page: Page;
  readonly card: Frame;
  /** Addresses that the card itself asked for. */
  readonly asked: readonly string[];
}

async function openCard(signal: string): Promise<Shown> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 820 }, colorScheme: 'light' });
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.frame().url() === 'about:srcdoc') asked.push(request.url());
  });
  await page.goto(host.url);
  const connected = page.getByRole('switch').first();
  if (!(await connected.isChecked())) await connected.click({ force: true });
  await page.getByText('Apps', { exact: true }).first().click();
  await page.getByText('One move in full').first().click();
  await page.getByRole('textbox', { name: 'id_or_slug' }).fill(signal);
  await page.getByRole('button', { name: 'Open App' }).click();
  const card = await eventually(async () => {
    const frame = page.frames().find((one) => one.url() === 'about:srcdoc');
    if (!frame || !(await frame.locator('#move').isVisible())) throw new Error('no card yet');
    return frame;
  });
  return { page, card, asked };
}

describe('the card in the Inspector', () => {
  it('given a signal, then it shows what the text says, follows the theme, and its links are reached by key', async () => {
    await serving.forgetCalls();
    const { page, card, asked } = await openCard(ID.opened);
    expect(await card.locator('h1').textContent()).toBe('Kiri Foods opens 40 stores');
    const shown = (await card.locator('main').innerText()).replace(/\s+/g, ' ');
    for (const said of [
      'Store opening',
      'Pune',
      '20 November 2026',
      'First stores of Kiri Foods in Pune',
      'Retail Ledger',
    ])
      expect(shown).toContain(said);
    expect(shown).toContain(`[${ID.opened}]`);
    if (PICTURE) await page.screenshot({ path: PICTURE });

    const colour = (): Promise<string> => card.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const light = await colour();
    await page.getByRole('button', { name: 'Toggle color scheme' }).click();
    await eventually(async () => expect(await colour()).not.toBe(light));
    expect(await card.locator('html').getAttribute('data-theme')).toBe('dark');

    const links = card.locator('a');
    expect(await links.count()).toBe(3);
    await links.first().focus();
    for (let number = 0; number < 3; number++) {
      expect(await links.nth(number).evaluate((link) => link.matches(':focus-visible'))).toBe(true);
      expect(await links.nth(number).getAttribute('href')).toMatch(/^https?:\/\//);
      await page.keyboard.press('Tab');
    }
    expect(asked).toEqual([]);
    // One call of the tool; the card itself, the lists and the connection were free.
    const { rows } = await serving.site.engine.database.query<{ used: number }>(
      `SELECT max(used)::int AS used FROM access.quota_window WHERE key LIKE 'mcp ip % day'`,
    );
    expect(rows[0]?.used).toBe(1);
    await page.close();
  });

  it('given a link, when it is pressed by key, then the host opens it', async () => {
    const { page, card } = await openCard(ID.opened);
    await page.context().route('https://outlet.test/**', (route) => route.fulfill({ body: 'The report' }));
    const opened = page.context().waitForEvent('page', { timeout: 20_000 });
    await card.locator('#reports a').first().focus();
    await page.keyboard.press('Enter');
    // Some hosts ask first.
    const asks = page.getByRole('button', { name: /^open/i });
    await asks
      .last()
      .click({ timeout: 3_000 })
      .catch(() => undefined);
    expect((await opened).url()).toMatch(/^https:\/\/outlet\.test\/opened/);
    await page.close();
  });

  it('given a headline with markup and control characters, then they are shown as text', async () => {
    const { page, card } = await openCard(ID.planted);
    const headline = await card.locator('h1').textContent();
    expect(headline).toBe(PLANTED.replace(/[\n\u202e]/g, ' '));
    expect(await card.locator('quote').count()).toBe(0);
    await page.close();
  });
});
