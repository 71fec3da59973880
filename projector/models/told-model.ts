/** The model of one part of what every signal's reports state: its rows, and a table of the parts of public signals. */
import { readFileSync } from 'node:fs';
import { SIGNAL_PREFIX } from '../../schemas/signal.ts';
import type { Model, TableRecord } from '../model.ts';
import { modelVersion } from '../version.ts';
import { SIGNAL_TYPES, touchedSignals } from './status.ts';
import { CITED, evolveTold, type Origin, type PartReading, publicParts, type Told } from './told.ts';

export interface Parts<Part> extends PartReading<Part> {
  /** Of the model and of its table of parts; the main table is called after it with `_told`. */
  readonly name: string;
  /** The `import.meta.url` of the model's file: `schema.sql` is next to it. */
  readonly file: string;
  /** Columns of the table of parts besides those that cite the signal. */
  readonly columns: readonly string[];
  record(part: Part & Origin, publishedAt: string): TableRecord;
}

/** Makes the model. */
export const toldModel = <Part>({ name, file, columns, partsOf, combine, record }: Parts<Part>): Model<Told<Part>> => {
  const schema = readFileSync(new URL('schema.sql', file), 'utf8');
  return {
    name,
    types: SIGNAL_TYPES,
    prefixes: [SIGNAL_PREFIX],
    topics: [],
    schema,
    version: modelVersion(file, { schema }),
    keys: touchedSignals,
    evolve: evolveTold({ partsOf }),
    tables: [
      { name: `${name}_told`, columns: [], records: () => [{}] },
      {
        name,
        columns: [...CITED, ...columns],
        records: (row) =>
          publicParts(row, combine).map(({ part, cited }) => ({ ...cited, ...record(part, cited.published_at) })),
      },
    ],
  };
};
