/** The pages of operators in a browser: axe and widths in both themes, and by keyboard. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordOperation } from '../../log/event-store.ts';
import { CatalogueBrand } from '../../schemas/catalogue.ts';
import { lacksChromium, openChromium, signInAt, WIDTHS_AND_THEMES } from '../harness/chromium.ts';
import { detected, retracted } from '../projector/signal-events.ts';
import { faultsOf } from './faults.ts';
import { OPERATOR, type SigningIn } from './people/signing-in.ts';
import { withDesk } from './pipeline.desk.ts';

const PATHS = [
  '/operate',
  '/operate/pipeline',
  '/operate/audit',
  '/operate/catalogue/candidates',
  '/operate/catalogue',
  '/operate/catalogue?q=maya',
  '/operate/catalogue/brand/maya-kids-clothing-company',
  '/operate/catalogue/preview?do=add&of=brand&name=Zarina+Tea&category=fmcg&aliases=Zarina&why=seen',
  '/operate/parked',
];

const MAYA = CatalogueBrand.parse({
  slug: 'maya-kids-clothing-company',
  name: 'Maya',
  aliases: ['Maya Kids', 'a'.repeat(120)],
  category: 'fashion',
});

let browser: Browser;
let people: SigningIn;

async function signedIn(width: number, colorScheme: 'light' | 'dark'): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  return signInAt(context, `${people.baseUrl}/operate`, OPERATOR);
}

describe.skipIf(lacksChromium)('the pages of operators in Chromium', () => {
  beforeAll(async () => {
    [browser, people] = await Promise.all([
      openChromium(),
      withDesk(['audit', 'audit_actors', 'review', 'brands', 'catalogue', 'search', 'oracle'], {}, { brands: [MAYA] }),
    ]);
    await people.site.append(detected('kiri'), detected('maya'), retracted('maya'));
    const { store, clock: now } = people.site.engine;
    for (const subject of ['signals', 'x'.repeat(200)])
      await recordOperation(
        { store, now },
        { operation: 'model_rebuilt', subject, by: OPERATOR, why: 'w'.repeat(300) },
      );
  });
  afterAll(async () => {
    await browser?.close();
    await people?.close();
  });

  it.each(WIDTHS_AND_THEMES)(
    'given %d pixels in the %s theme, then axe has no findings and none is too wide',
    async (width, colorScheme) => {
      const page = await signedIn(width, colorScheme);
      const faults: string[] = [];
      for (const path of PATHS) {
        await page.goto(`${people.baseUrl}${path}`);
        faults.push(...(await faultsOf(page)).map((fault) => `${path}: ${fault}`));
      }
      await page.context().close();
      expect(faults).toEqual([]);
    },
    60_000,
  );

  it('given a keyboard alone, then the audit log is narrowed by its form', async () => {
    const page = await signedIn(1366, 'light');
    await page.goto(`${people.baseUrl}/operate/audit`);
    await page.getByLabel('Signal, source, account or other subject').focus();
    await page.keyboard.type('signals');
    await page.keyboard.press('Enter');
    await page.waitForURL(/subject=signals/);
    expect(await page.locator('main tbody tr').count()).toBe(1);
    await page.context().close();
  });
});
