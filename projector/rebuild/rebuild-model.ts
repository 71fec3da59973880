/**
 * Rebuilds a read model next to the live one: reads the history once, divides it by the keys of rows into parts, which fold
 * it into new tables in chunks, and creates the indexes. One that is interrupted continues with the chunks that it committed.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { Client } from 'pg';
import { z } from 'zod';
import { pause } from '../../log/backoff.ts';
import { logError } from '../../log/errors.ts';
import type { Page, Position, StoredEvent } from '../../log/event-store.ts';
import { type Database, type Queryable, query, sessionOptions } from '../../log/postgres/database.ts';
import { type Readable, type Refused, readForModel } from '../apply-page.ts';
import { history, rebuildGroups, type SharedRebuild } from '../log-pass.ts';
import {
  type Build,
  completeBuild,
  createBuild,
  dropUnusedBuilds,
  freeParts,
  openSession,
  partsOf,
  STORE,
  sharedBuilds,
  takeOverBuild,
  type Unfinished,
} from '../model-builds.ts';
import { type Progress, recordRebuild } from '../model-progress.ts';
import { park } from '../parked-events.ts';
import type { Model, Services } from '../read-model.ts';
import { foldLateEvents, KEPT_BLOCKS, type Part, PartFold, type PartOptions, type PlacedEvent } from './bulk-fold.ts';
import { createIndexes, inParallel, ReaderYield } from './fill-build.ts';
import { openInThread } from './fold-threads.ts';
import { partOf } from './row-blocks.ts';

/** Ids of the events that an operator lets rebuilds of a model leave out. */
async function skippedEvents(database: Queryable, model: string): Promise<ReadonlySet<string>> {
  const found = await query(
    database,
    'SELECT event_id FROM projector.parked WHERE model = $1 AND skipped',
    [model],
    z.object({ event_id: z.string() }),
  );
  return new Set(found.map(({ event_id }) => event_id));
}

export type OnProgress = (progress: Progress) => void;

/** The new version of a model refused an event. The live version stays as it is. */
export class RebuildStopped extends Error {
  override name = 'RebuildStopped';
  readonly event_id: string;
  constructor(model: string, { event, error }: Refused) {
    super(
      `the rebuild of ${model} stopped at event ${event.id} of type ${event.type}: ${error.message}. ` +
        'Correct the model, or look at the event with `clarity parked show`, `clarity parked drop` it, and start again',
    );
    this.event_id = event.id;
  }
}

export interface RebuildOptions {
  readonly signal: AbortSignal;
  /** Where to stop in the event store; its head by default. */
  readonly target?: Position;
  readonly onProgress?: OnProgress;
  /** Drops what an interrupted rebuild of this version has committed, instead of continuing with it. */
  readonly anew?: boolean;
  /** Rows that wait in memory to be copied, 10,000 by default. */
  readonly keptRows?: number;
  /** Set for a rebuild that reads the log together with others. */
  readonly shared?: SharedRebuild;
}

/**
 * Folds the history up to the target into new tables, with indexes and checkpoint, and passes them to `use` while their
 * lock is held. If `use` does not promote the build, it is dropped. If anything throws or aborts, or the process is killed,
 * the next rebuild of this version continues with it, within a day. Every process can read how far it is by
 * `latestRebuilds`.
 * @throws RebuildStopped
 */
