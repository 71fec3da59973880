/**
 * The projection into OpenSearch: the rows of the read models `search` and `signals` as documents of an index. It follows the
 * event store for what changed, at least once and in any order of arrival: the id of a document is that of its signal, its
 * version is the position of an event that the document contains, and OpenSearch refuses lower versions. The checkpoint
 * moves after OpenSearch has acknowledged the documents. Only public signals are in the index.
 */
import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { backoff, keepRunning, pause, RETRY } from '../log/backoff.ts';
import { describeError, logError, messageOf } from '../log/errors.ts';
import { type EventStore, type Page, pagesOf, type StoredEvent } from '../log/event-store.ts';
import { type Database, query, transaction } from '../log/postgres/database.ts';
import { readEnvelope } from '../schemas/events.ts';
import { eventsProjected } from '../schemas/observation.ts';
import { StoredSignalId } from '../schemas/scalar.ts';
import { SIGNAL_PREFIX, signalStream } from '../schemas/signal.ts';
import { type Refused, readForModel } from './apply-page.ts';
import { runAsOwner } from './follow-log.ts';
import { Build, checkpoint, liveBuild, moveCheckpoint, STORE } from './model-builds.ts';
import { SEARCH_INDEX, waitForPosition } from './model-progress.ts';
import {
  isIndexMissing,
  isSearchDown,
  openSearchServer,
  type SearchServer,
  type SearchSettings,
  STOP_WORDS,
} from './models/opensearch-queries.ts';
import { searchModel } from './models/search-read-model.ts';
import { forgetParkedBefore, type Parked, park, unpark, updateParkedError } from './parked-events.ts';
import { EMPTY } from './promote-build.ts';
import type { Services } from './read-model.ts';
import type { Retried } from './retry-parked.ts';

/** The read models whose rows are indexed. */
const SOURCES = ['search', 'signals'] as const;

/** 100 million signals make shards of the size that OpenSearch recommends, 10 to 50 GB. */
const SHARDS = 3;

const SETTINGS = {
  number_of_shards: SHARDS,
  // Pages of the newest are read off the end of the index.
  'sort.field': ['published', 'key'],
  'sort.order': ['desc', 'desc'],
  // How long OpenSearch knows the version of a deleted document: far longer than a request of a former owner lasts.
  gc_deletes: '1h',
  analysis: {
    filter: {
      stop_words: { type: 'stop', stopwords: STOP_WORDS },
      // The algorithm of PostgreSQL's `english`.
      stems: { type: 'snowball', language: 'English' },
    },
    tokenizer: { words: { type: 'char_group', tokenize_on_chars: ['whitespace', 'punctuation', 'symbol'] } },
    analyzer: { default: { type: 'custom', tokenizer: 'words', filter: ['lowercase', 'stop_words', 'stems'] } },
  },
};

const MAPPINGS = {
  dynamic: 'strict',
  // Documents are read from PostgreSQL, from which the index is rebuilt too.
  _source: { enabled: false },
  properties: {
    key: { type: 'keyword' },
    // Microseconds since 2000, as PostgreSQL stores them.
    published: { type: 'long' },
    reported: { type: 'long' },
    moved: { type: 'long' },
    outlets: { type: 'integer' },
    salience: { type: 'double' },
    tags: { type: 'keyword' },
    ...Object.fromEntries(['headline', 'names', 'body', 'reports'].map((name) => [name, { type: 'text' }])),
  },
};

/** Documents of public signals. */
const DOCUMENTS = `SELECT f.key, json_build_object('key', f.key, 'tags', f.tags, 'outlets', f.outlets, 'salience', f.salience,
    'published', ((extract(epoch FROM f.published_at) - 946684800) * 1000000)::bigint,
    'reported', ((extract(epoch FROM f.reported_at) - 946684800) * 1000000)::bigint,
    'moved', ((extract(epoch FROM s.moved_at) - 946684800) * 1000000)::bigint,
    'headline', s.headline, 'names', s.names, 'body', s.body, 'reports', s.reports)::text AS document
  FROM read.signal_facets f JOIN read.search_signals s ON s.key = f.key AND s.is_public`;

