/** `clarity events`: the events in PostgreSQL by partition, and the move of old ones to the archive. */
import { type Command, InvalidArgumentError } from 'commander';
import { archiveOf } from '../../log/archive/object-store.ts';
import { ArchiveDamaged } from '../../log/archive/topic-archive.ts';
import { recordOperation } from '../../log/operations.ts';
import {
  archivable,
  archiveEvents,
  type EventPartition,
  EventsNotArchived,
  eventPartitions,
} from '../../log/postgres/event-partitions.ts';
import { readMoment } from '../../schemas/parameters.ts';
import { Stopped, UserError } from '../errors.ts';
import { type Services, withServices } from '../services.ts';
import { stopSignal } from '../supervise.ts';
import { oneLine, operatorName, pace, printTable, progressBar } from '../terminal.ts';

interface ArchiveFlags {
  readonly before: Date;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

function time(text: string): Date {
  const moment = readMoment(text);
  if (moment === null) throw new InvalidArgumentError('It must be an ISO 8601 date or time.');
  return new Date(moment);
}

export function addEvents(program: Command): void {
  const events = program.command('events').description('list and archive the events in PostgreSQL');
  events
    .command('list')
    .description('list the partitions of the event store with positions, events and size')
    .option('--json', 'print JSON')
    .action((flags: { readonly json?: boolean }) => withEvents((services) => list(services, flags)));
  events
    .command('archive')
    .description('move old events of signals to the archive at ARCHIVE_URL, whole partitions at a time')
    .requiredOption(
      '--before <time>',
      'partitions whose last event is before it: an ISO 8601 date (in IST) or time',
      time,
    )
    .option('--dry-run', 'only print what would be archived')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  clarity events list                                       which partitions are there, and how old?
  clarity events archive --before 2026-01-01 --dry-run      what would be archived?
  clarity events archive --before 2026-01-01
Every process needs ARCHIVE_URL from then on: archived events are read there. What was stored is read back and compared
before anything is removed. Ctrl-C stops between two steps; the next run continues.`,
    )
    .action((flags: ArchiveFlags) => withEvents((services) => archive(services, flags)));
}

/** Runs a command. @throws UserError when the events are not in PostgreSQL */
const withEvents = (work: (services: Services) => Promise<void>): Promise<void> =>
  withServices('events', async (services) => {
    if (services.configuration.EVENTSTORE_URL)
      throw new UserError('the events are in EventStoreDB, which has an archive and a scavenge of its own');
    await work(services);
  });

/** A partition as JSON: positions are text, as everywhere else. */
const described = ({ first_position, end_position, archived_at, ...partition }: EventPartition) => ({
  first_position: String(first_position),
  last_position: String(end_position - 1n),
  ...partition,
  archived_at: archived_at?.toISOString() ?? null,
});

function print(partitions: readonly EventPartition[]): void {
  printTable(
    ['positions', 'events', 'archived', 'size', 'last event', ''],
    partitions.map((one) => [
      `${one.first_position}-${one.end_position - 1n}`,
      ...[String(one.events), String(one.archived), `${(one.bytes / 1_000_000).toFixed(1)} MB`],
      one.last_time ?? '',
      one.archived_at ? `archived at ${one.archived_at.toISOString()}` : one.complete ? '' : 'in use',
    ]),
  );
}

async function list({ database }: Services, { json }: { readonly json?: boolean }): Promise<void> {
  const partitions = await eventPartitions(database);
  if (json) process.stdout.write(`${JSON.stringify({ partitions: partitions.map(described) }, null, 2)}\n`);
  else print(partitions);
}

async function archive(services: Services, { before, dryRun = false, json = false }: ArchiveFlags): Promise<void> {
  const { database, configuration } = services;
  const objects = archiveOf(configuration);
  if (!objects)
    throw new UserError('ARCHIVE_URL is not set; set it, such as s3://my-bucket/clarity or file:///mnt/clarity');
  const found = archivable(await eventPartitions(database), before);
  let archived: readonly EventPartition[] = [];
  if (!dryRun && found.length > 0) {
    const about = { operation: 'events_archived', subject: `before ${before.toISOString()}` } as const;
    await recordOperation(services, { ...about, by: operatorName(), why: null });
    const signal = stopSignal();
    const bar = progressBar('events', 'events', json);
    let [phase, at] = ['', pace()];
    try {
      archived = await archiveEvents({
        ...{ database, objects, before, signal },
        onProgress: (next, done, total) => {
          if (next !== phase) [phase, at] = [next, pace()];
          bar.show({ ...at(done, total), phase: next });
        },
      });
    } catch (error) {
      bar.end();
      if (signal.aborted) throw new Stopped('stopped; whole partitions are archived, or not at all; run it again');
      if (error instanceof EventsNotArchived || error instanceof ArchiveDamaged)
        throw new UserError(oneLine(error.message, 600));
      throw error;
    }
    bar.end();
  }
  if (json) {
    const partitions = (dryRun ? found : archived).map(described);
    return void process.stdout.write(`${JSON.stringify({ dry_run: dryRun, before, partitions }, null, 2)}\n`);
  }
  if (found.length === 0)
    return void process.stdout.write(`no partition is complete and before ${before.toISOString()}\n`);
  print(
    dryRun
      ? found
      : (await eventPartitions(database)).filter((one) =>
          archived.some((own) => own.first_position === one.first_position),
        ),
  );
  process.stdout.write(dryRun ? 'would be archived\n' : `archived ${archived.length} partitions\n`);
}
