/**
 * `clarity events`: the events in PostgreSQL by partition, and the move of old ones to the archive and back;
 * `clarity eventstore`: checks the server of EVENTSTORE_URL, and creates a user with the rights that the service needs.
 */
import { createInterface } from 'node:readline/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { archiveOf, ObjectStoreError } from '../../log/archive/object-store.ts';
import { ArchiveDamaged } from '../../log/archive/topic-archive.ts';
import { recordOperation } from '../../log/event-store.ts';
import type { Node, ServerReport } from '../../log/eventstore/eventstore-administration.ts';
import {
  archivable,
  archiveEvents,
  type EventPartition,
  EventsNotArchived,
  eventPartitions,
  restorable,
  restoreEvents,
} from '../../log/postgres/event-partitions.ts';
import { readConfiguration } from '../../schemas/configuration.ts';
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

interface RestoreFlags {
  readonly from: bigint;
  readonly to: bigint;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

function position(text: string): bigint {
  if (!/^\d{1,18}$/.test(text)) throw new InvalidArgumentError('It must be a position: a number of at most 18 digits.');
  return BigInt(text);
}

function time(text: string): Date {
  const moment = readMoment(text);
  if (moment === null) throw new InvalidArgumentError('It must be an ISO 8601 date or time.');
  return new Date(moment);
}

export function addEvents(program: Command): void {
  const events = program.command('events').description('list, archive and restore the events in PostgreSQL');
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
  events
    .command('restore')
    .description('move archived events back into PostgreSQL, whole partitions at a time')
    .requiredOption('--from <position>', 'partitions that contain a position from here on', position)
    .requiredOption('--to <position>', 'and up to here', position)
    .option('--dry, --dry-run', 'only print what would be restored')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  clarity events list                                       which positions are archived?
  clarity events restore --from 0 --to 4999999 --dry-run    which partitions would be restored?
  clarity events restore --from 0 --to 4999999
Restore before a rebuild that should not read the archive, or to give the archive up. It needs some 1.9 GB of disk for a
million events. Readers and appends go on; each partition is replaced at once, and only when every event was compared
with the hash of its file and counted. The files stay: clarity events archive removes the events from PostgreSQL again
without storing them again.
Ctrl-C stops between two files, and the next run continues. What is not archived is left as it is, so a second run
changes nothing. All files are read before anything is changed: a file that is missing is named, a damaged one with its
line, and nothing is restored.
Exit codes: 0 restored or nothing to restore, 2 refused (the message says why), 130 stopped.`,
    )
    .action((flags: RestoreFlags) => withEvents((services) => restore(services, flags)));
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
      String(one.events),
      String(one.archived),
      `${(one.bytes / 1_000_000).toFixed(1)} MB`,
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
        database,
        objects,
        before,
        signal,
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

async function restore(services: Services, { from, to, dryRun = false, json = false }: RestoreFlags): Promise<void> {
  if (from > to) throw new UserError('--from is greater than --to');
  const { database, configuration } = services;
  const objects = archiveOf(configuration);
  if (!objects) throw new UserError('ARCHIVE_URL is not set; set it to where the events were archived');
  const found = restorable(await eventPartitions(database), { from, to });
  let restored: readonly EventPartition[] = [];
  if (!dryRun && found.length > 0) {
    const about = { operation: 'events_restored', subject: `positions ${from} to ${to}` } as const;
    const signal = stopSignal();
    const bar = progressBar('events', 'events', json);
    let [phase, at] = ['', pace()];
    let state = 'nothing was changed';
    try {
      restored = await restoreEvents({
        database,
        objects,
        from,
        to,
        signal,
        onProgress: (next, done, total) => {
          if (next !== phase) [phase, at] = [next, pace()];
          bar.show({ ...at(done, total), phase: next });
          if (done === total) at = pace();
        },
        async onVerified() {
          state = 'whole partitions are restored, or not at all; run it again';
          await recordOperation(services, { ...about, by: operatorName(), why: null });
        },
      });
    } catch (error) {
      bar.end();
      if (signal.aborted) throw new Stopped(`stopped; ${state}`);
      if (error instanceof EventsNotArchived || error instanceof ArchiveDamaged || error instanceof ObjectStoreError)
        throw new UserError(`${oneLine(error.message, 600)}; ${state}`);
      throw error;
    }
    bar.end();
  }
  if (json) {
    const partitions = (dryRun ? found : restored).map(described);
    const range = { from: String(from), to: String(to) };
    return void process.stdout.write(`${JSON.stringify({ dry_run: dryRun, ...range, partitions }, null, 2)}\n`);
  }
  if (found.length === 0)
    return void process.stdout.write(`no archived partition contains a position from ${from} to ${to}\n`);
  print(found);
  process.stdout.write(dryRun ? 'would be restored\n' : `restored ${restored.length} partitions\n`);
}

/** Exit code for scripts. */
const NEEDS_ATTENTION = 1;

interface PrepareFlags {
  readonly as: string;
  readonly resetPassword?: boolean;
  readonly json?: boolean;
}

export function addEventStore(program: Command): void {
  const eventStore = program.command('eventstore').description('the server of EVENTSTORE_URL: check, prepare');
  eventStore
    .command('check')
    .description('version, TLS, nodes, rights, largest append and clock; stores nothing')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExit code 0 when the server is suitable, 1 when something must change; the output ends with what to change.',
    )
    .action(async ({ json = false }: { readonly json?: boolean }) => {
      const { checkEventStore } = await import('../../log/eventstore/eventstore-administration.ts');
      const report = await checkEventStore(eventStoreUrl());
      process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : '');
      if (!json) printReport(report);
      if (report.problems.length > 0) process.exitCode = NEEDS_ATTENTION;
    });
  eventStore
    .command('prepare')
    .description('create the user of EVENTSTORE_URL with exactly the rights that the service needs')
    .requiredOption('--as <admin>', 'a user who can manage users, such as admin')
    .option('--reset-password', 'if the user exists, set its password to that of EVENTSTORE_URL')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The admin's password is read from EVENTSTORE_ADMIN_PASSWORD or prompted for, and is not stored.
Rights of other users are not changed. A second run changes nothing.`,
    )
    .action(async ({ as: user, resetPassword = false, json = false }: PrepareFlags) => {
      const url = eventStoreUrl();
      const password = process.env.EVENTSTORE_ADMIN_PASSWORD ?? (await askPassword(user));
      const { prepareEventStore } = await import('../../log/eventstore/eventstore-administration.ts');
      const done = await prepareEventStore({ url, admin: { user, password }, resetPassword });
      process.stdout.write(json ? `${JSON.stringify({ done }, null, 2)}\n` : `${done.map(said).join('\n')}\n`);
    });
}

