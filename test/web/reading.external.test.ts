/** Reading in a browser: the keys, what is shared, and what is printed. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lacksChromium, signInAt } from '../harness/chromium.ts';
import { detected, idOf, report, reported } from '../projector/signal-events.ts';
import { browsedSite } from './browsed-site.ts';
import { faultsOf, WIDER } from './faults.ts';
import { fullRecord } from './full-record.ts';
import { type SigningIn, signingIn } from './people/signing-in.ts';

const visit = browsedSite((baseUrl) => fullRecord({ baseUrl, models: ['follows'] }));
let people: SigningIn;

/** Where the focus is: the path of a link, otherwise the name of the element. */
const focused = (page: Page): Promise<string> =>
  page.evaluate<string>('document.activeElement.pathname ?? document.activeElement.tagName.toLowerCase()');

describe.skipIf(lacksChromium)('reading in Chromium', () => {
  beforeAll(async () => {
    people = await signingIn({ models: ['brands'] });
    await people.site.append(
      detected('saved', { follows: idOf('before') }),
      reported('saved', report('again', { outlet: 'Market Gazette' })),
    );
  }, 180_000);
  afterAll(() => people?.close());

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
    const page = await visit.open(path);
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
    await page.waitForURL(`${visit.baseUrl}${first}`);
    await page.context().close();
  });

  it('given a field or a modifier, then no key acts; / leads to the search, and Escape out of a dialog', async () => {
    const page = await visit.open('/');
    for (const key of ['Control+j', 'Alt+j', 'Meta+j']) await page.keyboard.press(key);
    expect(await focused(page)).toBe('body');
    await page.keyboard.press('/');
    await page.keyboard.type('jks?/o');
    expect([await focused(page), await page.locator('.find [type=search]').inputValue()]).toEqual(['input', 'jks?/o']);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.context().close();
  });

  it('given ?, then a dialog lists the keys and turns them off, which is kept; the button in the footer opens it too', async () => {
    const page = await visit.open('/');
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.waitFor();
    expect(await dialog.locator('kbd').allTextContents()).toEqual(['j', 'k', 'o', 's', 'x', '/', 'Ctrl K', '?']);
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByLabel('Shortcuts are on').uncheck();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.reload();
    await page.keyboard.press('j');
    expect(await focused(page)).toBe('body');
    await page.getByRole('contentinfo').getByRole('button', { name: 'Shortcuts' }).press('Enter');
    await dialog.getByLabel('Shortcuts are on').check();
    await dialog.getByRole('button', { name: 'Close' }).click();
    // The dialog gives the focus back.
    expect(await focused(page)).toBe('button');
    await page.keyboard.press('j');
    expect(await focused(page)).toMatch(/^\/signal\//);
    await page.context().close();
  });

  it('given no reader who is signed in, then s says how to sign in; signed in, it follows the story and takes that back', async () => {
    const page = await visit.open('/');
    await page.keyboard.press('j');
    await page.keyboard.press('s');
    await page.getByRole('status').getByRole('link', { name: 'Sign in' }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.context().close();

    const reader = await signInAt(await visit.browser.newContext(), `${people.baseUrl}/account`, 'asha@clarity.test');
    await reader.goto(people.baseUrl);
    await reader.keyboard.press('j');
    await reader.keyboard.press('s');
    await reader.getByText('Saved.').waitFor();
    // The focus stays on the story.
    expect(await focused(reader)).toBe('/signal/slug-saved');
    await reader.keyboard.press('o');
    await reader.getByRole('button', { name: 'Stop following this entry' }).waitFor();
    await reader.waitForLoadState('networkidle');
    await reader.keyboard.press('s');
    await reader.getByRole('button', { name: 'Follow this entry' }).waitFor();
    await reader.context().close();
  });

  it.each(['/signal/slug-kiri-pune', '/brief/2026-11-20', '/tables/openings?city=Pune&sort=-stores'])(
    'given %s, then a button copies its address; where the system shares, it is shared; without a script there is no button',
    async (path) => {
      const page = await visit.open(path, { permissions: ['clipboard-read', 'clipboard-write'] });
      await page.getByRole('button', { name: 'Share' }).click();
      await page.getByRole('button', { name: 'Link copied' }).waitFor();
      expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(`${visit.baseUrl}${path}`);
      await page.context().close();

      // Chromium on Linux has no dialog of the system: what it would be given is recorded.
      const phone = await visit.browser.newContext();
      await phone.addInitScript(
        'navigator.canShare = () => true; navigator.share = async (shared) => { window.shared = shared; };',
      );
      const shared = await phone.newPage();
      await shared.goto(`${visit.baseUrl}${path}`);
      await shared.getByRole('button', { name: 'Share' }).click();
      expect(await shared.evaluate<{ url: string }>('window.shared')).toMatchObject({ url: `${visit.baseUrl}${path}` });
      await phone.close();

      const plain = await visit.open(path, { javaScriptEnabled: false });
      expect(await plain.getByRole('button', { name: 'Share' }).count()).toBe(0);
      await plain.context().close();
    },
  );

  it('given paper, then a page prints its address and no controls, and a table stays a table', async () => {
    // An A4 page between usual margins.
    const page = await visit.open('/tables/openings', { viewport: { width: 718, height: 1000 } });
    await page.emulateMedia({ media: 'print' });
    const isShown = (selector: string): Promise<boolean> => page.locator(selector).first().isVisible();
    expect(await page.locator('.on-paper').innerText()).toBe(`${visit.baseUrl}/tables/openings`);
    expect(await Promise.all(['.finder', '.find', '.table-tools', '.pager', '.menu'].map(isShown))).toEqual(
      Array(5).fill(false),
    );
    expect(await page.evaluate<string>(`getComputedStyle(document.querySelector('.rows tbody tr')).display`)).toBe(
      'table-row',
    );
    expect(await page.evaluate<number>(WIDER)).toBeLessThanOrEqual(0);
    await page.goto(`${visit.baseUrl}/signal/slug-kiri-pune`);
    expect(await page.locator('.on-paper').innerText()).toBe(`${visit.baseUrl}/signal/slug-kiri-pune`);
    expect(await page.getByRole('button').count()).toBe(0);
    await page.context().close();
  });

  it('given the day of the brief, then it is written out next to its field, also when it changes', async () => {
    const page = await visit.open('/brief/2026-11-20');
    expect(await page.locator('#date-words').innerText()).toBe('20 November 2026');
    await page.getByLabel('Another day').fill('2026-11-03');
    await expect.poll(() => page.locator('#date-words').innerText()).toBe('3 November 2026');
    await page.context().close();
  });

  it.each([390, 1366])(
    'given the page of a brand at %d pixels, then its form compares it with others, by keyboard',
    async (width) => {
      const page = await visit.open('/brand/kiri-foods', {
        viewport: { width, height: 900 },
        javaScriptEnabled: false,
      });
      await page.getByText('Compare', { exact: true }).first().focus();
      await page.keyboard.press('Enter');
      await page.getByLabel('Other brands, separated by commas').fill('Maya Stores, Tilak Shoes');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/watch\?/);
      expect(await page.locator('.watch thead th').allTextContents()).toEqual([
        'Kiri Foods',
        'Maya Stores',
        'Tilak Shoes',
      ]);
      await page.context().close();
    },
  );
});
