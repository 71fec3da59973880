/** The review desk in a browser: its forms without a script, its keys with one, and axe at both widths in both themes. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mistakeId, mistakeStream } from '../../schemas/mistake.ts';
import { lacksChromium, openChromium } from '../harness/chromium.ts';
import { storedEvent } from '../projector/given-when-then.ts';
import { detected, idOf, report, understanding } from '../projector/signal-events.ts';
import { faultsOf } from './faults.ts';
import { OPERATOR, type SigningIn, signingIn } from './people/signing-in.ts';

const DESK = '/operate/review';
let browser: Browser;
let people: SigningIn;

async function openDesk(options: BrowserContextOptions = {}): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage();
  await page.goto(`${people.baseUrl}${DESK}`);
  await page.getByRole('link', { name: /^Sign in at/ }).click();
  await page.getByLabel('E-mail address').fill(OPERATOR);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${people.baseUrl}${DESK}`);
  return page;
}

/** The id of the focused signal, or of the focused field. */
const focused = (page: Page): Promise<string> => page.evaluate<string>('document.activeElement.id');

describe.skipIf(lacksChromium)('the review desk in Chromium', () => {
  beforeAll(async () => {
    [browser, people] = await Promise.all([openChromium(), signingIn({ models: ['review'] })]);
    const add = (name: string, relevance: number) =>
      people.site.append(
        detected(name, {
          understanding: understanding({ headline: `Headline of ${name}` }),
          report: report(name, { certainty: { relevance, move: 0.9, agreed: true } }),
        }),
      );
    for (const [name, relevance] of [
      ['first', 0.5],
      ['second', 0.6],
      ['third', 0.7],
      ['fourth', 0.8],
    ] as const)
      await add(name, relevance);
    const body = { what: 'place', note: 'It is in Patna' } as const;
    await people.site.engine.add(
      mistakeStream(idOf('first')),
      storedEvent('MistakeReported', {
        ...{ ...body, mistake_id: mistakeId(idOf('first'), body, '2026-11-20'), signal_id: idOf('first') },
      }),
    );
  });
  afterAll(async () => {
    await browser?.close();
    await people?.close();
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
      await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
      expect(await faultsOf(page)).toEqual([]);
      await page.goto(`${people.baseUrl}/corrections`);
      expect(await faultsOf(page)).toEqual([]);
      await page.context().close();
    },
  );

  it('given keys, then they move, open forms, confirm and go on, and can be switched off', async () => {
    const page = await openDesk();
    await page.keyboard.press('j');
    expect(await focused(page)).toBe(idOf('first'));
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('e');
    expect(await focused(page)).toBe(`move-${idOf('first')}`);
    await page.keyboard.press('Escape');
    await page.keyboard.press('x');
    await page.keyboard.type('jkc');
    expect(await page.locator(`#why-retract-${idOf('first')}`).inputValue()).toBe('jkc');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    expect(await page.getByText('the next and the previous signal').isVisible()).toBe(true);
    await page.keyboard.press('c');
    await page.locator(`#${idOf('first')}`).waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toBe(idOf('second'));
    await page.locator('#keys summary').click();
    await page.getByLabel('Keys are on').uncheck();
    await page.locator('h1').click();
    await page.keyboard.press('j');
    expect(await focused(page)).not.toMatch(/^sig_/);
    await page.context().close();
  });

  it('given no script, then a field is corrected, and readers see it', async () => {
    const page = await openDesk({ javaScriptEnabled: false });
    const second = page.locator(`#${idOf('second')}`);
    await second.getByText('Correct fields').click();
    await second.getByLabel('Cities').fill('Gaya');
    await second.locator(`#why-correct-${idOf('second')}`).fill('The report names Gaya.');
    await second.getByRole('button', { name: 'Correct' }).click();
    await second.waitFor({ state: 'detached' });
    await page.goto(`${people.baseUrl}/corrections`);
    expect(await page.locator('.case').textContent()).toContain('The report names Gaya.');
    await page.context().close();
  });
});
