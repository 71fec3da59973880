/**
 * `clarity events`: the events in PostgreSQL by partition, the move of old ones to the archive and back, and the encryption of
 * personal data that was stored as it was.
 */
import { z } from 'zod';
import { personalKeys } from '../access/erase-account.ts';
import { archiveOf, type ObjectStore, ObjectStoreError } from '../log/archive/object-store.ts';
import { ArchiveDamaged } from '../log/archive/topic-archive.ts';
import { type EventStore, pagesOf } from '../log/event-store.ts';
import { sealStored } from '../log/personal-data.ts';
import {
  archivable,
  archiveEvents,
  type EventPartition,
  EventsNotArchived,
  eventPartitions,
  restorable,
  restoreEvents,
} from '../log/postgres/event-partitions.ts';
import { postgresEventStore, rewriteEvents } from '../log/postgres/postgres-event-store.ts';
import { ACCOUNT_PREFIX } from '../schemas/access.ts';
import { readEvent } from '../schemas/events.ts';
import { Refusal } from '../schemas/input-errors.ts';
import { Moment } from '../schemas/parameters.ts';
import { defineTerminalAction, type OperatorActions, type TerminalContext } from './operator-action.ts';
import { Stopped } from './operator-errors.ts';
import { megabytes, oneLine, tableText } from './terminal-text.ts';

/** The archive. @throws Refusal where none is set */
export function archiveFrom({ configuration }: Pick<TerminalContext, 'configuration'>): ObjectStore {
  const objects = archiveOf(configuration);
  if (objects) return objects;
  const example = 's3://my-bucket/clarity or file:///mnt/clarity';
  throw new Refusal('invalid_request', `ARCHIVE_URL is not set; set it to where the archive is, such as ${example}`);
}

/** The partitions. @throws Refusal when the events are not in PostgreSQL */
async function partitionsIn({ database, configuration }: TerminalContext): Promise<readonly EventPartition[]> {
  if (configuration.EVENTSTORE_URL)
    throw new Refusal(
      'invalid_request',
      'the events are in EventStoreDB, which has an archive and a scavenge of its own',
    );
  return eventPartitions(database);
}

/** A partition as JSON: positions are text, as everywhere else. */
const document = ({ first_position, end_position, archived_at, ...partition }: EventPartition) => ({
  first_position: String(first_position),
  last_position: String(end_position - 1n),
  ...partition,
  archived_at: archived_at?.toISOString() ?? null,
});

const partitionTable = (partitions: readonly EventPartition[]): string =>
  tableText(
    ['positions', 'events', 'archived', 'size', 'last event', ''],
    partitions.map((one) => [
      `${one.first_position}-${one.end_position - 1n}`,
      String(one.events),
      String(one.archived),
      megabytes(one.bytes),
      one.last_time ?? '',
      one.archived_at ? `archived at ${one.archived_at.toISOString()}` : one.complete ? '' : 'in use',
    ]),
  );

const list = defineTerminalAction({
  name: 'list',
  summary: 'list the partitions of the event store with positions, events and size',
  input: z.object({}),
  audit: 'nothing',
  run: (_, context) => partitionsIn(context),
  json: (partitions) => ({ partitions: partitions.map(document) }),
  text: partitionTable,
});

/** What was moved, or would be. */
interface Moved {
  readonly dry_run: boolean;
  /** What was asked for, for JSON. */
  readonly range: object;
  /** For JSON: without a dry run, those that were moved now. */
  readonly partitions: readonly EventPartition[];
  readonly shown: readonly EventPartition[];
}

const movedDocument = ({ dry_run, range, partitions }: Moved): object => ({
  dry_run,
  ...range,
  partitions: partitions.map(document),
});

/**
 * An error of a move for the operator.
 * @param state what has been changed by then
 */
function explained(error: unknown, { signal }: TerminalContext, state: string): unknown {
  if (signal.aborted) return new Stopped(`stopped; ${state}`);
  const isExpected =
    error instanceof EventsNotArchived || error instanceof ArchiveDamaged || error instanceof ObjectStoreError;
  return isExpected ? new Refusal('invalid_request', `${oneLine(error.message, 600)}; ${state}`) : error;
}

const WHOLE = 'whole partitions are moved, or not at all; run it again';

const archive = defineTerminalAction({
  name: 'archive',
  summary: 'move old events of signals to the archive at ARCHIVE_URL, whole partitions at a time',
  help: `Examples:
  clarity events list                                       which partitions are there, and how old?
  clarity events archive --before 2026-01-01 --dry-run      what would be archived?
  clarity events archive --before 2026-01-01
Every process needs ARCHIVE_URL from then on: archived events are read there. What was stored is read back and compared
before anything is removed. Ctrl-C stops between two steps; the next run continues.`,
  input: z.object({
    before: Moment.meta({
      description: 'partitions whose last event is before it: an ISO 8601 date (in IST) or time',
      placeholder: 'time',
    }),
    dry_run: z.boolean().default(false).describe('only print what would be archived'),
  }),
  audit: ['events_archived'],
  async run({ before: moment, dry_run }, context): Promise<Moved> {
    const { database, signal } = context;
    const before = new Date(moment);
    const old = archivable(await partitionsIn(context), before);
    const objects = archiveFrom(context);
    const range = { before };
    if (dry_run || old.length === 0) return { dry_run, range, partitions: old, shown: old };
    await context.record('events_archived', `before ${moment}`);
    const onProgress = context.progress('events', 'events');
    try {
      const archived = await archiveEvents({ database, objects, before, signal, onProgress });
      const first = new Set(archived.map(({ first_position }) => first_position));
      const shown = (await eventPartitions(database)).filter(({ first_position }) => first.has(first_position));
      return { dry_run, range, partitions: archived, shown };
    } catch (error) {
      throw explained(error, context, WHOLE);
    }
  },
  json: movedDocument,
  text({ dry_run, partitions, shown }, { before }) {
    if (shown.length === 0) return `no partition is complete and before ${before}`;
    const outcome = dry_run ? 'would be archived' : `archived ${partitions.length} partitions`;
    return `${partitionTable(shown)}\n${outcome}`;
  },
});

