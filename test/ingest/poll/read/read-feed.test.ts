import { describe, expect, it } from 'vitest';
import { ATOM, RDF, RSS, read } from './feeds.ts';

describe('the reader of a feed', () => {
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

  it('given a feed that both readers accept, then the results are equal', async () => {
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

describe('titles', () => {
  const L = '<link>http://a.in/1</link>';
  const A = '<link href="http://a.in/1"/>';
  const packed = Buffer.from('Zudio <b>opens</b>').toString('base64');
  it.each([
    ['plain', RSS(`<title>Zudio opens</title>${L}`)],
    ['in CDATA', RSS(`<title><![CDATA[Zudio <b>opens</b>]]></title>${L}`)],
    ['in pieces of CDATA', RSS(`<title>Zud<![CDATA[io op]]>ens</title>${L}`)],
    ['escaped markup', RSS(`<title>Zudio &lt;b&gt;opens&lt;/b&gt;</title>${L}`)],
    ['markup as elements', RSS(`<title>Zudio <b>opens</b></title>${L}`)],
    ['escaped twice', RSS(`<title>Zudio &amp;lt;i&amp;gt;opens&amp;lt;/i&amp;gt;</title>${L}`)],
    [
      'of Dublin Core',
      RSS(`<dc:title>Zudio opens</dc:title>${L}`, 'version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"'),
    ],
    ['of an undeclared prefix', RSS(`<dc:title>Zudio opens</dc:title>${L}`)],
    [
      'next to that of a picture',
      RSS(
        `<media:title>No</media:title><title>Zudio opens</title>${L}`,
        'version="2.0" xmlns:media="http://search.yahoo.com/mrss/"',
      ),
    ],
    [
      'next to that of another namespace',
      RSS(`<x:title>No</x:title><title>Zudio opens</title>${L}`, 'version="2.0" xmlns:x="http://x.in/"'),
    ],
    [
      'with prefixes of its own',
      `<q:rss xmlns:q="http://backend.userland.com/rss2"><q:channel><q:item><q:title>Zudio opens</q:title><q:link>http://a.in/1</q:link></q:item></q:channel></q:rss>`,
    ],
    ['in a wrong space', RSS(`<title>Zudio opens</title>${L}`, 'version="2.0" xmlns="http://wrong.example/"')],
    ['Atom text', ATOM(`<title type="text">Zudio opens</title>${A}`)],
    ['Atom html', ATOM(`<title type="html">Zudio &lt;b&gt;opens&lt;/b&gt;</title>${A}`)],
    ['Atom html in CDATA', ATOM(`<title type="html"><![CDATA[Zudio <b>opens</b>]]></title>${A}`)],
    [
      'Atom xhtml',
      ATOM(`<title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Zudio <b>opens</b></div></title>${A}`),
    ],
    [
      'Atom xhtml with a script',
      ATOM(`<title type="xhtml"><div>Zudio <script>location.href='https://a.in'</script>opens</div></title>${A}`),
    ],
    [
      'Atom xhtml with a prefix',
      ATOM(
        `<title type="xhtml"><h:div>Zudio <h:b>opens</h:b></h:div></title>${A}`,
        'xmlns="http://www.w3.org/2005/Atom" xmlns:h="http://www.w3.org/1999/xhtml"',
      ),
    ],
    [
      'Atom with a prefix',
      `<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:title>Zudio opens</a:title><a:link href="http://a.in/1"/></a:entry></a:feed>`,
    ],
    ['Atom 0.3', ATOM(`<title>Zudio opens</title>${A}`, 'version="0.3" xmlns="http://purl.org/atom/ns#"')],
    [
      'Atom 0.3 escaped',
      ATOM(
        `<title type="text/html" mode="escaped">Zudio &lt;b&gt;opens&lt;/b&gt;</title>${A}`,
        'version="0.3" xmlns="http://purl.org/atom/ns#"',
      ),
    ],
    [
      'Atom 0.3 packed',
      ATOM(
        `<title type="text/html" mode="base64">\n${packed}\n</title>${A}`,
        'version="0.3" xmlns="http://purl.org/atom/ns#"',
      ),
    ],
    ['RSS 0.90', RDF(`<title>Zudio opens</title>${L}`, 'xmlns="http://my.netscape.com/rdf/simple/0.9/"')],
    [
      'RSS 0.91 with its own entities',
      `<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://my.netscape.com/publish/formats/rss-0.91.dtd">${RSS(`<title>Zudio&nbsp;opens</title>${L}`, 'version="0.91"')}`,
    ],
    ['RSS 0.92', RSS(`<title>Zudio opens</title>${L}`, 'version="0.92"')],
    ['RSS without a version', RSS(`<title>Zudio opens</title>${L}`, '')],
    [
      'items outside of the channel',
      `<rss version="2.0"><channel><title>O</title></channel><item><title>Zudio opens</title>${L}</item></rss>`,
    ],
    [
      'RSS 1.1',
      `<Channel xmlns="http://purl.org/net/rss1.1#"><items><item><title>Zudio opens</title>${L}</item></items></Channel>`,
    ],
    ['white space before the declaration', `\n\n <?xml version="1.0"?>${RSS(`<title>Zudio opens</title>${L}`)}`],
    [
      'an end that is missing',
      RSS(`<title>Zudio opens${L}`)
        .replace('Zudio opens<link', 'Zudio opens</title><link')
        .replace('</channel></rss>', ''),
    ],
    ['crossed ends', RSS(`<title>Zudio <b><i>opens</b></i></title>${L}`)],
    ['a lone less-than', RSS(`<title>Zudio opens</title><description>5 < 6</description>${L}`)],
    ['attributes without quotes', RSS(`<title type=html>Zudio opens</title>${L}`)],
    ['an attribute twice', RSS(`<title a="1" a="2">Zudio opens</title>${L}`)],
    ['control characters', RSS(`<title>Zudio\u0008 opens\u0000</title>${L}`)],
    ['a comment', RSS(`<title>Zudio <!-- no -->opens</title>${L}`)],
    ['an instruction', `<?xml-stylesheet href="x.xsl"?>${RSS(`<title>Zudio opens</title>${L}`)}`],
    ['nothing before the items', `<item><title>Zudio opens</title>${L}</item></channel></rss>`],
    ['only in Dublin Core, of RDF', RDF(`<dc:title>Zudio opens</dc:title>${L}`)],
  ])('%s', async (_name, text) => expect((await read(text)).item?.title).toBe('Zudio opens'));

  it.each([
    ['named entities', 'M&amp;S &eacute; &#8377;&#x20b9; &quot;x&quot;', 'M&S é ₹₹ "x"'],
    ['entities twice', 'Retail&amp;#8217;s &amp;amp; more', 'Retail’s & more'],
    ['a raw ampersand', 'H&M & M&S; more', 'H&M & M&S; more'],
    ['numbers of Windows-1252', 'Retail&#146;s &#150; boom', 'Retail’s – boom'],
    ['a sign', 'EBITDA &lt; 5% &gt; 3%', 'EBITDA < 5% > 3%'],
    ['a script', 'A&lt;script&gt;alert(1)&lt;/script&gt;B', 'AB'],
  ])('given a title with %s, then it is decoded', async (_name, written, title) =>
    expect((await read(RSS(`<title>${written}</title>${L}`))).item?.title).toBe(title),
  );
});

describe('feed summaries', () => {
  const HEAD = '<title>Zudio opens in Surat</title><link>http://a.in/1</link>';
  const SPACES =
    'version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:media="http://search.yahoo.com/mrss/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"';
  const IMAGE = '<description>&lt;img src="https://a.in/1.jpg"&gt;</description>';

  const CAPTION = '<media:description>FILE PHOTO: A Croma store in Mumbai</media:description>';

  it.each([
    ['in a picture by its medium', `<media:content url="1" medium="image">${CAPTION}</media:content>`],
    ['in a picture by its type', `<media:content url="1" type="image/jpeg">${CAPTION}</media:content>`],
    ['in a picture by its address', `<media:content url="https://a.in/1.webp?w=9">${CAPTION}</media:content>`],
    [
      'in a group of pictures',
      `<media:group><media:content url="1.jpg"/><media:content url="2.jpg"/>${CAPTION}</media:group>`,
    ],
    ['next to a picture', `<media:content url="1.jpg"/>${CAPTION}`],
    [
      'in content of which nothing is stated',
      `<media:content url="https://a.in/picture?id=1">${CAPTION}</media:content>`,
    ],
    ['next to a thumbnail alone', `<media:thumbnail url="1.jpg"/>${CAPTION}`],
  ])('given a caption %s, then it is no summary', async (_, elements) => {
    expect((await read(RSS(HEAD + elements, SPACES))).item?.summary).toBeNull();
    const story = '<description>It has 14 doors.</description>';
    expect((await read(RSS(HEAD + elements + story, SPACES))).item?.summary).toBe('It has 14 doors.');
  });

  describe('summaries', () => {
    it.each([
      ['in full next to a picture', `${IMAGE}<content:encoded><![CDATA[<p>It has 14 doors.</p>]]></content:encoded>`],
      [
        'in full next to the headline',
        '<description>Zudio opens in Surat</description><content:encoded>It has 14 doors.</content:encoded>',
      ],
      [
        'in full next to the addition of the publishing system',
        '<description>The post Zudio opens in Surat appeared first on Y.</description><content:encoded>It has 14 doors.</content:encoded>',
      ],
      ['in a second description', `${IMAGE}<description>It has 14 doors.</description>`],
      ['of Media RSS', `${IMAGE}<media:description>It has 14 doors.</media:description>`],
      ['of Media RSS in a group', '<media:group><media:description>It has 14 doors.</media:description></media:group>'],
      [
        'of Media RSS in the content of a group',
        '<media:group><media:content url="1.mp4"><media:description>It has 14 doors.</media:description></media:content></media:group>',
      ],
      ['of a podcast', '<itunes:summary>It has 14 doors.</itunes:summary>'],
      ['behind a frame that ends itself', '<description>&lt;iframe src="1"/&gt;It has 14 doors.</description>'],
      ['behind a frame without an end', '<description>&lt;iframe src="1"&gt;It has 14 doors.</description>'],
    ])('%s', async (_name, elements) => {
      expect((await read(RSS(HEAD + elements, SPACES))).item?.summary).toBe('It has 14 doors.');
    });

    it.each([
      ['a blank summary', { summary: ' ', content_text: 'It has 14 doors.' }],
      ['a summary that is a picture', { summary: '<img src="1.jpg">', content_html: '<p>It has 14 doors.</p>' }],
      ['a blank address', { url: ' ', external_url: 'http://a.in/1', summary: 'It has 14 doors.' }],
    ])('given a JSON Feed with %s, then the other field is used', async (_name, fields) => {
      const item = { id: '1', url: 'http://a.in/1', title: 'Zudio opens in Surat', ...fields };
      const { items } = await read(JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', items: [item] }));
      expect(items).toMatchObject([{ url: 'http://a.in/1', summary: 'It has 14 doors.' }]);
    });

    it.each([
      ['in a title', '<title>Nykaa <NSE:NYKAA> doubles profit</title>', 'Nykaa <NSE:NYKAA> doubles profit', null],
      ['twice', '<title>Nykaa <NSE:NYKAA> and <Trent> gain</title>', 'Nykaa <NSE:NYKAA> and <Trent> gain', null],
      [
        'next to markup',
        '<title>Nykaa</title><description>Shares <p>of <b>Nykaa <NSE:NYKAA></b> rose</description>',
        'Nykaa',
        'Shares of Nykaa <NSE:NYKAA> rose',
      ],
    ])(
      'given unescaped names in angle brackets, %s, then they are read as text',
      async (_name, texts, title, summary) => {
        const { item } = await read(RSS(`${texts}<link>http://a.in/1</link>`));
        expect(item).toMatchObject({ title, summary, url: 'http://a.in/1' });
      },
    );

    it('given names in angle brackets, then they are read as text', async () => {
      const { item } = await read(
        RSS('<title>Nykaa &lt;NSE:NYKAA&gt; doubles profit</title><link>http://a.in/1</link>'),
      );
      expect(item?.title).toBe('Nykaa <NSE:NYKAA> doubles profit');
    });
  });

  describe('several dates in one entry', () => {
    const good = '2026-11-20T06:30:00Z';
    it.each([
      ['of 1970', RSS, `<pubDate>Thu, 01 Jan 1970 00:00:00 GMT</pubDate><dc:date>${good}</dc:date>`],
      ['that is invalid', RSS, `<pubDate>Invalid Date</pubDate><dc:date>${good}</dc:date>`],
      ['in the future', RSS, `<pubDate>Sun, 21 Nov 2027 00:00:00 GMT</pubDate><dc:date>${good}</dc:date>`],
      ['twice', RSS, `<pubDate>0000-00-00</pubDate><pubDate>${good}</pubDate>`],
      ['of RDF', RDF, `<dc:date>-</dc:date><dcterms:created>${good}</dcterms:created>`],
      ['of Atom', ATOM, `<published>0001-01-01T00:00:00Z</published><updated>${good}</updated>`],
    ])('given a date %s, then the next one is used', async (_name, form, dates) => {
      const { item } = await read(
        form(`<title>Z</title><link>http://a.in/1</link><link href="http://a.in/1"/>${dates}`),
      );
      expect(item?.published_at?.toISOString()).toBe('2026-11-20T06:30:00.000Z');
    });

    it('given a JSON Feed with one invalid date, then the other is used', async () => {
      const item = {
        id: '1',
        url: 'http://a.in/1',
        title: 'Z',
        date_published: '1970-01-01T00:00:00Z',
        date_modified: good,
      };
      const { items } = await read(JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', items: [item] }));
      expect(items[0]?.published_at?.toISOString()).toBe('2026-11-20T06:30:00.000Z');
    });

    it('given a relative date, then it is not part of the fingerprint', async () => {
      const [hours, days] = await Promise.all(
        ['2 hours ago', '2 days ago'].map((when) => read(RSS(`${HEAD}<pubDate>${when}</pubDate>`))),
      );
      expect(hours?.item).toMatchObject({ published_at: null, approximate_at: new Date('2026-11-21T04:00:00Z') });
      expect(days?.item?.fingerprint).toBe(hours?.item?.fingerprint);
    });
  });
});
