/** The parts of the service, each connected to its stores: `up` runs all of them, every other command one. */
import { runSweeper } from '../access/access.ts';
import { runAnalyse } from '../ingest/analyse.ts';
import { companiesIn } from '../ingest/analysis-facts.ts';
import { runUnderstandAgain } from '../ingest/catalogue/understand-again.ts';
import { runMatcherAsOwner } from '../ingest/match/matcher.ts';
import { parentsIn } from '../ingest/match/report-features.ts';
import { postgresSignalIndex } from '../ingest/match/signal-index.ts';
import { type OracleOptions, runOracle } from '../ingest/oracle.ts';
import { runPoller } from '../ingest/poll/poller.ts';
import { runReadAgain } from '../ingest/read-again.ts';
import { runUnderstand } from '../ingest/understand/understander.ts';
import { postgresDeadLetters } from '../log/dead-letters.ts';
import { isLoopbackAddress } from '../log/guarded-connection.ts';
import { postgresPollRequests } from '../log/postgres/poll-requests.ts';
import { postgresGroup } from '../log/postgres/topics/consumer-group.ts';
import { runRetention } from '../log/postgres/topics/topic-retention.ts';
import { retentionOf } from '../operations/topics.ts';
import { waitForPosition } from '../projector/model-progress.ts';
import { readModels } from '../projector/models/all-read-models.ts';
import { recentOracleItems } from '../projector/models/review-queries.ts';
import { pollState } from '../projector/models/source-health-queries.ts';
import { runProjector } from '../projector/run-projector.ts';
import { ITEMS, POLLS } from '../schemas/poll.ts';
import { STORIES } from '../schemas/story.ts';
import { contactOf, sourceSecret } from './polled-sources.ts';
import { catalogueInUse, itemReadings, preparedModels, type Services, understandingInUse } from './services.ts';
import type { Part } from './supervise.ts';

/** @param demoPort the port on loopback that may be polled in spite of the guards; null without a demo newsroom */
export const pollPart =
  ({ store, topics, database, logger, configuration, now }: Services, demoPort: number | null): Part =>
  (signal) =>
    runPoller({
      store,
      items: topics.topic(ITEMS),
      polls: topics.topic(POLLS),
      resume: (sourceId) => pollState(database, sourceId),
      requests: postgresPollRequests(database, now),
      clock: now,
      logger,
      signal,
      contact: contactOf(configuration),
      secrets: sourceSecret,
      group: postgresGroup(database, 'pollers'),
      allowAddress: (address, port) =>
        configuration.ALLOW_PRIVATE_SOURCES || (port === demoPort && isLoopbackAddress(address)),
    });

/** @throws CatalogueError */
export async function understandPart(services: Services): Promise<Part> {
  const { topics, store, database, logger, now } = services;
  const understander = await understandingInUse(services);
  const readings = await itemReadings(services, understander);
  const catalogue = await catalogueInUse(services);
  const understandNew = (signal: AbortSignal): Promise<void> =>
    runUnderstand({
      items: topics.topic(ITEMS),
      stories: topics.topic(STORIES),
      understander,
      readings,
      logger,
      signal,
      deadLetters: postgresDeadLetters(database),
    });
  return async (signal) => {
    const again = {
      store,
      database,
      understander,
      logger,
      signal,
      items: topics.topic(ITEMS),
      stories: topics.topic(STORIES),
      clock: now,
    };
    await Promise.all([
      understandNew(signal),
      runUnderstandAgain({ ...again, catalogue }),
      ...(readings ? [runReadAgain({ ...again, readings })] : []),
    ]);
  };
}

/** Stories in, signals out, in one process at a time. @throws CatalogueError */
export const matchPart =
  (services: Services): Part =>
  async (signal) => {
    const { topics, store, database, logger, now } = services;
    const catalogue = await catalogueInUse(services);
    const deadLetters = postgresDeadLetters(database);
    const index = await postgresSignalIndex(database);
    await runMatcherAsOwner(database, {
      stories: topics.topic(STORIES),
      store,
      index,
      deadLetters,
      logger,
      clock: now,
      signal,
      parentOf: (slug) => parentsIn(catalogue.prepared())(slug),
    });
  };

/** Milliseconds that an analysis waits for its read models in one attempt. */
const PROJECTED_WITHIN = 1_000;

/** Analyses each new signal once the read models contain it. */
export const analysePart =
  (services: Services): Part =>
  async (signal) => {
    const { store, database, logger, now } = services;
    const catalogue = await catalogueInUse(services);
    await runAnalyse({
      store,
      database,
      logger,
      clock: now,
      signal,
      companies: catalogue.following((effective) => companiesIn(effective.catalogue.brands)),
      projected: async (position) =>
        (await waitForPosition(database, 'moves', position, PROJECTED_WITHIN)) &&
        (await waitForPosition(database, 'signals', position, PROJECTED_WITHIN)),
    });
  };

/** Projects into every read model, and builds those of a new version. */
export const projectPart =
  ({ topics, store, database, logger, configuration, now }: Services): Part =>
  (signal) =>
    runProjector({
      database,
      store,
      topics,
      logger,
      signal,
      clock: now,
      models: readModels({ baseUrl: configuration.BASE_URL }),
    });

/** Fills the index of OpenSearch, where there is one. Its client is loaded only then. */
export function searchIndexPart({ store, database, logger, configuration }: Services): Record<string, Part> {
  const { SEARCH_URL } = configuration;
  if (SEARCH_URL === undefined) return {};
  return {
    index: async (signal) => {
      const { runSearchIndex } = await import('../projector/index-signals.ts');
      await runSearchIndex({ settings: { ...configuration, SEARCH_URL }, store, database, logger, signal });
    },
  };
}

/** Removes expired messages of topics in PostgreSQL. Kafka does so by itself. */
export const retentionPart =
  ({ database, logger, configuration, now }: Services): Part =>
  (signal) =>
    runRetention({
      database,
      logger,
      signal,
      clock: now,
      ...retentionOf(configuration),
      ...(configuration.KAFKA_BROKERS ? { days: { otherwise: 0, topics: {} }, bytes: undefined } : {}),
    });

/** Deletes expired rows of the access tables: counts of calls, sessions, sign-ins, records of mails. */
export const sweepPart =
  ({ database }: Services): Part =>
  (signal) =>
    runSweeper(database, signal);

/** What a measurement of the Oracle needs. @throws CatalogueError */
export async function oracleOptions(services: Services): Promise<OracleOptions> {
  const { store, database, logger, now } = services;
  await preparedModels(services);
  const understander = await understandingInUse(services);
  return {
    store,
    index: await postgresSignalIndex(database),
    items: (since) => recentOracleItems(database, since),
    understander,
    parentOf: (slug) => parentsIn(understander.catalogue)(slug),
    logger,
    clock: now,
  };
}

/** @throws CatalogueError */
export async function oraclePart(services: Services): Promise<Part> {
  const options = await oracleOptions(services);
  return (signal) => runOracle({ ...options, signal });
}
