/** `clarity api`: the process that serves the REST API, the pages and MCP. */
import type { Command } from 'commander';
import { sweepPart } from '../parts.ts';
import { runProcess } from '../process.ts';
import { listen } from '../reader-server.ts';

export function addApi(program: Command): void {
  program
    .command('api')
    .description('serve the REST API and the pages on HOST and PORT until stopped')
    .action(() =>
      runProcess('api', async (services, closing) => {
        const port = await listen(services, closing);
        services.logger.info({ port }, 'listening');
        return { sweep: sweepPart(services) };
      }),
    );
}
