import { describe, expect, it } from 'vitest';
import { readItems } from '../../../../ingest/poll/normalise/read-items.ts';
import { findFeedLinks } from '../../../../ingest/poll/read/read-listing.ts';
import { readPage } from '../../../../ingest/poll/read/reading-jobs.ts';
import type { Source } from '../../../../schemas/source.ts';
import { processorTime } from '../../../harness/processor-time.ts';
import { rss } from '../outlet.ts';

const NOW = new Date('2026-11-21T06:00:00Z');
const URL_OF_FEED = 'https://outlet.example.in/feed.xml';

async function read(body: string | Buffer, source: Partial<Source> = {}, contentType = '') {
  const page = {
    url: URL_OF_FEED,
    status: 200,
    headers: { 'content-type': contentType },
    body: typeof body === 'string' ? Buffer.from(body) : body,
    movedTo: null,
  };
  const { entries } = await readPage(page, { kind: 'feed', ...source });
  return readItems(entries, URL_OF_FEED, NOW);
}

const WANTED = {
  title: 'Zudio opens in Pune',
  url: 'https://outlet.example.in/zudio',
  item_key: 'z1',
  summary: 'A store & more',
  published_at: new Date('2026-11-21T05:00:00Z'),
};
const ENTRY =
  '<title>Zudio opens in Pune</title><link>https://outlet.example.in/zudio</link><guid>z1</guid><description>A store &amp;amp; more</description><pubDate>Sat, 21 Nov 2026 10:30:00 IST</pubDate>';

describe('reading each kind of source', () => {
  it.each<[string, string, Partial<Source>]>([
    ['RSS 2.0', rss(ENTRY), {}],
    ['RSS 0.91', `<rss version="0.91"><channel><item>${ENTRY}</item></channel></rss>`, {}],
    [
      'RSS 1.0',
      `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:when="http://purl.org/dc/elements/1.1/"><channel/><item rdf:about="z1"><title>Zudio opens in Pune</title><link>/zudio</link><description>A store &amp;amp; more</description><when:date>2026-11-21T10:30:00+05:30</when:date></item></rdf:RDF>`,
      {},
    ],
    [
      'Atom',
      `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://outlet.example.in/"><entry><title type="html">&lt;b&gt;Zudio&lt;/b&gt; opens in Pune</title><id>z1</id><link rel="self" href="/self"/><link href="zudio"/><updated>2026-11-21T05:30:00Z</updated><published>2026-11-21T05:00:00Z</published><summary type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">A <i>store</i> &amp; more</div></summary></entry></feed>`,
      { kind: 'feed' },
    ],
    [
      'Atom with prefixes',
      `<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:title>Zudio opens in Pune</a:title><a:id>z1</a:id><a:link href="/zudio"/><a:updated>2026-11-21T05:00:00Z</a:updated><a:summary>A store &amp; more</a:summary></a:entry></a:feed>`,
      {},
    ],
    [
      'JSON Feed',
      JSON.stringify({
        version: 'https://jsonfeed.org/version/1.1',
        items: [
          {
            id: 'z1',
            url: '/zudio',
            title: 'Zudio opens in Pune',
            content_html: '<p>A store &amp; more</p>',
            date_published: '2026-11-21T10:30:00+05:30',
          },
        ],
      }),
      { kind: 'feed' },
    ],
  ])('%s', async (_name, text, source) => {
    expect((await read(text, source)).items).toEqual([
      { ...WANTED, approximate_at: null, fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/) },
    ]);
  });

  it.each<[string, string]>([
    ['many parts in one entry', `<div class="e">${'<a href="/x">Zudio</a><time>t</time>'.repeat(40_000)}</div>`],
    ['entries inside one another', `${'<div class="e">'.repeat(900)}${'<a href="/x">Zudio</a>'.repeat(3_000)}`],
    ['many elements at the top', '<a href="/x">Zudio</a>'.repeat(60_000)],
  ])(
    'given a listing page with %s, then its cost does not grow with the square of its elements',
    async (_name, html) => {
      const spent = processorTime();
      const selectors = { item: '.e', title: 'a', link: 'a', date: 'time' };
      // Such a page may be refused; only the cost counts.
      await read(html, { kind: 'html', selectors }).catch(() => undefined);
      findFeedLinks({ url: URL_OF_FEED, headers: {}, body: Buffer.from(html) });
      expect(spent()).toBeLessThan(10_000);
    },
  );

  it('given a listing page, then it is read by its selectors', async () => {
    const page = `<html><body><ul><li class="card"><h2><a href="/zudio?utm_source=home">Zudio opens in Pune</a></h2><p>A store &amp; more</p><time datetime="2026-11-21 10:30">today</time></li><li class="card">no link</li></ul></body></html>`;
    const selectors = { item: '.card', title: 'h2', link: 'a', summary: 'p', date: 'time' };
    const { items, refused } = await read(page, { kind: 'html', selectors });
    expect(items).toMatchObject([{ ...WANTED, item_key: WANTED.url }]);
    expect(refused).toBe(1);
  });

  it('given a news sitemap, then its entries are read', async () => {
    const text = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"><url><loc>https://outlet.example.in/zudio</loc><n:news><n:publication_date>2026-11-21T10:30:00+05:30</n:publication_date><n:title>Zudio opens in Pune</n:title></n:news></url></urlset>`;
    expect((await read(text, { kind: 'news_sitemap' })).items).toMatchObject([
      { ...WANTED, item_key: WANTED.url, summary: null },
    ]);
  });
});

