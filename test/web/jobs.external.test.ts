/** Jobs of readers from start to end in a browser: my brands from a first visit on, a team list, a city on a phone, a comparison by mail, the keyboard. */
import { randomUUID } from 'node:crypto';
import { type Browser, type BrowserContext, type BrowserContextOptions, devices, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountOfEmail, changeAccount } from '../../access/account.ts';
import { waitForPosition } from '../../projector/model-progress.ts';
import { directoryOf } from '../../schemas/directory.ts';
import { slugify } from '../../schemas/scalar.ts';
import { briefOfDay, sendRound, sendSearchRound } from '../../web/mail/due-mails.ts';
import { mailServer, type RoundOptions } from '../../web/mail/mail-rounds.ts';
import { lacksChromium, openChromium, signInAt } from '../harness/chromium.ts';
import { smallFile } from '../harness/gazetteer.ts';
import { brandSlug } from '../harness/ids.ts';
import { detected, understanding } from '../projector/signal-events.ts';
import { source } from '../projector/source-events.ts';
import { faultsOf } from './faults.ts';
import { type MailBox, mailBox } from './mail/mail-box.ts';
import { readMail } from './mail/read-mail.ts';
import { loggerTo } from './mail/subscribed.ts';
import { type SigningIn, signingIn } from './people/signing-in.ts';

let browser: Browser;
let people: SigningIn;
let box: MailBox;

/** A story about one brand. */
const story = (slug: string, headline: string, published_at: string, city = 'Pune') =>
  detected(slugify(headline), {
    published_at,
    understanding: understanding({
      headline,
      summary: `${headline}, the company said.`,
      cities: [city],
      brands: [
        {
          slug: brandSlug(slug),
          name: smallFile.brands.find((brand) => brand.slug === slug)?.name ?? slug,
          role: 'primary',
          provisional: false,
        },
      ],
    }),
  });

const mails = (now: string): RoundOptions => ({
  database: people.site.engine.database,
  store: people.site.engine.store,
  directory: directoryOf({ brands: smallFile.brands, themes: [] }),
  settings: { from: 'Clarity <mails@clarity.test>', baseUrl: people.baseUrl, demo: false },
  server: mailServer(box.url),
  sender: randomUUID(),
  now: () => new Date(now),
  signal: new AbortController().signal,
  logger: loggerTo(() => undefined),
});
const mailTo = (address: string) => readMail(box.mails.find(({ to }) => to === address)?.text ?? '');

const COPYING: BrowserContextOptions = { permissions: ['clipboard-read', 'clipboard-write'] };
const copied = (page: Page): Promise<string> => page.evaluate<string>('navigator.clipboard.readText()');
const headlines = (page: Page): Promise<string[]> => page.locator('.entry h3').allTextContents();

/** Presses Tab until an element has the focus, as a reader does who sees the ring. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate<string>('document.activeElement.textContent.trim()')) === name) return;
  }
  throw new Error(`${name} is not reached by Tab`);
}

/** Opens the box by Ctrl-K, types, and takes the first offer. */
async function choose(page: Page, text: string, offer: RegExp): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.keyboard.type(text);
  await page.getByRole('option').first().filter({ hasText: offer }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
}

async function within(options: BrowserContextOptions, use: (context: BrowserContext) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1366, height: 768 }, ...options });
  try {
    await use(context);
  } finally {
    await context.close();
  }
}

