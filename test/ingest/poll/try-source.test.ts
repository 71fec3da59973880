import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFetchPage } from '../../../ingest/poll/fetch/fetch-page.ts';
import { discoverFeeds, trySource } from '../../../ingest/poll/try-source.ts';
import { createAddressRule } from '../../../log/guarded-connection.ts';
import { Source } from '../../../schemas/source.ts';
import { type Outlet, rss, startOutlet } from './outlet.ts';

const FEED = rss('<title>a</title><link>https://a.in/1</link>');

describe('finding the feeds of a site', () => {
  let outlet: Outlet;
  const pages: Record<string, string> = {
    '/site':
      '<link rel="alternate" type="application/rss+xml" title="Retail" href="/retail.xml"><link rel="alternate" type="application/atom+xml" href="/broken"><link rel="alternate" hreflang="hi" href="/hi">',
    '/retail.xml': FEED,
    '/quiet': '<html><body>no word of feeds</body></html>',
    '/feed': FEED,
    '/deep': FEED.replace('</channel>', `<item>${'<a>'.repeat(3_000)}${'</a>'.repeat(3_000)}</item></channel>`),
  };
  beforeAll(async () => {
    outlet = await startOutlet((request, response) => {
      const page = pages[request.url ?? ''];
      response.writeHead(page ? 200 : 404).end(page);
    });
  });
  afterAll(() => outlet.close());
  const discover = (path: string) =>
    discoverFeeds(
      outlet.url + path,
      createFetchPage({ allowAddress: createAddressRule(() => true), userAgent: 'Test' }),
      new AbortController().signal,
    );

  it('given a page with feed links, then those that can be read are returned', async () => {
    expect(await discover('/site')).toEqual([
      { url: `${outlet.url}/retail.xml`, kind: 'feed', title: 'Retail', entries: 1 },
    ]);
  });

  it('given a page without feed links, then common feed addresses are tried', async () => {
    expect(await discover('/quiet')).toEqual([{ url: `${outlet.url}/feed`, kind: 'feed', title: null, entries: 1 }]);
  });

  it('given a feed over a limit of structure, then a trial has the entries before it, and says why there are no more', async () => {
    const context = {
      fetchPage: createFetchPage({ allowAddress: createAddressRule(() => true), userAgent: 'Test' }),
      now: new Date(),
      signal: new AbortController().signal,
    };
    const sourceAt = (path: string) => Source.parse({ id: 'a', outlet: 'A', url: outlet.url + path });
    const trial = await trySource(sourceAt('/deep'), context);
    expect([trial.entries.length, trial.cut_off]).toEqual([1, expect.stringContaining('too many elements')]);
    expect(await trySource(sourceAt('/feed'), context)).toMatchObject({
      cut_off: null,
    });
  });

  it('given the address of a feed, then that feed is returned', async () => {
    expect(await discover('/retail.xml')).toMatchObject([{ url: `${outlet.url}/retail.xml`, entries: 1 }]);
  });
});
