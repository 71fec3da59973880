/** Debian's Chromium for tests of pages. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PROGRAM = process.env.CHROMIUM ?? '/usr/bin/chromium';

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
