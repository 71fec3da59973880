/** A server over read models that a real projector fills from real events. */
import type { FastifyInstance, FastifyPluginCallback } from 'fastify';
import type { Access } from '../../access/access.ts';
import type { Authorise } from '../../access/authorise.ts';
import type { EmbeddedIssuer } from '../../access/embedded-issuer.ts';
import type { WebSignInSettings } from '../../access/web-sessions.ts';
import { answerServices } from '../../answer/answer-question.ts';
import { describeApi } from '../../api/description/document.ts';
import { buildServer } from '../../api/server.ts';
import { prepareCatalogue } from '../../facts/text/catalogue.ts';
import { openLiveCatalogue } from '../../ingest/catalogue/effective-catalogue.ts';
import { type Database, openDatabase } from '../../log/postgres/database.ts';
import { postgresTopics } from '../../log/postgres/topics/postgres-topics.ts';
import { waitForPosition } from '../../projector/model-progress.ts';
import { readModels } from '../../projector/models/all-read-models.ts';
import { prepareReadModels } from '../../projector/promote-build.ts';
import type { Catalogue } from '../../schemas/catalogue.ts';
import type { Configuration } from '../../schemas/configuration.ts';
import { directoryOf, gazetteerOf } from '../../schemas/directory.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import type { SignalId } from '../../schemas/scalar.ts';
import { signalStream } from '../../schemas/signal.ts';
import { type Source, sourceStream } from '../../schemas/source.ts';
import type { MeaningOf } from '../../schemas/story.ts';
import { sitePages } from '../../web/pages.ts';
import type { Desk } from '../../web/site.ts';
import { filledDatabase } from '../harness/database.ts';
import { withDescribedAnswers } from '../harness/described-answers.ts';
import { openAccess } from '../harness/open-access.ts';
import { type Engine, testEngine } from '../projector/engine.ts';
import { storedEvent } from '../projector/given-when-then.ts';

export const BASE_URL = 'http://clarity.test';

export interface Serving {
  readonly server: FastifyInstance;
  readonly engine: Engine;
  /** Appends events, each to the stream of its signal, and waits until readers see them. */
  append(...events: readonly (KnownEvent & { data: { signal_id: SignalId } })[]): Promise<void>;
  /** Adds sources to the roster, and waits likewise. */
  enrol(...sources: readonly Source[]): Promise<void>;
  close(): Promise<void>;
}

export interface ServingOptions {
  readonly demo?: boolean;
  readonly baseUrl?: string;
  /** Names of read models to fill in addition to those of signals and sources. */
  readonly models?: readonly string[];
  readonly catalogue?: Partial<Pick<Catalogue, 'brands' | 'themes' | 'cities' | 'groups' | 'malls'>>;
  /** Access of callers, without regard to limits; every caller when unset. */
  readonly authorise?: Authorise;
  /** Access as it is in service; it needs the model `accounts`. */
  readonly access?: (database: Database) => Access;
  /** The embedded issuer and where it is mounted. */
  readonly issuer?: (database: Database) => Promise<{ issuer: EmbeddedIssuer; mounted: FastifyPluginCallback }>;
  /** What else answers on the port. */
  readonly surfaces?: (parts: { database: Database; access: Access; clock: () => Date }) => FastifyPluginCallback[];
  /** What operators' pages reach beyond the stores. */
  readonly desk?: Desk;
  /** Settings of signing in on the pages. */
  readonly settings?: Partial<WebSignInSettings & Pick<Configuration, 'SMTP_URL' | 'CONTACT_EMAIL' | 'SITE_TEXTS'>>;
  /** What questions say; they are answered by names and words alone when unset. */
  readonly meaningOf?: MeaningOf;
  /** The setting TRUST_PROXY. */
  readonly proxies?: string;
}

/** With the empty tables of every read model, which takes most of the time of a start. */
const withModels = filledDatabase('with_models', (database) =>
  prepareReadModels(database, readModels({ baseUrl: BASE_URL })),
);

/** Starts with an empty record. */
export async function serving(options: ServingOptions = {}): Promise<Serving> {
  const baseUrl = options.baseUrl ?? BASE_URL;
  const engine = await testEngine(withModels);
  const { database, clock } = engine;
  const wanted = ['signals', 'source_health', ...(options.models ?? [])];
  const models = readModels({ baseUrl }).filter(({ name }) => wanted.includes(name));
  const topics = postgresTopics(database);
  const projector = engine.run(models, { topics });
  const seen = async (position: bigint): Promise<void> => {
    for (const { name } of models)
      if (!(await waitForPosition(database, name, position, 60_000))) throw new Error(`${name} lags behind`);
  };
  const configuration = { BASE_URL: baseUrl, TRUST_PROXY: options.proxies, ...options.settings };
  const catalogue = { brands: [], themes: [], cities: [], groups: [], malls: [], ...options.catalogue };
  const lists = { outlets: [], investors: [], other_years: [], indian_years: [], version: 'test', ...catalogue };
  const live = await openLiveCatalogue({
    shipped: prepareCatalogue(lists),
    database,
    every: 0,
    report: (error) => {
      throw error;
    },
  });
  const directory = live.following((effective) => directoryOf(effective.catalogue));
  const gazetteer = live.following((effective) => gazetteerOf(effective.catalogue));
  const embedded = await options.issuer?.(database);
  const issuer = embedded?.issuer ?? null;
  const access = options.access?.(database) ?? {
    ...openAccess(),
    ...(options.authorise && { authorise: options.authorise }),
  };
  const { store } = engine;
  const { demo = false, desk = null } = options;
  // As with a replica: what answers readers writes nothing over it.
  const readers = openDatabase(engine.url, { name: 'readers', max: 4, readOnly: true });
  const shown = sitePages({
    database,
    readers,
    store,
    directory,
    gazetteer,
    configuration,
    access,
    demo,
    catalogue: live,
    now: clock,
    issuer,
    desk,
    describeApi,
  });
  const server = await buildServer({
    ...(options.meaningOf && {
      answers: answerServices({ database, store, baseUrl, now: clock, meaningOf: options.meaningOf }),
    }),
    database,
    readers,
    store,
    directory,
    gazetteer,
    configuration,
    now: clock,
    access,
    ...shown,
    surfaces: [
      ...shown.surfaces,
      ...(embedded ? [embedded.mounted] : []),
      ...(options.surfaces?.({ database, access, clock }) ?? []),
    ],
  });
  return {
    server: withDescribedAnswers(server, options.access !== undefined),
    engine,
    async append(...events) {
      let position = 0n;
      for (const event of events) position = await engine.add(signalStream(event.data.signal_id), event);
      await seen(position);
    },
    async enrol(...sources) {
      let position = 0n;
      for (const source of sources)
        position = await engine.add(
          sourceStream(source.id),
          storedEvent('SourceAdded', { by: 'test', why: 'test', source }),
        );
      await seen(position);
    },
    async close() {
      await projector.stop();
      await server.close();
      await readers.end();
      await topics.close();
      await engine.close();
    },
  };
}