describe('malformed feeds', () => {
  it.each([
    ['text before the XML', `Warning: mysql\n${rss(ENTRY)}`, WANTED.title],
    ['no end of an item', rss(ENTRY).replace('</item>', `<item>${ENTRY.replace('z1', 'z2')}</item>`), WANTED.title],
    ['upper case', rss(ENTRY.replace(/title>/g, 'TITLE>')), WANTED.title],
  ])('%s', async (_name, text, title) => expect((await read(text)).items[0]?.title).toBe(title));

  it('given external entities, then none is fetched or expanded', async () => {
    const laughs = `<!DOCTYPE rss [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>`;
    const { items } = await read(laughs + rss(ENTRY.replace('Zudio', '&b;&x;')));
    expect(items[0]?.title).toBe('&b;&x; opens in Pune');
  });

  it.each([
    ['a web page', '<!doctype html><html><body>Moved</body></html>', 'html_instead_of_feed'],
    ['plain text', 'hello', 'not_a_feed'],
    ['other JSON', '{"a":1}', 'not_a_feed'],
    ['broken JSON', '{"items":[', 'not_a_feed'],
    ['nothing', '  ', 'empty'],
  ])('given %s instead of a feed, then the error names it', async (_name, text, code) => {
    await expect(read(text)).rejects.toThrow(expect.objectContaining({ code }));
  });

  it('given deep nesting, many elements or many items, then reading stays fast', async () => {
    const spent = processorTime();
    expect((await read(rss(ENTRY, '<a>'.repeat(800_000)))).items).toHaveLength(1);
    for (const page of ['<div>'.repeat(800_000), '<a></a>'.repeat(600_000)])
      await expect(read(page, { kind: 'html', selectors: { item: 'li', title: 'a', link: 'a' } })).rejects.toThrow(
        expect.objectContaining({ code: 'too_complex' }),
      );
    expect((await read(rss(ENTRY, '<a/>'.repeat(500_000)))).items).toHaveLength(1);
    const many = Array.from({ length: 10_000 }, (_, number) => ENTRY.replace('z1', `z${number}`));
    expect((await read(rss(...many))).items).toHaveLength(2_000);
    expect(spent()).toBeLessThan(10_000);
  });
});

