/** `clarity sources list`. */
import type { Command } from 'commander';
import { withHiddenHeaders } from '../../../ingest/roster/hidden-headers.ts';
import { loadRoster } from '../../../ingest/roster/load-roster.ts';
import { healthSnapshot } from '../../../projector/models/source_health/queries.ts';
import { oneLine } from '../../quote.ts';
import { type Services, withServices } from '../../services.ts';
import { printTable } from '../../table.ts';

interface Flags {
  readonly json?: boolean;
  readonly health?: string;
  readonly retired?: boolean;
}

export function addList(sources: Command): void {
  sources
    .command('list')
    .description('every source with its health')
    .option('--health <state>', 'only those that are healthy, degraded, failing, silent, paused or new')
    .option('--retired', 'those that were taken out of the roster')
    .option('--json', 'print JSON')
    .action((flags: Flags) => withServices('sources', (services) => list(services, flags)));
}

/** Health as it was projected; nothing where no projector ran yet. */
export const healthById = async ({ database, now }: Services) =>
  new Map((await healthSnapshot(database, now()).catch(() => null))?.sources.map((source) => [source.id, source]));

async function list(services: Services, { json, health, retired = false }: Flags): Promise<void> {
  const { roster } = await loadRoster(services.store);
  const known = await healthById(services);
  const rows = [...roster.values()]
    .filter((entry) => Boolean(entry.retired) === retired)
    .map(({ source }) => {
      const state = known.get(source.id);
      return { ...withHiddenHeaders(source), ...state, health: source.paused ? 'paused' : (state?.health ?? 'new') };
    })
    .filter((source) => !health || source.health === health);
  if (json) return void process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  if (rows.length === 0) return void process.stdout.write('no source\n');
  printTable(
    ['id', 'outlet', 'kind', 'role', 'health', 'items 24 h', 'last error'],
    rows.map((source) => [
      source.id,
      oneLine(source.outlet, 40),
      source.kind,
      source.role,
      source.health,
      String(source.items_24h ?? 0),
      oneLine(source.last_error ?? '', 100),
    ]),
  );
}
