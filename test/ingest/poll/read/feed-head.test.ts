import { describe, expect, it } from 'vitest';
import { readFeedHead } from '../../../../ingest/poll/read/feed-head.ts';

const head = (body: string) => readFeedHead({ headers: {}, body: Buffer.from(body) });

const NO_HINTS = { minimum_seconds: 0, skip_hours: [], skip_days: [] };

describe('the head of a feed', () => {
  it('given RSS, then its title is read as plain text, and nothing from its entries', () => {
    const item = '<item><title>Story</title><ttl>60</ttl></item>';
    expect(head(`<rss><channel><title>Mint &amp;amp; Retail</title>${item}`)).toEqual({
      title: 'Mint & Retail',
      polling: NO_HINTS,
    });
    expect(head(`<rss><channel>${item}`)).toEqual({ title: null, polling: NO_HINTS });
  });

  it('given a JSON Feed, then its title is read', () => {
    expect(head(JSON.stringify({ items: [], title: 'Outlet' }))).toEqual({ title: 'Outlet', polling: NO_HINTS });
  });

  it.each([
    ['nothing', ''],
    ['broken JSON', '{"title": "A", "items": ['],
    ['JSON of another form', '{"title": {}}'],
  ])('given %s, then there is no head', (_name, body) =>
    expect(head(body)).toEqual({ title: null, polling: NO_HINTS }),
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
    for (const piece of ['<title ', '<title>a', '<ttl>', '<skipHours><hour>', '<a:updatePeriod> ', '<generator>'])
      expect(head(piece.repeat(200_000))).toEqual({ title: null, polling: NO_HINTS });
  });
});
