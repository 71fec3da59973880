/** Specifications of read models: given some events, when another comes, then the row is this. */
import { fold, readForModel } from '../../projector/apply-page.ts';
import type { Model, TableRecord } from '../../projector/read-model.ts';
import { type DataOf, type EventType, type KnownEvent, newEvent } from '../../schemas/events.ts';
import { eventId } from '../../schemas/scalar.ts';

let count = 0;

/**
 * An event as a log would give it.
 * @param time a minute after the event before when unset; the count goes on over the files of a worker, so a test that
 *   needs a certain day passes it
 */
export function storedEvent<Type extends EventType>(type: Type, data: DataOf<Type>, time?: string): KnownEvent<Type> {
  count += 1;
  const later = new Date(Date.UTC(2026, 10, 1) + count * 60_000).toISOString();
  return newEvent(type, data, { id: eventId('test', count), time: time ?? later });
}

export interface Outcome<Row> {
  /** The row of a key, null for none. */
  row(key: string): Row | null;
  /** What a table holds for a key. */
  records(table: string, key: string): readonly TableRecord[];
  /** Messages of the events that were refused. */
  readonly refused: readonly string[];
}

/** `specification(model).given([...]).when(event)` answers with what the model makes of all of them. */
export function specification<Row>(model: Model<Row>) {
  const outcome = (events: readonly KnownEvent[]): Outcome<Row> => {
    const { taken, refused } = readForModel(model, events);
    const rows = new Map<string, Row | null>();
    const folded = fold(model, taken, rows);
    return {
      row: (key) => rows.get(key) ?? null,
      records(name, key) {
        const row = rows.get(key) ?? null;
        const table = model.tables.find((candidate) => candidate.name === name);
        if (!table) throw new Error(`the model ${model.name} has no table ${name}`);
        return row === null ? [] : table.records(row, key);
      },
      refused: [...refused, ...folded.refused].map(({ error }) => error.message),
    };
  };
  return { given: (events: readonly KnownEvent[]) => ({ when: (event: KnownEvent) => outcome([...events, event]) }) };
}