const Document = z.object({ key: z.string(), document: z.string() });
const OfSignal = z.object({ signal_id: z.string() });

/** A write of one document; null deletes it. */
interface Write {
  readonly key: string;
  readonly document: string | null;
  /** The position of an event up to which the document contains its signal. */
  readonly version: bigint;
}

/** A document that OpenSearch does not accept, and why. */
interface Rejected {
  readonly key: string;
  readonly error: Error;
}

const BulkAnswer = z.object({
  items: z.array(
    z.record(
      z.string(),
      z.object({
        _id: z.string(),
        status: z.int(),
        error: z.object({ type: z.string(), reason: z.string().nullish() }).optional(),
      }),
    ),
  ),
});

const Highest = z.object({ hits: z.object({ hits: z.array(z.object({ _id: z.string() })) }) });

/** The index is gone, or is no longer of this program and these read models: it is rebuilt. */
class IndexReplaced extends Error {
  override name = 'IndexReplaced';
}

const TIMEOUT = 60_000;
const BATCH = 2_000;
/** Milliseconds from one check that the index is the right one to the next. */
const CHECK_EVERY = 5_000;
const WAIT = 500;

/** Names under which an index is written: an index that is gone must not be created again by a write. */
const writingAlias = (index: string): string => `${index}-writes`;

export interface IndexOptions extends Pick<Services, 'database' | 'logger'> {
  readonly store: EventStore;
  readonly settings: SearchSettings;
  readonly signal: AbortSignal;
  /** Documents of one request of a rebuild; 2,000 by default, which are some megabytes. */
  readonly batch?: number;
}

/**
 * Keeps the index up to date until the signal aborts. One process does so, others are warm standbys. An index of another
 * version, or of replaced read models, is rebuilt next to the live one; then the alias is swapped. While OpenSearch is
 * unreachable, requests are retried with a backoff.
 */
export async function runSearchIndex({ settings, signal, ...services }: IndexOptions): Promise<void> {
  const server = openSearchServer(settings, TIMEOUT);
  const { logger } = services;
  try {
    const follow = (): Promise<void> =>
      runAsOwner(services, { name: SEARCH_INDEX, version: server.alias }, signal, (owned) =>
        new SearchIndex(services, server, owned).run(),
      );
    await keepRunning(follow, {
      ...RETRY.part,
      signal,
      failed(error) {
        // Of an unreachable server the message suffices.
        if (isSearchDown(error))
          logger.warn(
            { model: SEARCH_INDEX, kind: 'transient', reason: messageOf(error) },
            'OpenSearch is unreachable or overloaded; retrying',
          );
        else logError(logger, error, { model: SEARCH_INDEX }, 'the search index stopped; retrying');
      },
    });
  } finally {
    await server.client.close();
  }
}

/**
 * Retries parked events of the index: the signals that they concern are written as their rows are now, whichever process owns
 * the index. What OpenSearch accepts is no longer parked; the rest has its newest error.
 * @returns the outcome of each; while OpenSearch is unreachable, and before the first index, each has that as its error
 */
export async function retryIndexed(
  { settings, signal, ...services }: IndexOptions,
  entries: readonly Parked[],
): Promise<Retried[]> {
  const server = openSearchServer(settings, TIMEOUT);
  const outcomes = (errorOf: (eventId: string) => string | null): Retried[] =>
    entries.map(({ event_id }) => {
      const error = errorOf(event_id);
      return { model: SEARCH_INDEX, event_id, way: 'indexed', error, rows: error === null ? 1 : 0 };
    });
  try {
    const errors = await new SearchIndex(services, server, signal).retry(entries);
    return outcomes((id) => errors.get(id) ?? null);
  } catch (error) {
    if (signal.aborted || !(isSearchDown(error) || error instanceof IndexReplaced)) throw error;
    const why = isSearchDown(error) ? `OpenSearch is unreachable or overloaded: ${messageOf(error)}` : messageOf(error);
    return outcomes(() => why);
  } finally {
    await server.client.close();
  }
}

