import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerServices } from '../../../answer/answer-question.ts';
import { requestResearch, resumeResearch } from '../../../answer/research.ts';
import { waitForPosition } from '../../../projector/model-progress.ts';
import { AccountId } from '../../../schemas/access.ts';
import { Investigation, ResearchResult } from '../../../schemas/ask.ts';
import { eventually } from '../../harness/eventually.ts';
import { detected, idOf, understanding } from '../../projector/signal-events.ts';
import { type Keyed, keyed } from '../keyed.ts';

let open: Keyed;
let key: string;
const NOTHING = 'inv_0123456789abcdef';

beforeAll(async () => {
  open = await keyed(undefined, {}, ['signals', 'search', 'names', 'investigations', 'sessions']);
  await open.site.append(
    detected('one', { understanding: understanding({ event_at: '2026-11-20T04:00:00Z' }) }),
    detected('two', {
      understanding: understanding({
        headline: 'Kiri Foods raises ₹230 Cr',
        summary: null,
        move: 'deals',
        cities: [],
        theme: { slug: 'funding', name: 'Funding' },
        deal: { type: 'funding', amount: '₹230 Cr', target: 'Kiri Foods', buyers: [] },
      }),
    }),
  );
  key = await open.key({ plan: 'pro' });
});
afterAll(() => open.close());

const call = (method: 'GET' | 'POST', url: string, payload?: object, by = key) =>
  open.site.server.inject({ method, url, ...(payload ? { payload } : {}), headers: { authorization: `Bearer ${by}` } });

describe('research', () => {
  it('given a topic that the record knows, then a report whose every statement links to its signals, for its account alone', async () => {
    const answer = await call('POST', '/api/v1/research', { topic: 'Kiri Foods' });
    const result = ResearchResult.parse(answer.json());
    const stored = await call('GET', `/api/v1/research/${result.id}`);
    const record = Investigation.parse(stored.json());

    expect(result).toMatchObject({ status: 'completed', citation_count: 2, cost_usd: 0 });
    expect(result.report_url).toBe(`http://clarity.test/research/${result.id}`);
    for (const heading of ['Summary', 'Stores', 'Deals', 'What was searched', 'Sources'])
      expect(record.report_markdown).toContain(`## ${heading}\n`);
    expect(record.report_markdown).toContain('| funding | ₹230 Cr |');
    expect(record.report_markdown).toContain('](http://clarity.test/signal/slug-one)');
    expect(new Set(record.citations.map(({ id }) => id))).toEqual(new Set([idOf('one'), idOf('two')]));

    const other = await open.key({ plan: 'pro' });
    const refused = await call('GET', `/api/v1/research/${result.id}`, undefined, other);
    expect(refused.statusCode).toBe(404);
  });

  it('given a theme besides a brand that the topic names, then it narrows to both, and an unknown theme is refused', async () => {
    const topic = { topic: 'Kiri Foods', brands: [], themes: ['funding'] };
    const { id } = (await call('POST', '/api/v1/research', topic)).json();
    const record = Investigation.parse((await call('GET', `/api/v1/research/${id}`)).json());
    expect(record.citations.map((citation) => citation.id)).toEqual([idOf('two')]);
    const unknown = await call('POST', '/api/v1/research', { topic: 'Kiri Foods', themes: ['fundding'] });
    expect([unknown.statusCode, unknown.json().message]).toEqual([400, expect.stringContaining('"fundding"')]);
  });

  it('given a topic that it does not know, then the report says so and cites nothing', async () => {
    const { id, citation_count } = (await call('POST', '/api/v1/research', { topic: 'Deep sea mining' })).json();

    expect(citation_count).toBe(0);
    const { report_markdown } = (await call('GET', `/api/v1/research/${id}`)).json();
    expect(report_markdown).toContain('No signal found');
  });

  it('given v2, then it is queued at once and completed later', async () => {
    const answer = await call('POST', '/api/v2/research', { topic: 'Kiri Foods', preset: 'deep', since: '2026-11-01' });
    expect(answer.statusCode).toBe(202);
    const { status, status_url } = answer.json();
    expect(status).toBe('queued');
    await eventually(async () => {
      const record = await call('GET', new URL(status_url).pathname);
      expect(record.json()).toMatchObject({ status: 'completed', preset: 'deep', citation_count: 2 });
    });
  });

  it('given a briefing whose process ended, then the next start resumes it, once', async () => {
    const { engine } = open.site;
    const body = { topic: 'Kiri Foods', preset: 'standard' as const, brands: [], themes: [] };
    const long = { database: engine.database, store: engine.store, baseUrl: 'http://clarity.test' };
    const services = answerServices({ ...long, now: () => new Date('2026-11-21T04:00:00Z') });
    const account = AccountId.parse('acc_0123456789abcdef');
    const { id, position } = await requestResearch(services, { body, account, requestId: 'req_1' });
    await waitForPosition(engine.database, 'investigations', position ?? 0n, 10_000);
    const later = answerServices({ ...long, now: () => new Date('2026-11-21T05:00:00Z') });

    const fail = (error: unknown): void => expect.fail(String(error));
    expect(await Promise.all([resumeResearch(later, fail), resumeResearch(later, fail)])).toEqual([1, 1]);
    const types = (await engine.store.read(`investigation-${id}`)).map(({ type }) => type);
    expect(types).toEqual(['ResearchRequested', 'ResearchCompleted']);
  });

  it('given a briefing that fails on our side, then its record says so, and it is not counted', async () => {
    await open.forgetCalls();
    const { database } = open.site.engine;
    await database.query('ALTER VIEW read.search_signals RENAME TO search_signals_away');
    const answer = await call('POST', '/api/v1/research', { topic: 'Kiri Foods' }).finally(() =>
      database.query('ALTER VIEW read.search_signals_away RENAME TO search_signals'),
    );

    expect(answer.json().error).toBe('unavailable');
    await eventually(async () => {
      const failures = await database.query(`SELECT key FROM read.investigations WHERE status = 'failed'`);
      const record = await call('GET', `/api/v1/research/${failures.rows[0]?.key}`);
      expect(record.json()).toMatchObject({
        status: 'failed',
        report_url: null,
        error: expect.stringContaining('Try again'),
      });
    });
    const counted = `SELECT used FROM access.quota_window WHERE key LIKE '% research' AND used > 0`;
    expect((await database.query(counted)).rows).toEqual([]);
  });

  it("given somebody else's briefing, or none, then 404", async () => {
    const { id } = (await call('POST', '/api/v1/research', { topic: 'Kiri Foods' })).json();
    const other = await open.key();

    for (const [one, by] of [
      [id, other],
      [NOTHING, key],
      ['inv_x', key],
    ])
      expect((await call('GET', `/api/v1/research/${one}`, undefined, by)).statusCode).toBe(404);
  });

  it.each([
    [{}, 'topic is missing'],
    [{ topic: 'ab' }, '3 to 300'],
    [{ topic: 'abc', preset: 'huge' }, 'standard, deep'],
    [{ topic: 'abc', since: 'yesterday' }, 'since'],
    [{ topic: 'abc', brands: ['Not A Slug'] }, 'brands'],
    [{ topic: 'abc', colour: 1 }, '"colour" is unknown'],
  ])('given %j, then 400 names the field', async (body, words) => {
    await open.forgetCalls();
    const answer = await call('POST', '/api/v1/research', body);

    expect([answer.statusCode, answer.json().message]).toEqual([400, expect.stringContaining(words)]);
  });

  it('given a sixth within five minutes, then 429', async () => {
    await open.forgetCalls();
    const by = await open.key();
    for (let count = 0; count < 5; count++)
      expect((await call('POST', '/api/v1/research', { topic: 'Kiri Foods' }, by)).statusCode).toBe(200);
    const answer = await call('POST', '/api/v1/research', { topic: 'Kiri Foods' }, by);

    expect([answer.statusCode, answer.json().error]).toEqual([429, 'rate_limited']);
  });
});

