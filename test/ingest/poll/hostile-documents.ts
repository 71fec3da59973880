/** Documents that are broken, of another type, or made to attack the reader. */
import { body, type Case, GOOD, LISTING } from './hostile-case.ts';
import { rss } from './outlet.ts';

const TODAY = new Date().toISOString();
const LINK = '<link>https://a.in/1</link>';
const withTitle = (title: string) => body(rss(`<title>${title}</title>${LINK}`));
const withText = (text: string) => body(rss(`<title>a</title>${LINK}<description>${text}</description>`));
const many = (count: number, part: (n: number) => string) => Array.from({ length: count }, (_, n) => part(n)).join('');

export const DOCUMENTS: readonly Case[] = [
  { name: 'an external DTD', answer: body(`<!DOCTYPE rss SYSTEM "http://169.254.169.254/x.dtd">${GOOD}`), ends: 1 },
  {
    name: 'parameter entities',
    answer: body(`<!DOCTYPE x [<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]>${GOOD}`),
    ends: 1,
  },
  {
    name: 'a quadratic entity',
    answer: body(`<!DOCTYPE x [<!ENTITY a "${'x'.repeat(50_000)}">]>${GOOD.replace('Zudio', '&a;'.repeat(50_000))}`),
    ends: 1,
  },
  {
    name: 'an inclusion',
    answer: withText('<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd"/>'),
    ends: 1,
  },
  {
    name: 'a hundred thousand attributes',
    answer: body(rss(`<title ${many(100_000, (n) => `a${n}="1" `)}>a</title>${LINK}`)),
    ends: 1,
  },
  {
    name: 'a hundred thousand namespaces',
    answer: body(
      `<rss version="2.0" ${many(100_000, (n) => `xmlns:a${n}="u" `)}><channel><item><title>a</title>${LINK}</item></channel></rss>`,
    ),
    ends: 1,
  },
  {
    name: 'CDATA without end',
    answer: body(`${GOOD.replace('</channel></rss>', '')}<item><title><![CDATA[${'x'.repeat(1_000_000)}`),
    ends: 1,
  },
  {
    name: 'a comment without end',
    answer: body(`${GOOD.replace('</channel></rss>', '')}<!-- ${'<item>'.repeat(100_000)}`),
    ends: 1,
  },
  { name: 'tags without end', answer: withText('&lt;p '.repeat(150_000)), ends: 1 },
  { name: 'raw tags without end', answer: withText('<p '.repeat(150_000)), ends: 1 },
  { name: 'entities over and over', answer: withTitle(`a ${'&amp;amp;amp;amp;'.repeat(20_000)}`), ends: 1 },
  { name: 'lone ampersands', answer: withTitle('a & '.repeat(100_000)), ends: 1 },
  {
    name: 'digits without end',
    answer: body(rss(`<title>a</title>${LINK}<pubDate>${'9'.repeat(500_000)}</pubDate>`)),
    ends: 1,
  },
  {
    name: 'a date of spaces',
    answer: body(rss(`<title>a</title>${LINK}<pubDate>1 ${' '.repeat(500_000)}Nov</pubDate>`)),
    ends: 1,
  },
  {
    name: 'a date in a far year',
    answer: body(rss(`<title>a</title>${LINK}<pubDate>Fri, 31 Dec 9999 23:59:59 GMT</pubDate>`)),
    ends: 1,
  },
  {
    name: 'invalid UTF-8',
    answer: body(
      Buffer.concat([
        Buffer.from(GOOD.replace('</title>', '').slice(0, 60)),
        Buffer.from([0xc3, 0x28, 0xff, 0xfe]),
        Buffer.from(GOOD.slice(60)),
      ]),
    ),
    ends: 1,
  },
  { name: 'bytes of zero', answer: body(GOOD.replace('Zudio', 'Zu\u0000dio\u0000'.repeat(1_000))), ends: 1 },
  {
    name: 'a false character set',
    answer: body(GOOD, { 'content-type': 'text/xml; charset=utf-16' }),
    ends: 1,
  },
  {
    name: 'a character set of no sense',
    answer: body(GOOD, { 'content-type': 'text/xml; charset="><script>"' }),
    ends: 1,
  },
  { name: 'text that turns round', answer: withTitle('Zudio \u202e\u2066opens\u200b'), ends: 1 },
  { name: 'a wrong content type', answer: body(GOOD, { 'content-type': 'image/png' }), ends: 1 },
  { name: 'a PDF', answer: body('%PDF-1.7\n%\u00e2\u00e3\n1 0 obj<</Type/Catalog>>'), ends: 'not_a_feed' },
  { name: 'an archive', answer: body(Buffer.from('504b0304140000000800', 'hex')), ends: 'not_a_feed' },
  {
    name: 'a page that goes elsewhere',
    answer: body('<html><meta http-equiv="refresh" content="0;url=http://169.254.169.254/">'),
    ends: 'html_instead_of_feed',
  },
  {
    name: 'a page to sign in',
    answer: body('<!doctype html><form action="/login"><input type="password"></form><body>'),
    ends: 'html_instead_of_feed',
  },
  {
    name: 'one id a thousand times',
    answer: body(rss(...Array.from({ length: 1_000 }, () => `<title>a</title>${LINK}<guid>same</guid>`))),
    ends: 1,
  },
  {
    name: 'one id for all',
    answer: body(
      rss(...Array.from({ length: 50 }, (_, n) => `<title>a</title><link>https://a.in/${n}</link><guid>same</guid>`)),
    ),
    ends: 50,
  },
  {
    name: 'addresses without end',
    answer: body(rss(`<title>a</title><link>https://a.in/${'x'.repeat(50_000)}</link>`)),
    ends: 'all_refused',
  },
  {
    name: 'data for an address',
    answer: body(rss('<title>a</title><link>data:text/html,x</link>')),
    ends: 'all_refused',
  },
  {
    name: 'entries in entries',
    answer: body(`<rss><channel>${'<item><title>a</title>'.repeat(5_000)}`),
    ends: 'all_refused',
  },
  { name: 'JSON of depth', answer: body(`{"items":${'[{"a":'.repeat(50_000)}`), ends: 'not_a_feed' },
  {
    name: 'JSON that would change prototypes',
    answer: body(
      '{"__proto__":{"x":1},"items":[{"id":"__proto__","title":"a","url":"https://a.in/1","__proto__":{"title":"b"}}]}',
    ),
    ends: 1,
  },
  {
    name: 'fifty thousand in JSON',
    answer: body(
      JSON.stringify({
        items: Array.from({ length: 50_000 }, (_, n) => ({ id: n, title: 'a', url: `https://a.in/${n}` })),
      }),
    ),
    ends: 2_000,
  },
  {
    name: 'fifty thousand in a listing',
    answer: body(
      `<ul>${many(50_000, (n) => `<li><a href="/${n}">Story ${n}</a><time datetime="${TODAY}"></time></li>`)}`,
    ),
    ends: 2_000,
    source: { kind: 'html', selectors: { item: 'li', title: 'a', link: 'a', date: 'time' } },
  },
  {
    name: 'a listing without addresses',
    answer: body('<ul><li><a>Story</a><li>Story'),
    ends: 'all_refused',
    source: LISTING,
  },
  {
    name: 'a listing with a wrong selector',
    answer: body('<ul><li><a href="/1">Story</a>'),
    ends: 'bad_selector',
    source: { kind: 'html', selectors: { item: 'li:::x(', title: 'a', link: 'a' } },
  },
  {
    name: 'a sitemap of itself',
    answer: body('<sitemapindex><sitemap><loc>/</loc></sitemap></sitemapindex>'),
    ends: 0,
    source: { kind: 'news_sitemap' },
  },
  {
    name: 'a sitemap of metadata',
    answer: body('<sitemapindex><sitemap><loc>http://169.254.169.254/</loc></sitemap></sitemapindex>'),
    ends: 'address_refused',
    source: { kind: 'news_sitemap' },
  },
];
