import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Keyed, keyed } from '../api/keyed.ts';
import { BASE_URL } from '../api/serving.ts';
import { curlLines, isExpected } from './curl-lines.ts';

let test: Keyed;
beforeAll(async () => {
  test = await keyed();
});
afterAll(() => test.close());

describe('the page for readers of the API', () => {
  // Lines that need only a key are run by the test of the first start, on the demo newsroom.
  it('given a signed-in reader, then every line works', async () => {
    const variables = { $CLARITY: BASE_URL, $TOKEN: `token ${await test.issuer.token({ sub: 'asha' })}` };
    const lines = curlLines('docs/api.md', variables).filter(({ line }) => line.includes('Bearer token '));
    expect(lines.length).toBeGreaterThan(3);
    for (const { line, method, url, headers, body } of lines) {
      headers.authorization = headers.authorization?.replace('token ', '') ?? '';
      const { statusCode } = await test.site.server.inject({ method, url, headers, ...(body && { payload: body }) });
      expect(isExpected(line, statusCode), `${statusCode} ${line}`).toBe(true);
    }
  });
});
