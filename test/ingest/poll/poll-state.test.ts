import { afterEach, describe, expect, it } from 'vitest';
import { createFetchPage } from '../../../ingest/poll/fetch/fetch-page.ts';
import { isSameSite } from '../../../ingest/poll/normalise/read-items.ts';
import { type PollResult, pollSource } from '../../../ingest/poll/poll-source.ts';
import type { Source } from '../../../schemas/source.ts';
import { type Outlet, rss, startOutlet } from './outlet.ts';
import { source } from './polling.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
async function outletThat(answer: Outlet['answer']): Promise<Outlet> {
  const outlet = await startOutlet(answer);
  closing.push(outlet.close);
  return outlet;
}

const fetchPage = createFetchPage({ allowAddress: () => true, userAgent: 'Test' });

/** Polls a source this many times in a row, each with the state of the poll before. */
async function pollTimes(one: Source, times: number, before: PollResult | null = null): Promise<PollResult[]> {
  const results: PollResult[] = [];
  for (let poll = 0; poll < times; poll++) {
    const state = (results.at(-1) ?? before)?.state ?? null;
    const context = { fetchPage, clock: () => new Date(), random: () => 0, signal: new AbortController().signal };
    results.push(await pollSource(one, state, context));
  }
  return results;
}

describe('a source that restates its items', () => {
  const changing = (title: () => string, guid: (poll: number) => string, date: (poll: number) => Date) => {
    let polls = 0;
    return outletThat((_, response) => {
      polls += 1;
      response.end(
        rss(
          `<title>${title()}</title><description>It has 14 doors and a café.</description><link>https://outlet.example.in/z</link>` +
            `<guid isPermaLink="false">${guid(polls)}</guid><pubDate>${date(polls).toUTCString()}</pubDate>`,
        ),
      );
    });
  };
  const START = Date.parse('2026-11-20T04:00:00Z');
  const FIXED = (): Date => new Date(START);
  const counts = (results: readonly PollResult[]) => ({
    found: results.flatMap(({ items }) => items).length,
    restated: results.filter(({ poll }) => poll.data.items_restated === 1).length,
  });

  it.each([
    ['another id', (poll: number) => `id-${poll}`, FIXED],
    ['another date', () => 'z', (poll: number) => new Date(START + poll * 60_000)],
    ['another id and date', (poll: number) => `id-${poll}`, (poll: number) => new Date(START + poll * 60_000)],
  ])('given %s at each of 12 polls, then the item is published once', async (_, guid, date) => {
    const outlet = await changing(() => 'Zudio opens in Surat', guid, date);
    expect(counts(await pollTimes(source('unstable', outlet.url), 12))).toEqual({ found: 1, restated: 11 });
  });

  it('given http and https, www and a slash at the end by turns, then the item is published once', async () => {
    const links = ['http://a.in/story/', 'https://a.in/story', 'https://www.a.in/story/', 'http://www.a.in/story'];
    let polls = 0;
    const outlet = await outletThat((_, response) => {
      const link = links[polls++ % links.length];
      response.end(rss(`<title>Zudio opens</title><description>It has 14 doors.</description><link>${link}</link>`));
    });
    const results = await pollTimes(source('twins', outlet.url, { articles: 'never' }), 8);
    expect(results.flatMap(({ items }) => items)).toHaveLength(1);
  });

  it('given other words under another id, then they are published', async () => {
    let title = 'Zudio opens in Surat';
    const outlet = await changing(
      () => title,
      (poll) => `id-${poll}`,
      FIXED,
    );
    const before = await pollTimes(source('unstable', outlet.url), 2);
    title = 'Zudio opens two stores in Surat';
    const after = await pollTimes(source('unstable', outlet.url), 2, before.at(-1));
    expect(after.flatMap(({ items }) => items).map((item) => item.data.title)).toEqual([title]);
  });
});

