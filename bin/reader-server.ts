/** The public server: REST, pages and MCP on one port, connected to their stores. Reads can go to a replica. */
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyPluginCallback } from 'fastify';
import { z } from 'zod';
import { type Access, openAccess } from '../access/access.ts';
import { loadAssistants, toolCalls } from '../access/quota/tool-calls.ts';
import { protectedResourceRoute, signInOf } from '../access/sign-in.ts';
import { type AnswerOptions, answerServices } from '../answer/answer-question.ts';
import type { AskServices } from '../answer/ask.ts';
import { questionModel } from '../answer/question-model.ts';
import type { ResearchServices } from '../answer/research.ts';
import { describeApi } from '../api/description/document.ts';
import { buildServer } from '../api/server.ts';
import { previewSource } from '../ingest/preview-source.ts';
import { meaningsByEncoder } from '../ingest/understand/encoder/item-encoder.ts';
import { listDeadLetters } from '../log/dead-letters.ts';
import { logError } from '../log/errors.ts';
import { type Database, openDatabase, queryValue, serverActivity } from '../log/postgres/database.ts';
import { mcpSurface } from '../mcp/mcp-surface.ts';
import { createNameLookup } from '../mcp/tool.ts';
import { SEARCH_INDEX } from '../projector/model-progress.ts';
import type { SignalSearch } from '../projector/models/search-queries.ts';
import { listParked } from '../projector/parked-events.ts';
import { replay } from '../projector/rebuild/replay-model.ts';
import { directoryOf, gazetteerOf } from '../schemas/directory.ts';
import type { MeaningOf } from '../schemas/story.ts';
import { sitePages } from '../web/pages.ts';
import type { Desk, PipelineState } from '../web/site.ts';
import { DatabaseUnavailable } from './errors.ts';
import { LagClock, LOGS, measureServiceState, unreachableOf } from './observe/service-state.ts';
import { demoNotice, openFetcher } from './polled-sources.ts';
import type { Closing } from './process.ts';
import {
  catalogueInUse,
  connectionsOf,
  languageModelOf,
  liveModels,
  modelUseOf,
  preparedModels,
  reach,
  retryParkedEvents,
  type Services,
  understandingInUse,
} from './services.ts';

/** The model that reads questions and words answers when one is configured. */
async function modelOf(services: Services): Promise<AnswerOptions['model']> {
  const { LLM_READER_MODEL, LLM_TIMEOUT_SECONDS: seconds } = services.configuration;
  const model = await languageModelOf(services.configuration, modelUseOf(services));
  if (!model) return null;
  const smaller = LLM_READER_MODEL
    ? await languageModelOf(services.configuration, { ...modelUseOf(services), model: LLM_READER_MODEL })
    : null;
  return questionModel(model, { reader: smaller ?? model, timeout: seconds * 1_000 });
}

/** The first question or search in other words than the record's loads the encoder, where the process has not done so before. */
const meaningsIn = (logger: Services['logger']): MeaningOf =>
  meaningsByEncoder((reason) => logger.warn(`questions and searches are answered by names and words alone: ${reason}`));

/** @throws CatalogueError */
async function openAnswers(
  services: Services,
  search: SignalSearch | undefined,
): Promise<AskServices & ResearchServices> {
  const { database, store, configuration, logger, now } = services;
  const catalogue = await catalogueInUse(services);
  return answerServices({
    database,
    search,
    store,
    now,
    catalogue: () => catalogue.prepared(),
    baseUrl: configuration.BASE_URL,
    model: await modelOf(services),
    meaningOf: meaningsIn(logger),
  });
}

/** Milliseconds that an address may take to answer on the page that adds sources. */
const PREVIEW_TIMEOUT = 25_000;

/** Milliseconds that the logs have to answer while the page of the pipeline is opened. */
const LOGS_TIMEOUT = 4_000;
/** The state of the whole pipeline, whichever process runs it. */
const MEASURED: ReadonlySet<string> = new Set(['project']);

