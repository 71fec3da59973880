/** What a read model is: a pure fold of events into rows, and the tables that contain them; and what the engine works with. */
import { readFileSync } from 'node:fs';
import type { EventStore } from '../log/event-store.ts';
import type { Database } from '../log/postgres/database.ts';
import type { Topics } from '../log/topic.ts';
import type { EventType, KnownEvent } from '../schemas/events.ts';
import { modelVersion, type Version, type VersionOf } from './model-version.ts';

/** Values of one table row by column; arrays become PostgreSQL arrays, null stays null. */
export type TableRecord = Readonly<Record<string, string | number | bigint | boolean | null | readonly string[]>>;

/** A row as it stood before the event, for events that touch several rows at once, such as a merge. */
export type Before<Row> = (key: string) => Row | null;

/**
 * A table that is filled from rows. Its first column is `key text`, and its primary key begins with `key`.
 * The first table of a model is its main one: exactly one record a row, with a second column `row text` in which the
 * engine keeps the row itself, so that the fold can go on from it.
 */
export interface Table<Row> {
  readonly name: string;
  /**
   * Its columns in order, without `key` and `row`: text, text[], boolean, integer, bigint, double precision and
   * timestamptz. Generated ones are left out.
   */
  readonly columns: readonly string[];
  records(row: Row, key: string): readonly TableRecord[];
}

/** How the main table stores a row that is partly in the table's own columns. */
export interface Storage<Row> {
  /** Text columns of the main table that `restore` needs in addition to `row`. */
  readonly columns: readonly string[];
  /** The rest of the row, as JSON text for the column `row`. */
  keep(row: Row): string;
  /** The row as it was, from the column `row` and the columns named. */
  restore(kept: Readonly<Record<string, string | null>>): Row;
}

/** A read model. Methods, not function properties, so that models of different rows fit one list. */
export interface Model<Row = unknown> {
  readonly name: string;
  /** The event types that it handles; it ignores every other event. */
  readonly types: readonly EventType[];
  /** Prefixes of the event store's streams that it follows; none for a model of topics alone. */
  readonly prefixes: readonly string[];
  /** Names of the topics that it follows. */
  readonly topics: readonly string[];
  /** CREATE TABLE statements, that of the main table with its primary key. */
  readonly schema: string;
  /** Statements that create indexes and further primary keys, one each: a rebuild executes them after the rows. */
  readonly indexes: readonly string[];
  readonly version: Version;
  /** Names of models of earlier releases whose tables this one has: their builds are dropped once it is live. */
  readonly replaces?: readonly string[];
  readonly tables: readonly Table<Row>[];
  /** Unset, the column `row` holds the whole row as JSON. */
  readonly storage?: Storage<Row>;
  /** Keys of the rows that the event touches. */
  keys(event: KnownEvent): readonly string[];
  /**
   * The row after the event; null for no row. Pure: it never changes the row it is given, and returns the same object
   * when the event says nothing to it. Throwing parks the event.
   */
  evolve(row: Row | null, event: KnownEvent, key: string, before: Before<Row>): Row | null;
}

/** A model as its file writes it; `schema` unset is the SQL file of its name. */
interface Definition<Row>
  extends Omit<Model<Row>, 'topics' | 'schema' | 'indexes' | 'version'>,
    Partial<Pick<Model<Row>, 'topics' | 'schema' | 'indexes'>>,
    Pick<VersionOf, 'parameters'> {}

/**
 * Makes a read model, with its version.
 * @param file address of the code that decides its rows, `import.meta.url`
 */
export function defineModel<Row>(file: string, definition: Definition<Row>): Model<Row> {
  const { parameters = {}, topics = [], indexes = [], ...model } = definition;
  const schema = model.schema ?? readFileSync(new URL(`./${model.name.replaceAll('_', '-')}.sql`, file), 'utf8');
  return { ...model, topics, indexes, schema, version: modelVersion(file, { schema, parameters }) };
}

/** The part of pino's logger that is used. */
export interface Logger {
  info(about: object, message: string): void;
  warn(about: object, message: string): void;
  error(about: object, message: string): void;
}

export interface Services {
  readonly database: Database;
  readonly store: EventStore;
  readonly topics: Topics;
  readonly logger: Logger;
  readonly clock: () => Date;
}
