/** The model of one part of every signal's text: its rows, and a table of the parts of public signals. */
import { readFileSync } from 'node:fs';
import { SIGNAL_PREFIX } from '../../schemas/signal.ts';
import type { Understanding } from '../../schemas/story.ts';
import type { Model, TableRecord } from '../model.ts';
import { modelVersion } from '../version.ts';
import { SIGNAL_TYPES, touchedSignals } from './status.ts';
import { CITED, evolveTold, publicParts, type Told } from './told.ts';

const SHARED = ['told.ts', 'told-model.ts', 'status.ts'].map((file) => new URL(file, import.meta.url));

export interface Parts<Part> {
  /** Of the model and of its table of parts; the main table is called after it with `_told`. */
  readonly name: string;
  /** Folder of the model, with a slash at its end: its `schema.sql` is read from there. */
  readonly folder: URL;
  /** The model's own code, relative to the folder. */
  readonly files: readonly string[];
  /** Columns of the table of parts besides those that cite the signal. */
  readonly columns: readonly string[];
  partsOf(text: Understanding): readonly Part[];
  record(part: Part, publishedAt: string): TableRecord;
}

/** Makes the model. */
export const toldModel = <Part>({ name, folder, files, columns, partsOf, record }: Parts<Part>): Model<Told<Part>> => {
  const schema = new URL('schema.sql', folder);
  return {
    name,
    types: SIGNAL_TYPES,
    prefixes: [SIGNAL_PREFIX],
    topics: [],
    schema: readFileSync(schema, 'utf8'),
    version: modelVersion([schema, ...files.map((file) => new URL(file, folder)), ...SHARED]),
    keys: touchedSignals,
    evolve: evolveTold(partsOf),
    tables: [
      { name: `${name}_told`, columns: [], records: () => [{}] },
      {
        name,
        columns: [...CITED, ...columns],
        records: (row) =>
          publicParts(row).map(({ part, cited }) => ({ ...cited, ...record(part, cited.published_at) })),
      },
    ],
  };
};
