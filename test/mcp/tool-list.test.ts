/** The list of tools, as a model reads it before every choice. */
import { describe, expect, it } from 'vitest';
import { listTools, TOOLS } from '../../mcp/tool-list.ts';

const BASE_URL = 'https://clarity.example';
/** Tokens of English and JSON: 3.5 characters each are few, so that the count is rather too high. */
const tokens = (value: unknown): number => JSON.stringify(value).length / 3.5;

describe('the list of tools', () => {
  it('given all ten, then the whole list is under 6,000 tokens', () => {
    expect(TOOLS.map(({ name }) => name)).toEqual([
      'latest_moves',
      'get_signal',
      'brand_profile',
      'compare_brands',
      'daily_brief',
      'get_expansion_map',
      'get_group',
      'get_leadership_moves',
      'search',
      'fetch',
    ]);
    expect(tokens({ tools: listTools(TOOLS, BASE_URL) })).toBeLessThan(6_000);
  });

  it('given any of them, then it has a title, an icon, both schemas, a description of every argument, and is read-only', () => {
    for (const tool of listTools(TOOLS, BASE_URL)) {
      expect(tool).toMatchObject({
        title: expect.stringMatching(/^[A-Z]/),
        annotations: { readOnlyHint: true, destructiveHint: false },
        icons: [{ src: `${BASE_URL}/mcp/icons/${tool.name}.svg` }],
        inputSchema: { type: 'object', additionalProperties: false },
        outputSchema: { type: 'object' },
      });
      expect(tool.description?.length, tool.name).toBeGreaterThan(80);
      for (const [name, field] of Object.entries(tool.inputSchema.properties ?? {}))
        expect((field as { description?: string }).description, `${tool.name}.${name}`).toBeTruthy();
    }
  });

  it('given the same tools again, then the list is the same to the byte', () => {
    expect(JSON.stringify(listTools(TOOLS, BASE_URL))).toBe(JSON.stringify(listTools(TOOLS, BASE_URL)));
    expect(listTools(TOOLS, BASE_URL)).toMatchSnapshot();
  });
});
