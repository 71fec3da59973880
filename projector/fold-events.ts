/** Folds events into rows in memory. Pure but for the map of rows, which belongs to the caller. */
import { type Event, type KnownEvent, readEvent } from '../schemas/events.ts';
import type { Model } from './read-model.ts';

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

/** Leaves out events that are not for the model and checks the others against their schemas. */
export function readForModel(model: Model, events: readonly Event[]): Readable {
  const types = new Set<string>(model.types);
  const taken: { event: KnownEvent; keys: readonly string[] }[] = [];
  const refused: Refused[] = [];
  for (const stored of events) {
    if (!types.has(stored.type)) continue;
    try {
      const event = readEvent(stored);
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
