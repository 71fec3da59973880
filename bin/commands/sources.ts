/** `clarity sources`: the roster, for its operators. */
import type { Command } from 'commander';
import { applyRoster } from '../../ingest/roster/apply-roster.ts';
import { readRoster } from '../../ingest/roster/read-roster.ts';
import { healthSnapshot } from '../../projector/models/source_health/queries.ts';
import { now } from '../parts.ts';
import { FILE_AUTHOR } from '../roster.ts';
import { withServices } from '../services.ts';
import { printTable } from '../table.ts';

export function addSources(program: Command): void {
  const sources = program.command('sources').description('list the sources, check a roster file, or apply one');

  sources
    .command('list')
    .description('every source with its health')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) =>
      withServices('sources', async ({ database }) => {
        const snapshot = await healthSnapshot(database, now());
        if (json) return void process.stdout.write(`${JSON.stringify(snapshot.sources, null, 2)}\n`);
        printTable(
          ['id', 'outlet', 'kind', 'health', 'items 24 h', 'last error'],
          snapshot.sources.map((source) => [
            source.id,
            source.outlet,
            source.kind,
            source.health,
            String(source.items_24h),
            source.last_error ?? '',
          ]),
        );
      }),
    );

  sources
    .command('check')
    .argument('<roster.yaml>')
    .description('say what is wrong with a roster file: line, field, value and what is allowed')
    .action(async (file: string) => {
      const found = await readRoster(file);
      process.stdout.write(`${file} is well: ${found.length} sources\n`);
    });

  sources
    .command('apply')
    .argument('<roster.yaml>')
    .description('make the roster what the file says; applied again it changes nothing')
    .action((file: string) =>
      withServices('sources', async ({ store }) => {
        const wanted = await readRoster(file);
        const changes = await applyRoster(store, wanted, { by: FILE_AUTHOR, why: `applied ${file}` });
        for (const { change, source_id } of changes) process.stdout.write(`${change} ${source_id}\n`);
        process.stdout.write(`${changes.length} of ${wanted.length} sources changed\n`);
      }),
    );
}
