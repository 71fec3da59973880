/** `clarity sources show`: one source, its health, and who changed it when and why. */
import type { Command } from 'commander';
import { foldSources } from '../../../ingest/roster/fold-sources.ts';
import { withHiddenHeaders } from '../../../ingest/roster/hidden-headers.ts';
import { readable } from '../../../ingest/roster/load-roster.ts';
import { pollState } from '../../../projector/models/source_health/queries.ts';
import { sourceStream } from '../../../schemas/source.ts';
import { UserError } from '../../errors.ts';
import { oneLine } from '../../quote.ts';
import { type Services, withServices } from '../../services.ts';
import { healthById } from './list.ts';

export function addShow(sources: Command): void {
  sources
    .command('show')
    .argument('<id>')
    .description('one source: its fields, health, rhythm, and every change with who and why')
    .option('--json', 'print JSON')
    .action((id: string, { json }: { json?: boolean }) =>
      withServices('sources', async (services) => {
        const found = await detailsOf(services, id);
        if (json) process.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
        else print(found);
      }),
    );
}

async function detailsOf(services: Services, id: string) {
  const stored = await services.store.read(sourceStream(id));
  const entry = foldSources(readable(stored)).get(id);
  if (!entry) throw new UserError(`no source has the id ${JSON.stringify(id)}; sources list shows them`);
  const health = (await healthById(services)).get(id) ?? null;
  const polls = await pollState(services.database, id).catch(() => null);
  const history = [...readable(stored)].map(({ event }) => {
    const { by, why } = event.data as { by: string; why: string };
    return { time: event.time, change: event.type, by, why };
  });
  return {
    ...withHiddenHeaders(entry.source),
    retired: entry.retired,
    health,
    usual_gap_seconds: polls?.usual_gap_seconds ?? null,
    hours: polls?.hours ?? [],
    history,
  };
}

function print({ hours, history, health, retired, ...source }: Awaited<ReturnType<typeof detailsOf>>): void {
  const lines = Object.entries(source).map(([field, value]) => [
    field,
    typeof value === 'object' ? JSON.stringify(value) : value,
  ]);
  const state = Object.entries(health ?? {}).filter(([field]) => !(field in source));
  const rows = [
    ...lines,
    ...(retired ? [['retired', `by ${retired.by}: ${retired.why}`]] : []),
    ...(health ? state : [['health', 'not polled yet']]),
    [
      'items by hour, newest last',
      hours
        .slice(-24)
        .map(({ items }) => items)
        .join(' ') || 'none',
    ],
  ];
  for (const [field, value] of rows)
    process.stdout.write(`${String(field).padEnd(22)} ${oneLine(String(value ?? '-'), 300)}\n`);
  process.stdout.write('\nchanges\n');
  for (const { time, change, by, why } of history)
    process.stdout.write(`  ${time}  ${change.padEnd(14)} ${oneLine(by, 40)}: ${oneLine(why, 200)}\n`);
}
