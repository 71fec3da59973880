/** Text and JSON that no part of the service can store or follow: refused as the caller's fault, never logged as ours. */
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildServer } from '../../api/server.ts';
import { openAccess } from '../harness/open-access.ts';
import { BASE_URL, type Serving, serving } from './serving.ts';

let site: Serving;
let server: Awaited<ReturnType<typeof buildServer>>;
const errors: string[] = [];
beforeAll(async () => {
  site = await serving({
    models: ['accounts', 'brands', 'follows', 'inbox_reads', 'names', 'search', 'sessions', 'investigations'],
  });
  const { database, store, clock } = site.engine;
  server = await buildServer({
    database,
    store,
    now: clock,
    access: openAccess(),
    configuration: { BASE_URL, TRUST_PROXY: undefined },
    logger: pino({ level: 'warn' }, { write: (line) => void errors.push(line) }),
  });
});
afterAll(async () => {
  await server.close();
  await site.close();
});

const post = (url: string, payload: string | Buffer) =>
  server.inject({ method: 'POST', url: `/api/v1${url}`, payload, headers: { 'content-type': 'application/json' } });

/** Escapes as a client sends them: the characters are in the JSON by their escapes. */
const NUL = String.raw`a\u0000b`;
const HALF = String.raw`a\ud800b`;

describe.each([
  ['U+0000', NUL],
  ['half of a surrogate pair', HALF],
])('given %s', (words, text) => {
  it.each([
    ['/ask', `{"messages":[{"role":"user","content":"${text}"}]}`, 'messages[0].content'],
    [
      '/ask',
      `{"messages":[{"role":"assistant","content":"${text}"},{"role":"user","content":"a"}]}`,
      'messages[0].content',
    ],
    ['/research', `{"topic":"${text}"}`, 'topic'],
    ['/follow', `{"target":{"type":"brand","slug":"${text}"}}`, 'target.slug'],
    ['/sources/propose', `{"url":"https://outlet.test/feed","reason":"${text}"}`, 'reason'],
    ['/keys', `{"name":"${text}"}`, 'name'],
    ['/keys/applications', `{"email":"a@clarity.test","use":"${text}"}`, 'use'],
    ['/follow/inbox/read', `{"up_to":"${text}"}`, 'up_to'],
  ])('when it is sent to %s in %s, then 400 names the field %s', async (url, body, field) => {
    const answer = await post(url, body);
    expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_request']);
    expect(answer.json().message).toContain(`${field} contains`);
    expect(answer.json().message).toContain(words);
    expect(errors).toEqual([]);
  });
});

it.each([
  ['/signals?brand=a%00b'],
  ['/signals/a%00b'],
  ['/brands/a%00b'],
  ['/watch?b=a%00b'],
  ['/brief?brands=a%00b'],
  ['/research/a%00b'],
  ['/ask/a%00b/1'],
  ['/signals?cursor=a%00b'],
])('given U+0000 in the address %s, then it is refused and nothing is logged', async (url) => {
  const answer = await server.inject({ url: `/api/v1${url}` });
  expect([400, 404]).toContain(answer.statusCode);
  expect(errors).toEqual([]);
});

describe('JSON', () => {
  const deep = (open: string, close: string, levels = 50_000): string =>
    `{"topic":${open.repeat(levels)}1${close.repeat(levels)}}`;
  it.each([
    ['arrays', deep('[', ']')],
    ['objects', deep('{"a":', '}', 40_000)],
    ['arrays that are not closed', '['.repeat(50_000)],
  ])(
    'given %s that are nested tens of thousands of levels deep, then 400 and nothing is logged',
    async (_kind, body) => {
      const answer = await post('/research', body);
      expect([answer.statusCode, answer.json().message]).toEqual([400, 'The body is nested deeper than 64 levels.']);
      expect(errors).toEqual([]);
    },
  );

  it('given brackets in a string, then they are text', async () => {
    const answer = await post('/research', `{"topic":"Kiri ${'['.repeat(100)}"}`);
    expect(answer.statusCode).toBe(200);
  });

  it.each([
    ['a prototype', '{"__proto__":{"topic":"Kiri Foods"}}'],
    ['a constructor', '{"constructor":{"prototype":{"topic":"Kiri Foods"}}}'],
    ['a number that is too large', '{"topic":1e999}'],
    ['a list of lists', '[[["topic"]]]'],
    ['a topic without words', '{"topic":"😀😀😀😀"}'],
    ['bytes that are no UTF-8', Buffer.from('{"topic":"Kiri \xff\xfe Foods"}', 'latin1')],
  ])('given %s, then 400 and nothing is logged', async (_kind, body) => {
    const answer = await post('/research', body);
    expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_request']);
    expect(errors).toEqual([]);
  });
});
