import { afterEach, describe, expect, it } from 'vitest';
import { createFetchPage } from '../../../ingest/poll/fetch/fetch-page.ts';
import { respectRobots } from '../../../ingest/poll/fetch/robots.ts';
import { type PollContext, type PollResult, pollSource } from '../../../ingest/poll/poll-source.ts';
import { encodeListed, listedKey, type PollState } from '../../../ingest/poll/poll-state.ts';
import { ItemKey } from '../../../schemas/poll.ts';
import { fingerprint } from '../../../schemas/scalar.ts';
import type { Source } from '../../../schemas/source.ts';
import { type Outlet, rss, startOutlet } from './outlet.ts';
import { source } from './polling.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-11-21T06:00:00Z');
const DATED = '<meta property="article:published_time" content="2026-11-21T10:00:00+05:30">';
const about = (path: string): string => `<meta property="og:description" content="What Story ${path} says in full.">`;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** An outlet with a feed at `/feed` and articles, polled at times that the test chooses. */
async function newsroom(feed: string, article: Outlet['answer']) {
  const outlet = await startOutlet((request, response) =>
    request.url === '/feed' ? response.end(room.feed) : room.article(request, response),
  );
  closing.push(outlet.close);
  const fetchPage = respectRobots(
    createFetchPage({ allowAddress: () => true, userAgent: 'Test' }),
    'clarity',
    () => new Date(room.now),
  );
  const room = {
    outlet,
    feed: feed.replaceAll('OUTLET', outlet.url),
    article,
    now: START,
    state: null as PollState | null,
    asked: (path = '/story') => outlet.requests.filter((request) => request.path.startsWith(path)).length,
    /** Polls after this many milliseconds, as a process that knows only the last poll event. */
    async poll(after = 0, more: Partial<Source> = {}, context: Partial<PollContext> = {}): Promise<PollResult> {
      room.now += after;
      const one = source('room', `${outlet.url}/feed`, { articles: 'when_needed', ...more });
      const result = await pollSource(one, room.state && JSON.parse(JSON.stringify(room.state)), {
        fetchPage,
        clock: () => new Date(room.now),
        random: () => 0,
        signal: new AbortController().signal,
        ...context,
      });
      room.state = result.state;
      return result;
    },
  };
  return room;
}

const entry = (path: string, date = 'Sat, 21 Nov 2026 04:30:00 GMT', more = ''): string =>
  `<title>Story ${path}</title><link>OUTLET/story/${path}</link>${date && `<pubDate>${date}</pubDate>`}${more}`;
const data = ({ items }: PollResult) => items.map((item) => item.data);

