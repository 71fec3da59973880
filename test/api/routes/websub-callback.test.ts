/** The callback of WebSub behind everything else that the server does with a request. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { webSubCallback } from '../../../api/routes/websub-callback.ts';
import {
  noteRequest,
  putSubscription,
  subscriptionOf,
  waitingPollRequests,
} from '../../../log/postgres/poll-requests.ts';
import { sourceId } from '../../harness/ids.ts';
import { type Serving, serving } from '../serving.ts';

const TOKEN = 't'.repeat(43);
const NOW = new Date('2026-11-21T04:30:00Z');
const topic = 'https://outlet.test/feed';

describe('GET and POST /websub/{token}', () => {
  let app: Serving;
  beforeAll(async () => {
    app = await serving({ surfaces: ({ database }) => [webSubCallback({ database, now: () => NOW })] });
    const { database } = app.engine;
    const subscription = {
      source_id: sourceId('paper'),
      token: TOKEN,
      hub: 'https://hub.test/',
      topic,
      secret: 'hunter2',
    };
    await putSubscription(database, subscription, NOW);
    await noteRequest(database, TOKEN, NOW, NOW);
  });
  afterAll(() => app.close());

  it('given an open request, when the hub verifies it, then it gets its challenge as plain text, once', async () => {
    const query = {
      'hub.mode': 'subscribe',
      'hub.topic': topic,
      'hub.challenge': '<b>c</b>',
      'hub.lease_seconds': '3600',
    };
    const verify = () => app.server.inject({ url: `/websub/${TOKEN}`, query });
    const answer = await verify();
    expect([answer.statusCode, answer.body]).toEqual([200, '<b>c</b>']);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
    expect((await verify()).statusCode).toBe(404);
    expect((await subscriptionOf(app.engine.database, sourceId('paper')))?.lease_expires_at).toEqual(
      new Date('2026-11-21T05:30:00Z'),
    );
  });

  it('given a delivery of any content type, then its signature decides whether the feed is polled', async () => {
    const deliver = (body: string, secret: string, type: string) =>
      app.server.inject({
        method: 'POST',
        url: `/websub/${TOKEN}`,
        payload: body,
        headers: {
          'content-type': type,
          'x-hub-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
        },
      });
    for (const type of ['application/json', 'application/rss+xml', 'text/plain'])
      expect((await deliver('{broken', 'wrong', type)).statusCode).toBe(202);
    expect(await waitingPollRequests(app.engine.database)).toEqual([]);
    expect((await deliver('{broken', 'hunter2', 'application/json')).statusCode).toBe(202);
    expect(await waitingPollRequests(app.engine.database)).toMatchObject([{ source_id: 'paper', trigger: 'hub' }]);
  });

  it('given another method or no subscription, then the answer says so', async () => {
    expect((await app.server.inject({ method: 'PUT', url: `/websub/${TOKEN}` })).statusCode).toBe(405);
    expect((await app.server.inject({ method: 'POST', url: '/websub/short', payload: 'x' })).statusCode).toBe(410);
    expect((await app.server.inject({ url: `/websub/${TOKEN}?hub.mode=subscribe&hub.mode=x` })).statusCode).toBe(404);
  });
});
