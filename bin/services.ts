/** What every process needs: configuration, logger, database, topics, event store, catalogue and read models. */
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { migrateAccess } from '../access/access.ts';
import { personalKeys } from '../access/erase-account.ts';
import { modelBudget, writeUsage } from '../access/quota/usage.ts';
import { loadCatalogue, type PreparedCatalogue, prepareCatalogue } from '../facts/text/catalogue.ts';
import { type LiveCatalogue, openLiveCatalogue } from '../ingest/catalogue/effective-catalogue.ts';
import { openStoredReadings, type StoredReadings, storedClaims } from '../ingest/understand/stored-readings.ts';
import { createUnderstander, openUnderstander, type Understander } from '../ingest/understand/understander.ts';
import { RETRY, retry } from '../log/backoff.ts';
import { deferredStore, deferredTopics } from '../log/deferred-logs.ts';
import { type ErrorLogger, kindOf, logError, logRecovery, messageOf } from '../log/errors.ts';
import type { EventStore } from '../log/event-store.ts';
import { kafkaSettings } from '../log/kafka/kafka-settings.ts';
import type { LanguageModel, ModelOptions } from '../log/language-model.ts';
import { protectPersonalData } from '../log/personal-data.ts';
import { databaseClock } from '../log/postgres/clock.ts';
import { type Database, migrateLog, openDatabase, probeSession } from '../log/postgres/database.ts';
import { hasArchivedEvents, postgresEventStore } from '../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../log/postgres/topics/postgres-topics.ts';
import { MessageSkipped, PartlyHandled, type Topics } from '../log/topic.ts';
import type { TerminalContext } from '../operations/operator-action.ts';
import { Stopped } from '../operations/operator-errors.ts';
import { liveBuild } from '../projector/model-builds.ts';
import { SEARCH_INDEX } from '../projector/model-progress.ts';
import { readModels } from '../projector/models/all-read-models.ts';
import { anySignalUrl } from '../projector/models/signals-queries.ts';
import type { Parked } from '../projector/parked-events.ts';
import { prepareReadModels } from '../projector/promote-build.ts';
import type { Model } from '../projector/read-model.ts';
import { type Retried, retryParked } from '../projector/retry-parked.ts';
import { type Configuration, readConfiguration } from '../schemas/configuration.ts';
import { openEmbeddedDatabase } from './embedded-database.ts';
import { createLogger, DatabaseUnavailable, levelOf, UserError } from './errors.ts';
import { unlessStopped } from './supervise.ts';

export interface Services {
  readonly configuration: Configuration;
  readonly logger: Logger;
  readonly database: Database;
  readonly databaseUrl: string;
  readonly topics: Topics;
  readonly store: EventStore;
  /** The time that all processes agree on. */
  readonly now: () => Date;
  /** Data directory of the embedded PostgreSQL; null with an external database. */
  readonly dataDir: string | null;
  close(): Promise<void>;
}

/**
 * Checks that a database answers.
 * @param setting name of the setting with its address
 * @throws DatabaseUnavailable with the message of PostgreSQL or the network, never with the address, which can contain a password
 */
export async function reach(database: Database, setting: string): Promise<void> {
  try {
    await database.query('SELECT 1');
  } catch (error) {
    throw unavailable(setting, error);
  }
}

function unavailable(setting: string, error: unknown): DatabaseUnavailable {
  const reason = messageOf(error);
  // What PgBouncer answers to the limit of a statement, which is a parameter of the connection.
  if (/unsupported startup parameter/.test(reason))
    return new DatabaseUnavailable(
      `${setting} is the address of a pooler (${reason}). Set DATABASE_DIRECT_URL to the address of PostgreSQL itself`,
      true,
    );
  return new DatabaseUnavailable(
    `PostgreSQL of ${setting} does not answer: ${reason}. Check that it runs, is reachable from here, and ` +
      'accepts the user, password and database of the address',
    /^(28|3D)/.test(String((error as { code?: unknown }).code)),
  );
}

/** Milliseconds that a reader's command waits for an unreachable event store before it fails. */
const COMMAND_TIMEOUT = 2_000;

/** Connections of a process outside its pool at most: one for its locks, one for notifications. */
const SESSIONS = 2;