describe('items without a summary', () => {
  it('given articles with a description, then each item is published once, with that description', async () => {
    const room = await newsroom(
      rss(entry('1'), entry('2', undefined, '<description>It has one.</description>')),
      (request, response) => response.end(about(request.url?.slice('/story/'.length) ?? '')),
    );
    const first = await room.poll();
    expect(data(first)).toMatchObject([
      { title: 'Story 2', summary: 'It has one.', edits: 0 },
      { title: 'Story 1', summary: 'What Story 1 says in full.', edits: 0, published_at: '2026-11-21T04:30:00.000Z' },
    ]);
    expect(first.poll.data).toMatchObject({ items_new: 2, items_edited: 0, articles_read: 1, articles_failed: 0 });
    expect(data(await room.poll(HOUR))).toEqual([]);
    expect(room.asked()).toBe(1);
  });

  it('given an article that fails, then the item is published without a summary, and edited once the article responds', async () => {
    const room = await newsroom(rss(entry('1')), (_request, response) => response.writeHead(503).end());
    const [before] = data(await room.poll());
    expect(before).toMatchObject({ title: 'Story 1', summary: null, edits: 0 });
    expect(data(await room.poll(5 * MINUTE))).toEqual([]);
    expect(room.asked()).toBe(1);
    room.article = (_request, response) => response.end(about('1'));
    // The entry has left the feed meanwhile.
    room.feed = rss(entry('2', undefined, '<description>Another.</description>').replaceAll('OUTLET', room.outlet.url));
    const result = await room.poll(15 * MINUTE);
    const after = data(result).find(({ title }) => title === 'Story 1');
    expect(after).toMatchObject({
      item_key: before?.item_key,
      url: before?.url,
      first_seen_at: before?.first_seen_at,
      summary: 'What Story 1 says in full.',
      edits: 1,
    });
    expect(result.poll.data).toMatchObject({ items_new: 1, items_edited: 1, waiting: [] });
    expect(data(await room.poll(HOUR))).toEqual([]);
    expect(room.asked()).toBe(2);
  });

  it('given 30 items, then all are published in one poll, complete items before the first article is fetched, and ten articles are fetched per poll', async () => {
    const room = await newsroom(
      rss(
        ...Array.from({ length: 30 }, (_, number) => entry(String(number))),
        entry('31', undefined, '<description>Complete.</description>'),
      ),
      (request, response) => response.end(about(request.url ?? '')),
    );
    const early: string[] = [];
    const publishItems = async (items: PollResult['items']) => {
      expect(room.asked()).toBe(0);
      early.push(...items.map((item) => item.data.title));
    };
    const first = await room.poll(0, {}, { publishItems });
    expect(early).toHaveLength(21);
    expect(early).toContain('Story 31');
    expect(first.items).toHaveLength(10);
    expect(data(first).every(({ summary }) => summary?.startsWith('What'))).toBe(true);
    expect(first.poll.data).toMatchObject({ items_new: 31, articles_read: 10 });
    const later = [await room.poll(10 * MINUTE), await room.poll(10 * MINUTE), await room.poll(10 * MINUTE)];
    expect(later.map(({ poll }) => poll.data.items_edited)).toEqual([10, 10, 0]);
    expect(room.asked()).toBe(30);
  });

  it('given an unavailable outlet, then its articles are not requested after three consecutive failures', async () => {
    const room = await newsroom(
      rss(...Array.from({ length: 8 }, (_, number) => entry(String(number)))),
      (_request, response) => response.writeHead(500).end(),
    );
    expect((await room.poll()).poll.data).toMatchObject({ items_new: 8, articles_failed: 3 });
    expect(room.asked()).toBe(3);
  });

  it('given a server that sends Retry-After, then nothing is requested before that time', async () => {
    const room = await newsroom(rss(entry('1'), entry('2')), (_request, response) =>
      response.writeHead(429, { 'retry-after': '7200' }).end(),
    );
    await room.poll();
    expect(room.asked()).toBe(1);
    expect(room.state?.waiting?.map(({ next_try_at }) => Date.parse(next_try_at) - room.now).toSorted()).toEqual([
      0,
      2 * HOUR,
    ]);
  });

  it('given a robots.txt that forbids articles, then articles are not requested and the items are published without a summary', async () => {
    const room = await newsroom(rss(entry('1'), entry('2', '')), (_request, response) => response.end(DATED));
    room.outlet.robots = (_request, response) => response.end('User-agent: *\nDisallow: /story');
    const first = await room.poll();
    expect(
      data(first)
        .map(({ title, published_at }) => [title, published_at])
        .toSorted(),
    ).toEqual([
      ['Story 1', '2026-11-21T04:30:00.000Z'],
      ['Story 2', null],
    ]);
    expect(first.poll.data.waiting ?? []).toEqual([]);
    expect(room.asked()).toBe(0);
  });

  it('given `never` in the roster, then no article is requested', async () => {
    const room = await newsroom(rss(entry('1'), entry('2', '')), (_request, response) => response.end(DATED));
    expect(data(await room.poll(0, { articles: 'never' }))).toHaveLength(2);
    expect(room.asked()).toBe(0);
  });

  it('given old items, a reference feed or a description that the whole site shares, then no article is requested or used as a summary', async () => {
    const old = await newsroom(rss(entry('1', 'Sat, 07 Nov 2026 04:30:00 GMT')), (_request, response) =>
      response.end(about('1')),
    );
    expect(data(await old.poll())).toMatchObject([{ summary: null }]);
    expect(old.asked()).toBe(0);
    const reference = await newsroom(rss(entry('1')), (_request, response) => response.end(about('1')));
    await reference.poll(0, { role: 'oracle' });
    expect(reference.asked()).toBe(0);
    const slogan = '<meta property="og:description" content="Every story of the country, every day.">';
    const poster = await newsroom(rss(entry('1'), entry('2')), (request, response) =>
      response.end(`${slogan}<article><p>In ${request.url} a shop has opened, the landlord says.</p></article>`),
    );
    expect(
      data(await poster.poll())
        .map(({ summary }) => summary)
        .toSorted(),
    ).toEqual([
      'In /story/1 a shop has opened, the landlord says.',
      'In /story/2 a shop has opened, the landlord says.',
    ]);
  });

  it('given an edit of an item that its article completed, then the edit waits for the article and keeps its text', async () => {
    const room = await newsroom(rss(entry('1', undefined, '<guid>one</guid>')), (_request, response) =>
      response.end(about('1')),
    );
    await room.poll();
    room.feed = room.feed.replace('<title>Story 1', '<title>Story 1, corrected');
    room.article = (_request, response) => response.writeHead(503).end();
    expect(data(await room.poll(HOUR))).toEqual([]);
    room.article = (_request, response) => response.end(about('1'));
    expect(data(await room.poll(HOUR))).toMatchObject([
      { title: 'Story 1, corrected', summary: 'What Story 1 says in full.', edits: 1 },
    ]);
  });

  it('given a kill before the poll is stored, then the next poll publishes the same events', async () => {
    const room = await newsroom(rss(entry('1'), entry('2', '')), (request, response) =>
      response.end(DATED + about(request.url ?? '')),
    );
    const lost = await room.poll();
    room.state = null;
    const again = await room.poll(MINUTE);
    expect(again.items.map(({ id }) => id)).toEqual(lost.items.map(({ id }) => id));
  });
});

