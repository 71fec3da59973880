/** `clarity migrate`: makes what processes need in PostgreSQL, and ends. */
import type { Command } from 'commander';
import { preparedModels, withServices } from '../services.ts';

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('bring the tables of logs and access up to this release, and end; every process does so by itself too')
    .action(() =>
      withServices('migrate', async (services) => {
        await preparedModels(services);
        process.stdout.write('the tables are those of this release\n');
      }),
    );
}
