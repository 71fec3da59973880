/** Rebuilds a read model next to the live one, in chunks, from which an interrupted rebuild continues. */
import type { Client } from 'pg';
import { z } from 'zod';
import { pause } from '../../log/backoff.ts';
import type { Page, Position } from '../../log/event-store.ts';
import { type Database, type Queryable, query } from '../../log/postgres/database.ts';
import { logParked, type Refused, readForModel } from '../apply-page.ts';
import { history, type SharedRebuild, sharedHistory } from '../log-pass.ts';
import {
  type Build,
  checkpoint,
  completeBuild,
  createBuild,
  dropUnusedBuilds,
  isComplete,
  openSession,
  STORE,
  takeOverBuild,
} from '../model-builds.ts';
import { type Progress, recordRebuild } from '../model-progress.ts';
import { park } from '../parked-events.ts';
import type { Model, Services } from '../read-model.ts';
import { createIndexes, inParallel } from './build-indexes.ts';
import { BulkFold } from './bulk-fold.ts';

/**
 * The events that do not stop a rebuild of a model: those that an operator dropped, and those that the live build parked.
 * A rebuild that refuses the latter too parks them and goes on, as the live build did.
 */
async function tolerated(database: Queryable, model: string): Promise<ReadonlyMap<string, 'dropped' | 'parked'>> {
  const rows = await query(
    database,
    'SELECT event_id, skipped FROM projector.parked WHERE model = $1 AND NOT stops',
    [model],
    z.object({ event_id: z.string(), skipped: z.boolean() }),
  );
  return new Map(rows.map(({ event_id, skipped }) => [event_id, skipped ? 'dropped' : 'parked']));
}

export type OnProgress = (progress: Progress) => void;

