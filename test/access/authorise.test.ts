import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Access } from '../../access/access.ts';
import { buildServer } from '../../api/server.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { type Serving, serving } from '../api/serving.ts';
import { openAccess } from '../harness/open-access.ts';

let site: Serving;
beforeAll(async () => {
  site = await serving();
});
afterAll(() => site.close());

/** No caller has a key. */
const keysOnly: Access = {
  ...openAccess(),
  authorise: (demand) => async () => {
    if (demand !== 'anonymous') throw new Refusal('auth_required', 'Send a key.');
  },
};

it.each([
  ['/api/v1/signals', 401],
  ['/api/v1/signals?limit=none', 401],
  ['/api/v1/signals/some-slug', 401],
  ['/api/v1/sources/health', 200],
  ['/api/v1/nothing', 401],
])(
  'given no key, when %s is requested, then %i: each route declares its scope, and access is checked first',
  async (url, status) => {
    const { database, store } = site.engine;
    const configuration = { BASE_URL: 'http://clarity.test', TRUST_PROXY: undefined };
    const server = await buildServer({ database, store, configuration, access: keysOnly });
    const answer = await server.inject(url);
    await server.close();
    expect(answer.statusCode).toBe(status);
    if (status === 401) expect(answer.json()).toEqual({ error: 'auth_required', message: 'Send a key.' });
  },
);
