import { afterEach, describe, expect, it } from 'vitest';
import { createFetchPage } from '../../../ingest/poll/fetch/fetch-page.ts';
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

/** Polls a source so many times in a row, each on what the one before remembered. */
async function pollTimes(one: Source, times: number, before: PollResult | null = null): Promise<PollResult[]> {
  const results: PollResult[] = [];
  for (let poll = 0; poll < times; poll++) {
    const state = (results.at(-1) ?? before)?.state ?? null;
    const context = { fetchPage, clock: () => new Date(), random: () => 0, signal: new AbortController().signal };
    results.push(await pollSource(one, state, context));
  }
  return results;
}

describe('what a source listed', () => {
  it('given an undated listing of 330 links whose answers change each time, when it is polled for long, then each article is fetched once', async () => {
    let answers = 0;
    const links = Array.from({ length: 330 }, (_, number) => `<li><a href="/story/${number}">Story ${number}</a></li>`);
    const outlet = await outletThat((request, response) => {
      answers += 1;
      if (request.url !== '/list')
        response.end('<meta property="article:published_time" content="2026-11-20T10:00:00+05:30">');
      // The page is never the same, as with an advertisement on it: no 304 spares reading it.
      else response.end(`<p>Answer ${answers}</p><ul>${links.join('')}</ul>`);
    });
    const selectors = { item: 'li', title: 'a', link: 'a' };
    const results = await pollTimes(source('undated', `${outlet.url}/list`, { kind: 'html', selectors }), 50);
    const news = results.map(({ poll }) => poll.data.items_new);
    expect(news.slice(0, 33)).toEqual(Array.from({ length: 33 }, () => 10));
    expect(news.slice(33)).toEqual(Array.from({ length: 17 }, () => 0));
    expect(outlet.requests.filter(({ path }) => path.startsWith('/story'))).toHaveLength(330);
  });

  it('given a feed of 600 entries, when answers come cut off to 20 and then whole again, then nothing old is new', async () => {
    /** The feed after so many stories: it lists the latest 600, newest first. */
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
});
