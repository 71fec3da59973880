/** What every process needs: configuration, logger, database, topics, event store, catalogue and read models. */
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { migrateAccess } from '../access/access-tables.ts';
import { personalKeys } from '../access/erase-account.ts';
import { loadCatalogue, type PreparedCatalogue, prepareCatalogue } from '../ingest/understand/catalogue.ts';
import { deferredStore, deferredTopics } from '../log/deferred-logs.ts';
import { kindOf, logError, messageOf } from '../log/errors.ts';
import type { EventStore } from '../log/event-store.ts';
import { readAddress } from '../log/eventstore/eventstore-connection.ts';
import { kafkaSettings } from '../log/kafka/kafka-settings.ts';
import { protectPersonalData } from '../log/personal-data.ts';
import { databaseClock } from '../log/postgres/clock.ts';
import { type Database, openDatabase } from '../log/postgres/database.ts';
import { runningEmbeddedPostgres, startEmbeddedPostgres } from '../log/postgres/embedded/embedded-postgres.ts';
import { migrateLog } from '../log/postgres/migrations.ts';
import { postgresEventStore } from '../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../log/postgres/topics/postgres-topics.ts';
import type { Topics } from '../log/topic.ts';
import { liveBuild } from '../projector/model-builds.ts';
import { readModels } from '../projector/models/all-read-models.ts';
import { anySignalUrl } from '../projector/models/signals-queries.ts';
import { prepareReadModels } from '../projector/promote-build.ts';
import type { Model } from '../projector/read-model.ts';
import { type Configuration, readConfiguration } from '../schemas/configuration.ts';
import { DatabaseUnavailable } from './errors.ts';
import { createLogger, levelOf } from './logging.ts';
import { unlessStopped } from './supervise.ts';

// What every process stands on: configuration, logger, database, topics, event store.

export interface Services {
  readonly configuration: Configuration;
  readonly logger: Logger;
  readonly database: Database;
  readonly databaseUrl: string;
  readonly topics: Topics;
  readonly store: EventStore;
  /** The time that all processes agree on. */
  readonly now: () => Date;
  /** Where the embedded PostgreSQL keeps its data; null with a database of one's own. */
  readonly dataDir: string | null;
  close(): Promise<void>;
}

/**
 * Makes sure that a database answers.
 * @param setting what names its address
 * @throws DatabaseUnavailable, which says what PostgreSQL or the network say, and never the address, which may hold a password
 */
export async function reach(database: Database, setting: string): Promise<void> {
  try {
    await database.query('SELECT 1');
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new DatabaseUnavailable(
      `PostgreSQL of ${setting} does not answer: ${said}. See whether it runs, can be reached from here, and ` +
        'knows the user, password and database of the address',
      /^(28|3D)/.test(String((error as { code?: unknown }).code)),
    );
  }
}

/** Milliseconds that a reader's command waits for an event store that is away before it is told so. */
const COMMAND_PATIENCE = 2_000;

/** What a process asks of PostgreSQL: its connections at most, beside one for its locks and one for notifications. */
interface Connections {
  readonly max: number;
  /** Milliseconds that one statement may take; commands of operators may take as long as they take. */
  readonly statementTimeout?: number;
  /** See `DatabaseOptions`: readers are told within seconds that nothing can be read, work in the background waits. */
  readonly responseTimeout: number;
}

const READERS = { max: 10, statementTimeout: 15_000, responseTimeout: 2_000 } as const;
const WORKERS = { max: 4, statementTimeout: 120_000, responseTimeout: 10_000 } as const;
const COMMANDS: Connections = { max: 4, responseTimeout: 10_000 };

/** By process. The table of docs/operators.md says the same. */
const CONNECTIONS: Readonly<Record<string, Connections>> = {
  up: { max: 12, statementTimeout: 120_000, responseTimeout: 2_000 },
  api: READERS,
  mcp: READERS,
  project: { ...WORKERS, max: 6 },
  poll: WORKERS,
  understand: WORKERS,
  match: WORKERS,
  analyse: WORKERS,
  oracle: WORKERS,
};

export const connectionsOf = (process: string): Connections => CONNECTIONS[process] ?? COMMANDS;

