/** MCP wired to the stores, for every process that serves it. */
import { resolve } from 'node:path';
import type { FastifyPluginCallback } from 'fastify';
import type { Access } from '../access/access.ts';
import { loadAssistants } from '../access/assistants/load.ts';
import { signInOf } from '../access/sign-in.ts';
import { toolCalls } from '../access/tools/count-calls.ts';
import type { Database } from '../log/postgres/database.ts';
import { knownIn } from '../mcp/context.ts';
import { mcpSurface } from '../mcp/surface.ts';
import { openCatalogue } from './catalogue.ts';
import type { Services } from './services.ts';

const ASSISTANTS = resolve(import.meta.dirname, '../deploy/assistants.yaml');

/**
 * @param readers what the tools' queries go to
 * @throws CatalogueError, AssistantListError
 */
export async function openMcp(
  { configuration, database, now }: Pick<Services, 'configuration' | 'database' | 'now'>,
  { identify }: Pick<Access, 'identify'>,
  readers: Database,
): Promise<FastifyPluginCallback> {
  const { catalogue } = await openCatalogue(configuration.CATALOGUE);
  return mcpSurface({
    context: { ...knownIn(catalogue), database: readers, baseUrl: configuration.BASE_URL, now },
    identify,
    calls: toolCalls(database, await loadAssistants(ASSISTANTS)),
    signIn: signInOf(configuration),
  });
}
