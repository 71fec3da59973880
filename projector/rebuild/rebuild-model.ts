/**
 * Rebuilds a read model next to the live one: reads the history once, divides it by the keys of rows into parts, which fold
 * it into new tables in chunks, and creates the indexes. One that is interrupted continues with the chunks that it committed.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { Client } from 'pg';
import { z } from 'zod';
import type { EventStore, Page, Position, StoredEvent } from '../../log/event-store.ts';
import { type Database, type Queryable, query, sessionOptions } from '../../log/postgres/database.ts';
import { SIGNAL_PREFIX } from '../../schemas/signal.ts';
import { type Readable, type Refused, readForModel } from '../apply-page.ts';
import {
  type Build,
  completeBuild,
  createBuild,
  dropUnusedBuilds,
  openSession,
  partsOf,
  STORE,
  takeOverBuild,
} from '../model-builds.ts';
import { type Progress, recordRebuild } from '../model-progress.ts';
import { park } from '../parked-events.ts';
import type { Model, Services } from '../read-model.ts';
import { type Member, type Pass, PassGroups } from '../shared-pass.ts';
import {
  foldLateEvents,
  KEPT_BLOCKS,
  type Part,
  PartFold,
  type PartOptions,
  type PlacedEvent,
  partOf,
} from './bulk-fold.ts';
import { createIndexes, ReaderYield } from './fill-build.ts';
import { openInThread } from './fold-threads.ts';

const PAGE = 500;

/**
 * Pages of the store up to and including a position. The next page is read while the caller folds the current one.
 * @param after where to begin; the last page ends exactly at `target`
 */
export async function* history(
  store: EventStore,
  prefixes: readonly string[],
  after: Position,
  target: Position,
): AsyncGenerator<Page> {
  const read = (position: Position): Promise<Page> => {
    const page = store.readAll({ after: position, prefixes, limit: PAGE });
    // Its failure is handled where the page is awaited.
    page.catch(() => undefined);
    return page;
  };
  let position = after;
  let next = position < target ? read(position) : null;
  while (next) {
    const page = await next;
    const isStuck = page.events.length === 0 && page.position === position;
    const isLast = page.position >= target || isStuck;
    position = page.position;
    next = isLast ? null : read(position);
    yield isLast ? { events: page.events.filter((event) => event.position <= target), position: target } : page;
  }
}

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

/** What rebuilds that run at the same time share. */
export interface SharedRebuild {
  readonly member: Member;
  /** Runs work when no other rebuild of the group runs such work: indexes take much memory of the server. */
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
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
    const parts = model.source ? Math.max(1, services.rebuild?.workers ?? 0) : 1;
    const interrupted = options.anew ? null : await takeOverBuild(session, model, target);
    const build = interrupted ?? (await createBuild(session, model, parts));
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
    // The outcome above counts, whatever fails here: a build that is left is dropped at the next start.
    // Unlocked explicitly: the server may notice the end of the connection only after the drop below.
    await session.query('SELECT pg_advisory_unlock_all()').catch(() => undefined);
    await session.end().catch(() => undefined);
    await dropUnusedBuilds(services, model).catch(() => undefined);
  }
}

/** Pages that are read ahead of a part, at most. */
const AHEAD = 4;