/** Processes that answer from PostgreSQL alone: they start and go on without the event store and Kafka. */
const READING = new Set(['api', 'mcp', 'status']);

/**
 * Connects a process to its stores. With no `DATABASE_URL` it starts the embedded PostgreSQL, or, when `join` is set
 * and a running Clarity owns it already, connects to that one.
 * @param options.signal gives up when it aborts, and closes what is open
 * @throws ConfigurationError, DatabaseUnavailable, EventStoreUnavailable, KafkaUnavailable, or Stopped
 */
export async function openServices(
  name: string,
  options: { readonly join?: boolean; readonly signal?: AbortSignal } = {},
): Promise<Services> {
  const configuration = readConfiguration(process.env);
  const logger = createLogger(name, levelOf(name, configuration));
  const closers: (() => Promise<void>)[] = [];
  // What was opened last stands on what was opened before it.
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse())
      await closer().catch((error) => logger.error({ err: error }, 'closing failed'));
  };
  try {
    const embedded = configuration.DATABASE_URL
      ? null
      : await openEmbedded(configuration.DATA_DIR, logger, options.join);
    if (embedded) closers.push(() => embedded.stop());
    const databaseUrl = configuration.DATABASE_URL ?? embedded?.url ?? '';
    const database = openDatabase(databaseUrl, { name, ...connectionsOf(name) });
    closers.push(() => database.end());
    if (configuration.DATABASE_URL) await unlessStopped(reach(database, 'DATABASE_URL'), options.signal);
    const clock = await databaseClock(database);
    closers.push(async () => clock.close());
    await migrateLog(database);
    await migrateAccess(database);
    const plain = await unlessStopped(openStore(database, configuration, logger, name), options.signal);
    const store = protectPersonalData(plain, personalKeys(database));
    closers.push(() => store.close());
    const topics = await unlessStopped(openTopics(database, configuration, logger, name), options.signal);
    closers.push(() => topics.close());
    const dataDir = embedded?.dataDir ?? null;
    return { configuration, logger, database, databaseUrl, topics, store, now: clock.now, dataDir, close };
  } catch (error) {
    await close();
    throw error;
  }
}

// Clients of servers are loaded only where they are used: a start without them is the faster for it.

async function openStore(
  database: Database,
  configuration: Configuration,
  logger: Logger,
  name: string,
): Promise<EventStore> {
  const url = configuration.EVENTSTORE_URL;
  if (!url) return postgresEventStore(database);
  const { eventStoreDb } = await import('../log/eventstore/eventstore-adapter.ts');
  const reading = READING.has(name);
  // A setting that cannot be read is named at the start; only a server that is away is waited for.
  readAddress(url);
  const interrupted = (error: unknown): void => {
    const message = 'a subscription to the event store was interrupted; it resumes';
    // A stack says nothing of a server that restarts, or that drops a slow reader.
    if (kindOf(error) === 'transient') logger.warn({ kind: 'transient', reason: messageOf(error) }, message);
    else logError(logger, error, {}, message);
  };
  const open = () => eventStoreDb({ url, report: interrupted, ...(reading ? { patience: COMMAND_PATIENCE } : {}) });
  if (!reading) return open();
  const report = (error: unknown): void => {
    if (name !== 'status')
      logger.warn({ err: error }, 'the event store cannot be reached; reading goes on, and it is tried again');
  };
  return deferredStore({ open, name: 'the event store', report });
}

async function openTopics(
  database: Database,
  configuration: Configuration,
  logger: Logger,
  name: string,
): Promise<Topics> {
  const report = (error: unknown, where: { topic: string; group: string; partition?: number | undefined }): void =>
    logger.error({ ...where, err: error }, 'a consumer failed and tries again');
  const brokers = configuration.KAFKA_BROKERS;
  if (!brokers) return postgresTopics(database, { report });
  const { kafkaTopics } = await import('../log/kafka/kafka-topics.ts');
  const open = () => kafkaTopics({ ...kafkaSettings(brokers, configuration), clientId: `clarity-${name}`, report });
  if (!READING.has(name)) return open();
  const away = (error: unknown): void => {
    if (name !== 'status')
      logger.warn({ err: error }, 'Kafka cannot be reached; reading goes on, and it is tried again');
  };
  return deferredTopics({ open, name: 'Kafka', report: away });
}