/** Limits of a process in PostgreSQL, without `SESSIONS`. */
interface Connections {
  readonly max: number;
  /** Maximum milliseconds of one statement; no limit for commands of operators. */
  readonly statementTimeout?: number;
  /** See `DatabaseOptions`: readers get an error within seconds; background work waits longer. */
  readonly responseTimeout: number;
}

const READERS = { max: 10, statementTimeout: 15_000, responseTimeout: 2_000 } as const;
const WORKERS = { max: 4, statementTimeout: 120_000, responseTimeout: 10_000 } as const;
const COMMANDS: Connections = { max: 4, responseTimeout: 10_000 };

/** By process; docs/operators.md has the same table. */
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

/** @param settings `DATABASE_POOL` replaces the size of the pool */
export function connectionsOf(
  process: string,
  { DATABASE_POOL: max }: Pick<Configuration, 'DATABASE_POOL'> = {},
): Connections {
  const connections = CONNECTIONS[process] ?? COMMANDS;
  return max === undefined ? connections : { ...connections, max };
}

/**
 * Warns at the start where connections do not suffice, or sessions do not last: locks would be lost without a sign.
 * @throws DatabaseUnavailable when sessions cannot be opened
 */
async function checkSessions(
  database: Database,
  name: string,
  configuration: Configuration,
  logger: Logger,
): Promise<void> {
  const { DATABASE_DIRECT_URL: direct } = configuration;
  const setting = direct === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL';
  const session = await probeSession(database).catch((error: unknown) => {
    throw unavailable(setting, error);
  });
  if (session.pooled)
    logger.warn(
      { setting },
      `${setting} is the address of a pooler: unless it keeps a connection for each client (session mode), locks and notifications ` +
        'fail. Set DATABASE_DIRECT_URL to the address of PostgreSQL itself',
    );
  const { used, maximum } = session;
  // Behind a pooler the size of its pools counts, which it keeps to by itself.
  const own = SESSIONS + (direct === undefined ? connectionsOf(name, configuration).max : 0);
  if (used + own > maximum)
    logger.warn(
      { used, maximum, own },
      `PostgreSQL has ${used} of ${maximum} connections in use, and this process may open ${own}: raise max_connections, ` +
        'lower DATABASE_POOL, or put a pooler in front (docs/operators.md, "Connections")',
    );
}

/**
 * Connects to a server, with growing pauses while it is unreachable.
 * @throws what a wait does not change, such as a wrong password
 */
export const whenReachable = <Result>(
  connect: () => Promise<Result>,
  logger: Logger,
  signal: AbortSignal,
): Promise<Result> =>
  retry(connect, {
    ...RETRY.part,
    signal,
    failed(error) {
      if (kindOf(error) !== 'transient' || (error as { bySettings?: boolean }).bySettings) throw error;
      logError(logger, error, {}, 'a server is unreachable; the process waits for it');
    },
  });

/** Processes that read PostgreSQL only: they start and run without the event store and Kafka. */
const READING = new Set(['api', 'mcp', 'status']);

/**
 * Connects a process to its stores. With no `DATABASE_URL` it starts the embedded PostgreSQL, or, when `join` is set
 * and a running Clarity owns it already, connects to that one.
 * @param options.signal stops the attempt when it aborts, and closes what is open
 * @param options.waits true for a process: it waits for a server that is unreachable. A command says so and ends.
 * @throws ConfigurationError, UserError, DatabaseUnavailable, EventStoreUnavailable, KafkaUnavailable, or Stopped
 */
