/** What a collector sees of requests. */
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAccess } from '../../../access/access.ts';
import { buildServer } from '../../../api/server.ts';
import { openTracing } from '../../../bin/observe/observed-process.ts';
import { postgresEventStore } from '../../../log/postgres/postgres-event-store.ts';
import { readConfiguration } from '../../../schemas/configuration.ts';
import { type Collector, startCollector } from '../../harness/collector.ts';
import { type TestDatabase, testDatabase } from '../../harness/database.ts';

const CALLER = { traceId: 'a0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5', spanId: '00f067aa0ba902b7' };
const SECRET = 'ck_live_0123456789abcdefghijklmnopqrstuv';
let collector: Collector;
let test: TestDatabase;

const SERVER = 2;
const ERROR = 2;
const byRequest = (id: string) => collector.spans.find(({ attributes }) => attributes['clarity.request.id'] === id);

/** Its database has no tables: what asks it for something fails. */
beforeAll(async () => {
  [collector, test] = await Promise.all([startCollector(), testDatabase()]);
  const configuration = readConfiguration({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces` });
  const tracing = await openTracing('api', configuration, pino({ level: 'silent' }));
  const { database } = test;
  const store = postgresEventStore(database);
  const server = await buildServer({ database, store, configuration, access: openAccess({ database, configuration }) });
  const traced = `00-${CALLER.traceId}-${CALLER.spanId}`;
  for (const [id, url, headers] of [
    ['plain', '/api/v1/sources/health?q=my-question', {}],
    ['called', '/openapi.json', { traceparent: `${traced}-01` }],
    ['unsampled', '/openapi.json', { traceparent: `${traced}-00` }],
    ['garbled', '/openapi.json', { traceparent: `${traced.toUpperCase()}-zz` }],
    ['nowhere', `/nowhere/${SECRET}?key=${SECRET}`, { authorization: `Bearer ${SECRET}`, cookie: SECRET }],
  ] as const)
    await server.inject({ method: 'GET', url, headers: { 'x-request-id': id, ...headers } });
  await server.inject({ method: 'SEARCH', url: '/', headers: { 'x-request-id': 'method' } });
  await server.close();
  await store.close();
  await tracing.close();
});
afterAll(async () => {
  await collector.close();
  await test.close();
});

describe('an answered request', () => {
  it('is a span of its route, status and request id; a server error is marked as an error', () => {
    expect(byRequest('plain')).toMatchObject({
      name: 'GET /api/v1/sources/health',
      kind: SERVER,
      parentSpanId: '',
      service: 'clarity-api',
      status: { code: ERROR },
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/api/v1/sources/health',
        'http.response.status_code': 500,
        'error.type': '500',
      },
    });
  });

  it('is part of the trace of the caller, if there is one', () => {
    expect(byRequest('called')).toMatchObject({ traceId: CALLER.traceId, parentSpanId: CALLER.spanId });
    expect(byRequest('unsampled')).toBeUndefined();
    const garbled = byRequest('garbled');
    expect(garbled?.parentSpanId).toBe('');
    expect(garbled?.traceId).not.toBe(CALLER.traceId);
  });

  it('without a route has none, and an unknown method is not its name', () => {
    // Its key is checked first, which a database without tables cannot do.
    expect(byRequest('nowhere')).toMatchObject({ name: 'GET', attributes: { 'http.response.status_code': 503 } });
    expect(byRequest('nowhere')?.attributes).not.toHaveProperty('http.route');
    expect(byRequest('method')).toMatchObject({ attributes: { 'http.request.method': '_OTHER' } });
  });

  it('never contains a key, a header or a question', () => {
    expect(collector.bodies.length).toBeGreaterThan(0);
    for (const word of [SECRET, 'my-question', 'Bearer', 'nowhere/'])
      expect(collector.bodies.join('')).not.toContain(word);
  });
});
