import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { PollState } from '../../../ingest/poll/poll-state.ts';
import { applyRoster } from '../../../ingest/roster/roster.ts';
import { ITEMS } from '../../../schemas/poll.ts';
import { eventually } from '../../harness/eventually.ts';
import { type Outlet, rss, startOutlet } from './outlet.ts';
import { openPolling, type Polling, polled, source } from './polling.ts';

const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toUTCString();
const entry = (id: string, title = `Story ${id}`, date = hoursAgo(1)): string =>
  `<title>${title}</title><link>https://outlet.example.in/${id}</link><guid>${id}</guid><pubDate>${date}</pubDate>`;

let polling: Polling;
beforeAll(async () => {
  polling = await openPolling();
});
afterAll(() => polling.close());

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});
async function outletThat(answer: Outlet['answer']): Promise<Outlet> {
  const outlet = await startOutlet(answer);
  closing.push(outlet.close);
  return outlet;
}

describe('the poller', () => {
  it('given new, edited and unchanged entries, then only the new and the edited are published', async () => {
    let feed = rss(entry('a1'), entry('a2', 'Older', hoursAgo(5)));
    const outlet = await outletThat((_request, response) => response.end(feed));
    closing.push(await polling.start([source('edits', outlet.url, { cadence_seconds: 1 })]));
    await polled(polling, ['edits'], 2);
    expect(
      polling
        .itemsOf('edits')
        .map(({ title }) => title)
        .toSorted(),
    ).toEqual(['Older', 'Story a1']);
    expect(polling.pollsOf('edits').slice(0, 2)).toMatchObject([
      { outcome: 'changed', items_found: 2, items_new: 2 },
      { outcome: 'unchanged', items_found: 2, items_new: 0, listed: null },
    ]);
    const firstSeen = polling.itemsOf('edits').find(({ item_key }) => item_key === 'a1')?.first_seen_at;

    feed = rss(entry('a1', 'Story a1, corrected'), entry('a2', 'Older', hoursAgo(5)).replace(/<pubDate>.*/, ''));
    await eventually(() => expect(polling.itemsOf('edits')).toHaveLength(3));
    const edited = polling.itemsOf('edits').find(({ title }) => title.endsWith('corrected'));
    expect(edited).toMatchObject({ item_key: 'a1', first_seen_at: firstSeen });
  });

  it('given a redirect with a new target, then the validators of the former page are not sent', async () => {
    let target = '/a';
    const outlet = await outletThat(({ url, headers }, response) => {
      if (url === '/') response.writeHead(302, { location: target }).end();
      else if (headers['if-none-match'] === '"1"') response.writeHead(304).end();
      else response.setHeader('etag', '"1"').end(rss(entry(url === '/a' ? 'a1' : 'b1')));
    });
    closing.push(await polling.start([source('redirected', outlet.url, { cadence_seconds: 1 })]));
    await polled(polling, ['redirected'], 2);
    target = '/b';
    await eventually(() => expect(polling.itemsOf('redirected')).toHaveLength(2));
    const sent = outlet.requests.filter(({ headers }) => headers['if-none-match']).map(({ path }) => path);
    expect(polling.pollsOf('redirected')[1]).toMatchObject({ http_status: 304 });
    expect(sent).toContain('/a');
    expect(sent).not.toContain('/');
  });

  it('given a first poll, then the items of the backlog are first seen on their own dates; later items are not', async () => {
    const outlet = await outletThat((_request, response) =>
      response.end(
        rss(entry('b1', 'Recent', hoursAgo(30)), entry('b2', 'Ancient', hoursAgo(24 * 20)), entry('b3', 'Undated', '')),
      ),
    );
    const began = new Date().toISOString();
    closing.push(await polling.start([source('backlog', outlet.url, { backlog_days: 7 })]));
    await polled(polling, ['backlog']);
    await eventually(() => expect(polling.itemsOf('backlog')).toHaveLength(3));
    const items = Object.fromEntries(polling.itemsOf('backlog').map((item) => [item.title, item]));
    expect(items.Recent?.first_seen_at).toBe(items.Recent?.published_at);
    expect((items.Ancient?.first_seen_at ?? '') >= began).toBe(true);
    expect(items.Undated?.published_at).toBeNull();
    expect((items.Undated?.first_seen_at ?? '') >= began).toBe(true);
  });

  it('given a kill between the items and the poll, then the next poll publishes the same events', async () => {
    // Written once, because the date of an entry follows the clock.
    const feed = rss(entry('k1'), entry('k2'));
    const outlet = await outletThat((_request, response) => response.end(feed));
    const sources = [source('killed', outlet.url)];
    const published: string[][] = [];
    const items = {
      publish: async (
        messages: Parameters<Polling['items']['push']> | never[] | readonly { event: { id: string } }[],
      ) => {
        published.push((messages as readonly { event: { id: string } }[]).map(({ event }) => event.id));
        await polling.topics.topic(ITEMS).publish(messages as never);
      },
    };
    const dead = new AbortController();
    // The log stores the items, then the process dies before it publishes the poll.
    const never = {
      publish: () =>
        new Promise<never>((_, reject) => dead.signal.addEventListener('abort', () => reject(dead.signal.reason))),
    };
    const stopFirst = await polling.start(sources, { items, polls: never });
    await eventually(() => expect(published).toHaveLength(1));
    dead.abort();
    await stopFirst();
    closing.push(await polling.start(sources, { items }));
    await polled(polling, ['killed']);
    expect(published).toHaveLength(2);
    expect(published[1]).toEqual(published[0]);
    expect(polling.itemsOf('killed')).toHaveLength(2);
  });

  it('given a restart, then polling continues where the last poll ended', async () => {
    const outlet = await outletThat((request, response) =>
      request.headers['if-none-match']
        ? response.writeHead(304).end()
        : response.setHeader('etag', '"r"').end(rss(entry('r1'))),
    );
    const stop = await polling.start([source('resumed', outlet.url)]);
    await polled(polling, ['resumed']);
    await stop();
    const [last] = polling.pollsOf('resumed');
    const state = { ...last, next_poll_at: new Date().toISOString() } as PollState;
    closing.push(
      await polling.start([source('resumed', outlet.url)], { resume: async (id) => (id === 'resumed' ? state : null) }),
    );
    await polled(polling, ['resumed'], 2);
    expect(polling.pollsOf('resumed')[1]).toMatchObject({ outcome: 'unchanged', http_status: 304 });
    expect(polling.itemsOf('resumed')).toHaveLength(1);
  });

  it('given a resumed source, then it is not polled before it is due', async () => {
    const outlet = await outletThat((_request, response) => response.end(rss(entry('d1'))));
    const next_poll_at = new Date(Date.now() + 3_600_000).toISOString();
    const state: PollState = { etag: null, last_modified: null, listed: {}, next_poll_at };
    const sources = [source('due-later', `${outlet.url}/later`), source('due-now', `${outlet.url}/now`)];
    closing.push(await polling.start(sources, { resume: async (id) => (id === 'due-later' ? state : null) }));
    await polled(polling, ['due-now']);
    expect(outlet.requests.map(({ path }) => path)).toEqual(['/now']);
  });

  it('given a feed whose entries are all rejected, then the poll fails, because such a source is not healthy', async () => {
    const outlet = await outletThat((_request, response) =>
      response.end(rss('<title>One</title>', '<title>Two</title>')),
    );
    closing.push(await polling.start([source('refused', outlet.url, { cadence_seconds: 1 })]));
    await polled(polling, ['refused'], 2);
    expect(polling.pollsOf('refused')[1]).toMatchObject({
      outcome: 'failed',
      http_status: 200,
      items_refused: 2,
      error: { code: 'all_refused' },
    });
  });

  it('given an outlet that responds 412 to its own ETag, then the request is repeated without it, and later ones have none', async () => {
    const feed = rss(entry('p1'));
    const outlet = await outletThat((request, response) =>
      request.headers['if-none-match'] ? response.writeHead(412).end() : response.setHeader('etag', '"odd"').end(feed),
    );
    closing.push(await polling.start([source('precondition', outlet.url, { cadence_seconds: 1 })]));
    await polled(polling, ['precondition'], 3);
    for (const poll of polling.pollsOf('precondition').slice(1, 3))
      expect(poll).toMatchObject({ outcome: 'unchanged', http_status: 200, items_found: 1 });
    expect(outlet.requests.filter(({ headers }) => headers['if-none-match'])).toHaveLength(1);
  });

  it('given a reference feed, then its items are marked', async () => {
    const outlet = await outletThat((_request, response) => response.end(rss(entry('o1'))));
    closing.push(await polling.start([source('reference', outlet.url, { role: 'oracle' })]));
    await eventually(() => expect(polling.itemsOf('reference')).toMatchObject([{ role: 'oracle' }]));
  });

  it('given a sitemap index, then its sitemaps are read', async () => {
    const map = (id: string) =>
      `<urlset xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"><url><loc>https://outlet.example.in/${id}</loc><news:news><news:title>${id}</news:title></news:news></url></urlset>`;
    const outlet: Outlet = await outletThat((request, response) =>
      response.end(
        request.url === '/index.xml'
          ? `<sitemapindex><sitemap><loc>${outlet.url}/one.xml</loc></sitemap><sitemap><loc>/two.xml</loc></sitemap></sitemapindex>`
          : map(request.url === '/one.xml' ? 'one' : 'two'),
      ),
    );
    closing.push(await polling.start([source('index', `${outlet.url}/index.xml`, { kind: 'news_sitemap' })]));
    await eventually(() =>
      expect(
        polling
          .itemsOf('index')
          .map(({ title }) => title)
          .toSorted(),
      ).toEqual(['one', 'two']),
    );
  });

  it('given a change of the roster, then the running poller adopts it and stops polling retired sources', async () => {
    const outlet = await outletThat((request, response) =>
      request.url === '/gone' ? response.writeHead(410).end() : response.end(rss(entry('l1'))),
    );
    const gone = source('gone', `${outlet.url}/gone`, { cadence_seconds: 1 });
    closing.push(await polling.start([gone]));
    await polled(polling, ['gone']);
    expect(polling.pollsOf('gone')[0]).toMatchObject({ outcome: 'failed', http_status: 410, error: { code: 'gone' } });
    await applyRoster(polling.store, [gone, source('late', outlet.url)], { by: 'test', why: 'test' });
    await polled(polling, ['late']);
    await eventually(async () => expect((await polling.store.read('source-gone')).at(-1)?.type).toBe('SourceRetired'));
  });

  it('given an abort signal, then the poller stops without waiting for its requests', async () => {
    const outlet = await outletThat(() => undefined);
    const stop = await polling.start([source('hanging', outlet.url)]);
    await eventually(() => expect(outlet.requests).toHaveLength(1));
    await stop();
    // A request that had reached its time limit would have been published as a failed poll.
    expect(polling.pollsOf('hanging')).toEqual([]);
  });
});
