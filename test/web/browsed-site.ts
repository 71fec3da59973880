/** A site of a test on a port of its own, with a browser on it. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import type { Serving } from '../api/serving.ts';
import { openChromium } from '../harness/chromium.ts';
import { freePort } from '../harness/free-port.ts';

/** A window on a laptop. */
export const LAPTOP = { viewport: { width: 1366, height: 768 } };

/** Its fields are set before the first test. */
export class BrowsedSite {
  browser!: Browser;
  site!: Serving;
  baseUrl!: string;

  /** Opens a page of the site in a context of its own. */
  async open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await (await this.browser.newContext({ ...LAPTOP, ...options })).newPage();
    await page.goto(`${this.baseUrl}${path}`);
    return page;
  }

  /** Uses an empty page of a context of its own, and closes it. */
  async within(options: BrowserContextOptions, use: (page: Page) => Promise<void>): Promise<void> {
    const context = await this.browser.newContext(options);
    try {
      await use(await context.newPage());
    } finally {
      await context.close();
    }
  }
}

/** Starts both before the tests of a file, and ends them after. @param serve makes the site of an address */
export function browsedSite(serve: (baseUrl: string) => Promise<Serving>): BrowsedSite {
  const own = new BrowsedSite();
  beforeAll(async () => {
    const port = await freePort();
    own.baseUrl = `http://localhost:${port}`;
    [own.browser, own.site] = await Promise.all([openChromium(), serve(own.baseUrl)]);
    await own.site.server.listen({ port, host: 'localhost' });
  }, 180_000);
  afterAll(async () => {
    await own.browser?.close();
    await own.site?.close();
  });
  return own;
}
