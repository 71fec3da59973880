import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assistantWindows } from '../../access/quota/limits.ts';
import { AssistantListError, loadAssistants, recogniseAssistant } from '../../access/quota/tool-calls.ts';
import type { Assistant } from '../../schemas/access.ts';

const shipped = resolve(import.meta.dirname, '../../deploy/assistants.yaml');

const LIST: readonly Assistant[] = [
  {
    id: 'claude',
    name: 'Claude',
    user_agent: 'Claude-User',
    addresses: ['160.79.104.0/21', '2607:6bc0::/48'],
    session_headers: [],
    session_meta: [],
  },
  {
    id: 'chatgpt',
    name: 'ChatGPT',
    user_agent: 'openai-mcp/1.0.0',
    addresses: ['203.0.113.0/28'],
    session_headers: ['x-openai-session'],
    session_meta: ['openai/session'],
  },
];

describe('a hosted assistant', () => {
  it.each([
    ['Claude-User', '160.79.104.1'],
    ['Claude-User/1.0', '160.79.111.255'],
    ['Mozilla/5.0 (compatible; Claude-User/1.0; +https://example.test)', '::ffff:160.79.106.9'],
    ['Claude-User', '2607:6bc0::10'],
  ])('given %s from %s, then it is recognised, without a session', (agent, address) => {
    expect(recogniseAssistant(LIST, { 'user-agent': agent }, address)).toEqual({ assistant: 'claude', session: null });
  });

  it.each([
    ['the name from elsewhere', 'Claude-User', '203.0.113.200'],
    ['an address without the name', 'curl/8.5.0', '160.79.104.1'],
    ['a name that only begins alike', 'Claude-User-Agent/1.0', '160.79.104.1'],
    ['the address of another assistant', 'Claude-User', '203.0.113.1'],
    ['another version than the wanted one', 'openai-mcp/2.0.0', '203.0.113.1'],
    ['no name', undefined, '160.79.104.1'],
    ['no address', 'Claude-User', 'unknown'],
  ])('given %s, then it counts as an unknown caller', (_, agent, address) => {
    expect(recogniseAssistant(LIST, { 'user-agent': agent }, address)).toBeNull();
  });

  it('given a session in a header or in _meta, then both give the same session, and its text is stored nowhere', () => {
    const agent = { 'user-agent': 'openai-mcp/1.0.0' };
    const hostile = "v1/x' OR 1=1";
    const header = recogniseAssistant(LIST, { ...agent, 'x-openai-session': hostile }, '203.0.113.1');
    const meta = recogniseAssistant(LIST, agent, '203.0.113.1', { 'openai/session': hostile });
    expect(header).toEqual(meta);
    expect(header?.session).toMatch(/^[0-9a-f]{16}$/);
    expect(recogniseAssistant(LIST, agent, '203.0.113.1', { 'openai/session': 7 })?.session).toBeNull();
    expect(assistantWindows('chatgpt', header?.session ?? null).map(({ max }) => max)).toEqual([30, 50, 2_000]);
  });
});

describe('the list of assistants', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assistants-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('given the shipped list, then it is well-formed and contains Claude', async () => {
    const list = await loadAssistants(shipped);
    expect(recogniseAssistant(list, { 'user-agent': 'Claude-User' }, '160.79.104.1')?.assistant).toBe('claude');
  });

  it.each([
    ['assistants: [', 'is no YAML'],
    ['', 'document: null'],
    ['assistants: [{id: Claude, name: C, user_agent: c, addresses: []}]', 'assistants.0.id: "Claude": must be kebab'],
    [
      'assistants: [{id: c, name: C, user_agent: c, addresses: [1.2.3.4/99]}]',
      'assistants.0.addresses.0: "1.2.3.4/99"',
    ],
    ['assistants: [{id: c, name: C, user_agent: "a b", addresses: []}]', 'assistants.0.user_agent: "a b"'],
    [
      'assistants: [{id: c, name: C, user_agent: c, addresses: []}, {id: c, name: D, user_agent: d, addresses: []}]',
      'an id occurs twice',
    ],
  ])('given %j, then the message names file, field and value', async (text, words) => {
    const file = join(folder, 'list.yaml');
    await writeFile(file, text);
    const failed = loadAssistants(file);
    await expect(failed).rejects.toThrow(AssistantListError);
    await expect(failed).rejects.toThrow(words);
    await expect(failed).rejects.toThrow(file);
  });
});