export async function withRebuilt<Result>(
  services: Services,
  model: Model,
  options: RebuildOptions,
  use: (build: Build) => Promise<Result>,
): Promise<Result> {
  const { database, store } = services;
  const lost = new AbortController();
  const session = await openSession(database, () => lost.abort(new Error('the connection to the database broke')));
  let left = (): unknown => undefined;
  try {
    const target = options.target ?? (await store.head());
    const { workers = 0, processes = 1 } = services.rebuild ?? {};
    const parts = processes * (model.source ? Math.max(1, workers) : 1);
    const interrupted = options.anew ? null : await takeOverBuild(session, model, target);
    const build = interrupted ?? (await createBuild(session, model, parts));
    if (interrupted)
      services.logger.info(
        { model: model.name, build: build.name },
        'continuing an interrupted rebuild of a read model',
      );
    filledHere.add(build.name);
    left = () => filledHere.delete(build.name);
    await database.query('UPDATE projector.builds SET target = $2 WHERE name = $1', [build.name, target]);
    const record = await recordRebuild(services, build);
    try {
      const signal = AbortSignal.any([options.signal, lost.signal]);
      const onProgress = (progress: Progress): void => {
        record.show(progress);
        options.onProgress?.(progress);
      };
      await foldHistory(services, model, build, target, { ...options, onProgress, signal });
      record.catchUp();
      const result = await use(build);
      await record.end(null);
      return result;
    } catch (error) {
      await record.end(options.signal.aborted ? 'stopped' : error);
      throw error;
    }
  } finally {
    left();
    // The outcome above counts, whatever fails here: a build that is left is dropped at the next start.
    // Unlocked explicitly: the server may notice the end of the connection only after the drop below.
    await session.query('SELECT pg_advisory_unlock_all()').catch(() => undefined);
    await session.end().catch(() => undefined);
    await dropUnusedBuilds(services, model).catch(() => undefined);
  }
}

/** Memory for the keys of written rows, enough for 40 million rows. */
const KEYS_MEGABYTES = 64;

/** Milliseconds between two looks for parts that are free. */
const LOOK_MILLISECONDS = 500;

/** Pages that are read ahead of a part, at most. */
const AHEAD = 4;

/** What folds parts of a build in this process. */
interface Folding extends Pick<RebuildOptions, 'signal' | 'keptRows' | 'shared'> {
  readonly model: Model;
  readonly build: Build;
  readonly target: Position;
  readonly skipped: ReadonlySet<string>;
  readonly readers: ReaderYield;
  /** Called after each page. @param events of the page */
  readonly afterPage: (events: number, position: Position) => void;
}

/** Folds the history up to the target into a build, together with other processes, from where the committed chunks end. */
async function foldHistory(
  services: Services,
  model: Model,
  build: Build,
  target: Position,
  { signal, onProgress, shared, keptRows }: RebuildOptions,
): Promise<void> {
  const { database, clock } = services;
  const positions = await partsOf(database, build.name);
  if (!positions) return;
  const skipped = await skippedEvents(database, model.name);
  const readers = new ReaderYield(database);
  const first = least(positions);
  const started = clock().getTime();
  let events = 0;
  const report = (phase: Progress['phase'], position: Position): void => {
    const seconds = Math.max(0.001, (clock().getTime() - started) / 1000);
    const [done, total, before] = [Number(position), Number(target), Number(first)];
    const seconds_left = done > before ? (seconds * (total - done)) / (done - before) : null;
    onProgress?.({ model: model.name, phase, done, total, events, per_second: events / seconds, seconds_left });
  };
  const afterPage = (read: number, position: Position): void => {
    events += read;
    report('folding', position);
  };
  // A member of a group reads the log once at most; what is taken over later is read alone.
  let group = shared;
  for (let reached = first; model.prefixes.length > 0 && reached < target; ) {
    const folding = { model, build, target, skipped, readers, signal, keptRows, shared: group, afterPage };
    const found = await foldFreeParts(services, folding);
    // The others of the group do not wait for parts that other processes fold.
    if (!found && group) for await (const _ of readPages(services, { ...folding, shared: group }, target)) break;
    group = undefined;
    const now = (await partsOf(database, build.name)) ?? [];
    if (now.some((position) => position > target)) throw new Error('another process folded parts beyond the target');
    reached = least(now);
    if (found || reached >= target) continue;
    report('folding', reached);
    await pause(LOOK_MILLISECONDS, signal);
    signal.throwIfAborted();
  }
  signal.throwIfAborted();
  report('indexing', target);
  const indexing = async (): Promise<void> => {
    // Without rows, an index is created at once, and the planner needs no statistics.
    const hasRows = events > 0 || first > 0n || positions.length > 1;
    const length = readers.hasReaders || !hasRows ? 1 : INDEX_SESSIONS;
    const sessions = await Promise.all(Array.from({ length }, () => fillSession(database)));
    try {
      const between = async (): Promise<void> => {
        signal.throwIfAborted();
        await readers.afterBatch(signal);
      };
      await createIndexes(sessions, build.name, 'keys', between);
      const [session] = sessions;
      if (!session) return;
      // A late event looks rows up by their keys. It changes rows before other indexes contain them: PostgreSQL adds an entry to
      // every index for a row that changes, and VACUUM would read all of them for what became of the former one.
      await stopAt(
        services,
        { model, build },
        await foldLateEvents(session, { model, build: build.name, skipped }, between),
      );
      const tables = hasRows ? model.tables.map((table) => `${build.name}.${table.name}`) : [];
      // Index scans alone suffice only for pages that are known to be visible to all. The planner needs statistics.
      await inParallel(sessions, tables, (own, table) => own.query(`VACUUM (PARALLEL 0) ${table}`));
      await createIndexes(sessions, build.name, 'indexes', between);
      await inParallel(sessions, tables, (own, table) => own.query(`ANALYZE ${table}`));
      await completeBuild(session, build.name, target);
    } finally {
      await Promise.all(sessions.map((session) => session.end().catch(() => undefined)));
    }
  };
  await (shared ? shared.inTurn(indexing) : indexing());
}

