import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readArticle } from '../../../ingest/poll/read/read-article.ts';
import { type Outlet, startOutlet } from './outlet.ts';
import { openPolling, type Polling, polled, source } from './polling.ts';

const ENTRY = { id: null, link: 'https://www.a.in/x', title: 'X', summary: null, date: null };

describe('an article', () => {
  it.each([
    ['a meta tag', '<meta property="article:published_time" content="2026-11-20T10:00:00+05:30">'],
    [
      'JSON-LD',
      '<script type="application/ld+json">{"@graph":[{"@type":"NewsArticle","datePublished":"2026-11-20T10:00:00+05:30"}]}</script>',
    ],
    ['a time element', '<time datetime="2026-11-20T10:00:00+05:30">yesterday</time>'],
  ])('gives its date by %s', (_name, html) => {
    expect(readArticle(html, 'https://www.a.in/x', ENTRY).date).toBe('2026-11-20T10:00:00+05:30');
  });

  it.each([
    ['https://m.a.in/story-x', 'https://m.a.in/story-x'],
    ['/story-x', 'https://www.a.in/story-x'],
    ['https://elsewhere.in/x', 'https://www.a.in/x'],
    ['https://www.a.in/', 'https://www.a.in/x'],
    ['javascript:alert(1)', 'https://www.a.in/x'],
  ])('with the canonical address %s stands at %s', (href, link) => {
    expect(readArticle(`<link rel="canonical" href="${href}">`, 'https://www.a.in/x', ENTRY).link).toBe(link);
  });
});

describe('a listing without dates', () => {
  let polling: Polling;
  let outlet: Outlet;
  beforeAll(async () => {
    polling = await openPolling();
    const list = Array.from(
      { length: 12 },
      (_, number) => `<li><a href="/story/${number}">Story ${number}</a></li>`,
    ).join('');
    outlet = await startOutlet((request, response) =>
      response
        .setHeader('etag', '"same"')
        .end(
          request.url === '/list'
            ? `<ul>${list}</ul>`
            : `<link rel="canonical" href="/article${request.url}"><meta property="article:published_time" content="2026-11-20T10:00:00+05:30"><meta name="description" content="More">`,
        ),
    );
  });
  afterAll(async () => {
    await outlet.close();
    await polling.close();
  });

  it('has each article fetched once, ten at a poll', async () => {
    const selectors = { item: 'li', title: 'a', link: 'a' };
    const stop = await polling.start([
      source('undated', `${outlet.url}/list`, { kind: 'html', selectors, cadence_seconds: 1 }),
    ]);
    await polled(polling, ['undated'], 3);
    await vi.waitFor(() => expect(polling.itemsOf('undated')).toHaveLength(12));
    await stop();
    expect(
      polling
        .pollsOf('undated')
        .slice(0, 3)
        .map(({ items_new, items_edited }) => [items_new, items_edited]),
    ).toEqual([
      [10, 0],
      [2, 0],
      [0, 0],
    ]);
    expect(outlet.requests.filter(({ path }) => path.startsWith('/story'))).toHaveLength(12);
    expect(polling.itemsOf('undated').find(({ title }) => title === 'Story 3')).toMatchObject({
      item_key: `${outlet.url}/story/3`,
      url: `${outlet.url}/article/story/3`,
      published_at: '2026-11-20T04:30:00.000Z',
      summary: 'More',
    });
  });
});