export async function openServices(
  name: string,
  options: { readonly join?: boolean; readonly signal?: AbortSignal; readonly waits?: boolean } = {},
): Promise<Services> {
  const configuration = readConfiguration(process.env);
  const logger = createLogger(name, levelOf(name, configuration));
  const closers: (() => Promise<void>)[] = [];
  const failed = new AbortController();
  const given = AbortSignal.any([failed.signal, ...(options.signal ? [options.signal] : [])]);
  const connected = <Result>(connect: () => Promise<Result>): Promise<Result> =>
    unlessStopped(options.waits ? whenReachable(connect, logger, given) : connect(), options.signal);
  // The last opened depends on what was opened before it.
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse())
      await closer().catch((error) => logger.error({ err: error }, 'closing failed'));
  };
  try {
    const starting = configuration.DATABASE_URL
      ? null
      : openEmbeddedDatabase(configuration.DATA_DIR, logger, options.join);
    // The reason why it fails ends a wait for the event store.
    starting?.catch((error) => failed.abort(error));
    closers.push(async () => (await starting?.catch(() => null))?.stop());
    // Asked while PostgreSQL starts, which takes seconds with a new folder.
    const { EVENTSTORE_URL: url } = configuration;
    const remote = url === undefined ? null : await connected(() => openEventStore(url, logger, name));
    if (remote) closers.push(() => remote.close());
    const embedded = await starting;
    const databaseUrl = configuration.DATABASE_URL ?? embedded?.url ?? '';
    const directUrl = configuration.DATABASE_URL && configuration.DATABASE_DIRECT_URL;
    const database = openDatabase(databaseUrl, { name, directUrl, ...connectionsOf(name, configuration) });
    closers.push(() => database.end());
    if (configuration.DATABASE_URL) {
      await connected(() => reach(database, 'DATABASE_URL'));
      // Commands say what they are asked for, and end soon.
      if (CONNECTIONS[name]) await connected(() => checkSessions(database, name, configuration, logger));
    }
    const clock = await connected(() => databaseClock(database));
    closers.push(async () => clock.close());
    await connected(() => migrateLog(database));
    await connected(() => migrateAccess(database));
    // After the server of readers is closed, before the pool is.
    closers.push(() => writeUsage(database));
    const plain = remote ?? (await connected(() => openPostgresEventStore(database)));
    const store = protectPersonalData(plain, personalKeys(database));
    closers.push(() => store.close());
    const topics = await connected(() => openTopics(database, configuration, logger, name));
    closers.push(() => topics.close());
    const dataDir = embedded?.dataDir ?? null;
    return { configuration, logger, database, databaseUrl, topics, store, now: clock.now, dataDir, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @throws UserError when events of the database are in an archive */
async function openPostgresEventStore(database: Database): Promise<EventStore> {
  if (await hasArchivedEvents(database))
    throw new UserError(
      'events of this database are in an archive, which this release does not read. Restore them first with the release that ' +
        'archived them: clarity events restore --from 0 --to 999999999999',
    );
  return postgresEventStore(database);
}

/** Clients of the event store and Kafka are loaded only when they are used, which makes other starts faster. */
async function openEventStore(url: string, logger: Logger, name: string): Promise<EventStore> {
  const [{ eventStoreDb }, { readAddress }] = await Promise.all([
    import('../log/eventstore/eventstore-adapter.ts'),
    import('../log/eventstore/eventstore-connection.ts'),
  ]);
  const reading = READING.has(name);
  // An invalid setting is an error at the start; only an unreachable server is retried.
  readAddress(url);
  const interrupted = (error: unknown): void => {
    const message = 'a subscription to the event store was interrupted; it resumes';
    // A stack does not help when a server restarts or drops a slow reader.
    if (kindOf(error) === 'transient') logger.warn({ kind: 'transient', reason: messageOf(error) }, message);
    else logError(logger, error, {}, message);
  };
  const resumed = (about: object): void =>
    logger.info(about, 'subscriptions that the event store had ended have resumed');
  const open = () =>
    eventStoreDb({ url, report: interrupted, resumed, ...(reading ? { retryFor: COMMAND_TIMEOUT } : {}) });
  if (!reading) return open();
  return deferredStore(inBackground(open, 'the event store', name === 'status' ? null : logger));
}

/**
 * What a process connects to while it reads on: an outage is a line a minute in the log, and one at its end.
 * @param name as in messages, such as `the event store`
 * @param logger null for a command that says by itself what is unreachable
 */
export function inBackground<Log>(open: () => Promise<Log>, name: string, logger: Logger | null) {
  const message = `${name} is unreachable; reading continues, and the connection is retried`;
  return {
    name,
    open: async (): Promise<Log> => {
      const log = await open();
      if (logger) logRecovery(logger, message, `${name} can be reached again`);
      return log;
    },
    report: (error: unknown): void => {
      if (logger) logError(logger, error, {}, message);
    },
  };
}

/** Logs what consumers of topics report. */
export const topicReport =
  (logger: ErrorLogger) =>
  (error: unknown, where: { topic: string; group: string; partition?: number | undefined }): void => {
    if (error instanceof MessageSkipped) {
      const about = { ...where, offset: String(error.offset), reason: messageOf(error.cause) };
      logger.warn(about, 'a message without a valid event was skipped');
      return;
    }
    // Of a batch that is partly handled, the consumer has logged the messages that failed.
    const reason = error instanceof PartlyHandled ? error.cause : error;
    if (reason !== undefined)
      logError(logger, reason, where, 'messages of a topic could not be handled; they are retried');
  };

async function openTopics(
  database: Database,
  configuration: Configuration,
  logger: Logger,
  name: string,
): Promise<Topics> {
  const report = topicReport(logger);
  const brokers = configuration.KAFKA_BROKERS;
  if (!brokers) return postgresTopics(database, { report });
  const { kafkaTopics } = await import('../log/kafka/kafka-topics.ts');
  const open = () => kafkaTopics({ ...kafkaSettings(brokers, configuration), clientId: `clarity-${name}`, report });
  if (!READING.has(name)) return open();
  return deferredTopics(inBackground(open, 'Kafka', name === 'status' ? null : logger));
}

/**
 * Checks the event store and Kafka, where configured, without a database.
 * @returns those that do not answer, with the reason, never with a password
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
  const failures = await Promise.all(
    attempts.map(async ([dependency, open]) => {
      try {
        await (await open()).close();
        return [];
      } catch (error) {
        return [{ dependency, reason: messageOf(error) }];
      }
    }),
  );
  return failures.flat();
}

/** Runs a command next to a running service: joins its embedded PostgreSQL, or starts one for the duration. */
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

/** By folder, as the files have it. */
const opened = new Map<string, Promise<PreparedCatalogue>>();

/**
 * Loads the files of the catalogue named by `CATALOGUE`, relative to the working directory; the default is the one that is shipped.
 * A process with a database uses `openLiveCatalogue` of its services, which has the changes of operators too.
 * @throws CatalogueError naming file, field and value
 */
export async function openCatalogue(setting = readConfiguration(process.env).CATALOGUE): Promise<PreparedCatalogue> {
  const folder = setting === SHIPPED ? resolve(import.meta.dirname, '..', SHIPPED) : resolve(setting);
  const earlier = opened.get(folder);
  if (earlier) return earlier;
  const opening = loadCatalogue(folder).then(prepareCatalogue);
  opened.set(folder, opening);
  // A faulty catalogue is read again at the next start of a part, when it may have been corrected.
  opening.catch(() => opened.delete(folder));
  return opening;
}

/** By database: the parts of a process share one. */
const live = new WeakMap<Database, Promise<LiveCatalogue>>();

/**
 * The catalogue in use, with the changes of operators; it follows them while the process runs.
 * @throws CatalogueError
 */
export async function catalogueInUse({
  configuration,
  database,
  logger,
}: Pick<Services, 'configuration' | 'database' | 'logger'>): Promise<LiveCatalogue> {
  const earlier = live.get(database);
  if (earlier) return earlier;
  const opening = openCatalogue(configuration.CATALOGUE).then((shipped) =>
    openLiveCatalogue({
      shipped,
      database,
      report: (error) => logError(logger, error, {}, 'changes of the catalogue could not be read; it stays as it was'),
    }),
  );
  live.set(database, opening);
  opening.catch(() => live.delete(database));
  return opening;
}

/**
 * Opens understanding with the catalogue in use. See `openUnderstanding`.
 * @throws CatalogueError
 */
export async function understandingInUse(
  services: Pick<Services, 'configuration' | 'database' | 'logger'>,
): Promise<Understander> {
  const catalogue = await catalogueInUse(services);
  const { encode } = await openUnderstanding(services.logger, services.configuration.CATALOGUE);
  const claims = storedClaims(services.database);
  return catalogue.following(() => ({ ...createUnderstander(catalogue.prepared(), encode), claims }));
}

/** Items that the language model reads; undefined without one. */
export async function itemReadings(
  services: Services,
  understander: Understander,
): Promise<StoredReadings | undefined> {
  const { LLM_READS: reads, LLM_READER_MODEL: reader } = services.configuration;
  const model =
    reads === 'off' ? null : await languageModelOf(services.configuration, { ...modelUseOf(services), model: reader });
  return model && reads !== 'off'
    ? openStoredReadings({ database: services.database, model, reads, understander })
    : undefined;
}

/** The language model when one is configured. Its package is loaded only then. */
export async function languageModelOf(
  { LLM_BASE_URL: baseUrl, LLM_API_KEY: apiKey, LLM_MODEL, LLM_INPUT_PRICE, LLM_OUTPUT_PRICE }: Configuration,
  {
    model = LLM_MODEL,
    ...options
  }: Pick<ModelOptions, 'budget' | 'report' | 'spent'> & { readonly model?: string | undefined },
): Promise<LanguageModel | null> {
  if (!baseUrl || !model) return null;
  const { openLanguageModel } = await import('../log/language-model.ts');
  const prices = { input: LLM_INPUT_PRICE, output: LLM_OUTPUT_PRICE };
  return openLanguageModel({ baseUrl, apiKey, model, prices, ...options });
}

/** The budget that all processes share, and a line in the log for every answer and every failure. */
export const modelUseOf = ({
  configuration,
  database,
  logger,
  now,
}: Services): Pick<ModelOptions, 'budget' | 'report' | 'spent'> => ({
  budget: modelBudget(database, configuration.LLM_BUDGET, now),
  report: (error) => logger.warn({ err: error }, 'the language model failed; the service goes on without it'),
  spent: (call) => logger.info(call, 'the language model answered'),
});

/**
 * Opens understanding with the files of a catalogue, without changes of operators. Where the native runtime of the encoder does not load, it says so once in the log and
 * goes on with the linear models alone.
 * @throws CatalogueError
 */
export async function openUnderstanding(
  logger: { warn(message: string): void },
  setting?: string,
): Promise<Understander> {
  return openUnderstander(await openCatalogue(setting), (reason) =>
    logger.warn(`${reason}: items are understood by the linear models alone, less well`),
  );
}

/** Creates missing read models, empty, so that no process has to wait for the first projector. */
export const preparedModels = ({
  database,
  configuration,
}: Pick<Services, 'database' | 'configuration'>): Promise<void> =>
  prepareReadModels(database, readModels({ baseUrl: configuration.BASE_URL }));

/**
 * The read models with the address of the live rows, which contain it and hence have it in their version. When the settings
 * differ, the rows win: otherwise a replay without `BASE_URL` or `PORT` would write another address into them.
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

/**
 * Projects parked events now: in their read models, and in the index of OpenSearch, whose client is loaded only for that.
 * @param progress shows how far the events of a read model are
 * @throws Stopped when the signal aborts
 */
export async function retryParkedEvents(
  services: Services,
  entries: readonly Parked[],
  signal: AbortSignal,
  progress: TerminalContext['progress'] = () => () => undefined,
): Promise<Retried[]> {
  const outcomes = await retrySearchIndex(services, entries, signal);
  for (const model of await liveModels(services)) {
    const own = entries.filter((entry) => entry.model === model.name);
    if (own.length === 0) continue;
    const show = progress(model.name, 'events');
    const onProgress = (done: number, total: number): void => show('folding', done, total);
    try {
      outcomes.push(
        ...(await retryParked({ ...services, clock: services.now, model, entries: own, signal, onProgress })),
      );
    } catch (error) {
      if (signal.aborted) throw new Stopped(`stopped; the events of ${model.name} stay parked`);
      throw error;
    }
  }
  return outcomes;
}

async function retrySearchIndex(
  { store, database, logger, configuration }: Services,
  entries: readonly Parked[],
  signal: AbortSignal,
): Promise<Retried[]> {
  const own = entries.filter(({ model }) => model === SEARCH_INDEX);
  if (own.length === 0) return [];
  const { SEARCH_URL } = configuration;
  const error = 'SEARCH_URL is not set: set it as for clarity project, and retry';
  if (SEARCH_URL === undefined)
    return own.map(({ event_id }) => ({ model: SEARCH_INDEX, event_id, way: 'indexed', error, rows: 0 }));
  const { retryIndexed } = await import('../projector/index-signals.ts');
  return retryIndexed({ settings: { ...configuration, SEARCH_URL }, store, database, logger, signal }, own);
}
