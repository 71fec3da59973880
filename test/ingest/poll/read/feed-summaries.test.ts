import { describe, expect, it } from 'vitest';
import { ATOM, RDF, RSS, read } from './feeds.ts';

const HEAD = '<title>Zudio opens in Surat</title><link>http://a.in/1</link>';
const SPACES =
  'version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:media="http://search.yahoo.com/mrss/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"';
const IMAGE = '<description>&lt;img src="https://a.in/1.jpg"&gt;</description>';

describe('summaries', () => {
  it.each([
    ['in full beside a picture', `${IMAGE}<content:encoded><![CDATA[<p>It has 14 doors.</p>]]></content:encoded>`],
    [
      'in full beside the headline',
      '<description>Zudio opens in Surat</description><content:encoded>It has 14 doors.</content:encoded>',
    ],
    [
      'in full beside what the publishing system adds',
      '<description>The post Zudio opens in Surat appeared first on Y.</description><content:encoded>It has 14 doors.</content:encoded>',
    ],
    ['in a second description', `${IMAGE}<description>It has 14 doors.</description>`],
    ['of Media RSS', `${IMAGE}<media:description>It has 14 doors.</media:description>`],
    ['of Media RSS in a group', '<media:group><media:description>It has 14 doors.</media:description></media:group>'],
    [
      'of Media RSS in the content of a group',
      '<media:group><media:content url="1.jpg"><media:description>It has 14 doors.</media:description></media:content></media:group>',
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
  ])('of JSON Feed beside %s', async (_name, fields) => {
    const item = { id: '1', url: 'http://a.in/1', title: 'Zudio opens in Surat', ...fields };
    const { items } = await read(JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', items: [item] }));
    expect(items).toMatchObject([{ url: 'http://a.in/1', summary: 'It has 14 doors.' }]);
  });

  it.each([
    ['in a title', '<title>Nykaa <NSE:NYKAA> doubles profit</title>', 'Nykaa <NSE:NYKAA> doubles profit', null],
    ['twice', '<title>Nykaa <NSE:NYKAA> and <Trent> gain</title>', 'Nykaa <NSE:NYKAA> and <Trent> gain', null],
    [
      'beside markup',
      '<title>Nykaa</title><description>Shares <p>of <b>Nykaa <NSE:NYKAA></b> rose</description>',
      'Nykaa',
      'Shares of Nykaa <NSE:NYKAA> rose',
    ],
  ])(
    'given names in angle brackets that nobody escaped, %s, then they are text',
    async (_name, texts, title, summary) => {
      const { item } = await read(RSS(`${texts}<link>http://a.in/1</link>`));
      expect(item).toMatchObject({ title, summary, url: 'http://a.in/1' });
    },
  );

  it('given names in angle brackets, then they are text', async () => {
    const { item } = await read(RSS('<title>Nykaa &lt;NSE:NYKAA&gt; doubles profit</title><link>http://a.in/1</link>'));
    expect(item?.title).toBe('Nykaa <NSE:NYKAA> doubles profit');
  });
});

describe('dates beside dates', () => {
  const good = '2026-11-20T06:30:00Z';
  it.each([
    ['of 1970', RSS, `<pubDate>Thu, 01 Jan 1970 00:00:00 GMT</pubDate><dc:date>${good}</dc:date>`],
    ['that is invalid', RSS, `<pubDate>Invalid Date</pubDate><dc:date>${good}</dc:date>`],
    ['in the future', RSS, `<pubDate>Sun, 21 Nov 2027 00:00:00 GMT</pubDate><dc:date>${good}</dc:date>`],
    ['twice', RSS, `<pubDate>0000-00-00</pubDate><pubDate>${good}</pubDate>`],
    ['of RDF', RDF, `<dc:date>-</dc:date><dcterms:created>${good}</dcterms:created>`],
    ['of Atom', ATOM, `<published>0001-01-01T00:00:00Z</published><updated>${good}</updated>`],
  ])('given one %s, then the next is taken', async (_name, form, dates) => {
    const { item } = await read(form(`<title>Z</title><link>http://a.in/1</link><link href="http://a.in/1"/>${dates}`));
    expect(item?.published_at?.toISOString()).toBe('2026-11-20T06:30:00.000Z');
  });

  it('given a JSON Feed with an invalid date, then the other is taken', async () => {
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

  it('given a relative one, then it is kept apart from the fingerprint', async () => {
    const [hours, days] = await Promise.all(
      ['2 hours ago', '2 days ago'].map((when) => read(RSS(`${HEAD}<pubDate>${when}</pubDate>`))),
    );
    expect(hours?.item).toMatchObject({ published_at: null, approximate_at: new Date('2026-11-21T04:00:00Z') });
    expect(days?.item?.fingerprint).toBe(hours?.item?.fingerprint);
  });
});
