/** `clarity migrate`: creates or updates what processes need in PostgreSQL. */
import type { Command } from 'commander';
import { preparedModels, withServices } from '../services.ts';

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description(
      'create or update the tables of logs and access for this release; every process does so at its start too',
    )
    .action(() =>
      withServices('migrate', async (services) => {
        await preparedModels(services);
        process.stdout.write('the tables are up to date\n');
      }),
    );
}
