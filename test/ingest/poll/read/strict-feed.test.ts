import { describe, expect, it } from 'vitest';
import { ATOM, RDF, RSS, read } from './feeds.ts';

describe('who reads a feed', () => {
  const good = '<title>Z</title><link>http://a.in/1</link><guid isPermaLink="false">1</guid>';
  it.each([
    ['a plain one', RSS(good), 'rss-parser'],
    ['Atom', ATOM('<title>Z</title><link href="http://a.in/1"/>'), 'rss-parser'],
    ['RDF', RDF(good), 'rss-parser'],
    [
      'what WordPress writes',
      RSS(
        `<atom:link href="http://a.in/feed" rel="self" type="application/rss+xml"/>${good}<content:encoded><![CDATA[<p xmlns="x">a</p>]]></content:encoded>`,
        'version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:atom="http://www.w3.org/2005/Atom"',
      ),
      'rss-parser',
    ],
    [
      'Atom with packed content',
      ATOM('<title type="html">Z</title><link href="http://a.in/1"/><content type="image/png">aGVsbG8=</content>'),
      'rss-parser',
    ],
    ['Atom with XHTML', ATOM('<title type="xhtml"><div>Z</div></title><link href="http://a.in/1"/>'), 'tolerant'],
    ['a raw ampersand', RSS(good.replace('Z', 'H&M')), 'tolerant'],
    ['own entities', `<!DOCTYPE rss>${RSS(good)}`, 'tolerant'],
    ['markup as elements', RSS(good.replace('Z', 'Z <b>a</b>')), 'tolerant'],
    ['items that it would lose', `<rss version="2.0"><channel/><item>${good}</item></rss>`, 'tolerant'],
  ])('%s', async (_name, text, reader) => expect((await read(text)).reader).toBe(reader));

  it('says the same of a feed that both can read', async () => {
    const items = Array.from(
      { length: 5 },
      (_, n) =>
        `<item><title>T${n} &amp; &lt;b&gt;x&lt;/b&gt;</title><link>/s/${n}?a=1&amp;b</link><guid isPermaLink="false">g${n}</guid><description><![CDATA[<p>one</p><p>two</p>]]></description><dc:date>2026-11-2${n > 0 ? 0 : 1}T0${n}:00:00Z</dc:date></item>`,
    );
    const text = `<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>${items.join('')}</channel></rss>`;
    const [one, other] = [await read(text), await read(`<!DOCTYPE rss>${text}`)];
    expect([one.reader, other.reader]).toEqual(['rss-parser', 'tolerant']);
    expect(one.items).toEqual(other.items);
  });
});