const least = (positions: readonly Position[]): Position =>
  positions.reduce((one, other) => (one < other ? one : other), positions[0] ?? 0n);

/** @throws RebuildStopped when an event was refused */
async function stopAt(
  { database }: Services,
  { model, build }: Pick<Folding, 'model' | 'build'>,
  refused: Refused | null | undefined,
): Promise<void> {
  if (!refused) return;
  await park(database, { model: model.name, build: build.name, input: STORE }, [refused]);
  throw new RebuildStopped(model.name, refused);
}

const readPages = (
  { store }: Services,
  { model: { prefixes }, shared, target, signal }: Folding,
  after: Position,
): AsyncIterable<Page> =>
  shared ? shared.member.read({ prefixes, after, target, signal }) : history(store, prefixes, after, target);

/**
 * Folds parts that no process folds, up to the share of this process, from their last chunk to the target.
 * @returns false when there was none
 * @throws RebuildStopped
 */
async function foldFreeParts(services: Services, folding: Folding): Promise<boolean> {
  const { database } = services;
  const { model, build, target, skipped, readers, signal, keptRows, shared, afterPage } = folding;
  const { chunkMilliseconds, keysMegabytes = KEYS_MEGABYTES, processes = 1 } = services.rebuild ?? {};
  const total = (await partsOf(database, build.name))?.length ?? 0;
  const free = (await freeParts(database, build.name, target)).slice(0, Math.ceil(total / processes));
  const shares = (shared?.member.groupSize ?? 1) * free.length;
  const about = {
    model,
    build: build.name,
    parts: total,
    skipped,
    keptRows,
    chunkMilliseconds,
    keptBlocks: Math.ceil(KEPT_BLOCKS / shares),
    // A history of few events writes few rows: the positions of a store count its events, or their bytes.
    filterBytes: Math.min((keysMegabytes * 1_048_576) / shares, (Number(target) / total) * 2),
  };
  const parts = new Map<number, Part>();
  try {
    for (const number of free) {
      const part = await openPart(services, { ...about, part: number });
      if (part) parts.set(number, part);
    }
    if (parts.size === 0) return false;
    // By part, the pages that it has not answered yet.
    const ahead = new Map(Array.from(parts, ([number]) => [number, [] as Promise<Refused | null>[]]));
    const after = least(Array.from(parts.values(), ({ position }) => position));
    for await (const page of readPages(services, folding, after)) {
      signal.throwIfAborted();
      const { taken, refused } = readForModel(model, page.events);
      await stopAt(
        services,
        folding,
        refused.find(({ event }) => !skipped.has(event.id)),
      );
      const divided = divide(taken, total);
      for (const [number, part] of parts) {
        const waiting = ahead.get(number) ?? [];
        const adding = part.add(divided[number] ?? [], page.position);
        // Its failure is met where it is awaited.
        adding.catch(() => undefined);
        waiting.push(adding);
        if (waiting.length > (isThreaded(services, model) ? AHEAD : 0))
          await stopAt(services, folding, await waiting.shift());
      }
      afterPage(page.events.length, page.position);
      // Sockets get their turn: rows are sent while the next ones are folded.
      await turn();
      await readers.afterBatch(signal, () => Promise.all(Array.from(parts.values(), (part) => part.settle())));
    }
    for (const waiting of ahead.values()) for (const adding of waiting) await stopAt(services, folding, await adding);
    await Promise.all(Array.from(parts.values(), (part) => part.finish()));
    return true;
  } finally {
    await Promise.all(Array.from(parts.values(), (part) => part.close()));
  }
}