describe('a truncated response', () => {
  const half = ENTRY.replace('z1', 'z2').slice(0, 60);
  it.each<[string, string, Partial<Source>]>([
    ['RSS', rss(ENTRY, ENTRY.replace('z1', 'z2')).slice(0, -60), {}],
    ['RSS within a tag', `${rss(ENTRY).replace('</channel></rss>', '')}<item><title>Half</title><link`, {}],
    ['RSS after a link', `${rss(ENTRY).replace('</channel></rss>', '')}<item>${half}<link>/h</link>`, {}],
    [
      'a news sitemap',
      '<urlset><url><loc>https://outlet.example.in/zudio</loc><title>Zudio opens in Pune</title></url><url><loc>https://outlet.example.in/half</loc><title>Half',
      { kind: 'news_sitemap' },
    ],
    [
      'a listing',
      '<ul><li><a href="/zudio">Zudio opens in Pune</a></li><li><a href="/half">Half',
      { kind: 'html', selectors: { item: 'li', title: 'a', link: 'a' } },
    ],
    [
      'a listing within a tag',
      '<ul><li><a href="/zudio">Zudio opens in Pune</a><li><a href="/half">Half</a><p cl',
      { kind: 'html', selectors: { item: 'li', title: 'a', link: 'a' } },
    ],
  ])('given %s, then the incomplete last entry is dropped', async (_name, text, source) => {
    const { items, refused } = await read(text, source);
    expect(items.map(({ title }) => title)).toEqual([WANTED.title]);
    expect(refused).toBe(0);
  });

  it('given entries without end tags, then only the last entry of a truncated response is dropped', async () => {
    const open = `<item>${ENTRY}<item>${ENTRY.replace('z1', 'z2')}`;
    expect((await read(`<rss><channel>${open}</channel></rss>`)).items).toHaveLength(2);
    expect((await read(`<rss><channel>${open}`)).items).toHaveLength(1);
  });
});

describe('a page with more entries than the maximum', () => {
  const day = (number: number) => new Date(Date.UTC(2026, 0, 1) + number * 3_600_000).toISOString();
  const numbers = Array.from({ length: 2_500 }, (_, number) => number);
  it.each<[string, string, Partial<Source>]>([
    [
      'RSS',
      rss(...numbers.map((n) => `<title>n${n}</title><link>https://a.in/${n}</link><pubDate>${day(n)}</pubDate>`)),
      {},
    ],
    [
      'JSON Feed',
      JSON.stringify({
        items: numbers.map((n) => ({ title: `n${n}`, url: `https://a.in/${n}`, date_published: day(n) })),
      }),
      { kind: 'feed' },
    ],
    [
      'a news sitemap',
      `<urlset>${numbers.map((n) => `<url><loc>https://a.in/${n}</loc><title>n${n}</title><lastmod>${day(n)}</lastmod></url>`).join('')}</urlset>`,
      { kind: 'news_sitemap' },
    ],
    [
      'a listing',
      `<ul>${numbers.map((n) => `<li><a href="/${n}">n${n}</a><time datetime="${day(n)}"></time></li>`).join('')}</ul>`,
      { kind: 'html', selectors: { item: 'li', title: 'a', link: 'a', date: 'time' } },
    ],
  ])('given %s with the oldest first, then the newest are read', async (_name, text, source) => {
    const { items } = await read(text, source);
    expect(items).toHaveLength(2_000);
    expect([items[0]?.title, items.at(-1)?.title]).toEqual(['n500', 'n2499']);
  });

  it('given entries without dates, then dated entries and the first undated ones are read', async () => {
    const undated = numbers.map((n) => `<title>n${n}</title><link>https://a.in/${n}</link>`);
    const dated = `<title>dated</title><link>https://a.in/d</link><pubDate>${day(1)}</pubDate>`;
    const { items } = await read(rss(...undated, dated));
    expect(items).toHaveLength(2_000);
    expect([items[0]?.title, items.at(-2)?.title, items.at(-1)?.title]).toEqual(['n0', 'n1998', 'dated']);
  });
});

describe('one invalid entry', () => {
  it.each([
    ['without a title', ENTRY.replace(/<title>.*<\/title>|<description>.*<\/description>/g, '')],
    ['without an address', ENTRY.replace(/<link>.*<\/link>/, '')],
    ['with a script for an address', ENTRY.replace(/<link>.*<\/link>/, '<link>javascript:alert(1)</link>')],
  ])('given %s, then only this entry is rejected', async (_name, bad) => {
    const { items, refused } = await read(rss(bad.replace('z1', 'bad'), ENTRY));
    expect(items.map(({ item_key }) => item_key)).toEqual(['z1']);
    expect(refused).toBe(1);
  });

  it('given a date in the future, then the date is dropped', async () => {
    const { items } = await read(rss(ENTRY.replace('21 Nov 2026', '23 Nov 2026')));
    expect(items[0]?.published_at).toBeNull();
  });

  it('given an id that all entries share, then it is not used', async () => {
    const other = ENTRY.replace('/zudio', '/max');
    expect((await read(rss(ENTRY, other))).items.map(({ item_key }) => item_key)).toEqual([
      WANTED.url,
      'https://outlet.example.in/max',
    ]);
  });
});