/**
 * Asks the event store and Kafka, where they are set, without a database.
 * @returns those that do not answer, with what the network says, never with a password
 */
export async function unreachableLogs(
  configuration: Configuration,
): Promise<{ readonly dependency: 'event store' | 'kafka'; readonly reason: string }[]> {
  const { EVENTSTORE_URL: url, KAFKA_BROKERS: brokers } = configuration;
  const attempts: ['event store' | 'kafka', () => Promise<{ close(): Promise<void> }>][] = [];
  if (url)
    attempts.push([
      'event store',
      async () => (await import('../log/eventstore/eventstore-adapter.ts')).eventStoreDb({ url }),
    ]);
  if (brokers)
    attempts.push([
      'kafka',
      async () =>
        (await import('../log/kafka/kafka-topics.ts')).kafkaTopics({
          ...kafkaSettings(brokers, configuration),
          clientId: 'clarity-status',
        }),
    ]);
  const found = await Promise.all(
    attempts.map(async ([dependency, open]) => {
      try {
        await (await open()).close();
        return [];
      } catch (error) {
        return [{ dependency, reason: error instanceof Error ? error.message : String(error) }];
      }
    }),
  );
  return found.flat();
}

interface Embedded {
  readonly url: string;
  readonly dataDir: string;
  stop(): Promise<void>;
}

async function openEmbedded(dataDir: string, logger: Logger, join = false): Promise<Embedded> {
  const running = join ? await runningEmbeddedPostgres(dataDir) : null;
  return running ? { url: running, dataDir, stop: async () => undefined } : startEmbeddedPostgres({ dataDir, logger });
}

/** For commands beside a running service: joins its embedded PostgreSQL, or starts one for as long as the work lasts. */
export async function withServices<Result>(
  name: string,
  work: (services: Services) => Promise<Result>,
): Promise<Result> {
  const services = await openServices(name, { join: true });
  try {
    return await work(services);
  } finally {
    await services.close();
  }
}

const SHIPPED = 'deploy/catalogue';

/** By folder: the parts of one process share a catalogue. */
const opened = new Map<string, Promise<PreparedCatalogue>>();

/**
 * Loads the catalogue named by `CATALOGUE`, relative to the working directory; the shipped one lies beside this code.
 * @throws CatalogueError naming file, field and value
 */
export async function openCatalogue(setting = readConfiguration(process.env).CATALOGUE): Promise<PreparedCatalogue> {
  const folder = setting === SHIPPED ? resolve(import.meta.dirname, '..', SHIPPED) : resolve(setting);
  const known = opened.get(folder);
  if (known) return known;
  const opening = loadCatalogue(folder).then(prepareCatalogue);
  opened.set(folder, opening);
  // A faulty one is read again at the next start of a part, when it may have been mended.
  opening.catch(() => opened.delete(folder));
  return opening;
}

/** Makes what is missing of the read models, empty, so that no process has to wait for the first projector. */
export const preparedModels = ({
  database,
  configuration,
}: Pick<Services, 'database' | 'configuration'>): Promise<void> =>
  prepareReadModels(database, readModels({ baseUrl: configuration.BASE_URL }));

// The read models of the service that runs, also for a command that was started without its settings.

/**
 * The address of the service stands in its rows, and hence in their version. Where the settings say another than the
 * live rows do, those rows win: else a replay run without `BASE_URL` or `PORT` would write another address into them.
 */
export async function liveModels({ configuration, database }: Services): Promise<readonly Model[]> {
  const own = readModels({ baseUrl: configuration.BASE_URL });
  await prepareReadModels(database, own);
  const url = await anySignalUrl(database);
  const baseUrl = url?.slice(0, url.lastIndexOf('/signal/'));
  if (!baseUrl || baseUrl === configuration.BASE_URL) return own;
  const theirs = readModels({ baseUrl });
  for (const { name, version } of theirs)
    if (name === 'signals' && (await liveBuild(database, name))?.version === version) return theirs;
  return own;
}
