/** Feeds with changed, dropped or duplicated bytes are read as far as possible or rejected as one poll, without a crash or hang. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readItems } from '../../ingest/poll/normalise/read-items.ts';
import { PollError } from '../../ingest/poll/poll-error.ts';
import { readPage } from '../../ingest/poll/read/reading-jobs.ts';
import type { Source } from '../../schemas/source.ts';
import { processorTime } from '../harness/processor-time.ts';
import { ATOM, RDF, RSS } from '../ingest/poll/read/feeds.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? 60);
const NOW = new Date('2026-11-21T06:00:00Z');
/** For a small feed, which takes a few; the rest is a margin for a busy machine. */
const MAX_MILLISECONDS = 10_000;
const PAGE = 'http://outlet.example.in/feed';

const ENTRY =
  '<title>Zudio opens &amp; grows in Pune — ₹230 Cr</title><link>http://outlet.example.in/1</link><pubDate>Sat, 21 Nov 2026 09:00:00 +0530</pubDate><description><![CDATA[<p>A <b>store</b></p>]]></description>';
const FEEDS: readonly (readonly [name: string, text: string, source: Pick<Source, 'kind' | 'selectors'>])[] = [
  ['RSS', `<?xml version="1.0" encoding="utf-8"?>${RSS(ENTRY)}`, { kind: 'feed' }],
  [
    'Atom',
    ATOM(
      '<title type="html">One &lt;i&gt;two&lt;/i&gt;</title><id>urn:1</id><link href="http://outlet.example.in/2"/><updated>2026-11-21T00:00:00Z</updated>',
    ),
    { kind: 'feed' },
  ],
  [
    'RDF',
    RDF('<title>Three</title><link>http://outlet.example.in/3</link><dc:date>2026-11-21</dc:date>'),
    { kind: 'feed' },
  ],
  [
    'JSON Feed',
    JSON.stringify({
      version: 'https://jsonfeed.org/version/1.1',
      title: 'Outlet',
      items: [{ id: '1', url: 'http://outlet.example.in/4', title: 'Four', date_published: '2026-11-21T00:00:00Z' }],
    }),
    { kind: 'feed' },
  ],
  [
    'a news sitemap',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"><url><loc>http://outlet.example.in/5</loc><news:news><news:publication_date>2026-11-21</news:publication_date><news:title>Five</news:title></news:news></url></urlset>',
    { kind: 'news_sitemap' },
  ],
  [
    'a page',
    '<html><body><article><a href="/6"><h2>Six</h2></a><time>21 November 2026</time></article></body></html>',
    { kind: 'html', selectors: { item: 'article', title: 'h2', link: 'a', date: 'time' } as Source['selectors'] },
  ],
];

/** One change at a position that is given as a share of the length. */
const change = fc.tuple(
  fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  fc.constantFrom('set', 'drop', 'double', 'cut', 'insert'),
  fc.uint8Array({ minLength: 1, maxLength: 12 }),
);

function changed(bytes: Buffer, changes: readonly (readonly [number, string, Uint8Array])[]): Buffer {
  let now = bytes;
  for (const [share, what, extra] of changes) {
    const at = Math.floor(share * now.length);
    const [before, after] = [now.subarray(0, at), now.subarray(at)];
    if (what === 'set') now = Buffer.concat([before, extra.subarray(0, 1), after.subarray(1)]);
    if (what === 'drop') now = Buffer.concat([before, after.subarray(extra.length)]);
    if (what === 'double') now = Buffer.concat([before, after.subarray(0, 40), after]);
    if (what === 'cut') now = before;
    if (what === 'insert') now = Buffer.concat([before, extra, after]);
  }
  return now;
}

describe.each(FEEDS)('%s', (_name, text, source) => {
  const pageOf = (body: Buffer, type: string) => ({
    url: PAGE,
    status: 200,
    headers: { 'content-type': type },
    body,
    movedTo: null,
  });

  it('given the unchanged feed, then its item is read', async () => {
    const { entries } = await readPage(pageOf(Buffer.from(text), ''), source);
    expect(readItems(entries, PAGE, NOW).items).toHaveLength(1);
  });

  it('given changed bytes, then it is read or rejected in bounded time', { timeout: 20_000 + RUNS * 50 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(
          '',
          'application/xml',
          'text/xml; charset=utf-16',
          'application/json; charset=windows-1252',
          'text/html; charset=nonsense',
        ),
        async (changes, type) => {
          const spent = processorTime();
          try {
            const { entries } = await readPage(pageOf(changed(Buffer.from(text), changes), type), source);
            for (const item of readItems(entries, PAGE, NOW).items) expect(item.title.trim()).not.toBe('');
          } catch (error) {
            if (!(error instanceof PollError)) throw error;
            expect(error.code).not.toBe('unreadable');
          }
          expect(spent()).toBeLessThan(MAX_MILLISECONDS);
        },
      ),
      { numRuns: RUNS },
    );
  });
});
