/** Reading feeds of ordinary size: through the processes that guard it, against the same work in this process. */
import { readItems } from '../ingest/poll/normalise/read-items.ts';
import { createPageReader } from '../ingest/poll/read/page-reader.ts';
import { readPage } from '../ingest/poll/read/reading-jobs.ts';
import { type Bench, figureOf, median } from './bench.ts';

const FEEDS = 600;
/** As many polls as a poller runs at once. */
const AT_ONCE = 16;
const NOW = new Date('2026-11-21T06:00:00Z');

const item = (number: number): string =>
  `<item><title>Zudio opens store ${number} in Pune &amp; Nagpur</title><link>https://outlet.example.in/story/${number}?utm_source=rss</link><guid isPermaLink="false">g${number}</guid><pubDate>Sat, 21 Nov 2026 10:${10 + number} +0530</pubDate><description><![CDATA[<p>The brand opened a store of 12,000 sq ft for ₹4 crore. ${'More words about retail. '.repeat(20)}</p>]]></description></item>`;
const text = `<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><title>Outlet</title>${Array.from({ length: 30 }, (_, number) => item(number)).join('')}</channel></rss>`;
const page = { url: 'https://outlet.example.in/feed', headers: {}, body: Buffer.from(text) };
const source = { kind: 'rss' } as const;

interface Run {
  readonly perSecond: number;
  /** Milliseconds of this process's own time a feed. */
  readonly own: number;
}

async function measure(read: () => Promise<unknown>): Promise<Run> {
  const [begin, before] = [performance.now(), process.threadCpuUsage()];
  let left = FEEDS;
  const reading = Array.from({ length: AT_ONCE }, async () => {
    while (left-- > 0) await read();
  });
  await Promise.all(reading);
  const { user, system } = process.threadCpuUsage(before);
  return { perSecond: (FEEDS * 1_000) / (performance.now() - begin), own: (user + system) / 1_000 / FEEDS };
}

export const reading: Bench = {
  name: 'reading',
  async run({ rounds }) {
    const reader = createPageReader();
    const [guarded, direct]: [Run[], Run[]] = [[], []];
    try {
      // The first round starts the processes, warms all up and does not count.
      for (let round = 0; round <= rounds; round++) {
        const through = await measure(async () => {
          const { entries } = await reader.run('readPage', { page, source });
          await reader.run('readItems', { entries, base: page.url, now: NOW });
        });
        const here = await measure(async () => {
          const { entries } = await readPage(page, source);
          readItems(entries, page.url, NOW);
        });
        if (round === 0) continue;
        guarded.push(through);
        direct.push(here);
      }
    } finally {
      await reader.close();
    }
    const what = 'read in the process itself';
    const of = (runs: readonly Run[], key: keyof Run): number => median(runs.map((run) => run[key]));
    return [
      figureOf({
        figure: 'feeds of 30 entries and 25 KB read',
        unit: 'feeds/s',
        measured: of(guarded, 'perSecond'),
        baseline: { what, measured: of(direct, 'perSecond') },
      }),
      figureOf({
        figure: "the poller's own processor time of a feed",
        unit: 'ms',
        measured: of(guarded, 'own'),
        baseline: { what, measured: of(direct, 'own') },
      }),
    ];
  },
};
