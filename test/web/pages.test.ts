import { load } from 'cheerio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Serving, serving } from '../api/serving.ts';
import { attributesOf, textsOf } from '../harness/elements.ts';
import { detected, idOf, merged, report, reported, revised, understanding } from '../projector/signal-events.ts';

let site: Serving;
let empty: Serving;
const open = async (url: string, from: Serving = site) => {
  const answer = await from.server.inject({ url, headers: { accept: 'text/html' } });
  return { answer, $: load(answer.body) };
};

beforeAll(async () => {
  empty = await serving({ demo: true });
  site = await serving({
    models: ['brands', 'search', 'names', 'openings', 'appointments', 'results'],
  });
  await site.append(
    ...Array.from({ length: 45 }, (_, n) =>
      detected(`n${n}`, {
        published_at: new Date(Date.parse('2026-11-19T18:00:00Z') + n * 60_000).toISOString(),
        understanding: understanding({ headline: `Headline ${n}`, move: n % 2 ? 'deals' : 'stores' }),
      }),
    ),
    ...['planned', 'begun', 'done'].map((name, at, names) =>
      detected(name, {
        published_at: `2026-10-0${at + 1}T04:00:00Z`,
        understanding: understanding({ headline: `A step: ${name}`, summary: null }),
        follows: at === 0 ? null : idOf(names[at - 1] ?? ''),
      }),
    ),
    detected('double'),
    merged('double', 'n1'),
    reported('n1', report('second', { outlet: 'Market Gazette', title: 'Another report', authority: 0.9 })),
    revised('n1', 1, { headline: 'Headline corrected', cities: ['Mumbai'] }),
  );
});
afterAll(async () => {
  await site.close();
  await empty.close();
});

describe('home', () => {
  it('given an empty record, then it announces the first signals, reloads by itself, and says that it is a demonstration', async () => {
    const { $ } = await open('/', empty);
    expect($('main').text()).toContain('The first signals arrive within seconds');
    expect($('meta[http-equiv=refresh]').attr('content')).toBe('3');
    expect($('.demo-note').text()).toContain('invented');
  });

  it('given signals on both sides of midnight in IST, then they are grouped by day, newest first', async () => {
    const { $ } = await open('/');
    expect(attributesOf($, '.day h2 time', 'datetime')).toEqual(['2026-11-20', '2026-11-19']);
    expect($('.entry h3').slice(0, 2).text()).toBe('Headline 43Headline 44');
    expect($('.demo-note')).toHaveLength(0);
    expect($('meta[http-equiv=refresh]')).toHaveLength(0);
    expect($('.entry time').first().attr('datetime')).toBe('2026-11-19T18:43:00.000Z');
  });

  it('given a signal that outweighs newer ones, then it leads its day, on the first page of the day and on no other', async () => {
    const first = (await open('/')).$;
    const yesterday = first('.day').last();
    expect([yesterday.find('.entry').first().find('h3').text(), first('.entry.lead').length]).toEqual([
      'Headline corrected',
      2,
    ]);
    const names = yesterday.find('.entry').first().find('.byline').text().replace(/\s+/g, ' ').trim();
    expect(names).toBe('Daily Trade Market Gazette');
    const second = (await open(first('.pager a[rel=next]').attr('href') ?? '')).$;
    expect(second('h3').text()).not.toContain('Headline corrected');
  });

  it('given the counts of a day, then each leads to the signals of that kind and day', async () => {
    const { $ } = await open('/');
    const counts = $('.day').first().find('.counts a');
    expect(counts.text().replace(/\s+/g, ' ').trim()).toBe('Stores 8Deals 7');
    const filtered = (await open(counts.last().attr('href') ?? '')).$;
    expect([filtered('.entry').length, filtered('.chips').text()]).toEqual([
      7,
      expect.stringContaining('On 20 November 2026'),
    ]);
    expect((await open('/?day=yesterday')).answer.statusCode).toBe(400);
  });

  it('given the link to the compact feed, then the choice is kept in a cookie, and only there it leads', async () => {
    const { $ } = await open('/?kind=deals');
    const link = $('nav[aria-label=Density] a:last-child').attr('href') ?? '';
    const kept = await site.server.inject(link);
    expect([kept.statusCode, kept.headers.location, kept.headers['set-cookie']]).toEqual([
      303,
      '/?kind=deals',
      expect.stringMatching(/^density=compact; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/),
    ]);
    const cookie = { cookie: 'a=b; density=compact', accept: 'text/html' };
    const compact = load((await site.server.inject({ url: '/', headers: cookie })).body);
    expect([compact('.entry.line').length, compact('.summary').length]).toEqual([41, 0]);
    expect((await site.server.inject('/view?density=compact&to=//evil.test')).headers.location).toBe('/');
    expect((await open('/view?density=dense')).answer.statusCode).toBe(400);
  });

  it('given the links to older entries, then every signal is shown once and the last page says so', async () => {
    const headlines: string[] = [];
    let next: string | undefined = '/';
    for (; next; ) {
      const { $ } = await open(next);
      headlines.push(...textsOf($, '.entry h3'));
      next = $('.pager a[rel=next]').attr('href');
      if (!next) expect($('.pager').text()).toContain('This is the end of the record');
    }
    expect(new Set(headlines).size).toBe(48);
    expect(headlines).toHaveLength(48);
  });

  it('given a kind and a city, then only matching signals, with links that remove the filters', async () => {
    expect((await open('/?kind=deals&utm_source=mail')).$('.kicker a:first-child').text()).toMatch(/^(Deals)+$/);
    const { $ } = await open('/?city=Mumbai');
    expect(textsOf($, '.entry h3')).toEqual(['Headline corrected']);
    expect($('.chips a').attr('href')).toBe('/');
  });

  it.each(['/?kind=gossip', '/?cursor=%21', '/?city=%00'])('given %s, then a helpful 400 page', async (url) => {
    const { answer, $ } = await open(url);
    expect(answer.statusCode).toBe(400);
    expect($('main a[href="/"]')).toHaveLength(1);
  });
});

