import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HealthSnapshot } from '../../../schemas/resources.ts';
import { ProposalAnswer, proposalStream, Source } from '../../../schemas/source.ts';
import { storedEvent } from '../../projector/given-when-then.ts';
import { source } from '../../projector/source-events.ts';
import { type Serving, serving } from '../serving.ts';

describe('source health', () => {
  let site: Serving;
  const get = (headers: Record<string, string> = {}) => site.server.inject({ url: '/api/v1/sources/health', headers });

  beforeAll(async () => {
    site = await serving();
    await site.enrol(
      Source.parse({ id: 'daily-trade', outlet: 'Daily Trade', url: 'https://daily-trade.test/rss' }),
      Source.parse({ id: 'gazette', outlet: 'Market Gazette', url: 'https://gazette.test/rss', paused: true }),
    );
  });
  afterAll(() => site.close());

  describe('GET /api/v1/sources/health', () => {
    it('given a roster, then every source of it in the form of the contract, cacheable for 60 seconds', async () => {
      const answer = await get();
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['cache-control']).toBe('public, max-age=60');
      const snapshot = HealthSnapshot.parse(answer.json());
      expect(snapshot.sources.map(({ id, health }) => [id, health === 'paused'])).toEqual([
        ['daily-trade', false],
        ['gazette', true],
      ]);
      expect(snapshot.stats).toMatchObject({ sources: 2, active: 1, paused: 1 });
    });

    it('given its ETag, then 304 although time went on', async () => {
      const tag = String((await get()).headers.etag);
      expect((await get({ 'if-none-match': tag })).statusCode).toBe(304);
      expect((await get({ 'if-none-match': '"another"' })).statusCode).toBe(200);
    });

    it('given a parameter, then 400', async () => {
      expect((await site.server.inject('/api/v1/sources/health?all=1')).statusCode).toBe(400);
    });
  });
});

describe('propose', () => {
  let site: Serving;
  const propose = (payload: object | string) =>
    site.server.inject({
      method: 'POST',
      url: '/api/v1/sources/propose',
      payload,
      headers: { 'content-type': 'application/json' },
    });

  beforeAll(async () => {
    site = await serving();
    await site.enrol(source());
  });
  afterAll(() => site.close());

  describe('POST /api/v1/sources/propose', () => {
    it('given the same address twice, in two spellings and at once, then one proposal', async () => {
      const spellings = ['https://news.test/feed?utm_source=x#top', 'https://NEWS.test/feed', 'https://news.test/feed'];
      const answers = await Promise.all(spellings.map((url) => propose({ url, outlet: 'News', email: 'a@b.test' })));
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([202, 202, 202]);
      const { proposal } = ProposalAnswer.parse(answers[0]?.json());
      expect(proposal).toMatchObject({ url: 'https://news.test/feed', status: 'pending' });
      expect(new Set(answers.map((answer) => answer.body)).size).toBe(1);
      const events = await site.engine.store.read(proposalStream(proposal.id));
      expect(events.map(({ type }) => type)).toEqual(['ProposalSubmitted']);
    });

    it('given a source of the roster, then 200 says that it is listed', async () => {
      const answer = await propose({ url: 'https://outlet.test/feed?utm_medium=rss' });
      expect([answer.statusCode, answer.json().proposal.status]).toEqual([200, 'listed']);
    });

    it.each([
      'http://127.0.0.1:9000/feed',
      'http://localhost/feed',
      'http://2130706433/feed',
      'http://[::1]/feed',
      'http://[::ffff:10.0.0.1]/feed',
      'http://192.168.1.4/feed',
      'http://169.254.169.254/latest/meta-data/',
      'http://metadata.google.internal/computeMetadata/v1/',
      'http://intranet/feed',
      'http://wiki.internal./feed',
    ])('given %s, an address on a private network, then 400 says so, and nothing is stored', async (url) => {
      const before = await site.engine.store.head();
      const answer = await propose({ url });
      expect([answer.statusCode, answer.json().message]).toEqual([
        400,
        `url: "${url}" is on a private or internal network. Allowed: an address on the public internet.`,
      ]);
      expect(await site.engine.store.head()).toBe(before);
    });

    it('given a proposal that was rejected, then 200 says so', async () => {
      const { proposal } = (await propose({ url: 'https://spam.test/' })).json();
      const rejection = storedEvent('ProposalRejected', { proposal_id: proposal.id, by: 'asha', why: 'no news' });
      await site.engine.add(proposalStream(proposal.id), rejection);
      const answer = await propose({ url: 'https://spam.test/' });
      expect([answer.statusCode, answer.json().proposal]).toEqual([200, { ...proposal, status: 'rejected' }]);
    });

    it.each([
      [{}, 'url is missing'],
      [{ url: 'ftp://x.test/feed' }, 'url: "ftp://x.test/feed"'],
      [{ url: 'javascript:alert(1)' }, 'url'],
      [{ url: ['https://x.test'] }, 'url'],
      [{ url: 'https://x.test', email: 'nobody' }, 'email: "nobody"'],
      [{ url: 'https://x.test', outlet: '' }, 'outlet'],
      [{ url: 'https://x.test', colour: 1 }, '"colour" is unknown'],
      ['[]', 'body'],
      ['{', 'body'],
      ['null', 'body'],
      ['"text"', 'body'],
    ])('given %j, then 400 names the field', async (body, words) => {
      const answer = await propose(body);
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ error: 'invalid_request', message: expect.stringContaining(words) });
    });

    it('given a Content-Type other than JSON, then 400', async () => {
      const answer = await site.server.inject({
        method: 'POST',
        url: '/api/v1/sources/propose',
        payload: 'url=x',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_request']);
    });
  });

  it.each(['GET', 'POST', 'DELETE'] as const)('given %s to a webhook path, then 410 not_offered', async (method) => {
    for (const url of ['/api/v1/webhooks', '/api/v1/webhooks/wh_1/deliveries']) {
      const answer = await site.server.inject({ method, url });
      expect([answer.statusCode, answer.json().error]).toEqual([410, 'not_offered']);
    }
  });
});
