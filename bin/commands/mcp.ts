/** `clarity mcp`: a process that serves only assistants, in addition to or instead of those of the API. */
import type { Command } from 'commander';
import { openAccess } from '../../access/access.ts';
import { standaloneServer } from '../../mcp/standalone-server.ts';
import { sweepPart } from '../parts.ts';
import { runProcess } from '../process.ts';
import { openMcp, openReaders } from '../reader-server.ts';

export function addMcp(program: Command): void {
  program
    .command('mcp')
    .description('serve assistants at /mcp and /mcp/account on HOST and PORT until stopped')
    .addHelpText(
      'after',
      `
"clarity api" and "clarity up" serve them too; this process takes over that load. BASE_URL is the address that
assistants use; route /mcp to this process and the rest to "clarity api".`,
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