describe('/signal/{slug}', () => {
  it('given a signal with two reports, a merge and a revision, then its page shows all of them', async () => {
    const { answer, $ } = await open('/signal/slug-n1');
    expect(answer.statusCode).toBe(200);
    expect($('h1').text()).toBe('Headline corrected');
    expect($('link[rel=canonical]').attr('href')).toBe('http://clarity.test/signal/slug-n1');
    expect($('.reports li')).toHaveLength(3);
    expect(attributesOf($, '.reports a', 'href')).toEqual([
      'https://outlet.test/n1',
      'https://outlet.test/double',
      'https://outlet.test/second',
    ]);
    expect($('.reports a').attr('rel')).toContain('noopener nofollow');
    expect($('.revisions').text()).toContain('The outlet edited its report');
    expect($('.cite').text()).toContain(idOf('n1'));
  });

  it('given signals that follow each other, then each shows what came before and what followed', async () => {
    const thread = async (slug: string) => {
      const { $ } = await open(`/signal/${slug}`);
      return $('.thread li')
        .map((_, line) => $(line).find('a').attr('href') ?? 'this')
        .get();
    };
    const all = ['/signal/slug-planned', '/signal/slug-begun', '/signal/slug-done'];
    expect(await thread('slug-planned')).toEqual(['this', all[1], all[2]]);
    expect(await thread('slug-begun')).toEqual([all[0], 'this', all[2]]);
    expect(await thread('slug-done')).toEqual([all[0], all[1], 'this']);
    expect(await thread('slug-n1')).toEqual([]);
  });

  it('given one report and no summary, then the page says what the report says, and when', async () => {
    const { $ } = await open('/signal/slug-planned');
    expect($('.lede').text()).toBe(
      'Daily Trade reported this on 1 October 2026 as Title of planned. No other report of it is on record, and this one has no summary. It concerns Pune.',
    );
  });

  it.each(['slug-double', idOf('n1')])('given %s, then 301 to the page of the merged signal', async (slug) => {
    const { answer } = await open(`/signal/${slug}`);
    expect([answer.statusCode, answer.headers.location]).toEqual([301, 'http://clarity.test/signal/slug-n1']);
  });

  it('given an unknown slug, then a helpful 404 page, and JSON for clients that do not accept HTML', async () => {
    const { answer, $ } = await open('/signal/nothing');
    expect(answer.statusCode).toBe(404);
    expect($('h1').text()).toBe('Not in the record');
    expect($('main form[action="/"] [name=q]')).toHaveLength(1);
    expect($('meta[name=robots]').attr('content')).toBe('noindex');
    expect((await site.server.inject('/signal/nothing')).json().error).toBe('not_found');
  });
});

describe('other pages', () => {
  it.each(['/brand/nobody', '/theme/nothing', '/brand/%00'])('given %s, then 404', async (url) => {
    expect((await open(url)).answer.statusCode).toBe(404);
  });

  it('given the versioned address of the style sheet, then it is cached for ever; given another address, then not', async () => {
    const { $ } = await open('/');
    const [versioned, unversioned] = [
      await open($('link[rel=stylesheet]').attr('href') ?? ''),
      await open('/site.css?v=other'),
    ];
    expect(versioned.answer.headers['cache-control']).toContain('immutable');
    expect(unversioned.answer.headers['cache-control']).toBe('no-cache');
  });
});
