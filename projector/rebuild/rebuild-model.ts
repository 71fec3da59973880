/** Rebuilds a read model next to the live one: folds the history into new tables, in one transaction. */
import { setImmediate as turn } from 'node:timers/promises';
import { z } from 'zod';
import type { EventStore, Page, Position } from '../../log/event-store.ts';
import { type Queryable, query } from '../../log/postgres/database.ts';
import type { Refused } from '../apply-page.ts';
import {
  type Build,
  createBuild,
  dropUnusedBuilds,
  moveCheckpoint,
  openSession,
  ownTransaction,
  STORE,
} from '../model-builds.ts';
import { type Progress, recordRebuild } from '../model-progress.ts';
import { park } from '../parked-events.ts';
import type { Model, Services } from '../read-model.ts';
import { type Member, type Pass, PassGroups } from '../shared-pass.ts';
import { BulkFold, KEPT_BLOCKS } from './bulk-fold.ts';
import { FillTransaction, ReaderYield } from './fill-build.ts';

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
 * lock is held. If `use` does not promote the build, or anything throws or aborts, the build is dropped. Every process can
 * read how far it is by `latestRebuilds`.
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
    const build = await createBuild(session, model);
    const record = await recordRebuild(services, build);
    try {
      const target = options.target ?? (await store.head());
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

/** One transaction from the first row to the checkpoint: the build is complete or empty, whatever happens in between. */
async function foldHistory(
  { database, store, clock }: Services,
  model: Model,
  build: Build,
  target: Position,
  { signal, onProgress, keptRows, shared }: RebuildOptions,
): Promise<void> {
  const { name, prefixes } = model;
  const skipped = await skippedEvents(database, name);
  const started = clock().getTime();
  let events = 0;
  const report = (phase: Progress['phase'], position: Position): void => {
    const seconds = Math.max(0.001, (clock().getTime() - started) / 1000);
    const [done, total] = [Number(position), Number(target)];
    const seconds_left = done > 0 ? (seconds * (total - done)) / done : null;
    onProgress?.({ model: name, phase, done, total, events, per_second: events / seconds, seconds_left });
  };
  const pages = (): AsyncIterable<Page> =>
    shared ? shared.member.read({ prefixes, after: 0n, target, signal }) : history(store, prefixes, 0n, target);
  const readers = new ReaderYield(database);
  await ownTransaction(database, async (client) => {
    const filling = await FillTransaction.begin(client, model, build);
    const bulk = await BulkFold.begin(filling, keptRows, Math.ceil(KEPT_BLOCKS / (shared?.member.groupSize ?? 1)));
    const stopAtRefused = async (refused: readonly Refused[]): Promise<void> => {
      const first = refused.find(({ event }) => !skipped.has(event.id));
      if (!first) return;
      await park(database, { model: name, build: build.name, input: STORE }, [first]);
      throw new RebuildStopped(name, first);
    };
    try {
      if (prefixes.length > 0)
        for await (const page of pages()) {
          signal.throwIfAborted();
          await stopAtRefused(await bulk.add(page.events));
          events += page.events.length;
          report('folding', page.position);
          // Sockets get their turn: rows are sent while the next ones are folded.
          await turn();
          await readers.afterBatch(signal);
        }
      await bulk.finish();
    } finally {
      await bulk.settle();
    }
    signal.throwIfAborted();
    report('indexing', target);
    const createIndexes = (): Promise<void> => filling.createIndexes(() => readers.afterBatch(signal));
    await (shared ? shared.inTurn(createIndexes) : createIndexes());
    await stopAtRefused(await bulk.foldLateEvents());
    if (target > 0n) await moveCheckpoint(client, build.name, STORE, 0n, target);
  });
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
  const groups = new PassGroups({ store, size: MAX_GROUP, oneAtATime: true, ...(onPass && { onPass }) });
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