/** The new version of a model refused an event. The live version stays as it is. */
export class RebuildStopped extends Error {
  override name = 'RebuildStopped';
  readonly event_id: string;
  constructor(model: string, { event, error }: Refused) {
    super(
      `the rebuild of ${model} stopped at event ${event.id} of type ${event.type}: ${error.message}. ` +
        'Correct the model, or look at the event with `clarity parked show` and `clarity parked retry` or `drop` it: ' +
        '`clarity project` goes on then; a replay by hand is started again',
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
  /** Changed rows after which a chunk is committed. */
  readonly chunkRows?: number;
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
  try {
    const target = options.target ?? (await store.head());
    const interrupted = options.anew ? null : await takeOverBuild(session, model, target);
    const build = interrupted ?? (await createBuild(session, model));
    if (interrupted)
      services.logger.info(
        { model: model.name, build: build.name },
        'continuing an interrupted rebuild of a read model',
      );
    const record = await recordRebuild(services, build);
    try {
      const signal = AbortSignal.any([options.signal, lost.signal]);
      const onProgress = (progress: Progress): void => {
        record.show(progress);
        options.onProgress?.(progress);
      };
      await fillBuild(services, model, build, target, { ...options, onProgress, signal });
      record.catchUp();
      const result = await use(build);
      await record.end(null);
      return result;
    } catch (error) {
      await record.end(options.signal.aborted ? 'stopped' : error);
      throw error;
    }
  } finally {
    // The outcome above counts, whatever fails here: a build that is left is dropped at the next start.
    // Unlocked explicitly: the server may notice the end of the connection only after the drop below.
    await session.query('SELECT pg_advisory_unlock_all()').catch(() => undefined);
    await session.end().catch(() => undefined);
    await dropUnusedBuilds(services, model).catch(() => undefined);
  }
}

/** Milliseconds of work after which a rebuild pauses, and those of the pause: statements of readers go first. */
const WORK_MILLISECONDS = 50;
const PAUSE_MILLISECONDS = 10;
/** Connections that create indexes at the same time. */
const INDEX_SESSIONS = 2;

/** Folds the history up to the target into a build, from where the committed chunks end, and creates its indexes. */
async function fillBuild(
  services: Services,
  model: Model,
  build: Build,
  target: Position,
  { signal, onProgress, shared, chunkRows }: RebuildOptions,
): Promise<void> {
  const { database, clock } = services;
  if (await isComplete(database, build.name)) return;
  const first = await checkpoint(database, build.name, STORE);
  const started = clock().getTime();
  let events = 0;
  const report = (phase: Progress['phase'], position: Position): void => {
    const seconds = Math.max(0.001, (clock().getTime() - started) / 1000);
    const [done, total, before] = [Number(position), Number(target), Number(first)];
    const seconds_left = done > before ? (seconds * (total - done)) / (done - before) : null;
    onProgress?.({ model: model.name, phase, done, total, events, per_second: events / seconds, seconds_left });
  };
  let workingSince = performance.now();
  const afterPage = async (page: Page): Promise<void> => {
    events += page.events.length;
    report('folding', page.position);
    if (performance.now() - workingSince < WORK_MILLISECONDS) return;
    await pause(PAUSE_MILLISECONDS, signal);
    workingSince = performance.now();
  };
  if (first < target) await foldHistory(services, model, build, { target, signal, shared, chunkRows, afterPage });
  signal.throwIfAborted();
  report('indexing', target);
  const hasRows = events > 0 || first > 0n;
  const indexing = (): Promise<void> => indexBuild(services, model, build, { signal, hasRows });
  await (shared ? shared.inTurn(indexing) : indexing());
}

interface Folding extends Pick<RebuildOptions, 'signal' | 'shared' | 'chunkRows'> {
  readonly target: Position;
  readonly afterPage: (page: Page) => Promise<void>;
}

/** @throws RebuildStopped */
async function foldHistory(
  services: Services,
  model: Model,
  build: Build,
  { target, signal, shared, chunkRows, afterPage }: Folding,
): Promise<void> {
  const { database, store } = services;
  const { prefixes } = model;
  const skipped = await tolerated(database, model.name);
  const about = { model: model.name, build: build.name, input: STORE };
  const session = await fillSession(database);
  try {
    const folding = await BulkFold.open(session, { model, build: build.name, skipped, chunkRows });
    const after = folding.position;
    const pages =
      prefixes.length === 0
        ? []
        : shared
          ? sharedHistory(shared.feed, { after, prefixes, signal }, target)
          : history(store, prefixes, after, target);
    for await (const page of pages) {
      signal.throwIfAborted();
      const { taken, refused } = readForModel(model, page.events);
      const all = [...refused, ...(await folding.add(taken, page.position, page.id))];
      const stopping = all.find(({ event }) => !skipped.has(event.id));
      if (stopping) {
        await park(database, { ...about, stops: true }, [stopping]);
        throw new RebuildStopped(model.name, stopping);
      }
      const again = all.filter(({ event }) => skipped.get(event.id) === 'parked');
      await park(database, about, again);
      logParked(services, model, again);
      await afterPage(page);
    }
    await folding.finish(target);
  } finally {
    await session.end().catch(() => undefined);
  }
}

/** Creates the indexes of a build that is filled, and its statistics. */
async function indexBuild(
  { database }: Services,
  model: Model,
  build: Build,
  { signal, hasRows }: { readonly signal: AbortSignal; readonly hasRows: boolean },
): Promise<void> {
  // Without rows, an index is created at once, and the planner needs no statistics.
  const length = hasRows ? INDEX_SESSIONS : 1;
  const sessions = await Promise.all(Array.from({ length }, () => fillSession(database)));
  const [session] = sessions;
  if (!session) return;
  try {
    await createIndexes(sessions, build.name, signal);
    // Index scans alone suffice only for pages that are known to be visible to all. The planner needs statistics.
    const tables = hasRows ? model.tables.map((table) => `${build.name}.${table.name}`) : [];
    await inParallel(sessions, tables, (own, table) => own.query(`VACUUM (ANALYZE, PARALLEL 0) ${table}`));
    await completeBuild(session, build.name);
  } finally {
    await Promise.all(sessions.map((one) => one.end().catch(() => undefined)));
  }
}

/** A connection whose statement ends when this process does. */
async function fillSession(database: Database): Promise<Client> {
  const session = await openSession(database);
  await session.query(`SET client_connection_check_interval = '1s'`);
  return session;
}
