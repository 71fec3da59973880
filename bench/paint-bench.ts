/** How soon a reader sees a page: the largest paint in Chromium on a machine four times slower, and the bytes of a first visit. */
import type { Browser, CDPSession } from 'playwright-core';
import { lacksChromium, openChromium } from '../test/harness/chromium.ts';
import { type Bench, type Figure, figureOf, median, startChild } from './bench.ts';
import { ServedPages } from './pages-bench.ts';
import { rebuildOnce } from './rebuild-bench.ts';

const VIEWPORT = { width: 1366, height: 768 };
/** Loads of a page in one round, each with an empty cache. */
const LOADS = 5;
/** How much slower the processor is made, as tools that judge pages do for a phone. */
const SLOWDOWN = 4;
const PAINTED_WITHIN = 1_000;
/** Of the first page with its style sheet and script, as they are sent. */
const FIRST_VISIT_BYTES = 60_000;
/** Read models that the pages below are made of. */
const MODELS = ['signals', 'brands', 'search', 'names', 'openings', 'appointments', 'results'];

interface Load {
  /** Milliseconds from the start of navigation to the largest contentful paint. */
  readonly painted: number;
  /** Sent by the server: headers and compressed bodies of everything that the page loads. */
  readonly bytes: number;
}

/** The largest paint so far. A paint after it would be a later entry, so that it is read once nothing is loading. */
const LARGEST_PAINT = `new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
    .observe({ type: 'largest-contentful-paint', buffered: true });
})`;

/** Counts what is sent from now on. */
async function countBytes(session: CDPSession): Promise<() => number> {
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await session.send('Network.enable');
  return () => bytes;
}

/** Opens a page as a first visitor does. */
async function load(browser: Browser, address: string): Promise<Load> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
    const sent = await countBytes(session);
    await page.goto(address, { waitUntil: 'networkidle' });
    const painted = await page.evaluate<number>(LARGEST_PAINT);
    return { painted, bytes: sent() };
  } finally {
    await context.close();
  }
}

const pagesOf = ({ signals: [signal], brands: [brand] }: ServedPages): readonly (readonly [string, string])[] => [
  ['home', '/'],
  ['a signal', `/signal/${signal}`],
  ['a brand', `/brand/${brand}`],
  ['people', '/people'],
  ['a table', '/tables/openings'],
  ['questions', '/ask'],
  ['sources', '/sources'],
  ['quality', '/quality'],
];

/** Pages as readers see them for the first time, on loopback. Measures nothing without Chromium. */
export const paint: Bench = {
  name: 'paint',
  async run({ history, rounds, log }) {
    if (lacksChromium) return [];
    const { url } = await history();
    log(`  rebuilds first: ${MODELS.join(', ')}`);
    for (const model of MODELS) await rebuildOnce(url, model);
    const child = startChild('pages-bench.ts', [url], ServedPages);
    const { value } = await child.lines[Symbol.asyncIterator]().next();
    if (!value) throw new Error('the server did not start');
    const served = value as ServedPages;
    const browser = await openChromium();
    const figures: Figure[] = [];
    try {
      // The first page that a browser shows is slow by itself.
      await load(browser, `http://127.0.0.1:${served.port}/brief`);
      const plain: number[] = [];
      for (let turn = 0; turn < LOADS * rounds; turn++)
        plain.push((await load(browser, `http://127.0.0.1:${served.port}/robots.txt`)).painted);
      for (const [name, path] of pagesOf(served)) {
        const loads: Load[] = [];
        for (let turn = 0; turn < LOADS * rounds; turn++)
          loads.push(await load(browser, `http://127.0.0.1:${served.port}${path}`));
        figures.push(
          figureOf({
            figure: `largest paint of ${name}, processor ${SLOWDOWN} times slower`,
            unit: 'ms',
            measured: median(loads.map(({ painted }) => painted)),
            baseline: { what: 'a text of a few lines', measured: median(plain) },
            limit: { of: 'measured', at: 'most', value: PAINTED_WITHIN },
          }),
          figureOf({
            figure: `first visit of ${name}, bytes sent`,
            unit: 'bytes',
            measured: median(loads.map(({ bytes }) => bytes)),
            limit: { of: 'measured', at: 'most', value: FIRST_VISIT_BYTES },
          }),
        );
      }
    } finally {
      await browser.close();
      child.process.kill('SIGTERM');
      await child.ended();
    }
    return figures;
  },
};
