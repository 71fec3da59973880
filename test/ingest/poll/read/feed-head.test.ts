import { describe, expect, it } from 'vitest';
import { parseLinkHeader, readFeedHead } from '../../../../ingest/poll/read/feed-head.ts';

const head = (body: string, headers: Record<string, string> = {}) =>
  readFeedHead({ url: 'https://outlet.example.in/feed', headers, body: Buffer.from(body) });

const NO_HINTS = { minimum_seconds: 0, skip_hours: [], skip_days: [] };

describe('the head of a feed', () => {
  it('given RSS with atom:link, then title, hub and feed address are read, and nothing from its entries', () => {
    const item = '<item><title>Story</title><atom:link rel="hub" href="https://evil.example/"/></item>';
    expect(
      head(`<rss xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>Mint &amp;amp; Retail</title>
        <atom:link rel='self' href='https://outlet.example.in/feed?a=1&amp;b=2'/><atom:link rel="hub" href="//hub.example/"/>${item}`),
    ).toEqual({
      title: 'Mint & Retail',
      hubs: ['https://hub.example/'],
      self: 'https://outlet.example.in/feed?a=1&b=2',
      polling: NO_HINTS,
    });
  });

  it('given Link headers too, then they take precedence', () => {
    expect(
      head('<feed><title>A</title><link rel="hub" href="https://two.example/"/></feed>', {
        link: '<https://one.example/>; rel="hub", </own>; rel=self; title="a, b"',
      }),
    ).toEqual({
      title: 'A',
      hubs: ['https://one.example/', 'https://two.example/'],
      self: 'https://outlet.example.in/own',
      polling: NO_HINTS,
    });
  });

  it('given a JSON Feed, then its hubs of type WebSub are read', () => {
    const feed = {
      title: 'Outlet',
      feed_url: 'https://outlet.example.in/feed.json',
      hubs: [
        { type: 'rssCloud', url: 'https://no.example/' },
        { type: 'WebSub', url: 'https://hub.example/' },
      ],
      items: [],
    };
    expect(head(JSON.stringify(feed))).toMatchObject({ title: 'Outlet', hubs: ['https://hub.example/'] });
  });

  it.each([
    ['nothing', ''],
    ['a hub that is no web address', '<feed><link rel="hub" href="javascript:alert(1)"/></feed>'],
    [
      'a hub and an own address with a user or password',
      '<feed><link rel="hub" href="https://u:hunter2@hub.example/"/><link rel="self" href="https://u@a.example/"/></feed>',
    ],
    ['broken JSON', '{"title": "A", "hubs": ['],
    ['JSON of another form', '{"title": {}, "hubs": [null, {"type": "WebSub", "url": 7}]}'],
  ])('given %s, then there is no head', (_name, body) =>
    expect(head(body)).toEqual({ title: null, hubs: [], self: null, polling: NO_HINTS }),
  );

  it.each([
    ['ttl in minutes', '<ttl> 90 </ttl>', { minimum_seconds: 5_400 }],
    ['a ttl that is no number', '<ttl>soon</ttl>', {}],
    [
      'an update period',
      '<sy:updatePeriod>\n daily </sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>',
      { minimum_seconds: 21_600 },
    ],
    [
      'an update period under another prefix, with a ttl that is longer',
      '<ttl>120</ttl><syn:updatePeriod>hourly</syn:updatePeriod>',
      { minimum_seconds: 7_200 },
    ],
    ['an update period that is unknown', '<sy:updatePeriod>constructor</sy:updatePeriod>', {}],
    [
      'what WordPress writes into every feed',
      '<sy:updatePeriod>hourly</sy:updatePeriod><sy:updateFrequency>1</sy:updateFrequency><generator>https://wordpress.org/?v=6.8</generator>',
      {},
    ],
    [
      'another period by WordPress, which somebody chose',
      '<sy:updatePeriod>hourly</sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency><generator>https://wordpress.org/?v=6.8</generator>',
      { minimum_seconds: 1_800 },
    ],
    [
      'skipHours and skipDays',
      '<skipHours><hour>0</hour><hour> 23 </hour><hour>24</hour><hour>99</hour></skipHours><skipDays><day>Sunday</day><day>saturday</day><day>Someday</day></skipDays>',
      { skip_hours: [0, 23], skip_days: [0, 6] },
    ],
  ])('given %s, then it says how often the feed may be read', (_name, inside, expected) => {
    const feed = `<rss><channel><title>A</title>${inside}<item><ttl>1</ttl></item></channel></rss>`;
    expect(head(feed).polling).toEqual({ ...NO_HINTS, ...expected });
  });

  it('given a head that is expensive to read, then the time stays proportional to its size', () => {
    for (const piece of [
      '<title ',
      '<link ',
      '<link x',
      '<a:link a="',
      '<title>a',
      '<ttl>',
      '<skipHours><hour>',
      '<a:updatePeriod> ',
      '<generator>',
    ])
      expect(head(piece.repeat(200_000)).hubs).toEqual([]);
    expect(parseLinkHeader('<a>;'.repeat(5_000))).toEqual([]);
    expect(parseLinkHeader(`<a>; rel=${' '.repeat(8_000)}`)).toEqual([]);
  });
});
