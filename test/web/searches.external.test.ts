/** "Tell me daily about jewellery deals" in a browser: from a filter of the feed to a mail, and one click that ends it; axe. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { directoryOf } from '../../schemas/directory.ts';
import { sendSearchRound } from '../../web/mail/due-mails.ts';
import { mailServer } from '../../web/mail/mail-rounds.ts';
import { lacksChromium, openChromium, signInAt, WIDTHS } from '../harness/chromium.ts';
import { smallFile } from '../harness/gazetteer.ts';
import { detected, understanding } from '../projector/signal-events.ts';
import { source } from '../projector/source-events.ts';
import { faultsOf } from './faults.ts';
import { type MailBox, mailBox } from './mail/mail-box.ts';
import { readMail } from './mail/read-mail.ts';
import { loggerTo } from './mail/subscribed.ts';
import { type SigningIn, signingIn } from './people/signing-in.ts';

/** Where pictures of the pages are written, for people to look at; nowhere when unset. */
const PICTURES = process.env.PICTURES;
let browser: Browser;
let people: SigningIn;
let box: MailBox;

const deal = (name: string, published_at: string) =>
  detected(name, {
    published_at,
    understanding: understanding({
      move: 'deals',
      headline: `Kalyani Gold buys ${name}, a maker of bridal jewellery with forty workshops in the south`,
      theme: { slug: 'jewellery', name: 'Jewellery' },
      cities: ['Surat'],
    }),
  });

/** Checks a page with axe, for overflow, and takes a picture of it. */
async function checked(page: Page, name: string): Promise<void> {
  expect(await faultsOf(page), page.url()).toEqual([]);
  if (!PICTURES) return;
  const { width } = page.viewportSize() ?? { width: 0 };
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(PICTURES, `${name}-${width}-${colorScheme}.png`), fullPage: true });
  }
}

describe.skipIf(lacksChromium)('saved searches in Chromium', () => {
  beforeAll(async () => {
    [browser, people, box] = await Promise.all([
      openChromium(),
      signingIn({
        models: ['search', 'brands', 'openings', 'appointments', 'results'],
        catalogue: { ...smallFile, themes: [{ slug: 'jewellery', name: 'Jewellery', words: [], categories: [] }] },
        settings: { SMTP_URL: 'smtp://127.0.0.1:1' },
      }),
      mailBox(),
    ]);
    await people.site.enrol(source());
    await people.site.append(deal('old-karat', '2026-11-20T10:00:00Z'));
  });
  afterAll(async () => {
    await browser?.close();
    await box?.close();
    await people?.close();
  });

  it.each(WIDTHS)(
    'given %d pixels, then a filter is saved, chosen daily, mailed, and ended by one click',
    async (width) => {
      const email = `asha-${width}@clarity.test`;
      const context = await browser.newContext({ viewport: { width, height: 900 } });
      const page = await signInAt(context, `${people.baseUrl}/searches`, email);
      await checked(page, 'empty');

      await page.goto(`${people.baseUrl}/?kind=deals&theme=jewellery`);
      const filters = page.locator('details.facets > summary');
      if (await filters.isVisible()) await filters.click();
      await page.getByRole('link', { name: 'Save this search' }).click();
      await page.getByLabel('Name').fill('Jewellery deals');
      await page.getByLabel('Mails').selectOption({ label: 'Every day at 07:00 IST' });
      await checked(page, 'new');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.waitForURL(/\/searches\/sch_/);
      const search = page.url();
      expect(await page.locator('#mails').textContent()).toContain(`Mailed to ${email}: every day at 07:00 IST`);

      const name = `ruby-${width}`;
      await people.site.append(deal(name, `2026-11-21T1${WIDTHS.indexOf(width)}:40:00Z`));
      // As when the tab comes to the front again: without a reload the new story is offered.
      await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
      await page.getByRole('button', { name: 'Show 1 newer entry' }).click();
      expect(await page.locator('.stories h2').first().textContent()).toBe('Unread');
      await checked(page, 'search');
      for (const [path, picture] of [
        ['/searches', 'list'],
        ['/my-brands', 'my-brands'],
        ['/sources', 'sources'],
        ['/city/surat', 'city'],
      ] as const) {
        await page.goto(`${people.baseUrl}${path}`);
        await checked(page, picture);
      }

      const { database, store } = people.site.engine;
      const now = () => new Date('2026-11-22T01:31:00Z');
      const count = await sendSearchRound({
        database,
        store,
        now,
        server: mailServer(box.url),
        sender: randomUUID(),
        directory: directoryOf({ brands: [], themes: [] }),
        settings: { from: 'Clarity <mails@clarity.test>', baseUrl: people.baseUrl, demo: false },
        signal: new AbortController().signal,
        logger: loggerTo(() => undefined),
      });
      expect(count.accepted).toBe(1);
      const mail = readMail(box.mails.find(({ to }) => to === email)?.text ?? '');
      expect(mail.text).toContain(`Kalyani Gold buys ${name}`);
      expect(mail.text).not.toContain('old-karat');
      const letter = await context.newPage();
      await letter.setContent(mail.html);
      await checked(letter, 'mail');
      expect(mail.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click');
      const link = mail.headers['list-unsubscribe']?.slice(1, -1) ?? '';

      // A link in the mail asks; the mail program ends it with one request, without a session.
      await page.goto(link);
      await checked(page, 'unsubscribe');
      const ended = await fetch(link, {
        method: 'POST',
        body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
      });
      expect(ended.status).toBe(200);
      await page.goto(search);
      expect(await page.locator('#mails').textContent()).not.toContain('Mailed to');
      await page.getByRole('button', { name: 'Remove: Jewellery deals' }).click();
      await page.waitForURL(`${people.baseUrl}/searches`);
      await context.close();
    },
  );
});
