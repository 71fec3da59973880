/** Rebuilds a read model next to the live one. */

import { setImmediate as turn } from 'node:timers/promises';
import type { Client } from 'pg';
import { z } from 'zod';
import { type EventStore, type Page, type Position, TEXT_SEPARATOR, type TextPage } from '../../log/event-store.ts';
import { type Queryable, query } from '../../log/postgres/database.ts';
import type { Event } from '../../schemas/events.ts';
import type { Refused } from '../fold-events.ts';
import {
  type Build,
  createBuild,
  dropUnusedBuilds,
  moveCheckpoint,
  openSession,
  ownTransaction,
  STORE,
} from '../model-builds.ts';
import { park } from '../parked-events.ts';
import type { Model, Services } from '../read-model.ts';
import { type Member, type Pass, PassGroups } from '../shared-pass.ts';
import { BulkFold } from './bulk-fold.ts';
import { Filling, yieldToReaders } from './fill-build.ts';

/** Lets one piece of work run at a time, in the order of asking. */
function turns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

// Reads the event store ahead of whoever folds it.

const PAGE = 500;

/**
 * Pages of the store up to and including a position, each read while the one before is folded.
 * @param after where to begin; the last page stands exactly at `target`
 */
export async function* history(
  store: EventStore,
  prefixes: readonly string[],
  after: Position,
  target: Position,
): AsyncGenerator<Page> {
  const read = (position: Position): Promise<Page> => {
    const page = store.readAll({ after: position, prefixes, limit: PAGE });
    page.catch(() => undefined);
    return page;
  };
  let position = after;
  let next = position < target ? read(position) : null;
  while (next) {
    const page = await next;
    const stuck = page.events.length === 0 && page.position === position;
    const over = page.position >= target || stuck;
    position = page.position;
    next = over ? null : read(position);
    yield over ? { events: page.events.filter((event) => event.position <= target), position: target } : page;
  }
}

// The events of a history in small batches, read ahead of whoever folds them.

const EVENTS_PER_READ = 512;
/** Events parsed at once: few enough to be garbage before the collector copies them, which would take more than parsing. */
const BATCH = 256;

interface Batch {
  /** Not checked yet. */
  readonly events: readonly Event[];
  /** Where the store was read to: the last batch of a page completes it. */
  readonly position: Position;
}

/**
 * Batches of the events up to and including a position.
 * @param target a position that the log has reached; the last batch stands exactly at it
 * @param over a connection for nothing else, to the database of the projector: a store in it is read over that; null to
 *   leave the choice to the store
 */
async function* batches(
  store: EventStore,
  prefixes: readonly string[],
  target: Position,
  over: Queryable | null,
): AsyncGenerator<Batch> {
  if (!store.readTexts) {
    yield* history(store, prefixes, 0n, target);
    return;
  }
  const read = (after: Position): Promise<TextPage> | null => {
    const page =
      after < target
        ? store.readTexts?.({ after, until: target, prefixes, limit: EVENTS_PER_READ, ...(over && { over }) })
        : null;
    page?.catch(() => undefined);
    return page ?? null;
  };
  let position: Position = 0n;
  for (let next = read(position); next; ) {
    const page = await next;
    next = read(page.position);
    position = page.position;
    for (const events of parse(page.texts)) yield { events, position };
  }
}

function* parse(texts: readonly string[]): Generator<readonly Event[]> {
  let events: Event[] = [];
  for (const text of texts) {
    // The store writes checked events alone, and the fold checks each against the schema of its type.
    for (const one of text.split(TEXT_SEPARATOR)) events.push(JSON.parse(one) as Event);
    if (events.length < BATCH) continue;
    yield events;
    events = [];
  }
  yield events;
}

// Events that an operator lets rebuilds pass over.

/** Ids of the events that a model's rebuild may leave out. */
async function skippedEvents(database: Queryable, model: string): Promise<ReadonlySet<string>> {
  const found = await query(
    database,
    'SELECT event_id FROM projector.parked WHERE model = $1 AND skipped',
    [model],
    z.object({ event_id: z.string() }),
  );
  return new Set(found.map(({ event_id }) => event_id));
}

// Builds a model anew beside the live one.

/** How far a rebuild is. Times in seconds. */
export interface Progress {
  readonly model: string;
  readonly phase: 'folding' | 'indexing';
  /** Places of the event store passed and to pass; other models' events count, since they are read over too. */
  readonly done: number;
  readonly total: number;
  /** Events of this model folded so far. */
  readonly events: number;
  readonly per_second: number;
  readonly seconds_left: number | null;
}
export type OnProgress = (progress: Progress) => void;

/** An event that the new version of a model cannot take: the live one stays as it is. */
export class RebuildStopped extends Error {
  override name = 'RebuildStopped';
  readonly event_id: string;
  constructor(model: string, { event, error }: Refused) {
    super(
      `the rebuild of ${model} stopped at event ${event.id} of type ${event.type}: ${error.message}. ` +
        'Mend the model, or look at the event with `clarity parked show`, `clarity parked drop` it, and start again',
    );
    this.event_id = event.id;
  }
}

