/** Builds a model anew beside the live one. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Position } from '../../log/event-store.ts';
import { Filling } from '../builds/filling.ts';
import { yieldToReaders } from '../builds/priority.ts';
import { type Build, moveCheckpoint, STORE } from '../builds/registry.ts';
import { openSession, ownTransaction } from '../builds/session.ts';
import { createBuild, dropUnusedBuilds } from '../builds/tables.ts';
import type { Refused } from '../fold.ts';
import type { Model } from '../model.ts';
import { park } from '../parked.ts';
import type { Services } from '../services.ts';
import type { Member } from '../shared-pass.ts';
import { type Batch, batches } from './batches.ts';
import { BulkFold } from './bulk.ts';
import { skippedEvents } from './skipped.ts';

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
