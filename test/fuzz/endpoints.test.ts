/**
 * Every operation of the description and every tool, called with generated input, responds below 500 and as described. A few runs
 * each with the other tests; `npm run fuzz` does many (`FUZZ_RUNS` sets the number). A failure prints the call to repeat.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { migrateAccess } from '../../access/access.ts';
import { describeApi } from '../../api/description/document.ts';
import { callTool } from '../../mcp/mcp-server.ts';
import { createNameLookup } from '../../mcp/tool.ts';
import { TOOLS } from '../../mcp/tool-list.ts';
import { postgresSearch } from '../../projector/models/search-queries.ts';
import { BASE_URL, type Serving, serving } from '../api/serving.ts';
import { openAccess } from '../harness/open-access.ts';
import { CATALOGUE, RECORD } from '../mcp/small-record.ts';
import { source } from '../projector/source-events.ts';
import { bodyOf, HOSTILE, type Json, parameterOf } from './arbitrary.ts';

const ajv = new Ajv2020({ strict: false, validateFormats: false, unicodeRegExp: true });
const RUNS = Number(process.env.FUZZ_RUNS ?? 6);
const MODELS = ['accounts', 'brands', 'follows', 'inbox_reads', 'search', 'names', 'openings'].concat([
  'appointments',
  'results',
]);
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

const document = describeApi() as Json & { paths: Record<string, Record<string, Json>> };
const resolve = (reference: string): Json =>
  reference
    .split('/')
    .slice(1)
    .reduce<Json>((at, name) => at[name.replaceAll('~1', '/').replaceAll('~0', '~')] as Json, document);
const whole = (one: Json): Json => (typeof one.$ref === 'string' ? resolve(one.$ref) : one);

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Json;
}

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  METHODS.filter((method) => item[method]).map((method) => {
    const operation = item[method] as Json;
    const parameters = [
      ...((item.parameters ?? []) as unknown as Json[]),
      ...((operation.parameters ?? []) as Json[]),
    ].map((one) => whole(one) as unknown as Parameter);
    const content = (operation.requestBody as { content?: Record<string, { schema: Json }> } | undefined)?.content;
    return { path, method, parameters, body: content?.['application/json']?.schema ?? null };
  }),
);

/** A segment of only dots is excluded: clients resolve it before sending (RFC 3986, 5.2.4). */
const segmentOf = (text: string): string => (/^\.{0,2}$/.test(text) ? '%20' : encodeURIComponent(text.toWellFormed()));

/** Path, query and body of one call. */
function callOf({ path, method, parameters, body }: (typeof operations)[number]) {
  const valuesIn = (place: string) =>
    fc.record(
      Object.fromEntries(
        parameters.filter((one) => one.in === place).map(({ name, schema }) => [name, parameterOf(schema, resolve)]),
      ),
      place === 'path' ? {} : { requiredKeys: [] },
    ) as fc.Arbitrary<Record<string, string>>;
  const unasked = fc.option(
    fc.tuple(fc.constantFrom('unasked', '__proto__', 'limit', 'cursor'), fc.constantFrom(...HOSTILE)),
    { freq: 6 },
  );
  return fc
    .tuple(valuesIn('path'), valuesIn('query'), unasked, body ? bodyOf(body, resolve) : fc.constant(undefined))
    .map(([inPath, query, extra, payload]) => {
      const encoded = path.replace(/\{(\w+)\}/g, (_, name: string) => segmentOf(inPath[name] ?? 'x'));
      const search = new URLSearchParams(
        Object.entries(query).map(([name, value]): [string, string] => [name, value.toWellFormed()]),
      );
      if (extra) search.append(extra[0], extra[1].toWellFormed());
      const url = search.size > 0 ? `${encoded}?${search}` : encoded;
      return {
        method: method.toUpperCase() as 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
        url,
        ...(payload === undefined
          ? {}
          : { payload: JSON.stringify(payload), headers: { 'content-type': 'application/json' } }),
      };
    });
}

let site: Serving;
beforeAll(async () => {
  site = await serving({ models: MODELS, catalogue: CATALOGUE });
  await migrateAccess(site.engine.database);
  await site.append(...RECORD);
  await site.enrol(source());
});
afterAll(() => site.close());

describe('the description', () => {
  it('has operations with input to generate', () => {
    expect(operations.length).toBeGreaterThan(20);
    expect(operations.filter(({ body }) => body).length).toBeGreaterThan(4);
  });
});

describe.each(
  operations.map((operation) => [`${operation.method.toUpperCase()} ${operation.path}`, operation] as const),
)('%s', (_name, operation) => {
  it('given any input, then it responds below 500 and as described, and accepts no body that is not described', {
    timeout: 10_000 + RUNS * 200,
  }, async () => {
    const isValid = operation.body ? ajv.compile(operation.body) : undefined;
    await fc.assert(
      fc.asyncProperty(callOf(operation), async (call) => {
        const { statusCode, body } = await site.server.inject(call);
        const isRefused = call.method !== 'GET' && statusCode >= 400;
        if (isValid && 'payload' in call && !isValid(JSON.parse(call.payload ?? 'null')))
          expect(isRefused, `${call.method} ${call.url} took a body that is not described: ${call.payload}`).toBe(true);
        expect(statusCode, `${call.method} ${call.url} ${call.payload ?? ''}: ${body.slice(0, 300)}`).toBeLessThan(500);
      }),
      { numRuns: RUNS },
    );
  });
});

describe.each(TOOLS.map((tool) => [tool.name, tool] as const))('the tool %s', (_name, tool) => {
  it('given any input, then it responds with a result or an input error, and never with a server error', {
    timeout: 10_000 + RUNS * 200,
  }, async () => {
    const caller = await openAccess().identify({}, '');
    if (!('plan' in caller)) throw new Error('everybody is let in here');
    const context = {
      ...createNameLookup(CATALOGUE),
      database: site.engine.database,
      search: postgresSearch(site.engine.database),
      baseUrl: BASE_URL,
      now: site.engine.clock,
    };
    const schema = z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'any' }) as Json;
    await fc.assert(
      fc.asyncProperty(bodyOf(schema, resolve), async (given) => {
        const failed = async (error: unknown): Promise<string> => {
          throw error;
        };
        const { content, isError, structuredContent } = await callTool(tool, given, { context, caller, failed });
        expect(content[0]).toMatchObject({ type: 'text', text: expect.stringMatching(/./) });
        if (!isError) expect(tool.output.safeParse(structuredContent).error).toBeUndefined();
      }),
      { numRuns: RUNS },
    );
  });
});