const said = (line: string): string => oneLine(line, 200);

/** The configured address. @throws UserError when events are in PostgreSQL */
function eventStoreUrl(): string {
  const { EVENTSTORE_URL } = readConfiguration(process.env);
  if (!EVENTSTORE_URL) throw new UserError('EVENTSTORE_URL is not set: events are in PostgreSQL');
  return EVENTSTORE_URL;
}

/** Prompts on the terminal without echo. @throws UserError without a terminal */
async function askPassword(user: string): Promise<string> {
  if (!process.stdin.isTTY) throw new UserError(`set EVENTSTORE_ADMIN_PASSWORD to the password of ${said(user)}`);
  const terminal = createInterface({ input: process.stdin, terminal: true });
  try {
    process.stderr.write(`Password of ${said(user)}: `);
    const password = await terminal.question('');
    process.stderr.write('\n');
    return password;
  } finally {
    terminal.close();
  }
}

const nodeLine = ({ address, state, alive }: Node): string => `${address} ${state}${alive ? '' : ', down'}`;

function printReport(report: ServerReport): void {
  const { largest_append: largest, clock_ahead_seconds: clock, nodes } = report;
  printTable(
    ['', report.server],
    [
      ['version', said(report.version)],
      ['TLS', report.tls ? 'yes' : 'no'],
      ['user', report.user === null ? 'none' : said(report.user)],
      ...(nodes ?? []).map((node) => ['node', said(nodeLine(node))]),
      ['append', report.append],
      ['read $all', report.read_all],
      ['largest append', largest ? `${largest.at_least ? 'at least ' : ''}${largest.bytes} bytes` : 'unknown'],
      ['clock', clock === null ? 'unknown' : `${clock} s ahead of this machine`],
    ],
  );
  process.stdout.write(`\n${report.problems.map(said).join('\n') || 'The server is suitable.'}\n`);
}