describe('what a source listed', () => {
  it('given an undated listing of 330 links that changes with each response, when it is polled many times, then each article is fetched once', async () => {
    let answers = 0;
    const links = Array.from({ length: 330 }, (_, number) => `<li><a href="/story/${number}">Story ${number}</a></li>`);
    const outlet = await outletThat((request, response) => {
      answers += 1;
      if (request.url !== '/list')
        response.end('<meta property="article:published_time" content="2026-11-20T10:00:00+05:30">');
      // The page always differs, as with an advertisement on it, so no 304 skips reading it.
      else response.end(`<p>Answer ${answers}</p><ul>${links.join('')}</ul>`);
    });
    const selectors = { item: 'li', title: 'a', link: 'a' };
    const results = await pollTimes(
      source('undated', `${outlet.url}/list`, { kind: 'html', selectors, articles: 'when_needed' }),
      40,
    );
    const news = results.map(({ poll }) => poll.data.items_new);
    expect(news.slice(0, 33)).toEqual(Array.from({ length: 33 }, () => 10));
    expect(news.slice(33)).toEqual(Array.from({ length: 7 }, () => 0));
    expect(outlet.requests.filter(({ path }) => path.startsWith('/story'))).toHaveLength(330);
  });

  it('given a feed of 600 entries, when responses are truncated to 20 entries and then complete again, then no old entry is published', async () => {
    /** The feed after this many stories: it lists the latest 600, newest first. */
    const feedAfter = (stories: number, length = 600): string =>
      rss(
        ...Array.from({ length }, (_, place) => stories - place).map(
          (number) => `<title>Story ${number}</title><link>https://outlet.example.in/${number}</link>`,
        ),
      );
    let feed = feedAfter(600);
    const outlet = await outletThat((_request, response) => response.end(feed));
    const one = source('long', outlet.url);
    const results = await pollTimes(one, 1);
    for (const answer of [feedAfter(605), feedAfter(608, 20), feedAfter(608, 20), feedAfter(608)]) {
      feed = answer;
      results.push(...(await pollTimes(one, 1, results.at(-1))));
    }
    expect(results.map(({ poll }) => poll.data.items_new)).toEqual([600, 5, 3, 0, 0]);
    expect(Object.keys(results.at(-1)?.state.listed ?? {}).length).toBeLessThanOrEqual(800);
  });

  it('given an entry that is edited back and forth, when it is polled, then each edit is a separate event, also after a kill', async () => {
    let title = 'A';
    const outlet = await outletThat((_request, response) =>
      response.end(rss(`<title>Story ${title}</title><link>/story</link><guid>story</guid>`)),
    );
    const one = source('edits', outlet.url);
    const results: PollResult[] = [];
    for (title of ['A', 'B', 'A', 'B', 'A']) {
      const [lost] = await pollTimes(one, 1, results.at(-1));
      // The process died before it stored the poll: the next one goes on from the same memory.
      const [poll] = await pollTimes(one, 1, results.at(-1));
      expect(poll?.items.map(({ id }) => id)).toEqual(lost?.items.map(({ id }) => id));
      if (poll) results.push(poll);
    }
    const found = results.flatMap(({ items }) => items);
    expect(found.map(({ data }) => [data.title, data.edits])).toEqual([
      ['Story A', 0],
      ['Story B', 1],
      ['Story A', 2],
      ['Story B', 3],
      ['Story A', 4],
    ]);
    expect(new Set(found.map(({ id }) => id)).size).toBe(5);
  });
});

describe('the owner of a page', () => {
  it.each([
    ['on the host of its feed', '/story', true],
    ['on another host', 'https://another.example/story', false],
  ])('given a link %s, then the item is marked accordingly', async (_, link, own) => {
    const outlet = await outletThat((_request, response) =>
      response.end(rss(`<title>A story</title><link>${link}</link>`)),
    );
    const [poll] = await pollTimes(source('own', outlet.url), 1);
    expect(poll?.items.map(({ data }) => data.on_own_site)).toEqual([own]);
  });

  it.each([
    ['https://www.outlet.example.in/story', 'https://feeds.outlet.example.in/all.xml', true],
    ['https://retail.outlet.example.in/story', 'https://outlet.example.in/rss', true],
    ['https://outlet.example.in/story', 'https://other.example.in/rss', false],
    ['https://notoutlet.example/story', 'https://outlet.example/rss', false],
  ])('given %s in the feed %s, then it is on the site of the outlet: %s', (page, feed, own) => {
    expect(isSameSite(page, feed)).toBe(own);
  });
});
