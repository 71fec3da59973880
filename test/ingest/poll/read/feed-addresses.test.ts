import { describe, expect, it } from 'vitest';
import { ATOM, RDF, RSS, read } from './feeds.ts';

describe('addresses', () => {
  const T = '<title>Zudio</title>';
  const ON_SITE = (feed: string) => feed.replace('http://outlet.example.in/', 'https://site.in/news/');
  it.each([
    ['RSS', RSS(`${T}<link>http://a.in/1</link>`), 'http://a.in/1'],
    ['RSS in CDATA and spaces', RSS(`${T}<link>\n <![CDATA[http://a.in/1?a=1&b=2]]> </link>`), 'http://a.in/1?a=1&b=2'],
    ['a relative one', RSS(`${T}<link>/story/1</link>`), 'http://outlet.example.in/story/1'],
    ['a base of the feed', RSS(`${T}<link>1</link>`, 'version="2.0" xml:base="http://b.in/s/"'), 'http://b.in/s/1'],
    [
      'a base of the channel',
      RSS(`${T}<link>1</link>`).replace('<channel>', '<channel xml:base="http://b.in/c/">'),
      'http://b.in/c/1',
    ],
    [
      'bases in one another',
      ATOM(`${T}<link href="1"/>`, 'xmlns="http://www.w3.org/2005/Atom" xml:base="http://b.in/a/"').replace(
        '<entry>',
        '<entry xml:base="b/">',
      ),
      'http://b.in/a/b/1',
    ],
    ['a base of the link', ATOM(`${T}<link xml:base="http://b.in/l/" href="1"/>`), 'http://b.in/l/1'],
    ['a guid', RSS(`${T}<guid>http://a.in/g</guid>`), 'http://a.in/g'],
    ['a guid that says so', RSS(`${T}<guid isPermaLink="true">/g</guid>`), 'http://outlet.example.in/g'],
    [
      'a link next to such a guid',
      RSS(`${T}<guid isPermaLink="true">http://a.in/g</guid><link>http://a.in/l</link>`),
      'http://a.in/l',
    ],
    ['a guid that denies it', RSS(`${T}<guid isPermaLink="false">http://a.in/g</guid>`), null],
    [
      'what FeedBurner hides',
      RSS(
        `${T}<link>http://f.in/~r/1</link><feedburner:origLink>http://a.in/1</feedburner:origLink>`,
        'version="2.0" xmlns:feedburner="http://rssnamespace.org/feedburner/ext/1.0"',
      ),
      'http://a.in/1',
    ],
    ['Atom without a relation', ATOM(`${T}<link href="http://a.in/1"/>`), 'http://a.in/1'],
    [
      'Atom among others',
      ATOM(
        `${T}<link rel="self" href="http://a.in/s"/><link rel="enclosure" href="http://a.in/e"/><link rel="replies" href="http://a.in/r"/><link rel="alternate" href="http://a.in/1"/>`,
      ),
      'http://a.in/1',
    ],
    [
      'Atom, the web page first',
      ATOM(
        `${T}<link rel="alternate" type="application/pdf" href="http://a.in/p"/><link rel="alternate" type="text/html" href="http://a.in/1"/>`,
      ),
      'http://a.in/1',
    ],
    [
      'a relation as an address',
      ATOM(
        `${T}<link rel="via" href="http://a.in/v"/><link rel="http://www.iana.org/assignments/relation/alternate" href="http://a.in/1"/>`,
      ),
      'http://a.in/1',
    ],
    ['an Atom id', ATOM(`${T}<id>http://a.in/i</id>`), 'http://a.in/i'],
    ['content elsewhere', ATOM(`${T}<id>urn:1</id><content src="http://a.in/c" type="text/html"/>`), 'http://a.in/c'],
    ['nothing but itself', ATOM(`${T}<id>urn:1</id><link rel="self" href="http://a.in/s"/>`), 'http://a.in/s'],
    [
      'an Atom link in RSS',
      RSS(`${T}<atom:link href="http://a.in/1"/>`, 'version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"'),
      'http://a.in/1',
    ],
    ['RSS 1.0', RDF(`${T}<link>http://a.in/1</link>`), 'http://a.in/1'],
    ['RSS 1.0 by its about', RDF(T), 'http://outlet.example.in/1'],
    [
      'CDF',
      `<channel href="http://a.in/" base="http://a.in/b/"><item href="1" lastmod="2026-11-20T10:00+0530">${T}</item></channel>`,
      'http://a.in/b/1',
    ],
    ['an anchor of CDF', `<channel><item><a href="http://a.in/1"/>${T}</item></channel>`, 'http://a.in/1'],
    ['a relative one of another host', ON_SITE(RSS(`${T}<link>/story/1</link>`)), 'https://site.in/story/1'],
    ['a relative one without a slash', ON_SITE(RSS(`${T}<link>story/1</link>`)), 'https://site.in/news/story/1'],
    [
      'a relative one, read by the tolerant reader',
      ON_SITE(RSS('<title>M&S</title><link>/story/1</link>')),
      'https://site.in/story/1',
    ],
    [
      'a relative one of RSS 1.0',
      RDF(`${T}<link>/story/1</link>`).replace('</channel>', '<link>https://site.in/</link></channel>'),
      'https://site.in/story/1',
    ],
    [
      'a relative one of Atom on another host',
      ATOM(`${T}<link href="/story/1"/>`).replace(
        '<entry>',
        '<link rel="self" href="/f"/><link href="https://site.in/"/><entry>',
      ),
      'https://site.in/story/1',
    ],
    [
      'a relative one of Atom on its own host',
      ATOM(`${T}<link href="1"/>`).replace('<entry>', '<link href="http://outlet.example.in/"/><entry>'),
      'http://outlet.example.in/feeds/1',
    ],
    [
      'a relative one of JSON Feed',
      JSON.stringify({ home_page_url: 'https://site.in/', items: [{ title: 'Z', url: '/story/1' }] }),
      'https://site.in/story/1',
    ],
    [
      'a site that is none of the web',
      RSS(`${T}<link>/1</link>`).replace('http://outlet.example.in/', 'javascript:alert(1)'),
      'http://outlet.example.in/1',
    ],
    ['an escaped ampersand', RSS(`${T}<link>http://a.in/?a=1&amp;b=2</link>`), 'http://a.in/?a=1&b=2'],
    ['a raw ampersand', RSS(`${T}<link>http://a.in/?a=1&b=2</link>`), 'http://a.in/?a=1&b=2'],
    ['no scheme', RSS(`${T}<link>//a.in/1</link>`), 'http://a.in/1'],
  ])('%s', async (_name, text, link) => expect((await read(text)).entry.link).toBe(link));

  it('given Content-Location, then addresses are resolved against it', async () => {
    const feed = RSS(`${T}<link>1</link>`).replace(/<link>http:.*?<\/link>/, '');
    const { entry } = await read(feed, { 'content-location': 'http://c.in/x/feed' });
    expect(entry.link).toBe('http://c.in/x/1');
  });
});

describe('ids', () => {
  it.each([
    ['guid', RSS('<title>Z</title><guid>g 1</guid>'), 'g 1'],
    ['guid with an attribute', RSS('<title>Z</title><guid isPermaLink="false"> g1 </guid>'), 'g1'],
    ['Atom id', ATOM('<title>Z</title><id>tag:a.in,2026:1</id>'), 'tag:a.in,2026:1'],
    ['about of RDF', RDF('<title>Z</title>'), 'http://outlet.example.in/1'],
    ['none', RSS('<title>Z</title><guid/>'), null],
    ['in CDATA', RSS('<title>Z</title><guid><![CDATA[g&1]]></guid>'), 'g&1'],
  ])('%s', async (_name, text, id) => expect((await read(text)).entry.id).toBe(id));
});
