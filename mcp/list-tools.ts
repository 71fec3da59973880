/** The answer to `tools/list`: the same words in the same order every time, so that clients may keep it. */
import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import { listedInput, listedOutput } from './listed-schema.ts';
import type { AnyTool } from './tool.ts';

/** Tools read what is public and change nothing; what they answer comes from the world, which goes on. */
const ANNOTATIONS = { readOnlyHint: true, destructiveHint: false, openWorldHint: true };

/** @param baseUrl address that readers use, where the icons stand */
export const listTools = (tools: readonly AnyTool[], baseUrl: string): ListedTool[] =>
  tools.map(({ name, title, description, input, output, meta }) => ({
    name,
    title,
    description,
    inputSchema: listedInput(input) as ListedTool['inputSchema'],
    outputSchema: listedOutput(output) as NonNullable<ListedTool['outputSchema']>,
    annotations: ANNOTATIONS,
    icons: [{ src: `${baseUrl}/mcp/icons/${name}.svg`, mimeType: 'image/svg+xml' }],
    ...(meta && { _meta: { ...meta } }),
  }));