const Position = z
  .string()
  .regex(/^\d{1,18}$/, 'a position: a number of at most 18 digits')
  .transform(BigInt);

const restore = defineTerminalAction({
  name: 'restore',
  summary: 'move archived events back into PostgreSQL, whole partitions at a time',
  help: `Examples:
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
  input: z.object({
    from: Position.meta({ description: 'partitions that contain a position from here on', placeholder: 'position' }),
    to: Position.meta({ description: 'and up to here', placeholder: 'position' }),
    dry_run: z.boolean().default(false).describe('only print what would be restored'),
  }),
  audit: ['events_restored'],
  async run({ from, to, dry_run }, context): Promise<Moved> {
    if (from > to) throw new Refusal('invalid_request', '--from is greater than --to');
    const { database, signal } = context;
    const shown = restorable(await partitionsIn(context), { from, to });
    const objects = archiveFrom(context);
    const range = { from: String(from), to: String(to) };
    if (dry_run || shown.length === 0) return { dry_run, range, partitions: shown, shown };
    const onProgress = context.progress('events', 'events');
    let state = 'nothing was changed';
    try {
      const partitions = await restoreEvents({
        database,
        objects,
        from,
        to,
        signal,
        onProgress,
        async onVerified() {
          state = WHOLE;
          await context.record('events_restored', `positions ${from} to ${to}`);
        },
      });
      return { dry_run, range, partitions, shown };
    } catch (error) {
      throw explained(error, context, state);
    }
  },
  json: movedDocument,
  text({ dry_run, partitions, shown }, { from, to }) {
    if (shown.length === 0) return `no archived partition contains a position from ${from} to ${to}`;
    return `${partitionTable(shown)}\n${dry_run ? 'would be restored' : `restored ${partitions.length} partitions`}`;
  },
});

const seal = defineTerminalAction({
  name: 'seal',
  summary: 'encrypt personal data that earlier releases stored as it was; run it once after an upgrade',
  help: `Examples:
  clarity events seal
Reads all events, and encrypts the personal fields that are not encrypted yet: with the key of their account, or with one
that nobody keeps where the account is erased. The service may run. Ctrl-C stops, and the next run begins again; a second
run changes nothing.
EventStoreDB cannot change an event. There the turns of erased accounts are hidden, and its next scavenge removes them;
run it again after each erasure until no plain event is left.`,
  input: z.object({}),
  audit: ['events_sealed'],
  async run(_, context) {
    const { database, configuration, signal } = context;
    const url = configuration.EVENTSTORE_URL;
    const store = url ? await openPlainEventStore(url) : postgresEventStore(database);
    const head = Number(await store.head());
    const show = context.progress('events', url ? 'bytes' : 'events');
    await context.record('events_sealed', `up to position ${head}`);
    try {
      return await sealStored(
        {
          read: (stream) => store.read(stream),
          readAll: (options) => store.readAll(options),
          rewrite: async (events) => (url ? 0 : rewriteEvents(database, events)),
          hide: async (stream, before) => {
            if (url) await hideEvents(url, stream, before);
          },
        },
        personalKeys(database),
        {
          erased: await erasedAccounts(context.store),
          progress(position) {
            signal.throwIfAborted();
            show('read', Math.min(Number(position), head), head);
          },
        },
      );
    } finally {
      await store.close();
    }
  },
  text: ({ sealed, hidden, plain }) =>
    [
      `${sealed} events are encrypted now`,
      plain > 0
        ? `${plain} events are in EventStoreDB as they were written: of ${hidden} of them, of erased accounts, the stream ` +
          'is truncated; scavenge the server to remove them. The others can be read until their accounts are erased'
        : '',
    ]
      .filter(Boolean)
      .join('\n'),
});

/** The accounts whose last word in the log is that they were erased. */
async function erasedAccounts(store: Pick<EventStore, 'readAll'>): Promise<ReadonlySet<string>> {
  const erased = new Set<string>();
  for await (const { events } of pagesOf(store, { after: 0n, prefixes: [ACCOUNT_PREFIX] }))
    for (const { type, data } of events.map((event) => readEvent(event))) {
      if (type === 'AccountErased') erased.add(data.account_id);
      if (type === 'AccountOpened') erased.delete(data.account_id);
    }
  return erased;
}

async function hideEvents(url: string, stream: string, before: number): Promise<void> {
  const { truncateStream } = await import('../log/eventstore/eventstore-administration.ts');
  await truncateStream(url, stream, before);
}

async function openPlainEventStore(url: string): Promise<EventStore> {
  // The client of EventStoreDB is loaded only where it is used.
  const { eventStoreDb } = await import('../log/eventstore/eventstore-adapter.ts');
  return eventStoreDb({ url });
}

export const EVENTS: OperatorActions = {
  name: 'events',
  summary: 'list, archive and restore the events in PostgreSQL',
  actions: [list, archive, restore, seal],
};
