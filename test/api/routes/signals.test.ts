import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { SIGNALS } from '../../../operations/signals.ts';
import { ErrorBody, SignalDetail, SignalPage } from '../../../schemas/resources.ts';
import { runCommand } from '../../bin/run-command.ts';
import {
  brandRef,
  detected,
  held,
  idOf,
  merged,
  released,
  report,
  reported,
  understanding,
} from '../../projector/signal-events.ts';
import { type Serving, serving } from '../serving.ts';

describe('signals', () => {
  let site: Serving;
  const get = async (query = '', headers: Record<string, string> = {}) =>
    site.server.inject({ method: 'GET', url: `/api/v1/signals${query}`, headers });
  const slugs = async (query: string): Promise<string[]> =>
    SignalPage.parse((await get(query)).json()).signals.map(({ slug }) => slug);

  beforeAll(async () => {
    site = await serving();
    const brand = (slug: string, role: 'primary' | 'secondary') => brandRef(slug, slug, role);
    await site.append(
      detected('old', { published_at: '2026-11-18T18:29:59Z', understanding: understanding({ move: 'deals' }) }),
      detected('mid', {
        published_at: '2026-11-18T18:30:00Z',
        understanding: understanding({
          theme: null,
          brands: [brand('other', 'primary'), brand('kiri-foods', 'secondary')],
        }),
      }),
      detected('new', { published_at: '2026-11-20T10:00:00Z' }),
      detected('again', { status: 'resurfaced', status_reason: 'reported before' }),
      detected('doubt'),
      held('doubt'),
    );
  });
  afterAll(() => site.close());

  describe('GET /api/v1/signals', () => {
    it('given public, held and resurfaced signals, then the public ones come newest first in the form of the contract', async () => {
      const answer = await get();
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      const page = SignalPage.parse(answer.json());
      expect(page.signals.map(({ slug }) => slug)).toEqual(['slug-new', 'slug-mid', 'slug-old']);
      expect(page.next_cursor).toBeNull();
      expect(page.signals[0]?.url).toBe('http://clarity.test/signal/slug-new');
    });

    it('given a signal that is released, then a request for signals since the last call returns it, newest first', async () => {
      const last = '2026-12-24T10:00:00Z';
      const another = await serving();
      await another.append(
        detected('seen', { published_at: '2026-12-24T09:59:00Z' }),
        detected('doubt', { status: 'held', status_reason: 'it has no date' }),
      );
      const listed = async (query: string): Promise<[string, string][]> => {
        const page = await another.server.inject({ method: 'GET', url: `/api/v1/signals${query}` });
        return SignalPage.parse(page.json()).signals.map(({ slug, published_at }) => [slug, published_at]);
      };
      expect(await listed(`?since=${last}`)).toEqual([]);

      await another.append({ ...released('doubt'), time: '2026-12-24T10:00:05Z' });

      expect(await listed(`?since=${last}`)).toEqual([['slug-doubt', '2026-12-24T10:00:05Z']]);
      expect(await listed('?limit=1')).toEqual([['slug-doubt', '2026-12-24T10:00:05Z']]);
      await another.close();
    });

    it.each([
      ['?brand=kiri-foods', ['slug-new', 'slug-old']],
      ['?brand=kiri-foods&mentions=true', ['slug-new', 'slug-mid', 'slug-old']],
      ['?brand=kiri-foods&mentions=false', ['slug-new', 'slug-old']],
      ['?theme=expansion', ['slug-new', 'slug-old']],
      ['?kind=deals', ['slug-old']],
      ['?kind=stores&brand=kiri-foods', ['slug-new']],
      ['?since=2026-11-19', ['slug-new', 'slug-mid']],
      ['?since=2026-11-18T18:30:01Z', ['slug-new']],
      ['?since=2026-11-19T00:00:00+05:30', ['slug-new', 'slug-mid']],
      ['?since=2027-01-01', []],
      ['?since=0000-01-01&limit=1', ['slug-new']],
    ])('given the filter %s, then it lists %j', async (query, expected) => {
      expect(await slugs(query)).toEqual(expected);
    });

    it.each([
      ['?colour=red', ['"colour"', 'brand, mentions, theme, kind, since, limit, cursor']],
      ['?limit=0', ['limit', '"0"', '1 to 50']],
      ['?limit=51', ['limit', '"51"', '1 to 50']],
      ['?limit=1e1', ['limit', '"1e1"']],
      ['?limit=', ['limit', '""']],
      ['?limit=5&limit=6', ['limit', '2 times']],
      ['?kind=gossip', ['kind', '"gossip"', 'stores, deals, people']],
      ['?mentions=maybe', ['mentions', '"maybe"', 'true or false']],
      ['?since=yesterday', ['since', '"yesterday"', 'ISO 8601']],
      ['?since=2026-02-30', ['since', '"2026-02-30"']],
      ['?brand=Not%20A%20Slug', ['brand', '"Not A Slug"', 'slug']],
      ['?brand=%00', ['brand']],
      ['?theme=a%27%3B--', ['theme']],
      ['?cursor=nonsense', ['cursor', '"nonsense"', 'next_cursor']],
      ['?cursor=!!', ['cursor', '"!!"', 'next_cursor']],
      ['?__proto__=1', ['__proto__']],
    ])('given the query %s, then 400 names the parameter, what was sent and what is allowed', async (query, words) => {
      const answer = await get(query);
      expect(answer.statusCode).toBe(400);
      const body = ErrorBody.parse(answer.json());
      expect(body.error).toBe('invalid_request');
      for (const word of words) expect(body.message).toContain(word);
    });

    it('given pages of one, when their cursors are followed, then each signal comes once, newest first', async () => {
      const listed: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = SignalPage.parse((await get(`?limit=1${cursor && `&cursor=${cursor}`}`)).json());
        listed.push(...page.signals.map(({ slug }) => slug));
        cursor = page.next_cursor;
      }
      expect(listed).toEqual(['slug-new', 'slug-mid', 'slug-old']);
    });

    it('given an ETag of before, then 304 without a body until there is a new signal', async () => {
      const first = await get('?limit=1');
      const tag = String(first.headers.etag);
      const same = await get('?limit=1', { 'if-none-match': `"other", ${tag}` });
      expect(same.statusCode).toBe(304);
      expect(same.body).toBe('');
      expect(same.headers.etag).toBe(tag);
      expect((await get('?limit=2', { 'if-none-match': tag })).statusCode).toBe(200);
    });

    it('given HEAD, then the headers of GET and no body', async () => {
      const [head, full] = [await site.server.inject({ method: 'HEAD', url: '/api/v1/signals' }), await get()];
      expect(head.statusCode).toBe(200);
      expect(head.body).toBe('');
      expect(head.headers.etag).toBe(full.headers.etag);
      expect(head.headers['content-length']).toBe(full.headers['content-length']);
    });
  });
});