describe.skipIf(lacksChromium)('jobs of readers in Chromium', () => {
  beforeAll(async () => {
    [browser, people, box] = await Promise.all([
      openChromium(),
      signingIn({
        models: ['search', 'names', 'brands', 'openings', 'appointments', 'results'],
        catalogue: smallFile,
        settings: { SMTP_URL: 'smtp://127.0.0.1:1' },
      }),
      mailBox(),
    ]);
    await people.site.enrol(source());
    await people.site.append(
      story('kiri-foods', 'Kiri Foods opens in Pune', '2026-11-20T10:00:00Z'),
      story('maya-stores', 'Maya Stores hires a chief', '2026-11-19T10:00:00Z'),
      story('tilak-shoes', 'Tilak Shoes buys a plant', '2026-11-12T10:00:00Z'),
      story('tilak-shoes', 'Tilak Shoes grows abroad', '2026-11-01T10:00:00Z'),
      story('kiri-cafe', 'Kiri Café tries tea', '2026-11-18T10:00:00Z'),
      story('maya-mart', 'MayaMart cuts prices', '2026-11-17T10:00:00Z'),
      story('kiri-juice', 'Kiri Juice wins a prize', '2026-11-16T10:00:00Z'),
      story('maya-stores', 'Maya Stores comes to Bengaluru', '2026-11-15T10:00:00Z', 'Bengaluru'),
    );
  });
  afterAll(async () => {
    await browser?.close();
    await box?.close();
    await people?.close();
  });

  it('given five brands typed by a visitor, then after the sign-in their last 14 days, the mail of next morning, and three stories forwarded', async () => {
    await within(COPYING, async (context) => {
      const page = await context.newPage();
      await page.goto(people.baseUrl);
      const field = page.getByLabel('Brands to follow, separated by commas');
      // The first name is completed; the others are typed in any case and with any spaces.
      await field.pressSequentially('kiri f');
      await expect
        .poll(() => page.getByRole('option').allTextContents())
        .toEqual([expect.stringMatching(/^Kiri Foods/)]);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      expect(await field.inputValue()).toBe('Kiri Foods, ');
      await field.pressSequentially('maya STORES, Tilak Shoes, kiri cafe, maya mart');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: /^Sign in at/ }).click();
      await page.getByLabel('E-mail address').fill('asha@clarity.test');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.waitForURL(`${people.baseUrl}/my-brands`);
      expect(await headlines(page)).toEqual([
        'Kiri Foods opens in Pune',
        'Maya Stores hires a chief',
        'Kiri Café tries tea',
        'MayaMart cuts prices',
        'Maya Stores comes to Bengaluru',
        'Tilak Shoes buys a plant',
      ]);
      expect(await page.locator('.entry.new').count()).toBe(0);
      expect(await faultsOf(page)).toEqual([]);
      // Rivals of the same categories are one click away.
      await page.getByRole('link', { name: 'Rivals', exact: true }).click();
      expect(await headlines(page)).toEqual(['Kiri Juice wins a prize']);

      await page.goto(`${people.baseUrl}/my-brands`);
      await page.getByRole('link', { name: 'Mail at 07:30' }).click();
      await page.getByRole('button', { name: 'Subscribe' }).click();
      await page.getByRole('button', { name: 'Unsubscribe' }).waitFor();
      await people.site.append(
        story('tilak-shoes', 'Tilak Shoes opens a flagship', '2026-11-21T10:00:00Z'),
        story('kiri-juice', 'Kiri Juice adds mango', '2026-11-21T11:00:00Z'),
      );
      const morning = '2026-11-22T02:01:00Z';
      expect((await sendRound(mails(morning), briefOfDay(new Date(morning)))).accepted).toBe(1);
      const mail = mailTo('asha@clarity.test');
      expect(mail.text).toContain('Tilak Shoes opens a flagship');
      expect(mail.text).not.toContain('mango');

      await page.goto(`${people.baseUrl}/my-brands`);
      expect(await page.locator('.entry.new h3').allTextContents()).toEqual(['Tilak Shoes opens a flagship']);
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      for (const headline of ['Tilak Shoes opens a flagship', 'Kiri Foods opens in Pune', 'Kiri Café tries tea'])
        await page.getByLabel(`Send: ${headline}`).check();
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Copy text' }).click();
      await page.getByText('Copied as text').waitFor();
      const text = await copied(page);
      expect(text.split('\n\n')).toHaveLength(3);
      expect(text).toMatch(
        /^Tilak Shoes opens a flagship\nTilak Shoes opens a flagship, the company said\.\nDaily Trade, /,
      );
      await page.getByRole('button', { name: 'Link', exact: true }).click();
      await page.getByRole('heading', { name: '3 stories' }).waitFor();
      const link = page.url();
      expect(await page.getByRole('link', { name: 'Mail', exact: true }).getAttribute('href')).toMatch(
        /^mailto:\?subject=3%20/,
      );
      // Whoever has the link opens it without an account.
      await within({ viewport: { width: 390, height: 844 } }, async (team) => {
        const opened = await team.newPage();
        await opened.goto(link);
        expect(await headlines(opened)).toHaveLength(3);
        expect(await faultsOf(opened)).toEqual([]);
      });
    });
  }, 120_000);

  it('given stories ticked by one account, then a team list shares them with another, which needs no scripts to join and to add', async () => {
    await within(COPYING, async (context) => {
      const page = await signInAt(context, `${people.baseUrl}/my-brands`, 'esha@clarity.test');
      await page.goto(`${people.baseUrl}/brand/kiri-foods`);
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByLabel('Send: Kiri Foods opens in Pune').check();
      await page.getByRole('button', { name: 'Team list', exact: true }).click();
      await page.getByLabel('Title').fill('Food openings');
      await page.getByLabel('Your name in this list').fill('Esha');
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Make a list' }).click();
      await page.getByRole('heading', { name: 'Food openings', level: 1 }).waitFor();
      const list = page.url();
      expect(await headlines(page)).toEqual(['Kiri Foods opens in Pune']);
      await page.getByRole('link', { name: 'Invite' }).click();
      await page.getByRole('button', { name: 'Make a link' }).click();
      await page.getByRole('button', { name: 'Share', exact: true }).click();
      await page.getByRole('button', { name: 'Link copied' }).waitFor();
      const link = await copied(page);
      expect(await faultsOf(page)).toEqual([]);

      await within({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false }, async (other) => {
        const phone = await other.newPage();
        await phone.goto(link);
        await phone.getByRole('link', { name: /^Sign in at/ }).click();
        await phone.getByLabel('E-mail address').fill('farid@clarity.test');
        await phone.getByRole('button', { name: 'Sign in' }).click();
        await phone.getByLabel('Your name in this list').fill('Farid');
        await phone.getByRole('button', { name: 'Join' }).click();
        await phone.waitForURL(list);
        await phone.goto(`${people.baseUrl}/brand/maya-stores`);
        await phone.getByRole('link', { name: 'Maya Stores hires a chief', exact: true }).click();
        await phone.getByRole('link', { name: 'Add to a list' }).click();
        await phone.getByRole('button', { name: 'Add', exact: true }).click();
        await phone.waitForURL(list);
        expect(await headlines(phone)).toEqual(['Maya Stores hires a chief', 'Kiri Foods opens in Pune']);
        await phone.getByRole('button', { name: 'Remove: Kiri Foods opens in Pune' }).click();
        expect(await headlines(phone)).toEqual(['Maya Stores hires a chief']);
      });

      await page.goto(`${people.baseUrl}/my-brands`);
      await page.getByRole('complementary').getByRole('link', { name: 'Food openings' }).click();
      await page.getByText('Added by Farid').waitFor();
      expect(await page.locator('main').textContent()).not.toContain('farid@');
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Remove Farid from the list' }).click();
      await page.getByText('1 story, 1 member').waitFor();
      await page.getByText('Added by Farid').waitFor();
      await page.getByText('The list has no invitation').waitFor();
    });
  }, 120_000);

  it('given a city on a phone, then it is followed, and a new story is read from My brands', async () => {
    await within(devices['iPhone 13'] ?? {}, async (context) => {
      const page = await signInAt(context, `${people.baseUrl}/my-brands`, 'bina@clarity.test');
      await page.goto(`${people.baseUrl}/city/BENGALURU`);
      expect(page.url()).toBe(`${people.baseUrl}/city/bengaluru`);
      await page.getByRole('button', { name: /^Follow as a saved search/ }).tap();
      await page.waitForURL(/\/searches\/sch_/);
      await people.site.append(
        story('tilak-shoes', 'Tilak Shoes walks into Bengaluru', '2026-11-21T12:00:00Z', 'Bengaluru'),
      );
      // Without the menu, the name of the site leads to what is followed.
      await page.getByRole('link', { name: 'Clarity', exact: true }).tap();
      await page.waitForURL(`${people.baseUrl}/my-brands`);
      const searches = page.getByRole('complementary').getByRole('listitem').filter({ hasText: 'Bengaluru' });
      expect(await searches.textContent()).toMatch(/1 new/);
      expect(await faultsOf(page)).toEqual([]);
      await searches.getByRole('link').tap();
      expect(await page.locator('.stories h2').first().textContent()).toBe('Unread');
      await page.getByRole('link', { name: 'Tilak Shoes walks into Bengaluru', exact: true }).tap();
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('Tilak Shoes walks into Bengaluru');
      expect(await faultsOf(page)).toEqual([]);
    });
  }, 120_000);

  it('given six brands side by side, then the comparison is saved, mailed on Monday with its counts, and taken along', async () => {
    const { engine } = people.site;
    const { position } = await changeAccount(
      engine.store,
      accountOfEmail('chitra@clarity.test'),
      { command: 'change_plan', plan: 'pro' },
      { commander: { role: 'operator', by: 'operator olga' }, now: engine.clock() },
    );
    if (position !== null) await waitForPosition(engine.database, 'accounts', position, 10_000);
    await within({}, async (context) => {
      const page = await signInAt(context, `${people.baseUrl}/my-brands`, 'chitra@clarity.test');
      await page.goto(`${people.baseUrl}/watch`);
      const field = page.getByLabel('Brands to compare, separated by commas');
      await field.fill('Kiri Foods, kiri cafe, Kiri Juice, Maya Stores, MAYA mart, Tilak Footwear Ltd, Zebra & Co');
      await page.getByRole('button', { name: 'Compare' }).click();
      const names = ['Kiri Foods', 'Kiri Café', 'Kiri Juice', 'Maya Stores', 'MayaMart', 'Tilak Shoes'];
      expect(await page.locator('.watch thead th').allTextContents()).toEqual(names);
      expect(await page.getByRole('alert').textContent()).toContain('No brand has the name zebra-and-co');
      expect(await faultsOf(page)).toEqual([]);
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'CSV', exact: true }).click(),
      ]);
      expect(file.suggestedFilename()).toBe('clarity-watch.csv');

      await page.getByRole('button', { name: /^Follow as a saved search/ }).click();
      await page.waitForURL(/\/searches\/sch_/);
      await page.getByLabel('Mails', { exact: true }).selectOption({ label: 'Mondays at 07:00 IST' });
      await page.getByRole('button', { name: /^Save the mails of/ }).click();
      await page.getByText('on Mondays at 07:00 IST').first().waitFor();
      await people.site.append(story('maya-mart', 'MayaMart plans ten stores', '2026-11-22T10:00:00Z'));
      await sendSearchRound(mails('2026-11-23T01:31:00Z'));
      const { text } = mailTo('chitra@clarity.test');
      expect(text).toContain('MayaMart plans ten stores');
      expect(text).toMatch(/MayaMart: 2 stories in 7 days, 0 in the 7 days before/);
      for (const name of names) expect(text).toMatch(new RegExp(`^${name}: \\d+ stor(y|ies) in 7 days`, 'm'));
      await page.getByRole('link', { name: 'Side by side' }).click();
      expect(await page.locator('.watch thead th').allTextContents()).toEqual(names);
    });
  }, 120_000);

  it('given a keyboard alone, then a brand is found, its stores are read, it is followed and shared', async () => {
    await within(COPYING, async (context) => {
      const page = await signInAt(context, `${people.baseUrl}/my-brands`, 'devi@clarity.test');
      await choose(page, 'tilak s', /Tilak Shoes.*Brand/);
      await page.waitForURL(`${people.baseUrl}/brand/tilak-shoes`);
      await tabTo(page, 'Stores');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/brand\/tilak-shoes\?kind=stores/);
      await choose(page, 'follow tilak', /Follow Tilak Shoes.*Action/);
      await page.getByRole('button', { name: 'Stop following Tilak Shoes' }).waitFor();
      await choose(page, 'share', /Share.*Action/);
      await page.getByRole('button', { name: 'Link copied' }).waitFor();
      expect(await copied(page)).toBe(`${people.baseUrl}/brand/tilak-shoes`);
      // The pages are in the same box.
      await choose(page, 'my br', /My brands.*Page/);
      await page.waitForURL(`${people.baseUrl}/my-brands`);
      expect((await headlines(page)).every((headline) => headline.startsWith('Tilak Shoes'))).toBe(true);
      // A story is ticked and sent without a mouse.
      await page.keyboard.press('j');
      await page.keyboard.press('x');
      await page.getByText('1 story', { exact: true }).waitFor();
      await page.keyboard.press('Control+k');
      expect(await page.getByRole('option').count()).toBeGreaterThan(5);
      expect(await faultsOf(page)).toEqual([]);
    });
  }, 120_000);
});
