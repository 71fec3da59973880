import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ErrorBody, SignalDetail } from '../../schemas/resources.ts';
import { detected, held, idOf, merged, report, reported } from '../projector/signal-events.ts';
import { type Serving, serving } from './serving.ts';

let site: Serving;
const get = (slug: string) => site.server.inject(`/api/v1/signals/${slug}`);

beforeAll(async () => {
  site = await serving();
  await site.tell(
    detected('kept'),
    detected('double'),
    detected('twice'),
    detected('doubt'),
    reported('kept', report('second', { outlet: 'Market Gazette' })),
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
    expect([answer.statusCode, answer.headers.location]).toEqual([301, 'http://clarity.test/api/v1/signals/slug-kept']);
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
