/** `clarity mcp`: the process that answers assistants alone, beside or in place of those of the API. */
import type { Command } from 'commander';
import { openAccess } from '../../access/access.ts';
import { standaloneServer } from '../../mcp/standalone-server.ts';
import { sweepPart } from '../parts.ts';
import { runProcess } from '../process.ts';
import { openMcp, openReaders } from '../reader-server.ts';

export function addMcp(program: Command): void {
  program
    .command('mcp')
    .description('answer assistants at /mcp and /mcp/account on HOST and PORT until stopped')
    .addHelpText(
      'after',
      `
"clarity api" and "clarity up" answer them too; this process takes that load alone. BASE_URL is the address that
assistants use, which leads here for /mcp and to "clarity api" for the rest.`,
    )
    .action(() =>
      runProcess('mcp', async (services, closing) => {
        const { configuration, database, logger } = services;
        const access = openAccess({ database, configuration, now: services.now });
        const surface = await openMcp(services, access, await openReaders(services, closing));
        const server = await standaloneServer({ configuration, logger, surface });
        await server.listen({ host: configuration.HOST, port: configuration.PORT });
        closing.serves(() => server.beginDraining());
        closing.add(() => server.close());
        logger.info({ port: configuration.PORT }, 'listening');
        return { sweep: sweepPart(services) };
      }),
    );
}