/** One owner of the index, or a retry next to it. */
class SearchIndex {
  readonly #database: Database;
  readonly #store: EventStore;
  readonly #logger: Services['logger'];
  readonly #server: SearchServer;
  readonly #signal: AbortSignal;
  readonly #batch: number;

  constructor(
    { database, store, logger, batch = BATCH }: Pick<IndexOptions, 'database' | 'store' | 'logger' | 'batch'>,
    server: SearchServer,
    signal: AbortSignal,
  ) {
    this.#database = database;
    this.#store = store;
    this.#logger = logger;
    this.#server = server;
    this.#signal = signal;
    this.#batch = batch;
  }

  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      const version = await this.#version();
      const live = version === null ? null : await this.#live(version);
      try {
        if (live) await this.#follow(live);
        else if (version === null) await pause(WAIT, this.#signal);
        else await this.#replace(version);
      } catch (error) {
        if (!(error instanceof IndexReplaced)) throw error;
      }
    }
  }

  /** Writes the signals of parked events to the live index. @returns the errors of those that stay parked @throws IndexReplaced */
  async retry(entries: readonly Parked[]): Promise<ReadonlyMap<string, string>> {
    const index = await liveBuild(this.#database, SEARCH_INDEX);
    if (!index) throw new IndexReplaced('no search index is live; when project has built it, it contains the signal');
    const keysOf = new Map(
      entries.map(({ event_id, event: text }) => {
        const event = readEnvelope(JSON.parse(text));
        const keys = readForModel(searchModel(), [event]).taken.flatMap((taken) => taken.keys);
        // A build parks a signal by its last event, which need not be one that the read model of search takes.
        const own = OfSignal.safeParse(event.data).data;
        return [event_id, new Set([...keys, ...(own ? [own.signal_id] : [])])];
      }),
    );
    const keys = [...new Set([...keysOf.values()].flatMap((own) => [...own]))];
    // Read before the rows, which have this position or a later one.
    const version = await this.#position();
    const rows = await this.#documents('WHERE f.key = ANY ($1)', [keys]);
    const documents = new Map(rows.map(({ key, document }) => [key, document]));
    const rejected = await this.#write(
      index,
      keys.map((key) => ({ key, version, document: documents.get(key) ?? null })),
    );
    const reasons = new Map(rejected.map(({ key, error }) => [key, error.message]));
    const errors = new Map(
      [...keysOf].flatMap(([id, own]) => {
        const key = [...own].find((one) => reasons.has(one));
        return key === undefined ? [] : [[id, reasons.get(key) ?? '']];
      }),
    );
    await transaction(this.#database, async (client) => {
      const accepted = [...keysOf.keys()].filter((id) => !errors.has(id));
      await unpark(client, SEARCH_INDEX, accepted);
      for (const [id, why] of errors) await updateParkedError(client, SEARCH_INDEX, id, why);
    });
    return errors;
  }

  /** What decides what the index contains: its form, and the builds of the read models. Null before their first builds. */
  async #version(): Promise<string | null> {
    const builds = await Promise.all(SOURCES.map((name) => liveBuild(this.#database, name)));
    if (builds.some((build) => !build || build.version === EMPTY)) return null;
    const about = [SETTINGS, MAPPINGS, DOCUMENTS, builds.map((build) => build?.name)];
    return createHash('sha256').update(JSON.stringify(about)).digest('hex').slice(0, 12);
  }

  /** The index that readers see, if it is of the version. */
  async #live(version: string): Promise<Build | null> {
    const live = await liveBuild(this.#database, SEARCH_INDEX);
    if (live?.version !== version) return null;
    return (await this.#aliased()).includes(live.name) ? live : null;
  }

  /** The indexes behind an alias, by default that of readers: one, or none. */
  async #aliased(alias = this.#server.alias): Promise<string[]> {
    const aliases = await this.#request('GET', `/_alias/${alias}`).catch((error: unknown) => {
      if (isIndexMissing(error)) return {};
      throw error;
    });
    return Object.keys(z.record(z.string(), z.unknown()).parse(aliases));
  }

  async #request(method: string, path: string, body?: object): Promise<unknown> {
    return (await this.#server.client.transport.request({ method, path, ...(body && { body }) })).body;
  }

  /** Up to where the rows of both read models certainly are. */
  async #position(): Promise<bigint> {
    const positions = await Promise.all(
      SOURCES.map(async (name) => {
        const build = await liveBuild(this.#database, name);
        return build ? checkpoint(this.#database, build.name, STORE) : 0n;
      }),
    );
    return positions.reduce((one, other) => (one < other ? one : other));
  }

  /** Builds a new index. The former one, if there is one, is kept up to date until the new one is live. */
  async #replace(version: string): Promise<void> {
    const former = await liveBuild(this.#database, SEARCH_INDEX);
    const built = new AbortController();
    const updated =
      former && (await this.#aliased()).includes(former.name)
        ? this.#follow(former, built).catch((error: unknown) => {
            if (!built.signal.aborted)
              logError(this.#logger, error, { model: SEARCH_INDEX }, 'the former search index is no longer updated');
          })
        : null;
    try {
      await this.#rebuild(version, built);
    } finally {
      built.abort();
      await updated;
    }
  }

  /**
   * Follows the event store until the signal aborts.
   * @param stop ends it too; given for an index that is being replaced
   * @throws IndexReplaced when the index has to be rebuilt
   */
  async #follow(index: Build, stop: AbortController | null = null): Promise<void> {
    const isReplaced = stop !== null;
    stop ??= new AbortController();
    const signal = AbortSignal.any([this.#signal, stop.signal]);
    // Without events nothing else would see that a read model was rebuilt.
    const checking = isReplaced ? null : this.#watch(index, signal).catch((error: unknown) => stop.abort(error));
    try {
      const after = await checkpoint(this.#database, index.name, STORE);
      for await (const page of this.#store.subscribe({ after, prefixes: [SIGNAL_PREFIX], signal })) {
        if (signal.aborted) break;
        await this.#apply(index, page, signal);
      }
      if (!isReplaced && stop.signal.aborted && !this.#signal.aborted) throw stop.signal.reason;
    } finally {
      if (!isReplaced) stop.abort();
      await checking;
    }
  }

  /** Applies what was appended while the index was filled. */
  async #catchUp(index: Build): Promise<void> {
    const after = await checkpoint(this.#database, index.name, STORE);
    for await (const page of pagesOf(this.#store, { after, prefixes: [SIGNAL_PREFIX] })) {
      if (this.#signal.aborted) return;
      await this.#apply(index, page, this.#signal);
    }
  }

  /** @throws IndexReplaced */
  async #watch(index: Build, signal: AbortSignal): Promise<void> {
    for (;;) {
      await pause(CHECK_EVERY, signal);
      if (signal.aborted) return;
      const version = await this.#version().catch(() => index.version);
      if (version !== index.version) throw new IndexReplaced('a read model was rebuilt');
      // OpenSearch that does not answer says nothing about the index.
      const aliased = await this.#aliased().catch(() => [index.name]);
      if (!aliased.includes(index.name)) throw new IndexReplaced('the index is gone');
    }
  }

  async #apply(index: Build, { events, position }: Page, signal: AbortSignal): Promise<void> {
    const last = new Map<string, StoredEvent>();
    const stored = new Map(events.map((event) => [event.id, event]));
    const { taken } = readForModel(searchModel(), events);
    for (const { event, keys } of taken)
      for (const key of keys) {
        const one = stored.get(event.id);
        if (one) last.set(key, one);
      }
    for (const name of SOURCES)
      while (!(await waitForPosition(this.#database, name, position, WAIT))) if (signal.aborted) return;
    const rows = last.size === 0 ? [] : await this.#documents('WHERE f.key = ANY ($1)', [[...last.keys()]]);
    const documents = new Map(rows.map(({ key, document }) => [key, document]));
    const rejected = await this.#write(
      index,
      [...last].map(([key, { position: version }]) => ({ key, version, document: documents.get(key) ?? null })),
    );
    const refused = rejected.flatMap(({ key, error }) => {
      const event = last.get(key);
      return event ? [{ event, error }] : [];
    });
    await transaction(this.#database, async (client) => {
      await this.#park(client, index, refused);
      await moveCheckpoint(client, index.name, STORE, await checkpoint(client, index.name, STORE), position);
    });
    eventsProjected.emit({ model: SEARCH_INDEX, events });
  }

  #documents(where: string, parameters: readonly unknown[]): Promise<z.infer<typeof Document>[]> {
    return query(this.#database, `${DOCUMENTS} ${where}`, parameters, Document);
  }

  async #park(client: Parameters<typeof park>[0], index: Build, refused: readonly Refused[]): Promise<void> {
    await park(client, { model: SEARCH_INDEX, build: index.name, input: STORE }, refused);
    for (const { event, error } of refused)
      this.#logger.error(
        { model: SEARCH_INDEX, event_id: event.id, err: describeError(error) },
        'an event was parked: OpenSearch does not accept its signal',
      );
  }

  /**
   * Writes documents and waits for the acknowledgement; repeats with a backoff what OpenSearch was too busy for.
   * @returns those that it does not accept
   * @throws IndexReplaced when the index is gone, and errors of an unreachable server
   */
  async #write(index: Build, writes: readonly Write[]): Promise<Rejected[]> {
    const rejected: Rejected[] = [];
    let left = writes;
    for (let attempt = 0; left.length > 0 && !this.#signal.aborted; attempt++) {
      if (attempt > 0) await pause(backoff(attempt, RETRY.part, Math.random), this.#signal);
      const { body } = await this.#server.client.transport.request({
        method: 'POST',
        path: `/${writingAlias(index.name)}/_bulk`,
        querystring: { require_alias: 'true' },
        bulkBody: left.flatMap(({ key, document, version }) => {
          const about = { _id: key, version: Number(version), version_type: 'external' };
          return document === null ? [JSON.stringify({ delete: about })] : [JSON.stringify({ index: about }), document];
        }),
      });
      const busy = new Set<string>();
      for (const { _id: key, status, error } of BulkAnswer.parse(body).items.flatMap((item) => Object.values(item))) {
        // 409: the index has a newer version already. Without an error, 404: there was nothing to delete.
        if (!error || status === 409) continue;
        if (error.type === 'index_not_found_exception') throw new IndexReplaced('the index is gone');
        if (status === 429 || status >= 500) busy.add(key);
        else rejected.push({ key, error: new Error(`${error.type}: ${error.reason ?? ''}`) });
      }
      left = left.filter(({ key }) => busy.has(key));
    }
    if (left.length > 0) throw this.#signal.reason;
    return rejected;
  }

  /** Fills a new index from the rows, catches up with the event store and swaps the alias. @param built aborted before the former index is deleted */
  async #rebuild(version: string, built: AbortController): Promise<void> {
    const started = performance.now();
    const index = (await this.#interrupted(version)) ?? (await this.#create(version));
    await this.#dropOthers(index.name);
    const after = await this.#lastKey(index);
    this.#logger.info(
      { model: SEARCH_INDEX, index: index.name, after },
      after === '' ? 'building the search index' : 'resuming the build of the search index',
    );
    const signals = await this.#fill(index, after);
    if (this.#signal.aborted) return;
    await this.#request('PUT', `/${index.name}/_settings`, {
      index: { refresh_interval: '1s', auto_expand_replicas: '0-1' },
    });
    await this.#catchUp(index);
    if (this.#signal.aborted) return;
    await this.#request('POST', `/${index.name}/_refresh`);
    if ((await this.#version()) !== version) throw new IndexReplaced('a read model was rebuilt meanwhile');
    built.abort();
    await this.#promote(index);
    const seconds = Math.round((performance.now() - started) / 100) / 10;
    this.#logger.info(
      { model: SEARCH_INDEX, index: index.name, signals, seconds },
      'the search index was built and is live',
    );
  }

  /** The build of this version that a process did not complete, whose index is there. */
  async #interrupted(version: string): Promise<Build | null> {
    const builds = await query(
      this.#database,
      `SELECT name, model, version, state FROM projector.builds WHERE model = $1 AND version = $2 AND state = 'building'`,
      [SEARCH_INDEX, version],
      Build,
    );
    for (const build of builds) if ((await this.#aliased(writingAlias(build.name))).includes(build.name)) return build;
    return null;
  }

  async #create(version: string): Promise<Build> {
    const name = `${this.#server.alias}-${version}-${randomBytes(3).toString('hex')}`;
    await this.#request('PUT', `/${name}`, {
      // One copy, and nothing is searched until it is complete.
      settings: { index: { ...SETTINGS, number_of_replicas: 0, refresh_interval: '-1' } },
      mappings: MAPPINGS,
      aliases: { [writingAlias(name)]: {} },
    });
    const from = await this.#position();
    await transaction(this.#database, async (client) => {
      await client.query(`INSERT INTO projector.builds (name, model, version, state) VALUES ($1, $2, $3, 'building')`, [
        name,
        SEARCH_INDEX,
        version,
      ]);
      if (from > 0n) await moveCheckpoint(client, name, STORE, 0n, from);
    });
    return { name, model: SEARCH_INDEX, version, state: 'building' };
  }

  /** Up to where an index is filled: the highest key in it, since it is filled in the order of keys. Empty for none. */
  async #lastKey({ name }: Build): Promise<string> {
    await this.#request('POST', `/${name}/_refresh`);
    const highest = await this.#request('POST', `/${name}/_search`, { size: 1, sort: [{ key: 'desc' }] });
    return Highest.parse(highest).hits.hits[0]?._id ?? '';
  }

  /** Indexes all rows in the order of their keys, reading the next ones while OpenSearch takes the last. */
  async #fill(index: Build, from: string): Promise<number> {
    const read = async (after: string) => {
      // Read before the rows, which have this position or a later one.
      const version = await this.#position();
      const rows = await this.#documents(`WHERE f.key > $1 ORDER BY f.key LIMIT ${this.#batch}`, [after]);
      return rows.map(({ key, document }) => ({ key, document, version }));
    };
    let signals = 0;
    for (let batch = await read(from); batch.length > 0 && !this.#signal.aborted; ) {
      const [rejected, next] = await Promise.all([this.#write(index, batch), read(batch.at(-1)?.key ?? '')]);
      await this.#park(this.#database, index, await this.#lastEvents(rejected));
      signals += batch.length;
      batch = next;
    }
    return signals;
  }

  /** The last events of signals whose documents were rejected, which stand for them among the parked events. */
  async #lastEvents(rejected: readonly Rejected[]): Promise<Refused[]> {
    const refused = await Promise.all(
      rejected.map(async ({ key, error }) => {
        const event = (await this.#store.read(signalStream(StoredSignalId.parse(key)))).at(-1);
        return event ? [{ event, error }] : [];
      }),
    );
    return refused.flat();
  }

  async #promote(index: Build): Promise<void> {
    const before = await this.#aliased();
    const { alias } = this.#server;
    await this.#request('POST', '/_aliases', {
      actions: [...before.map((name) => ({ remove: { index: name, alias } })), { add: { index: index.name, alias } }],
    });
    await transaction(this.#database, async (client) => {
      await client.query(`DELETE FROM projector.builds WHERE model = $1 AND name <> $2`, [SEARCH_INDEX, index.name]);
      await client.query(`UPDATE projector.builds SET state = 'live', live_at = now() WHERE name = $1`, [index.name]);
      await forgetParkedBefore(client, SEARCH_INDEX, index.name);
    });
    await this.#dropOthers();
  }

  /** Deletes indexes that no reader sees: former ones, and those of builds that were interrupted. */
  async #dropOthers(building?: string): Promise<void> {
    const { alias } = this.#server;
    const kept = new Set([...(await this.#aliased()), building]);
    const all = z
      .array(z.object({ index: z.string() }))
      .parse(await this.#request('GET', `/_cat/indices/${alias}-*?format=json`));
    for (const { index } of all) if (!kept.has(index)) await this.#request('DELETE', `/${index}`);
    await this.#database.query(
      `DELETE FROM projector.builds WHERE model = $1 AND state <> 'live' AND name IS DISTINCT FROM $2`,
      [SEARCH_INDEX, building ?? null],
    );
  }
}
