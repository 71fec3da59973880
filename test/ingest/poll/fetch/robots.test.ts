import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFetchPage, type FetchPage } from '../../../../ingest/poll/fetch/fetch-page.ts';
import { checkRobots, respectRobots, selectOwnRules } from '../../../../ingest/poll/fetch/robots.ts';
import { createAddressRule } from '../../../../log/guarded-connection.ts';
import { processorTime } from '../../../harness/processor-time.ts';
import { type Outlet, startOutlet } from '../outlet.ts';

const verdict = (text: string, target: string) =>
  checkRobots({ rules: selectOwnRules(text, 'clarity'), url: `https://a.in${target}`, product: 'clarity' });

describe('robots.txt', () => {
  it.each<[string, string, boolean]>([
    ['', '/feed', true],
    ['User-agent: *\nDisallow: /', '/feed', false],
    ['User-agent: *\nDisallow:', '/feed', true],
    ['User-agent: *\nDisallow: /feed\nAllow: /feed/retail', '/feed/retail.xml', true],
    ['User-agent: *\nAllow: /feed\nDisallow: /feed/retail', '/feed/retail.xml', false],
    ['User-agent: *\nDisallow: /\n\nUser-agent: Clarity\nAllow: /', '/feed', true],
    ['User-agent: other\nDisallow: /', '/feed', true],
    ['User-agent: other\nUser-agent: clarity/2.0\nDisallow: /feed', '/feed', false],
    ['User-agent: *\nDisallow: /*.xml$', '/a/feed.xml', false],
    ['User-agent: *\nDisallow: /*.xml$', '/a/feed.xml?x', true],
    ['User-agent: *\nDisallow: /a*b*c', '/a1b2c3', false],
    ['User-agent: *\nDisallow: /a%3cd.html', '/a%3Cd.html', false],
    ['User-agent: *\nDisallow: /%7Eretail', '/~retail/feed', false],
    ['user-AGENT : * # all\nDISALLOW:/feed # no', '/feed', false],
    ['Disallow: /', '/feed', true],
    ['User-agent: *\nDisallow: /a\nAllow: /a', '/a', true],
    ['User-agent: *\nDisallow: /robots.txt', '/robots.txt', true],
    ['<html>not found</html>', '/feed', true],
  ])('given %j, then %s is allowed: %s', (text, target, allowed) => {
    expect(verdict(text, target).allowed).toBe(allowed);
  });

  it('given groups for other user agents, then none of their rules is kept', () => {
    const text = 'User-agent: a\nUser-agent: clarity\nDisallow: /x\n\nUser-agent: b\nDisallow: /y\nSitemap: /s';
    expect(selectOwnRules(text, 'clarity')).toBe('User-agent: clarity\ndisallow: /x');
  });

  it('given 64 KB of names and 64 KB of rules, then each rule is kept once', () => {
    const names = 'User-agent: a\n'.repeat(4_700);
    const rules = Array.from({ length: 4_700 }, (_, n) => `Disallow: /${n}\n`).join('');
    expect(selectOwnRules(names + rules, 'clarity')).toBe('');
    const kept = selectOwnRules(`${names}User-agent: *\n${rules}`, 'clarity');
    expect(kept.split('\n')).toHaveLength(4_701);
    expect(verdict(`${names}User-agent: *\n${rules}`, '/4699/x').allowed).toBe(false);
  });

  it.each<[string, number]>([
    ['User-agent: *\nCrawl-delay: 10', 10],
    ['User-agent: *\nDisallow: /a\ncrawl-delay : 2.5 # seconds', 2.5],
    ['User-agent: *\nCrawl-delay: 10\n\nUser-agent: clarity\nCrawl-delay: 3', 3],
    ['User-agent: other\nCrawl-delay: 10', 0],
    ['User-agent: *\nCrawl-delay: soon', 0],
    ['User-agent: *\nCrawl-delay: 999999999', 86_400],
  ])('given %j, then the delay is %d seconds', (text, seconds) => {
    expect(verdict(text, '/').crawlDelaySeconds).toBe(seconds);
  });

  it('given only Crawl-delay for `*`, then a following group for another user agent does not apply', () => {
    const text = 'User-agent: *\nCrawl-delay: 5\n\nUser-agent: other\nDisallow: /';
    expect(verdict(text, '/feed').allowed).toBe(true);
  });

  it('given expensive patterns, then matching stays fast', () => {
    const spent = processorTime();
    expect(verdict(`User-agent: *\nDisallow: /${'*a'.repeat(100_000)}b`, `/${'a'.repeat(2_000)}`).allowed).toBe(true);
    expect(spent()).toBeLessThan(1_000);
  });
});