describe('items without a date', () => {
  it.each([
    ['none', ''],
    ['one of 1970', 'Thu, 01 Jan 1970 00:00:00 GMT'],
    ['a relative one', '2 hours ago'],
  ])('given a feed with %s, then the date is read from the article', async (_name, date) => {
    const room = await newsroom(rss(entry('1', date)), (_request, response) => response.end(DATED + about('1')));
    expect(data(await room.poll())).toMatchObject([{ published_at: '2026-11-21T04:30:00.000Z', edits: 0 }]);
  });

  it('given a relative date and no article, then it counts from the poll that found the item, and is resolved once', async () => {
    const room = await newsroom(
      rss(entry('1', '2 hours ago', '<description>It has 14 doors.</description>')),
      (_request, response) => response.end('<p>nothing'),
    );
    expect(data(await room.poll())).toMatchObject([{ published_at: '2026-11-21T04:00:00.000Z' }]);
    room.feed = room.feed.replace('2 hours', '3 hours');
    expect(data(await room.poll(HOUR))).toEqual([]);
  });

  it('given a temporarily unavailable article, then no undated item is published before the article responds', async () => {
    const room = await newsroom(rss(entry('1', '')), (_request, response) => response.writeHead(503).end());
    expect((await room.poll()).poll.data).toMatchObject({ items_new: 0, outcome: 'unchanged', articles_failed: 1 });
    expect(data(await room.poll(15 * MINUTE))).toEqual([]);
    room.article = (_request, response) =>
      response.end(`<link rel="canonical" href="/lasting/1">${DATED}${about('1')}`);
    expect(data(await room.poll(HOUR))).toMatchObject([
      {
        url: `${room.outlet.url}/lasting/1`,
        published_at: '2026-11-21T04:30:00.000Z',
        first_seen_at: '2026-11-21T06:00:00.000Z',
        edits: 0,
      },
    ]);
    expect(room.asked()).toBe(3);
  });

  it('given an article that never responds, then it is requested five times and the item is published undated', async () => {
    const room = await newsroom(
      rss(entry('1', '', '<description>It has 14 doors.</description>')),
      (_request, response) => response.writeHead(404).end(),
    );
    const published: unknown[] = [];
    for (let hour = 0; hour < 24; hour++)
      published.push(...data(await room.poll(HOUR)).map((item) => [hour, item.published_at]));
    expect(room.asked()).toBe(5);
    expect(published).toEqual([[18, null]]);
  });

  it('given a poller that was stopped for three days, then each article is still requested', async () => {
    const room = await newsroom(rss(entry('1', '')), (_request, response) => response.writeHead(503).end());
    await room.poll();
    room.article = (_request, response) => response.end(DATED);
    expect(data(await room.poll(72 * HOUR))).toMatchObject([{ published_at: '2026-11-21T04:30:00.000Z' }]);
  });

  it('given a listing that version 1.0 polled, then its articles are not fetched again, and an edit is detected', async () => {
    const room = await newsroom('<ul><li><a href="/story/1">Story 1</a></li></ul>', (_request, response) =>
      response.end(DATED + about('1')),
    );
    const listing = { kind: 'html', selectors: { item: 'li', title: 'a', link: 'a' } } as const;
    const print = fingerprint('Story 1', 'What Story 1 says in full.', '2026-11-21T04:30:00.000Z');
    const listed = {
      [listedKey(ItemKey.parse(`${room.outlet.url}/story/1`))]: encodeListed(print, new Date(START - HOUR), 0),
    };
    room.state = { etag: null, last_modified: null, listed, next_poll_at: null };
    expect(data(await room.poll(0, listing))).toEqual([]);
    expect(room.asked()).toBe(0);
    room.feed = room.feed.replace('Story 1', 'Story 1, corrected');
    expect(data(await room.poll(HOUR, listing))).toMatchObject([
      { title: 'Story 1, corrected', edits: 1, summary: 'What Story 1 says in full.' },
    ]);
  });
});