describe('signal', () => {
  let site: Serving;
  const get = (slug: string) => site.server.inject(`/api/v1/signals/${slug}`);

  beforeAll(async () => {
    site = await serving();
    await site.append(
      detected('kept'),
      detected('double'),
      detected('twice'),
      detected('doubt'),
      reported('kept', report('second', { outlet: 'Market Gazette', published_at: '2026-11-20T03:00:00Z' })),
      reported(
        'kept',
        report('undated', { outlet: 'Mint', published_at: null, first_seen_at: '2026-11-20T03:30:00Z' }),
      ),
      reported('kept', report('late', { outlet: 'Old News' }), true),
      merged('twice', 'double'),
      merged('double', 'kept'),
      held('doubt'),
    );
  });
  afterAll(() => site.close());

  describe('GET /api/v1/signals/{slug}', () => {
    it('given a public signal, then 200 with its detail', async () => {
      const answer = await get('slug-kept');
      expect(answer.statusCode).toBe(200);
      const { signal } = z.strictObject({ signal: SignalDetail }).parse(answer.json());
      expect(signal).toMatchObject({ id: idOf('kept'), slug: 'slug-kept', key_facts: ['40 stores'], deck: null });
    });

    it('given several reports, then each that counts is listed, the earliest first', async () => {
      const { signal } = (await get('slug-kept')).json();
      expect(signal.reports.slice(0, 3)).toEqual([
        {
          outlet: 'Market Gazette',
          url: 'https://outlet.test/second',
          headline: 'Title of second',
          published_at: '2026-11-20T03:00:00Z',
        },
        { outlet: 'Mint', url: 'https://outlet.test/undated', headline: 'Title of undated', published_at: null },
        {
          outlet: 'Daily Trade',
          url: 'https://outlet.test/kept',
          headline: 'Title of kept',
          published_at: '2026-11-20T04:00:00Z',
        },
      ]);
      const outlets = signal.reports.map(({ outlet }: { outlet: string }) => outlet);
      expect(outlets).not.toContain('Old News');
      expect(new Set(outlets).size).toBe(signal.outlets);
    });

    it('given a step further, then each names the other, in the list too; a step that is held is not named', async () => {
      const another = await serving();
      await another.append(
        detected('plan', { report: report('plan', { published_at: '2026-11-18T04:00:00Z' }) }),
        detected('opening', { follows: idOf('plan') }),
        detected('doubt', { follows: idOf('opening') }),
        held('doubt'),
      );
      const { signals } = (await another.server.inject('/api/v1/signals?expand=detail')).json();
      const one = async (slug: string) => (await another.server.inject(`/api/v1/signals/${slug}`)).json().signal;
      const [plan, opening] = [await one('slug-plan'), await one('slug-opening')];
      expect([plan.before, plan.after]).toMatchObject([[], [{ id: opening.id, slug: 'slug-opening', move: 'stores' }]]);
      expect([opening.before, opening.after]).toMatchObject([[{ id: plan.id, url: plan.url }], []]);
      expect(signals).toEqual(expect.arrayContaining([plan, opening]));
      expect(signals).toHaveLength(2);
      await another.close();
    });

    it('given expand=detail, then the list has the same document, and 100 of a page are allowed', async () => {
      const { signal } = (await get('slug-kept')).json();
      const page = (await site.server.inject('/api/v1/signals?expand=detail&limit=100')).json();
      expect(page.signals).toEqual([signal]);
      const refused = await site.server.inject('/api/v1/signals?limit=100');
      expect([refused.statusCode, refused.json().message]).toEqual([
        400,
        expect.stringContaining('with expand=detail to 100'),
      ]);
    });

    it('given clarity signals export, then a line for each public signal in its window, as the API has it', async () => {
      const { signal } = (await get('slug-kept')).json();
      const run = (...flags: string[]) => runCommand(SIGNALS, ['signals', 'export', ...flags], site.engine.url);
      const { code, output } = await run();
      expect([code, output.endsWith('\n')]).toEqual([0, true]);
      const lines = output.trim().split('\n');
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ id: signal.id, reports: signal.reports }]);
      expect((await run('--since', '2026-11-22')).output).toBe('');
      expect((await run('--until', '2026-11-19')).output).toBe('');
      const wrong = await run('--since', 'soon');
      expect([wrong.code, wrong.output]).toEqual([2, expect.stringContaining('since: "soon"')]);
    });

    it.each(['slug-double', 'slug-twice'])(
      'given the retired slug %s, then 301 to where its merges end',
      async (slug) => {
        const answer = await get(slug);
        expect(answer.statusCode).toBe(301);
        expect(answer.headers.location).toBe('http://clarity.test/api/v1/signals/slug-kept');
      },
    );

    it('given a cite id, then 301 to its slug', async () => {
      const answer = await get(idOf('kept'));
      expect([answer.statusCode, answer.headers.location]).toEqual([
        301,
        'http://clarity.test/api/v1/signals/slug-kept',
      ]);
    });

    it.each(['slug-doubt', 'nothing-here', 'No%20Slug', '%00', "a'--", idOf('doubt'), 'x'.repeat(1_500)])(
      'given %s, which no public signal has, then 404 in the form of errors',
      async (slug) => {
        const answer = await get(slug);
        expect(answer.statusCode).toBe(404);
        expect(ErrorBody.parse(answer.json()).error).toBe('not_found');
      },
    );

    it('given a parameter, then 400 says that none is allowed', async () => {
      const answer = await get('slug-kept?full=1');
      expect(answer.statusCode).toBe(400);
      expect(answer.json().message).toContain('"full"');
    });
  });
});
