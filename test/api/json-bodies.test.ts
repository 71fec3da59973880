import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Serving, serving } from './serving.ts';

let site: Serving;
beforeAll(async () => {
  site = await serving();
});
afterAll(() => site.close());

const post = (payload: string) =>
  site.server.inject({
    method: 'POST',
    url: '/api/v1/sources/propose',
    headers: { 'content-type': 'application/json' },
    payload,
  });

describe('a body that is not JSON', () => {
  it.each([
    ['{"url" "x"}', 'line 1, column 8: a colon is missing'],
    ['{\n  "url": "x"\n  "reason": "y"}', 'line 3, column 3: a comma is missing'],
    ['{"url":"x"', 'line 1, column 11: a closing brace is missing'],
    ['{"url":}', 'line 1, column 8: a value is missing'],
    ["{'url':1}", 'line 1, column 2: this is no JSON value'],
    ['{"url":"x",}', 'line 1, column 12: a field name in double quotes is missing'],
    ['{"url":"x"} // why', 'line 1, column 13: comments are not allowed'],
  ])('given %s, then the answer says where it breaks', async (payload, place) => {
    const answer = await post(payload);
    expect([answer.statusCode, answer.json()]).toEqual([
      400,
      { error: 'invalid_request', message: `The body is not valid JSON: ${place}.` },
    ]);
  });

  it('given an empty body, then it says that one is needed', async () => {
    expect((await post('')).json()).toMatchObject({ message: 'The body is empty; it must be a JSON object.' });
  });
});
