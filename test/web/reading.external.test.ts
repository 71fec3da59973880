/** Reading in a browser: the keys, what is shared, and what is printed. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Serving } from '../api/serving.ts';
import { lacksChromium, openChromium } from '../harness/chromium.ts';
import { freePort } from '../harness/free-port.ts';
import { detected, idOf, report, reported } from '../projector/signal-events.ts';
import { faultsOf } from './faults.ts';
import { fullRecord } from './full-record.ts';
import { type SigningIn, signingIn } from './people/signing-in.ts';

let browser: Browser;
let site: Serving;
let baseUrl: string;
let people: SigningIn;

async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1366, height: 768 }, ...options })).newPage();
  await page.goto(`${baseUrl}${path}`);
  return page;
}

/** Where the focus is: the path of a link, otherwise the name of the element. */
const focused = (page: Page): Promise<string> =>
  page.evaluate<string>('document.activeElement.pathname ?? document.activeElement.tagName.toLowerCase()');

describe.skipIf(lacksChromium)('reading in Chromium', () => {
  beforeAll(async () => {
    const port = await freePort();
    baseUrl = `http://localhost:${port}`;
    [browser, site, people] = await Promise.all([
      openChromium(),
      fullRecord({ baseUrl, models: ['follows', 'inbox'] }),
      signingIn({ models: ['brands'] }),
    ]);
    await site.server.listen({ port, host: 'localhost' });
    await people.site.append(
      detected('saved', { follows: idOf('before') }),
      reported('saved', report('again', { outlet: 'Market Gazette' })),
    );
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    await people?.close();
  });

  it.each([
    '/',
    '/?q=stores',
    '/brand/kiri-foods',
    '/theme/expansion',
    '/city/pune',
    '/tables/openings',
    '/people',
    '/brief',
  ])('given %s, then j and k move the focus from story to story, and o opens the one that has it', async (path) => {
    const page = await open(path);
    await page.keyboard.press('j');
    const first = await focused(page);
    expect(first).toMatch(/^\/signal\/slug-/);
    await page.keyboard.press('j');
    expect(await focused(page)).toMatch(/^\/signal\/slug-/);
    expect(await page.evaluate<boolean>('document.activeElement.matches(":focus-visible")')).toBe(true);
    await page.keyboard.press('k');
    expect(await focused(page)).toBe(first);
    // Before the first story there is none: the focus stays.
    await page.keyboard.press('k');
    expect(await focused(page)).toBe(first);
    await page.keyboard.press('o');
    await page.waitForURL(`${baseUrl}${first}`);
    await page.context().close();
  });

  it('given a field or a modifier, then no key acts; / leads to the search, and Escape out of a dialog', async () => {
    const page = await open('/');
    for (const key of ['Control+j', 'Alt+j', 'Meta+j']) await page.keyboard.press(key);
    expect(await focused(page)).toBe('body');
    await page.keyboard.press('/');
    await page.keyboard.type('jks?/o');
    expect([await focused(page), await page.locator('.find [type=search]').inputValue()]).toEqual(['input', 'jks?/o']);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.context().close();
  });

  it('given ?, then a dialog lists the keys and turns them off, which is kept; the button in the footer opens it too', async () => {
    const page = await open('/');
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keys' });
    await dialog.waitFor();
    expect(await dialog.locator('kbd').allTextContents()).toEqual(['j', 'k', 'o', 's', '/', '?']);
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByLabel('Keys are on').uncheck();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.reload();
    await page.keyboard.press('j');
    expect(await focused(page)).toBe('body');
    await page.getByRole('contentinfo').getByRole('button', { name: 'Keys' }).press('Enter');
    await dialog.getByLabel('Keys are on').check();
    await dialog.getByRole('button', { name: 'Close' }).click();
    // The dialog gives the focus back.
    expect(await focused(page)).toBe('button');
    await page.keyboard.press('j');
    expect(await focused(page)).toMatch(/^\/signal\//);
    await page.context().close();
  });

  it('given no reader who is signed in, then s says how to sign in; signed in, it follows the story and takes that back', async () => {
    const page = await open('/');
    await page.keyboard.press('j');
    await page.keyboard.press('s');
    await page.getByRole('status').getByRole('link', { name: 'Sign in' }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.context().close();

    const reader = await browser.newPage();
    await reader.goto(`${people.baseUrl}/account`);
    await reader.getByRole('link', { name: /^Sign in at/ }).click();
    await reader.getByLabel('E-mail address').fill('asha@clarity.test');
    await reader.getByRole('button', { name: 'Sign in' }).click();
    await reader.waitForURL(`${people.baseUrl}/account`);
    await reader.goto(people.baseUrl);
    await reader.keyboard.press('j');
    await reader.keyboard.press('s');
    await reader.getByText('Saved.').waitFor();
    // The focus stays on the story.
    expect(await focused(reader)).toBe('/signal/slug-saved');
    await reader.keyboard.press('o');
    await reader.getByRole('button', { name: 'Stop following this entry' }).waitFor();
    await reader.keyboard.press('s');
    await reader.getByRole('button', { name: 'Follow this entry' }).waitFor();
    await reader.close();
  });
});