export interface RebuildOptions {
  readonly signal: AbortSignal;
  /** Where to stop in the event store; its head when unset. */
  readonly target?: Position;
  readonly onProgress?: OnProgress;
  /** Rows that wait in memory to be copied, 10,000 when unset. */
  readonly keptRows?: number;
  /** Set for a rebuild that reads the log together with others. */
  readonly shared?: SharedRebuild;
}

/** What rebuilds that run at the same time share. */
export interface SharedRebuild {
  readonly member: Member;
  /** Megabytes of rows for each table that wait in memory to be copied, at most. */
  readonly keptBlocks: number;
  /** Runs work when no other rebuild of the group is at the same: indexes take much memory of the server. */
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/**
 * Folds the history up to the target into new tables, with indexes and checkpoint, and hands them to `use` while its
 * lock is held. When `use` has not made the build live, or anything throws or aborts, the build is dropped.
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
    const target = options.target ?? (await store.head());
    const signal = AbortSignal.any([options.signal, lost.signal]);
    await foldHistory(services, model, build, target, { ...options, signal });
    return await use(build);
  } finally {
    // Freed by name, since the server may notice the end of a connection only after the drop has looked.
    await session.query('SELECT pg_advisory_unlock_all()').catch(() => undefined);
    await session.end().catch(() => undefined);
    await dropUnusedBuilds(services, model).catch(() => undefined);
  }
}

async function foldHistory(
  { database, store, clock }: Services,
  model: Model,
  build: Build,
  target: Position,
  { signal, onProgress, keptRows, shared }: RebuildOptions,
): Promise<void> {
  const skipped = await skippedEvents(database, model.name);
  const started = clock().getTime();
  let events = 0;
  const tell = (phase: Progress['phase'], position: Position): void => {
    const seconds = Math.max(0.001, (clock().getTime() - started) / 1000);
    const [done, total] = [Number(position), Number(target)];
    const seconds_left = done > 0 ? (seconds * (total - done)) / done : null;
    onProgress?.({ model: model.name, phase, done, total, events, per_second: events / seconds, seconds_left });
  };
  const eventsOver = (reading: Client | null): AsyncIterable<Batch> | readonly Batch[] => {
    const { prefixes } = model;
    if (prefixes.length === 0) return [];
    if (shared) return shared.member.read({ prefixes, after: 0n, target, signal });
    return batches(store, prefixes, target, reading);
  };
  // One transaction from the first row to the checkpoint: the build is whole or empty, whatever happens in between.
  const fill = (reading: Client | null): Promise<void> =>
    ownTransaction(database, async (client) => {
      const filling = await Filling.begin(client, model, build);
      const bulk = await BulkFold.begin(filling, keptRows, shared?.keptBlocks);
      const stopAt = async (refused: readonly Refused[]): Promise<void> => {
        const first = refused.find(({ event }) => !skipped.has(event.id));
        if (!first) return;
        await park(database, { model: model.name, build: build.name, input: STORE }, [first]);
        throw new RebuildStopped(model.name, first);
      };
      try {
        for await (const batch of eventsOver(reading)) {
          signal.throwIfAborted();
          await stopAt(await bulk.add(batch.events));
          events += batch.events.length;
          tell('folding', batch.position);
          // Sockets get their turn: the rows folded before go out while the next ones are folded.
          await turn();
        }
        await bulk.finish();
      } finally {
        await bulk.settle();
      }
      signal.throwIfAborted();
      tell('indexing', target);
      await (shared ? shared.inTurn(() => filling.createIndexes()) : filling.createIndexes());
      await stopAt(await bulk.mend());
      if (target > 0n) await moveCheckpoint(client, build.name, STORE, 0n, target);
    });
  if (shared) return fill(null);
  // Reading is a fifth of the work: it steps back behind readers as the filling does.
  const reading = await openSession(database);
  try {
    await yieldToReaders(reading);
    await fill(reading);
  } finally {
    await reading.end().catch(() => undefined);
  }
}

// Which rebuilds of a process run at the same time.

/** Rebuilds of a group, at most: each holds two connections to PostgreSQL and its waiting rows. */
const GROUP = 6;
/** Megabytes of rows for each table that wait in each rebuild of a group, so that a group needs no more than one alone. */
const KEPT_BLOCKS = 2;

/** Runs a rebuild when its turn comes; `shared` is set when others run with it. */
type RunRebuild = <Result>(model: Model, rebuild: (shared?: SharedRebuild) => Promise<Result>) => Promise<Result>;

/**
 * One rebuild after the other where the store hands out texts, which costs less than folding does. Else groups of them,
 * one after the other: each group reads the log once.
 * @param onPass called after each reading for a group
 */
export function rebuildTurns(store: EventStore, onPass?: (pass: Pass) => void): RunRebuild {
  const inTurn = turns();
  if (store.readTexts) return (_model, rebuild) => inTurn(() => rebuild());
  const groups = new PassGroups({ store, size: GROUP, oneAtATime: true, ...(onPass && { onPass }) });
  return (model, rebuild) =>
    groups.run(model.prefixes, (member) => rebuild({ member, inTurn, keptBlocks: KEPT_BLOCKS }));
}
