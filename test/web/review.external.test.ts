/** The review desk in a browser: its forms without a script, its keys, axe, and two jobs on the whole program. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { mistakeId, mistakeStream } from '../../schemas/signal.ts';
import {
  type BrowsedProgram,
  lacksChromium,
  openChromium,
  openProgram,
  signInAt,
  type WIDTHS,
  WIDTHS_AND_THEMES,
} from '../harness/chromium.ts';
import { startClarity } from '../harness/clarity.ts';
import { eventually } from '../harness/eventually.ts';
import { issueKey } from '../harness/issue-key.ts';
import { WAIT_OPTIONS } from '../harness/wait-options.ts';
import { storedEvent } from '../projector/given-when-then.ts';
import { detected, idOf, report, understanding } from '../projector/signal-events.ts';
import { faultsOf } from './faults.ts';
import { OPERATOR, type SigningIn, signingIn } from './people/signing-in.ts';

const DESK = '/operate/review';
let browser: Browser;
let people: SigningIn;

const openDesk = async (options: BrowserContextOptions = {}): Promise<Page> =>
  signInAt(await browser.newContext(options), `${people.baseUrl}${DESK}`, OPERATOR);

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
        ...body,
        mistake_id: mistakeId(idOf('first'), body, '2026-11-20'),
        signal_id: idOf('first'),
      }),
    );
  });
  afterAll(async () => {
    await browser?.close();
    await people?.close();
  });

  it.each(WIDTHS_AND_THEMES)(
    'given %d pixels in the %s theme, with every form open, then axe has no findings',
    async (width, colorScheme) => {
      const page = await openDesk({ viewport: { width, height: 900 }, colorScheme });
      await page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true");
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
    expect(await focused(page)).toBe(`headline-${idOf('first')}`);
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

/** Cities of the stories that are corrected and split, one for each width. */
const JOBS = [
  { width: 390, wrong: 'Jaipur', merged: 'Nagpur' },
  { width: 1366, wrong: 'Lucknow', merged: 'Surat' },
  { width: 1920, wrong: 'Kochi', merged: 'Indore' },
] as const satisfies readonly { width: (typeof WIDTHS)[number]; wrong: string; merged: string }[];

/** Cities of two stories about a brand that the catalogue lacks. */
const ADDED = ['Patna', 'Bhopal'];