/** The state of the pipeline, as its page shows it. */
async function measurePipeline(services: Services, lags: LagClock): Promise<PipelineState> {
  const [models, { unreachable }] = await Promise.all([
    liveModels(services),
    unreachableOf(services, LOGS, LOGS_TIMEOUT),
  ]);
  const [state, { processes }, parked, letters] = await Promise.all([
    measureServiceState(services, MEASURED, services.now(), models, lags, unreachable),
    serverActivity(services.database),
    listParked(services.database),
    listDeadLetters(services.database),
  ]);
  const { totalCount, idleCount, waitingCount, options } = services.database;
  return {
    groups: state.groups,
    models: state.models,
    rebuilds: state.rebuilds,
    mails: state.mails,
    model: state.model,
    processes,
    unreachable: [...unreachable.keys()],
    parked: (state.parked ?? []).map(({ model, events }) => ({
      name: model,
      many: events,
      cause: parked.findLast((one) => one.model === model && !one.skipped)?.error ?? null,
    })),
    dead_letters: (state.dead_letters ?? []).map(({ group_name, topic, kind, messages }) => ({
      name: `${group_name}, ${topic}, ${kind}`,
      many: messages,
      cause:
        letters.find((one) => one.group_name === group_name && one.topic === topic && one.kind === kind)?.error ?? null,
    })),
    pool: {
      used: totalCount - idleCount,
      idle: idleCount,
      waiting: waitingCount,
      maximum: options.max ?? 0,
    },
  };
}

/**
 * What operators can do on the pages. The encoder is loaded when an operator first opens the review desk.
 * @param signal ends work that a page started when the process stops
 */
export function openDesk(services: Services, signal: AbortSignal): Desk {
  const { configuration, logger, store } = services;
  const fetchPage = openFetcher(configuration, services.now);
  const lags = new LagClock();
  return {
    async understand(report) {
      const understander = await understandingInUse(services);
      const { understanding, reasons } = await understander.understand(report, { explain: true });
      return { understanding, reasons, understood_by: understander.version };
    },
    fetchPage,
    async preview(address) {
      const understander = await understandingInUse(services);
      const within = AbortSignal.any([signal, AbortSignal.timeout(PREVIEW_TIMEOUT)]);
      return previewSource({ store, fetchPage, signal: within, now: services.now(), understander }, address);
    },
    measure: () => measurePipeline(services, lags),
    async rebuild(name) {
      // The index of OpenSearch is rebuilt when a read model that it is filled from is.
      const source = name === SEARCH_INDEX ? 'search' : name;
      const model = (await liveModels(services)).find((one) => one.name === source);
      if (!model) throw new Error(`no read model is called ${name}`);
      const begun = Promise.withResolvers<void>();
      replay({ ...services, clock: services.now, model, signal, onProgress: () => begun.resolve() }).then(
        () => begun.resolve(),
        (error: unknown) => {
          logError(logger, error, { model: name }, 'a rebuild that was started from its page failed');
          begun.reject(error);
        },
      );
      await begun.promise;
    },
    retry: (entries) => retryParkedEvents(services, entries, signal),
  };
}

const ASSISTANTS = resolve(import.meta.dirname, '../deploy/assistants.yaml');

/**
 * Connects MCP to the stores, for every process that serves it.
 * @param readers database that the tools query
 * @param search undefined to search in `readers`
 * @throws CatalogueError, AssistantListError
 */
export async function openMcp(
  services: Pick<Services, 'configuration' | 'database' | 'logger' | 'now'>,
  { identify }: Pick<Access, 'identify'>,
  readers: Database,
  search: SignalSearch | undefined,
): Promise<FastifyPluginCallback> {
  const { configuration, database, now } = services;
  const catalogue = await catalogueInUse(services);
  const names = catalogue.following((effective) => createNameLookup(effective.catalogue));
  // A call takes each of them from here: they are three that follow, not those of the start.
  const lookup = {
    directory: catalogue.following(() => names.directory),
    gazetteer: catalogue.following(() => names.gazetteer),
    themes: catalogue.following(() => names.themes),
  };
  return mcpSurface({
    context: {
      ...lookup,
      database: readers,
      ...(search && { search }),
      baseUrl: configuration.BASE_URL,
      now,
      meaningOf: meaningsIn(services.logger),
    },
    identify,
    calls: toolCalls(database, await loadAssistants(ASSISTANTS)),
    signIn: signInOf(configuration),
  });
}

/** Milliseconds that a replica has at the start to catch up with the database. */
const REPLICA_TIMEOUT = 30_000;
const CHECK_INTERVAL = 100;

const REACHED = `SELECT NOT pg_is_in_recovery() OR pg_last_wal_replay_lsn() >= $1::pg_lsn`;

/**
 * Prepares the read models and opens the database of readers' queries: the replica of `DATABASE_READ_URL`, read-only, else
 * the main database.
 * @param timeout milliseconds that the replica has to catch up with the database
 * @throws DatabaseUnavailable when the replica cannot be reached or does not follow
 */