/** Folds the history up to the target into a build, from where the committed chunks of its parts end. */
async function foldHistory(
  services: Services,
  model: Model,
  build: Build,
  target: Position,
  { signal, onProgress, shared, keptRows }: RebuildOptions,
): Promise<void> {
  const { database, store, clock } = services;
  const { name, prefixes } = model;
  const positions = await partsOf(database, build.name);
  if (!positions) return;
  const skipped = await skippedEvents(database, name);
  const readers = new ReaderYield(database);
  const first = positions.reduce((least, position) => (position < least ? position : least));
  const started = clock().getTime();
  let events = 0;
  const report = (phase: Progress['phase'], position: Position): void => {
    const seconds = Math.max(0.001, (clock().getTime() - started) / 1000);
    const [done, total, before] = [Number(position), Number(target), Number(first)];
    const seconds_left = done > before ? (seconds * (total - done)) / (done - before) : null;
    onProgress?.({ model: name, phase, done, total, events, per_second: events / seconds, seconds_left });
  };
  const stopAt = async (refused: Refused | null | undefined): Promise<void> => {
    if (!refused) return;
    await park(database, { model: name, build: build.name, input: STORE }, [refused]);
    throw new RebuildStopped(name, refused);
  };
  const pages = (): AsyncIterable<Page> =>
    shared ? shared.member.read({ prefixes, after: first, target, signal }) : history(store, prefixes, first, target);

  const parts: Part[] = [];
  const keptBlocks = Math.ceil(KEPT_BLOCKS / ((shared?.member.groupSize ?? 1) * positions.length));
  try {
    for (const part of positions.keys()) {
      const about = { model, build: build.name, part, parts: positions.length, skipped, keptRows, keptBlocks };
      const { chunkMilliseconds } = services.rebuild ?? {};
      parts.push(await openPart(services, { ...about, chunkMilliseconds }));
    }
    // By part, the pages that it has not answered yet.
    const ahead = parts.map((): Promise<Refused | null>[] => []);
    if (prefixes.length > 0 && first < target)
      for await (const page of pages()) {
        signal.throwIfAborted();
        const { taken, refused } = readForModel(model, page.events);
        await stopAt(refused.find(({ event }) => !skipped.has(event.id)));
        const divided = divide(taken, parts.length);
        for (const [index, part] of parts.entries()) {
          const waiting = ahead[index] ?? [];
          const adding = part.add(divided[index] ?? [], page.position);
          // Its failure is met where it is awaited.
          adding.catch(() => undefined);
          waiting.push(adding);
          if (waiting.length > (isThreaded(services, model) ? AHEAD : 0)) await stopAt(await waiting.shift());
        }
        events += page.events.length;
        report('folding', page.position);
        // Sockets get their turn: rows are sent while the next ones are folded.
        await turn();
        await readers.afterBatch(signal, () => Promise.all(parts.map((part) => part.settle())));
      }
    for (const waiting of ahead) for (const adding of waiting) await stopAt(await adding);
    await Promise.all(parts.map((part) => part.finish()));
  } finally {
    await Promise.all(parts.map((part) => part.close()));
  }
  signal.throwIfAborted();
  report('indexing', target);
  const indexing = async (): Promise<void> => {
    // Without rows, an index is created at once, and the planner needs no statistics.
    const hasRows = events > 0 || first > 0n;
    const length = readers.hasReaders || !hasRows ? 1 : INDEX_SESSIONS;
    const sessions = await Promise.all(Array.from({ length }, () => fillSession(database)));
    try {
      const between = async (): Promise<void> => {
        signal.throwIfAborted();
        await readers.afterBatch(signal);
      };
      await createIndexes(sessions, build.name, between);
      const [session] = sessions;
      if (!session) return;
      await stopAt(await foldLateEvents(session, { model, build: build.name, skipped }, between));
      // The planner needs statistics, and index scans alone suffice only for pages that are known to be visible to all.
      if (hasRows)
        await session.query(
          `VACUUM (ANALYZE, PARALLEL 0) ${model.tables.map((table) => `${build.name}.${table.name}`)}`,
        );
      await completeBuild(session, build.name, target);
    } finally {
      await Promise.all(sessions.map((session) => session.end().catch(() => undefined)));
    }
  };
  await (shared ? shared.inTurn(indexing) : indexing());
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

async function openPart(services: Services, about: PartOptions): Promise<Part> {
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

/** Rebuilds of a group, at most: each holds two connections to PostgreSQL and the rows that wait to be copied. */
const MAX_GROUP = 8;

/** Runs a rebuild as a member of a group. */
type RunRebuild = <Result>(model: Model, rebuild: (shared: SharedRebuild) => Promise<Result>) => Promise<Result>;

/**
 * Runs rebuilds in groups, one group after the other: each group reads the log once.
 * @param onPass called after each pass over the log
 */
export function rebuildGroups(store: EventStore, onPass?: (pass: Pass) => void): RunRebuild {
  const inTurn = oneAtATime();
  // What readers of signals wait for is built before accounts and sources.
  const order = { size: MAX_GROUP, oneAtATime: true, first: SIGNAL_PREFIX };
  const groups = new PassGroups({ store, ...order, ...(onPass && { onPass }) });
  return (model, rebuild) => groups.run(model.prefixes, (member) => rebuild({ member, inTurn }));
}

/** Runs one piece of work at a time, in the order of the calls. */
function oneAtATime(): SharedRebuild['inTurn'] {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const current = last.then(work, work);
    // The caller gets the failure; the next piece of work runs regardless.
    last = current.catch(() => undefined);
    return current;
  };
}
