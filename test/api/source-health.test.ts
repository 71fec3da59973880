import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HealthSnapshot } from '../../schemas/resources.ts';
import { Source } from '../../schemas/source.ts';
import { type Serving, serving } from './serving.ts';

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
