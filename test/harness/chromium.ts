/** Debian's Chromium for tests of pages, on a site of a test or on the whole program. */
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type Clarity, startClarity } from './clarity.ts';
import { dataFolder } from './data-folder.ts';
import { freePort } from './free-port.ts';
import { type Outlets, startOutlets } from './outlets.ts';

const PROGRAM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** The widths at which people do their jobs: a phone, a laptop, a screen on a desk. */
export const WIDTHS = [390, 1366, 1920] as const;

/** Each of these widths in each theme. */
export const WIDTHS_AND_THEMES = WIDTHS.flatMap((width) =>
  (['light', 'dark'] as const).map((theme) => [width, theme] as const),
);

/** The reason why there is no browser; null when there is one. */
export const lacksChromium: string | null = existsSync(PROGRAM)
  ? null
  : `skipped: no Chromium at ${PROGRAM}; install it or name it in CHROMIUM`;
if (lacksChromium) console.warn(lacksChromium);

/** Starts it, without its own network traffic. */
export const openChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: PROGRAM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });

/** The operator of the programs that `openProgram` starts. */
export const PROGRAM_OPERATOR = 'olga@clarity.test';

/**
 * Signs in by the embedded issuer.
 * @param address of a page that asks for it
 * @returns that page, as the person sees it
 */
export async function signInAt(context: BrowserContext, address: string, email: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(address);
  await page.getByRole('link', { name: /^Sign in at/ }).click();
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(address);
  return page;
}

/** The whole program on outlets of the test, with a browser. */
export interface BrowsedProgram {
  readonly browser: Browser;
  readonly baseUrl: string;
  /** Where it may keep data; removed at the end. */
  readonly folder: string;
  readonly outlets: Outlets;
  readonly clarity: Clarity;
  /** Settings with which other commands run on the same data. */
  readonly settings: Record<string, string>;
  /** A page that its operator opens. */
  asOperator(path: string, options?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

export interface ProgramOptions {
  readonly name: string;
  /** Names of outlets, each a feed. */
  readonly outlets: readonly string[];
  /** Seconds between two polls of an outlet; 1 by default. */
  readonly cadence?: number;
  /** Fills the feeds before the program starts. */
  readonly publish?: (outlets: Outlets) => void;
  /** The roster file; that of all outlets by default. */
  readonly roster?: (outlets: Outlets) => string;
  readonly settings?: Record<string, string>;
}

/** Starts outlets, the program as `clarity up --roster FILE`, and Chromium. Pages may not be filled yet. */
export async function openProgram(options: ProgramOptions): Promise<BrowsedProgram> {
  const { name, publish, roster = (all) => all.roster() } = options;
  const folder = await dataFolder(name);
  const outlets = await startOutlets(options.outlets, options.cadence);
  publish?.(outlets);
  const file = join(folder, 'live.yaml');
  await writeFile(file, roster(outlets));
  const [port, metrics] = [await freePort(), await freePort()];
  const baseUrl = `http://localhost:${port}`;
  const settings = {
    DATA_DIR: join(folder, 'data'),
    PORT: String(port),
    METRICS_PORT: String(metrics),
    ALLOW_PRIVATE_SOURCES: '1',
    OPERATORS: PROGRAM_OPERATOR,
    ...options.settings,
  };
  const clarity = startClarity(['up', '--roster', file], settings);
  const browser = await openChromium();
  return {
    browser,
    baseUrl,
    folder,
    outlets,
    clarity,
    settings,
    asOperator: async (path, context = {}) =>
      signInAt(await browser.newContext(context), `${baseUrl}${path}`, PROGRAM_OPERATOR),
    async close() {
      await browser.close();
      await clarity.stop();
      await outlets.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