describe.skipIf(lacksChromium)('decisions of the review desk in the whole program', () => {
  let program: BrowsedProgram;
  const textOf = async (path: string): Promise<string> =>
    (await fetch(`${program.baseUrl}${path}`)).text().catch(() => '');

  beforeAll(async () => {
    program = await openProgram({
      name: 'clarity-review',
      outlets: ['daily-trade', 'market-times'],
      publish(outlets) {
        const add = (outlet: string, guid: string, title: string) =>
          outlets.publish(outlet, { guid, title, summary: `${title}.`, published: new Date() });
        for (const { wrong, merged } of JOBS) {
          add('daily-trade', `croma-${wrong}`, `Croma opens a 9,000 sq ft store in ${wrong}`);
          for (const outlet of ['daily-trade', 'market-times'])
            add(outlet, `zudio-${merged}`, `Zudio opens a 20,000 sq ft store in ${merged}`);
        }
        for (const city of ADDED) add('daily-trade', `tea-${city}`, `Zarina Tea opens a 1,200 sq ft store in ${city}`);
      },
    });
    await eventually(async () => {
      const [croma, zudio] = [await textOf('/brand/croma'), await textOf('/brand/zudio')];
      for (const { wrong, merged } of JOBS) {
        expect(croma).toContain(`store in ${wrong}`);
        expect(zudio).toContain(`store in ${merged}`);
      }
    });
  }, 120_000);
  afterAll(() => program?.close());

  /** Opens the case of the story about a brand and a city on the desk, from its page. */
  async function openCase(brand: string, city: string, width: number): Promise<Page> {
    const page = await program.asOperator(DESK, { viewport: { width, height: 900 } });
    await page.goto(`${program.baseUrl}/brand/${brand}`);
    await page.locator('.feed h3 a').filter({ hasText: city }).first().click();
    const slug = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await page.goto(`${program.baseUrl}${DESK}`);
    await page.getByLabel('Another signal: id or slug').fill(slug);
    await page.getByRole('button', { name: 'Show' }).click();
    return page;
  }

  it('given a wrong brand, then it is corrected, and right in the feed, the table, the API, and after every model is rebuilt', async () => {
    for (const { width, wrong } of JOBS) {
      const page = await openCase('croma', wrong, width);
      const story = page.locator('.case');
      await story.getByText('Correct fields').click();
      await story.getByLabel('Brands').fill('Vijay Sales');
      await story.getByLabel('Openings 1: brand').fill('Vijay Sales');
      await story.getByLabel('Reason, which readers see').first().fill('The store is of Vijay Sales.');
      await story.getByRole('button', { name: 'Correct', exact: true }).click();
      await page.waitForURL(`${program.baseUrl}${DESK}`);
      expect(await faultsOf(page)).toEqual([]);
      await page.context().close();
    }
    const key = await issueKey(program.settings);
    const isRight = async (): Promise<void> => {
      const [right, table, wrongTable, home] = await Promise.all(
        ['/brand/vijay-sales', '/tables/openings.csv?brand=vijay-sales', '/tables/openings.csv?brand=croma', '/'].map(
          textOf,
        ),
      );
      const api = await fetch(`${program.baseUrl}/api/v1/signals?brand=vijay-sales`, {
        headers: { authorization: `Bearer ${key}` },
      });
      const { signals } = (await api.json()) as { signals: { cities: string[]; brands: { slug: string }[] }[] };
      for (const { wrong } of JOBS) {
        expect(right).toContain(`store in ${wrong}`);
        expect(table).toContain(wrong);
        expect(wrongTable).not.toContain(wrong);
        expect(signals.filter(({ cities }) => cities.includes(wrong)).map(({ brands }) => brands[0]?.slug)).toEqual([
          'vijay-sales',
        ]);
      }
      expect(home).toContain('href="/brand/vijay-sales"');
    };
    await eventually(isRight);
    const replayed = startClarity(['replay', '--all', '--verify'], program.settings);
    expect([await replayed.ended, replayed.output()]).toEqual([0, expect.stringContaining('equal the live ones')]);
    expect(replayed.output()).not.toContain('DIFFER');
    await isRight();
  }, 240_000);

  it.each(JOBS)(
    'given %o, then a report of a wrong merge is split off, and readers find two stories',
    async ({ width, merged }) => {
      const page = await openCase('zudio', merged, width);
      const story = page.locator('.case');
      await expect
        .poll(async () => {
          await page.reload();
          return story.locator('.said').innerText();
        })
        .toContain('2 reports');
      await story.getByText('Split a report off').click();
      await story.getByLabel('Report', { exact: true }).selectOption({ index: 1 });
      await story.locator('[id^=why-split]').fill('Another store of the same city.');
      await story.getByRole('button', { name: 'Split off' }).click();
      await page.waitForURL(`${program.baseUrl}${DESK}`);
      await expect
        .poll(async () => {
          await page.goto(`${program.baseUrl}/brand/zudio`);
          return page.locator('.feed h3').filter({ hasText: merged }).count();
        })
        .toBe(2);
      expect(await faultsOf(page)).toEqual([]);
      await page.context().close();
    },
    120_000,
  );

  it('given a brand that the catalogue lacks, when it is added, then its two stories move to it in feed, page and API, and stay there', async () => {
    await eventually(async () => {
      const home = await textOf('/?q=zarina');
      for (const city of ADDED) expect(home).toContain(`store in ${city}`);
    });
    const page = await program.asOperator('/operate/catalogue', { viewport: { width: 1366, height: 900 } });
    await page.getByText('Add a brand').click();
    await page.locator('#name-brand').fill('Zarina Tea');
    await page.locator('#why-add-brand').fill('Two stores in a week.');
    await page.locator('form:has(#name-brand)').getByRole('button', { name: 'Preview' }).click();
    await expect.poll(() => page.locator('main').innerText()).toContain('2 stories of the last 90 days');
    for (const city of ADDED) expect(await page.locator('main').innerText()).toContain(`store in ${city}`);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.waitForURL(`${program.baseUrl}/operate/catalogue/brand/zarina-tea`);
    await page.context().close();
    const key = await issueKey(program.settings);
    const isMoved = async (): Promise<void> => {
      const [brand, home] = await Promise.all(['/brand/zarina-tea', '/?brand=zarina-tea'].map(textOf));
      const api = await fetch(`${program.baseUrl}/api/v1/signals?brand=zarina-tea`, {
        headers: { authorization: `Bearer ${key}` },
      });
      const { signals } = (await api.json()) as { signals: { cities: string[] }[] };
      expect(signals.flatMap(({ cities }) => cities).sort()).toEqual([...ADDED].sort());
      for (const city of ADDED) for (const text of [brand, home]) expect(text).toContain(`store in ${city}`);
    };
    await vi.waitFor(isMoved, { ...WAIT_OPTIONS, timeout: 60_000 });
    const replayed = startClarity(['replay', '--all', '--verify'], program.settings);
    expect([await replayed.ended, replayed.output()]).toEqual([0, expect.stringContaining('equal the live ones')]);
    await isMoved();
    const merged = startClarity(
      ['catalogue', 'merge', 'zarina-tea', 'vijay-sales', '--why', 'a test of what stays behind'],
      program.settings,
    );
    expect([await merged.ended, merged.output()]).toEqual([0, expect.any(String)]);
    await eventually(async () => {
      const answer = await fetch(`${program.baseUrl}/api/v1/brands/zarina-tea`, {
        headers: { authorization: `Bearer ${key}` },
        redirect: 'manual',
      });
      expect([answer.status, answer.headers.get('location')]).toEqual([
        301,
        expect.stringMatching(/\/api\/v1\/brands\/vijay-sales$/),
      ]);
    });
  }, 240_000);
});