export async function openReaders(
  services: Pick<Services, 'configuration' | 'database'>,
  closing: Closing,
  timeout = REPLICA_TIMEOUT,
): Promise<Database> {
  const { configuration, database } = services;
  // Until the first projector runs, readers find empty views instead of an error.
  await preparedModels(services);
  const url = configuration.DATABASE_READ_URL;
  if (!url) return database;
  const replica = openDatabase(url, {
    name: 'readers',
    ...connectionsOf('api', configuration),
    readOnly: true,
    pooled: configuration.DATABASE_DIRECT_URL !== undefined,
  });
  closing.add(() => replica.end());
  await reach(replica, 'DATABASE_READ_URL');
  await waitForReplica(replica, database, timeout);
  return replica;
}

/** Waits until the replica has caught up with the current state of the database, such as its views. */
async function waitForReplica(replica: Database, database: Database, timeout: number): Promise<void> {
  const now = await queryValue(database, 'SELECT pg_current_wal_lsn()::text', [], z.string());
  for (const end = performance.now() + timeout; performance.now() < end; await sleep(CHECK_INTERVAL)) {
    if (await queryValue(replica, REACHED, [now], z.boolean())) return;
  }
  throw new DatabaseUnavailable(
    `the replica of DATABASE_READ_URL does not follow the database of DATABASE_URL: it has not caught up within ` +
      `${timeout / 1000} s. Check that it replays (pg_stat_replication), or unset DATABASE_READ_URL`,
  );
}

/**
 * Search on OpenSearch where `SEARCH_URL` names it; undefined for PostgreSQL. Its client is loaded only then.
 * @param readers database of the documents
 */
export async function openSearch(
  { configuration, now }: Pick<Services, 'configuration' | 'now'>,
  readers: Database,
  closing: Closing,
): Promise<SignalSearch | undefined> {
  const { SEARCH_URL } = configuration;
  if (SEARCH_URL === undefined) return undefined;
  const { openSearchSignals } = await import('../projector/models/opensearch-queries.ts');
  const search = openSearchSignals({ ...configuration, SEARCH_URL }, readers, now);
  closing.add(() => search.close());
  return search;
}

/** Opens the embedded issuer. Its package is loaded only when it is used, which makes other starts faster. */
async function openIssuer({ configuration, database, logger }: Services) {
  const { mountIssuer, openEmbeddedIssuer } = await import('../access/embedded-issuer.ts');
  const report = (error: unknown): void => logger.error({ err: error }, 'sign-in failed');
  const issuer = await openEmbeddedIssuer(database, configuration.BASE_URL, report);
  return { issuer, mounted: mountIssuer(issuer, configuration.BASE_URL) };
}

/**
 * Starts listening on `HOST` and `PORT`.
 * @returns the port, which the system chose when `PORT` is 0
 * @throws EADDRINUSE when the port is taken
 */
export async function listen(services: Services, closing: Closing): Promise<number> {
  const { configuration, database, logger, store, now } = services;
  const readers = await openReaders(services, closing);
  const search = await openSearch(services, readers, closing);
  const catalogue = await catalogueInUse(services);
  const directory = catalogue.following((effective) => directoryOf(effective.catalogue));
  const gazetteer = catalogue.following((effective) => gazetteerOf(effective.catalogue));
  const { BASE_URL: baseUrl } = configuration;
  const answers = await openAnswers(services, search);
  const signIn = signInOf(configuration);
  const embedded = signIn.kind === 'embedded' ? await openIssuer(services) : null;
  const access = openAccess({ database, configuration, now });
  const ending = new AbortController();
  closing.add(async () => ending.abort());
  const demo = await demoNotice(store, ending.signal);
  const desk = openDesk(services, ending.signal);
  const shared = { database, readers, search, store, directory, gazetteer, configuration, access, answers, now };
  const site = sitePages({ ...shared, catalogue, demo, desk, issuer: embedded?.issuer ?? null, describeApi });
  const server = await buildServer({
    ...shared,
    logger,
    ...site,
    surfaces: [
      ...site.surfaces,
      protectedResourceRoute(`${baseUrl}/api/v1`, 'Clarity API', signIn),
      await openMcp(services, access, readers, search),
      ...(embedded ? [embedded.mounted] : []),
    ],
  });
  await server.listen({ host: configuration.HOST, port: configuration.PORT });
  closing.serves(() => server.beginDraining());
  closing.add(() => server.close());
  const address = server.server.address();
  return typeof address === 'object' && address ? address.port : configuration.PORT;
}
