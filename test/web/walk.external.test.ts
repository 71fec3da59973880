/** A walk through the whole program in a browser: from a question to a key that is refused after revocation. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrowsedProgram, lacksChromium, openProgram, PROGRAM_OPERATOR, signInAt } from '../harness/chromium.ts';
import { eventually } from '../harness/eventually.ts';
import type { Outlets } from '../harness/outlets.ts';
import { WAIT_OPTIONS } from '../harness/wait-options.ts';
import { faultsOf } from './faults.ts';

let program: BrowsedProgram;
let browser: Browser;
let baseUrl: string;
let person: BrowserContext;
let page: Page;
const scripts: string[] = [];

const publish = (outlets: Outlets, guid: string, title: string, summary: string): void =>
  outlets.publish('daily-trade', { guid, title, summary, published: new Date() });

const signIn = (context: BrowserContext, email: string, from: string): Promise<Page> =>
  signInAt(context, `${baseUrl}${from}`, email);

describe.skipIf(lacksChromium)('a person at a browser', () => {
  beforeAll(async () => {
    program = await openProgram({
      name: 'clarity-walk',
      outlets: ['daily-trade'],
      publish(outlets) {
        const opened = (brand: string, place: string) =>
          publish(outlets, brand.toLowerCase(), `${brand} opens ${place}`, `${brand} has opened a store.`);
        opened('Zudio', '20,000 sq ft store at Phoenix Marketcity, Pune');
        publish(
          outlets,
          'zudio-two',
          'Zudio opens 18,000 sq ft store at Eternity Mall, Nagpur',
          'Zudio has opened a store in Nagpur.',
        );
        opened('Westside', 'new store at VR Surat, Surat');
      },
    });
    ({ browser, baseUrl } = program);
    person = await browser.newContext();
    person.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) scripts.push(message.text());
    });
    await eventually(async () => {
      for (const brand of ['zudio', 'westside'])
        expect(await (await fetch(`${baseUrl}/brand/${brand}`)).text()).toContain(' opens ');
    });
  });

  afterAll(() => program?.close());

  /** Read models catch up independently: questions may know a signal a little later than the pages. */
  async function knownToQuestions(): Promise<void> {
    const ask = (content: string) =>
      fetch(`${baseUrl}/api/v1/ask`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ messages: [{ role: 'user', content }] }),
      }).then((answer) => answer.text());
    for (const [brand, city] of [
      ['Zudio', 'Nagpur'],
      ['Westside', 'Surat'],
    ])
      await expect
        .poll(() => ask(`Which stores did ${brand} open?`), { ...WAIT_OPTIONS, interval: 2_000 })
        .toContain(city);
  }

  it('signs in, asks, opens a citation, and shares the answer with a reader who is not signed in', async () => {
    page = await signIn(person, 'asha@clarity.test', '/account');
    await knownToQuestions();
    await page.goto(`${baseUrl}/ask`);
    await page.getByLabel('Your question').fill('Which stores did Zudio open?');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.waitForURL(/\/ask\/[a-z0-9-]+\/1$/);
    const address = page.url();
    expect(await page.locator('.answer').textContent()).toContain('Nagpur');
    await page.locator('a.citation').first().click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toMatch(/Zudio opens/);
    await page.goBack();
    await page.getByLabel('Ask a follow-up question').fill('And Westside?');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.waitForURL(/\/2$/);
    expect(await page.locator('.answer').textContent()).toContain('Surat');

    const stranger = await (await browser.newContext()).newPage();
    expect((await stranger.goto(address))?.status()).toBe(404);
    await page.getByRole('button', { name: 'Share these questions' }).click();
    await page.getByText('Anyone with this address can read it').waitFor();
    expect((await stranger.goto(address))?.status()).toBe(200);
    expect(await stranger.getByRole('heading', { level: 1 }).textContent()).toBe('Which stores did Zudio open?');
    expect(await stranger.getByRole('button', { name: 'Stop sharing' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Stop sharing' }).click();
    await page.getByRole('button', { name: 'Share these questions' }).waitFor();
    expect((await stranger.goto(address))?.status()).toBe(404);
    await page.getByRole('button', { name: 'Compose a briefing on this' }).click();
    await page.getByRole('heading', { name: 'Sources' }).waitFor(WAIT_OPTIONS);
    expect(await page.getByRole('table').filter({ hasText: 'Surat' }).count()).toBeGreaterThan(0);
    await stranger.context().close();
    // It waits for several read models, one after the other.
  }, 180_000);

  it('sees how a question was read, and asks again without a part of it', async () => {
    await page.goto(`${baseUrl}/ask`);
    await page.getByLabel('Your question').fill('Which stores did Zudio open in Pune?');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.waitForURL(/\/ask\/[a-z0-9-]+\/1$/);
    const answer = page.locator('.answer');
    expect(await answer.textContent()).toContain('Pune');
    expect(await answer.textContent()).not.toContain('Nagpur');
    expect(await page.getByLabel('How the question was read').locator('li').allTextContents()).toEqual(
      expect.arrayContaining([expect.stringContaining('Zudio'), expect.stringContaining('Pune')]),
    );
    await page.getByRole('button', { name: 'Ask again without Pune' }).click();
    await page.waitForURL(/\/2$/);
    expect(await answer.textContent()).toContain('Nagpur');
    expect(await page.getByRole('button', { name: 'Ask again without Pune' }).count()).toBe(0);
  });

  it('applies for a key, has it approved, calls the API with it, revokes it and is refused', async () => {
    await page.goto(`${baseUrl}/keys`);
    await page.getByLabel('What will you use it for?').fill('A morning dashboard of store openings');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('heading', { name: 'Your application is being reviewed' }).waitFor();

    const desk = await signIn(await browser.newContext(), PROGRAM_OPERATOR, '/account');
    await desk.getByRole('link', { name: 'Operate' }).click();
    await desk.getByRole('link', { name: 'Applications' }).click();
    await desk.getByRole('button', { name: 'Approve' }).click();
    await desk.getByText('No open applications.').waitFor();
    await desk.context().close();

    await page.reload();
    await page.getByLabel('What is it for?').fill('Dashboard');
    await page.getByRole('button', { name: 'Make the key' }).click();
    const key = (await page.locator('.made > p > code').textContent()) ?? '';
    const call = async () =>
      (await fetch(`${baseUrl}/api/v1/signals?brand=zudio`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await call()).toBe(200);
    await page.goto(`${baseUrl}/keys`);
    expect(await page.locator('main').textContent()).not.toContain(key);
    // This call and the briefing.
    expect(await page.locator('main').textContent()).toContain('2 of 100 calls of the day are used');
    await page.getByRole('button', { name: 'Revoke Dashboard' }).click();
    await page.getByText('revoked', { exact: true }).waitFor();
    await expect.poll(call, { timeout: 60_000, interval: 1_000 }).toBe(401);
  });

  it('given every page with forms, then axe has no findings, none is too wide, and no policy is violated', async () => {
    const desk = await signIn(await browser.newContext(), PROGRAM_OPERATOR, '/account');
    const own = ['/account', '/keys', '/my-brands', '/brief/mail', '/ask', '/ask?q=x', '/research', '/sign-in'];
    const operate = ['', '/applications', '/accounts', '/proposals', '/review', '/signals', '/brands', '/parked'].map(
      (path) => `/operate${path}`,
    );
    const turn = new URL(
      await page
        .goto(`${baseUrl}/ask`)
        .then(async () => (await page.locator('main section a').last().getAttribute('href')) ?? ''),
      baseUrl,
    ).pathname;
    const stranger = await (await browser.newContext()).newPage();
    const faults: string[] = [...scripts];
    for (const width of [360, 768, 1280])
      for (const colorScheme of ['light', 'dark'] as const)
        for (const [who, paths] of [
          [page, [...own, turn]],
          [desk, operate],
          [stranger, ['/sign-in', '/ask', '/keys']],
        ] as const) {
          await who.setViewportSize({ width, height: 900 });
          await who.emulateMedia({ colorScheme });
          for (const path of paths) {
            await who.goto(`${baseUrl}${path}`);
            faults.push(...(await faultsOf(who)).map((fault) => `${path} ${width} ${colorScheme}: ${fault}`));
          }
        }
    expect(faults).toEqual([]);
    // More than a hundred page loads, each checked by axe.
  }, 240_000);
});