/** Builds that this process fills. Where it only helps, another process creates the indexes and swaps. */
const filledHere = new Set<string>();

/**
 * Folds free parts of builds that other processes fill, until the signal aborts. Does nothing when rebuilds are not shared
 * by several processes. A part of a process that died is free, and continues with its last chunk.
 */
export async function helpRebuilds(services: Services, models: readonly Model[], signal: AbortSignal): Promise<void> {
  const { database, logger } = services;
  if ((services.rebuild?.processes ?? 1) < 2) return;
  const inGroup = rebuildGroups(services.store);
  const helping = new Map<
    string,
    { readonly build: Unfinished; readonly stop: AbortController; readonly done: Promise<void> }
  >();
  /** Builds that failed here; the process that fills them meets the same failure and reports it. */
  const failed = new Set<string>();
  const help = async (model: Model, build: Unfinished, shared: SharedRebuild, stop: AbortSignal): Promise<void> => {
    const skipped = await skippedEvents(database, model.name);
    const readers = new ReaderYield(database);
    const folding = { model, build, target: build.target, skipped, readers, signal: stop, shared };
    logger.info({ model: model.name, build: build.name }, 'folding parts of a rebuild of another process');
    await foldFreeParts(services, { ...folding, afterPage: () => undefined });
  };
  try {
    for (; !signal.aborted; await pause(LOOK_MILLISECONDS, signal)) {
      const builds = await sharedBuilds(database, models);
      for (const { build, stop } of helping.values())
        if (!builds.some(({ name, target }) => name === build.name && target === build.target)) stop.abort();
      for (const build of builds) {
        const model = models.find(({ name }) => name === build.model);
        if (!model || filledHere.has(build.name) || helping.has(build.name) || failed.has(build.name)) continue;
        if ((await freeParts(database, build.name, build.target)).length === 0) continue;
        const stop = new AbortController();
        const both = AbortSignal.any([signal, stop.signal]);
        const done = inGroup(model, (shared) => help(model, build, shared, both))
          .catch((error: unknown) => {
            if (both.aborted) return;
            failed.add(build.name);
            logError(logger, error, { model: model.name }, 'folding parts of a rebuild of another process failed');
          })
          .finally(() => helping.delete(build.name));
        helping.set(build.name, { build, stop, done });
      }
    }
  } finally {
    for (const { stop } of helping.values()) stop.abort();
    await Promise.all(Array.from(helping.values(), ({ done }) => done));
  }
}

/** Connections that create indexes at the same time, unless others use the database. */
const INDEX_SESSIONS = 2;

/** A connection whose statement ends when this process does. */
async function fillSession(database: Database): Promise<Client> {
  const session = await openSession(database);
  await session.query(`SET client_connection_check_interval = '1s'`);
  return session;
}

const isThreaded = ({ rebuild }: Services, { source }: Model): boolean =>
  source !== undefined && Boolean(rebuild?.workers);

/** @returns null when another process folds the part */
async function openPart(services: Services, about: PartOptions): Promise<Part | null> {
  const { database } = services;
  const { model } = about;
  const { source } = model;
  if (source && isThreaded(services, model))
    return openInThread(sessionOptions(database), { ...about, model: { ...model, source } });
  const session = await openSession(database);
  try {
    return await PartFold.open(session, about);
  } catch (error) {
    await session.end().catch(() => undefined);
    throw error;
  }
}

/** The events of each part: those that touch one of its rows. */
function divide(taken: Readable['taken'], parts: number): PlacedEvent[][] {
  const divided = Array.from({ length: parts }, (): PlacedEvent[] => []);
  for (const { event, keys } of taken) {
    // Events of the log have a position, which the schemas of events do not name.
    const { position } = event as unknown as StoredEvent;
    for (const part of new Set(keys.map((key) => partOf(key, parts)))) divided[part]?.push({ event, keys, position });
  }
  return divided;
}
