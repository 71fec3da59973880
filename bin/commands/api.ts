/** `clarity api`: the process that answers readers. */
import type { Command } from 'commander';
import { sweepPart } from '../parts.ts';
import { runProcess } from '../process.ts';
import { listen } from '../reader-server.ts';

export function addApi(program: Command): void {
  program
    .command('api')
    .description('answer the REST API and the pages on HOST and PORT until stopped')
    .action(() =>
      runProcess('api', async (services, closing) => {
        const port = await listen(services, closing);
        services.logger.info({ port }, 'listening');
        return { sweep: sweepPart(services) };
      }),
    );
}
