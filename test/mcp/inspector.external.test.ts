/** The Inspector's command line, fetched by npx, lists the tools and calls every one of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOOLS } from '../../mcp/tool-list.ts';
import { CALLS } from './calls.ts';
import { run } from './conformance/suite.ts';
import { type ServingMcp, servingMcp } from './serving-mcp.ts';
import { RECORD } from './small-record.ts';

let serving: ServingMcp;
let key: string;
beforeAll(async () => {
  serving = await servingMcp();
  await serving.site.append(...RECORD);
  key = await serving.key({ plan: 'pro' });
});
afterAll(() => serving.close());

/** @returns what it printed as JSON */
async function inspect(...words: string[]): Promise<Record<string, unknown>> {
  const target = [`${serving.baseUrl}/mcp`, '--transport', 'http', '--header', `X-API-Key: ${key}`];
  const output = await run(['npx', '--yes', '@modelcontextprotocol/inspector@2.12.0', '--cli', ...target, ...words]);
  const json = /^\{[\s\S]*^\}|^\{.*\}$/m.exec(output)?.[0];
  if (json === undefined) throw new Error(`the Inspector printed no JSON: ${output}`);
  return JSON.parse(json);
}

describe('the Inspector', () => {
  it('given the endpoint, then it lists all tools, with the card of get_signal', async () => {
    const { tools } = (await inspect('--method', 'tools/list')) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    expect(await inspect('--method', 'tools/call', '--tool-name', 'get_signal', '--app-info')).toMatchObject({
      hasApp: true,
      resourceUri: 'ui://clarity/signal-card.html',
      resourceMimeType: 'text/html;profile=mcp-app',
    });
    // npx downloads the Inspector first.
  }, 180_000);

  it.each(CALLS)('given arguments, then it calls %s', async (name, args) => {
    const pairs = Object.entries(args).map(
      ([field, value]) => `${field}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    );
    const answer = await inspect('--method', 'tools/call', '--tool-name', name, '--tool-arg', ...pairs);
    expect(answer.isError ?? false, JSON.stringify(answer.content)).toBe(false);
    expect(answer).toMatchObject({ content: [{ type: 'text' }], structuredContent: expect.any(Object) });
  });
});