describe('sessions of an account', () => {
  const ask = async (by: string) =>
    (
      await call('POST', '/api/v1/ask', { messages: [{ role: 'user', content: 'What did Kiri Foods open?' }] }, by)
    ).json();
  const turn = (slug: string, by?: string) =>
    open.site.server.inject({ url: `/api/v1/ask/${slug}/1`, headers: by ? { authorization: `Bearer ${by}` } : {} });

  it('given a shared session, then anyone can read its turns; once withdrawn, only its owner', async () => {
    await open.forgetCalls();
    const { session_id, session_slug, content } = await ask(key);
    const share = (method: 'POST' | 'DELETE', by: string) =>
      open.site.server.inject({
        method,
        url: `/api/v1/ask/sessions/${session_id}/share`,
        headers: { authorization: `Bearer ${by}` },
      });

    expect((await turn(session_slug)).statusCode).toBe(404);
    expect((await share('POST', await open.key())).statusCode).toBe(404);
    const shared = await share('POST', key);
    expect(shared.json()).toEqual({ public: true, url: `http://clarity.test/ask/${session_slug}/1` });
    expect((await turn(session_slug)).json()).toMatchObject({ turns: 1, turn: { ordinal: 1, content } });
    expect((await share('DELETE', key)).json().public).toBe(false);
    expect((await turn(session_slug)).statusCode).toBe(404);
    expect((await turn(session_slug, key)).statusCode).toBe(200);
  });

  it('given a session of another account, then it cannot be continued', async () => {
    const { session_id } = await ask(key);
    const body = { messages: [{ role: 'user', content: 'and in Surat?' }], session_id };
    const anonymous = await open.site.server.inject({ method: 'POST', url: '/api/v1/ask', payload: body });

    expect(anonymous.statusCode).toBe(404);
    expect((await call('POST', '/api/v1/ask', body, await open.key({ plan: 'pro' }))).statusCode).toBe(404);
  });

  it.each([
    ['a free plan', { plan: 'free' as const }, 'pro_required'],
    ['no scope ask', { plan: 'pro' as const, scopes: ['read' as const] }, 'insufficient_scope'],
  ])('given a key with %s, then 403', async (_, options, code) => {
    expect(await ask(await open.key(options))).toMatchObject({ error: code });
  });

  it('given a question that fails on our side, then it is not counted', async () => {
    const by = await open.key({ plan: 'pro' });
    const { database } = open.site.engine;
    const questions = async (): Promise<number> => {
      const sum = `SELECT coalesce(sum(used), 0)::int AS used FROM access.quota_window WHERE key LIKE '% questions'`;
      return (await database.query<{ used: number }>(sum)).rows[0]?.used ?? 0;
    };
    const before = await questions();
    await database.query('ALTER VIEW read.search_signals RENAME TO search_signals_away');
    try {
      expect(await ask(by)).toMatchObject({ error: 'unavailable' });
      const stream = await call(
        'POST',
        '/api/v1/ask',
        { messages: [{ role: 'user', content: 'Kiri?' }], stream: true },
        by,
      );
      expect(stream.body).toContain('event: error');
    } finally {
      await database.query('ALTER VIEW read.search_signals_away RENAME TO search_signals');
    }
    expect(await questions()).toBe(before);
    await ask(by);
    expect(await questions()).toBe(before + 1);
  });
});
