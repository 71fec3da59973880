import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { describeApi, OPERATIONS } from '../../api/description/document.ts';
import { ERROR_STATUS } from '../../schemas/resources.ts';
import { detected, idOf, report, understanding } from '../projector/signal-events.ts';
import { type Serving, serving } from './serving.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const bin = (name: string): string => join(root, 'node_modules/.bin', name);
const committed = join(root, 'api/openapi.yaml');

/** What of the description is read here. */
interface Described {
  readonly paths: Record<string, Record<string, { responses?: Record<string, Response> } | string>>;
  readonly components: {
    readonly schemas: Record<string, { properties: Record<string, { enum?: string[] }> }>;
    readonly responses: Record<string, Response>;
  };
}
interface Response {
  readonly content?: Record<string, { examples?: object }>;
}
const described = describeApi() as unknown as Described;

let site: Serving;
beforeAll(async () => {
  site = await serving({ models: ['brands', 'follows', 'inbox_reads'] });
  const after = understanding({ move: 'deals', headline: 'Kiri Foods pays for them', brands: [] });
  await site.append(
    detected('one', { published_at: '2026-11-20T06:30:00Z' }),
    detected('two', {
      follows: idOf('one'),
      understanding: after,
      report: report('two', { published_at: '2026-11-20T08:00:00Z' }),
    }),
  );
});
afterAll(() => site.close());

describe('the description of the API', () => {
  it('given the committed copy, then it is what the server serves: `npm run describe` writes it', async () => {
    const json = await site.server.inject('/.well-known/openapi.json');
    expect(json.json()).toEqual(parse(readFileSync(committed, 'utf8')));
    const answer = await site.server.inject('/.well-known/openapi.yaml');
    expect(answer.headers['content-type']).toBe('application/yaml; charset=utf-8');
    expect(answer.body).toBe(readFileSync(committed, 'utf8'));
  });

  it('given a strict linter, then it reports nothing', async () => {
    const { stdout } = await run(
      bin('redocly'),
      ['lint', committed, '--extends', 'recommended-strict', '--format', 'json', '--max-problems', '1000'],
      { env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
    );
    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0, ignored: 0 } });
  });

  it.each(OPERATIONS.map((operation) => [operation.id, operation] as const))(
    'given the examples of %s, then they are valid against its schemas',
    (_id, { body, answers, query, queryExamples = {} }) => {
      if (body) body.schema.parse(body.example);
      for (const { schema, example } of Object.values(answers)) schema?.parse(example);
      expect(Object.keys(query?.shape ?? {})).toEqual(expect.arrayContaining(Object.keys(queryExamples)));
      const parameters = Object.entries(queryExamples).map(([name, value]) => [name, String(value)]);
      query?.parse(query.shape.cursor || parameters.length > 0 ? Object.fromEntries(parameters) : {});
    },
  );

  it('given every route, then the description contains it, and no other', () => {
    const tree = site.server.printRoutes({ commonPrefix: false });
    const routes = routesOf(tree).filter((route) => /^\w+ \/(api|\.well-known)\/|\/feed\.|\/llms\.txt/.test(route));
    const described = OPERATIONS.map(
      ({ method, path }) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    );
    expect(routes.length).toBeGreaterThan(20);
    expect(routes.filter((route) => !route.includes('/webhooks')).sort()).toEqual([...new Set(described)].sort());
  });

  it('given the codes of errors, then those of the description are these, each with an example where it is answered', () => {
    const { schemas, responses } = described.components;
    const { Error: error, RateLimited: limited } = schemas;
    expect(error?.properties.error?.enum).toEqual(Object.keys(ERROR_STATUS));
    const limits = Object.entries(ERROR_STATUS).flatMap(([code, status]) => (status === 429 ? [code] : []));
    expect(limited?.properties.error?.enum).toEqual(limits);
    const shown = Object.values(responses).flatMap(({ content = {} }) =>
      Object.keys(content['application/json']?.examples ?? {}),
    );
    // The others belong to no operation: 405 and 410 are described for paths.
    const elsewhere = ['method_not_allowed', 'not_offered'];
    expect([...new Set(shown), ...elsewhere].sort()).toEqual(Object.keys(ERROR_STATUS).sort());
  });

  it('given a response that may be CSV, then it is described apart from the JSON one', () => {
    const tables = Object.values(described.paths)
      .flatMap((item) => Object.values(item))
      .flatMap((one) => Object.values((typeof one === 'object' && one.responses) || {}))
      .filter(({ content = {} }) => content['text/csv'] && Object.keys(content).length > 1);
    expect(tables).toEqual([]);
  });

  it('given the paths of webhooks, then they have no operation, and say why', async () => {
    for (const path of ['/api/v1/webhooks', '/api/v1/webhooks/{path}']) {
      expect(described.paths[path]?.description).toContain('410 `not_offered`');
      const answer = await site.server.inject({ method: 'POST', url: path.replace('{path}', 'one'), payload: '{' });
      expect([answer.statusCode, answer.json().error]).toEqual([410, 'not_offered']);
    }
  });

  it('given types generated from it, then a client compiles with them and calls the service', async () => {
    const folder = join(root, 'test/typed-client');
    const generator = join(folder, 'node_modules/openapi-typescript/bin/cli.js');
    await run(process.execPath, [generator, committed, '--output', join(folder, 'generated.ts')]);
    await run(bin('tsc'), ['--project', folder]);
    await site.server.listen({ port: 0, host: '127.0.0.1' });
    const address = site.server.server.address();
    // Loaded by a computed name, so that the compiler of the service does not look for types that are yet to be made.
    const client = (await import(join(folder, 'drive.ts'))) as { drive: (baseUrl: string) => Promise<unknown> };
    const driven = await client.drive(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`);
    expect(driven).toEqual({
      headlines: ['Kiri Foods opens 40 stores'],
      thread: ['deals: Kiri Foods pays for them'],
      stories: 1,
      stores: 1,
      table: 'brand',
      label: 'Morning brief, Saturday 21 November 2026',
      unread: 0,
      error: 'not_found',
    });
  });
});

/** `GET /path` for each route of the tree that the router prints, HEAD left out. */
function routesOf(tree: string): string[] {
  const path: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', segment = '', methods = ''] = /^([│├└─\s]*)(\S*?)(?: \((.*)\))?$/.exec(line) ?? [];
    const depth = indent.length / 4;
    path.length = depth;
    path[depth] = segment;
    return methods
      .split(', ')
      .filter((method) => method && method !== 'HEAD')
      .map((method) => `${method} ${path.join('')}`);
  });
}
