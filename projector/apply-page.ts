/**
 * One page of events into the tables of a build: folded in memory, which is pure but for the map of rows, then rows,
 * parked events and checkpoint in one transaction.
 */
import { describeError, kindOf } from '../log/errors.ts';
import { type Database, transaction } from '../log/postgres/database.ts';
import { type Event, type KnownEvent, readEvent } from '../schemas/events.ts';
import { type Build, CheckpointConflict, checkpoint, lockBuild, moveCheckpoint } from './model-builds.ts';
import { park } from './parked-events.ts';
import type { Model, Services } from './read-model.ts';
import { loadRows, writeRows } from './row-storage.ts';

/** An event that cannot be taken, and why. */
export interface Refused {
  readonly event: Event;
  readonly error: Error;
}

/** Events of one model that could be read, each with the keys of the rows that it touches. */
export interface Readable {
  readonly taken: readonly { readonly event: KnownEvent; readonly keys: readonly string[] }[];
  readonly refused: readonly Refused[];
}

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** Events that were validated: all models of a process are given the same objects. */
const validated = new WeakMap<Event, KnownEvent>();

/** An event, validated once. @throws UnreadableEvent */
function validate(stored: Event): KnownEvent {
  const event = validated.get(stored) ?? readEvent(stored);
  validated.set(stored, event);
  return event;
}

/** Leaves out events that are not for the model and checks the others against their schemas. */
export function readForModel(model: Model, events: readonly Event[]): Readable {
  const types = new Set<string>(model.types);
  const taken: { event: KnownEvent; keys: readonly string[] }[] = [];
  const refused: Refused[] = [];
  for (const stored of events) {
    if (!types.has(stored.type)) continue;
    try {
      const event = validate(stored);
      taken.push({ event, keys: model.keys(event) });
    } catch (thrown) {
      refused.push({ event: stored, error: asError(thrown) });
    }
  }
  return { taken, refused };
}

/**
 * Applies events in their order.
 * @param rows holds the row, or null, of every key touched; rows that change are replaced in it
 * @returns the keys whose rows changed, and the events that the model threw on, which changed nothing
 */
export function fold<Row>(
  model: Model<Row>,
  taken: Readable['taken'],
  rows: Map<string, Row | null>,
): { changed: Set<string>; refused: Refused[] } {
  const changed = new Set<string>();
  const refused: Refused[] = [];
  const before = (key: string): Row | null => rows.get(key) ?? null;
  for (const { event, keys } of taken) {
    try {
      // All next rows are computed before one is put in place, so that each sees the others as they were.
      const next = keys.map((key) => [key, model.evolve(before(key), event, key, before)] as const);
      for (const [key, row] of next) {
        if (row === before(key)) continue;
        rows.set(key, row);
        changed.add(key);
      }
    } catch (thrown) {
      refused.push({ event, error: asError(thrown) });
    }
  }
  return { changed, refused };
}

/** An event with the checkpoint at which it is applied. */
export interface PositionedEvent {
  readonly event: Event;
  readonly done: bigint;
}

export interface PageOfInput {
  readonly input: string;
  /** The expected checkpoint; null for any, leaving out the events that it covers. */
  readonly from: bigint | null;
  readonly events: readonly PositionedEvent[];
  /** The checkpoint after the page. */
  readonly to: bigint;
  /** The id of the record at that checkpoint, where it is known. */
  readonly id?: string | undefined;
}

/** SQLSTATE classes of values that a table does not accept: 22 data, 23 constraint, 54 limits. */
export const isDataError = (error: unknown): error is Error =>
  error instanceof Error && /^(?:22|23|54)/.test((error as { code?: string }).code ?? '');

/**
 * Folds a page into a build: rows, parked events and checkpoint in one transaction, exactly once.
 * @returns the events that were parked
 * @throws CheckpointConflict when another process has moved the checkpoint; nothing is written then
 */
export async function applyPage(
  database: Database,
  model: Model,
  build: Build,
  page: PageOfInput,
): Promise<readonly Refused[]> {
  try {
    return await transaction(database, async (client) => {
      await lockBuild(client, build.name, page.input);
      const current = await checkpoint(client, build.name, page.input);
      if (page.from !== null && page.from !== current) throw new CheckpointConflict(build.name, page.input);
      if (page.to <= current) return [];
      const events = page.events.filter(({ done }) => done > current).map(({ event }) => event);
      const { taken, refused } = readForModel(model, events);
      const keys = new Set(taken.flatMap((event) => event.keys));
      const rows = await loadRows(client, model, build.name, [...keys]);
      const folded = fold(model, taken, rows);
      const changed = new Map([...folded.changed].map((key) => [key, rows.get(key) ?? null]));
      await writeRows(client, model, build.name, changed);
      const all = [...refused, ...folded.refused];
      await park(client, { model: model.name, build: build.name, input: page.input }, all);
      await moveCheckpoint(client, build.name, page.input, current, page.to, page.id);
      return all;
    });
  } catch (error) {
    if (!isDataError(error)) throw error;
    return divide(database, model, build, page, error);
  }
}

/** Halves a page with an event whose row no table accepts, until the page is that event alone, and parks it. */
async function divide(
  database: Database,
  model: Model,
  build: Build,
  page: PageOfInput,
  error: Error,
): Promise<readonly Refused[]> {
  const [first] = page.events;
  if (!first) throw error;
  if (page.events.length === 1)
    return transaction(database, async (client) => {
      await lockBuild(client, build.name, page.input);
      const refused = [{ event: first.event, error }];
      await park(client, { model: model.name, build: build.name, input: page.input }, refused);
      await moveCheckpoint(
        client,
        build.name,
        page.input,
        await checkpoint(client, build.name, page.input),
        page.to,
        page.id,
      );
      return refused;
    });
  const middle = Math.ceil(page.events.length / 2);
  const left = page.events.slice(0, middle);
  const to = left.at(-1)?.done ?? page.to;
  const before = await applyPage(database, model, build, { ...page, events: left, to, id: undefined });
  const after = await applyPage(database, model, build, {
    ...page,
    from: page.from === null ? null : to,
    events: page.events.slice(middle),
  });
  return [...before, ...after];
}

/** Logs the events that were parked. */
export function logParked({ logger }: Pick<Services, 'logger'>, model: Model, refused: readonly Refused[]): void {
  for (const { event, error } of refused)
    logger.error(
      { model: model.name, event_id: event.id, event_type: event.type, kind: kindOf(error), err: describeError(error) },
      'an event was parked: the read model refused it',
    );
}
