/** Writes that arrive together on one account or session, at two servers over one PostgreSQL. */
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountNamed, commandAccount } from '../../access/account.ts';
import { newKey } from '../../access/api-keys.ts';
import { buildServer } from '../../api/server.ts';
import type { EventStore } from '../../log/event-store.ts';
import { postgresEventStore } from '../../log/postgres/postgres-event-store.ts';
import { waitForPosition } from '../../projector/model-progress.ts';
import { sourceId } from '../harness/ids.ts';
import { openAccess } from '../harness/open-access.ts';
import { detected, understanding } from '../projector/signal-events.ts';
import { source } from '../projector/source-events.ts';
import { BASE_URL, type Serving, serving } from './serving.ts';

const MANY = 50;
const NAME = 'everybody@clarity.test';
const WHOSE = accountNamed(NAME);
const caller = {
  kind: 'person',
  account: WHOSE.id,
  plan: 'pro',
  scopes: ['read', 'ask'],
  keyId: null,
  name: NAME,
} as const;

let site: Serving;
let stores: [EventStore, EventStore];
let servers: [FastifyInstance, FastifyInstance];
beforeAll(async () => {
  site = await serving({ models: ['accounts', 'brands', 'follows', 'sessions', 'names', 'search'] });
  const { database, clock } = site.engine;
  stores = [postgresEventStore(database), postgresEventStore(database)];
  const open = (store: EventStore) =>
    buildServer({
      database,
      store,
      now: clock,
      access: openAccess(caller),
      configuration: { BASE_URL, TRUST_PROXY: undefined },
    });
  servers = [await open(stores[0]), await open(stores[1])];
  await site.enrol(
    ...Array.from({ length: MANY }, (_, n) => source({ id: sourceId(`source-${n}`), url: `https://outlet.test/${n}` })),
  );
  await site.append(detected('seed', { understanding: understanding({}) }));
});
afterAll(async () => {
  for (const server of servers) await server.close();
  for (const store of stores) await store.close();
  await site.close();
});

const call = (n: number, method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) =>
  servers[n % 2 === 0 ? 0 : 1].inject({
    method,
    url: `/api/v1${url}`,
    // One trace id for all: it must have no effect on what is stored.
    headers: { 'x-request-id': 'the-same-for-all' },
    ...(payload ? { payload } : {}),
  });
const statusesOf = (answers: readonly { statusCode: number }[]): number[] => [
  ...new Set(answers.map(({ statusCode }) => statusCode)),
];
const all = <Result>(work: (n: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: MANY }, (_, n) => work(n)));

describe('50 writes at once on one account, at two servers', () => {
  it('given follows of 50 targets, then each is followed; given 50 removals, then none is', async () => {
    const answers = await all((n) => call(n, 'POST', '/follow', { target: { type: 'source', slug: `source-${n}` } }));
    expect(statusesOf(answers)).toEqual([201]);
    const listed = (await call(0, 'GET', '/follow')).json().follows;
    expect(new Set(listed.map(({ slug }: { slug: string }) => slug)).size).toBe(MANY);
    const ended = await all((n) => call(n, 'DELETE', `/follow/${answers[n]?.json().follow.id}`));
    expect(statusesOf(ended)).toEqual([204]);
    expect((await call(0, 'GET', '/follow')).json().follows).toEqual([]);
  });

  it('given the same follow 50 times, then it is created once', async () => {
    const answers = await all((n) => call(n, 'POST', '/follow', { target: { type: 'source', slug: 'source-1' } }));
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(1);
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(MANY - 1);
  });

  it('given revocations of the keys of an account, each twice and more, then every key is revoked once', async () => {
    const { database, clock: now } = site.engine;
    const ids: string[] = [];
    for (let n = 0; n < 10; n++) {
      const { key: _key, ...key } = newKey();
      const command = {
        command: 'issue_key',
        key,
        name: `k${n}`,
        scopes: null,
        expires_at: null,
        plan: 'pro',
      } as const;
      await commandAccount({ store: stores[0], database, now }, WHOSE, command, { role: 'operator', by: 'test' });
      ids.push(key.id);
    }
    const answers = await all((n) => call(n, 'DELETE', `/keys/${ids[n % 10]}`));
    expect(statusesOf(answers)).toEqual([204]);
    const types = (await stores[0].read(`account-${WHOSE.id}`)).map(({ type }) => type);
    expect(types.filter((type) => type === 'KeyRevoked')).toHaveLength(10);
  });
});

describe('a session', () => {
  const ask = (n: number, session_id?: string) =>
    call(n, 'POST', '/ask', { messages: [{ role: 'user', content: 'What did Kiri Foods open?' }], session_id });

  it('given 20 questions at once with one request id, then every answer is a separate turn', async () => {
    const { session_id, session_slug } = (await ask(0)).json();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => ask(n, session_id)));
    expect(statusesOf(answers)).toEqual([200]);
    await waitForPosition(site.engine.database, 'sessions', await stores[0].head(), 10_000);
    const last = await call(0, 'GET', `/ask/${session_slug}/21`);
    expect(last.statusCode).toBe(200);
  });

  it('given repeated sharing and withdrawing with one request id, then each response states the actual result', async () => {
    const { session_id, session_slug } = (await ask(0)).json();
    for (const [method, isPublic] of [
      ['POST', true],
      ['DELETE', false],
      ['POST', true],
      ['DELETE', false],
    ] as const) {
      const answer = await call(0, method, `/ask/sessions/${session_id}/share`);
      expect(answer.json().public).toBe(isPublic);
    }
    const types = (await stores[0].read(`session-${session_id}`)).map(({ type }) => type);
    expect(types).toEqual([
      'SessionStarted',
      'QuestionAnswered',
      'SessionShared',
      'SessionUnshared',
      'SessionShared',
      'SessionUnshared',
    ]);
    expect((await call(0, 'GET', `/ask/${session_slug}/1`)).statusCode).toBe(200);
  });
});