describe('a fetcher that respects robots.txt', () => {
  let outlet: Outlet;
  let fetchPage: FetchPage;
  let now = new Date('2026-11-21T00:00:00Z');
  let asked = 0;
  beforeEach(async () => {
    asked = 0;
    outlet = await startOutlet((_request, response) => response.end('feed'));
    const plain = createFetchPage({ allowAddress: createAddressRule(() => true), userAgent: 'Test' });
    fetchPage = respectRobots(plain, 'clarity', () => now);
  });
  afterEach(() => outlet.close());
  const get = (path: string) => fetchPage({ url: `${outlet.url}${path}`, signal: new AbortController().signal });
  const robots = (status: number, text = '') => {
    outlet.robots = (_request, response) => {
      asked += 1;
      response.writeHead(status).end(text);
    };
  };

  it('given a disallowed path, then it is not requested, and robots.txt is requested once a day', async () => {
    robots(200, 'User-agent: *\nDisallow: /private');
    await expect(get('/private/feed')).rejects.toMatchObject({ code: 'robots_disallowed' });
    expect((await get('/feed')).status).toBe(200);
    expect(outlet.requests.map(({ path }) => path)).toEqual(['/feed']);
    expect(asked).toBe(1);
    now = new Date(now.getTime() + 86_400_001);
    await get('/feed');
    expect(asked).toBe(2);
  });

  it('given Crawl-delay, then the response reports it, and the next request to the host waits for it', async () => {
    robots(200, 'User-agent: *\nCrawl-delay: 120');
    const rests: (number | undefined)[] = [];
    const gate = {
      enter: async (_host: string, _signal: AbortSignal, restMs?: number) => {
        rests.push(restMs);
        return () => undefined;
      },
    };
    const gated = createFetchPage({ allowAddress: createAddressRule(() => true), userAgent: 'Test', gate });
    const asking = respectRobots(gated, 'clarity', () => now);
    const page = await asking({ url: `${outlet.url}/feed`, signal: new AbortController().signal });
    expect(page.crawlDelaySeconds).toBe(120);
    // At most a minute between two pages, so that other hosts are not delayed; the full delay applies between two polls.
    expect(rests).toEqual([undefined, 60_000]);
  });

  it('given no robots.txt, then every path is allowed', async () => {
    robots(404);
    expect((await get('/feed')).status).toBe(200);
  });

  it.each([
    ['another path', () => `${outlet.url}/private/feed`],
    ['another host', () => `http://localhost:${outlet.port}/private/feed`],
  ])('given a redirect to %s that robots.txt disallows, then the target is not requested', async (_name, target) => {
    robots(200, 'User-agent: *\nDisallow: /private');
    outlet.answer = (_request, response) => response.writeHead(302, { location: target() }).end();
    await expect(get('/feed')).rejects.toMatchObject({ code: 'robots_disallowed' });
    expect(outlet.requests.map(({ path }) => path)).toEqual(['/feed']);
  });

  it('given a redirect to a host with a Crawl-delay, then the delay applies to the page', async () => {
    outlet.robots = (request, response) =>
      response.end(request.headers.host?.startsWith('localhost') ? 'User-agent: *\nCrawl-delay: 30' : '');
    outlet.answer = ({ url }, response) =>
      url === '/feed'
        ? response.writeHead(302, { location: `http://localhost:${outlet.port}/moved` }).end()
        : response.end('feed');
    expect(await get('/feed')).toMatchObject({ status: 200, crawlDelaySeconds: 30 });
  });

  it('given a robots.txt that answers with a server error, then nothing is requested', async () => {
    robots(503);
    await expect(get('/feed')).rejects.toMatchObject({ code: 'server_error', status: 503 });
    expect(outlet.requests).toEqual([]);
  });
});
