/** Which rebuilds of a process run at the same time. */
import type { EventStore } from '../../log/event-store.ts';
import type { Model } from '../model.ts';
import { type Pass, PassGroups } from '../shared-pass.ts';
import { turns } from '../turns.ts';
import type { SharedRebuild } from './rebuild.ts';

/** Rebuilds of a group, at most: each holds two connections to PostgreSQL and its waiting rows. */
const GROUP = 6;
/** Megabytes of rows for each table that wait in each rebuild of a group, so that a group needs no more than one alone. */
const KEPT_BLOCKS = 2;

/** Runs a rebuild when its turn comes; `shared` is set when others run with it. */
export type RunRebuild = <Result>(
  model: Model,
  rebuild: (shared?: SharedRebuild) => Promise<Result>,
) => Promise<Result>;

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
