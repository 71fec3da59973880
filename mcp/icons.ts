/** An icon for each tool, drawn in strokes that are seen on light and dark. */
import type { FastifyInstance } from 'fastify';
import type { AnyTool } from './tool.ts';

const drawn = ({ title, icon }: AnyTool): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#b0413e" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><title>${title}</title>${icon}</svg>`;

/** Serves them where the list of tools says that they are. */
export function iconRoutes(server: FastifyInstance, tools: readonly AnyTool[]): void {
  for (const tool of tools)
    server.get(`/mcp/icons/${tool.name}.svg`, async (_request, reply) =>
      reply
        .headers({ 'cache-control': 'public, max-age=86400', 'cross-origin-resource-policy': 'cross-origin' })
        .type('image/svg+xml; charset=utf-8')
        .send(drawn(tool)),
    );
}
