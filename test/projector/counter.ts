/** A model that shows at once when an event is folded twice or left out: it counts the reports of each signal. */
import type { Model } from '../../projector/read-model.ts';

export interface Count {
  readonly reports: number;
  readonly keys: readonly string[];
}

export const counter: Model<Count> = {
  name: 'counter',
  types: ['SignalReported'],
  prefixes: ['signal-'],
  topics: [],
  version: '000000000001',
  schema: `CREATE TABLE counts (key text COLLATE "C" PRIMARY KEY, row text NOT NULL, reports integer NOT NULL);
    CREATE TABLE count_keys (key text COLLATE "C" NOT NULL, item text NOT NULL, hostile text NOT NULL, list text[] NOT NULL, PRIMARY KEY (key, item));
  `,
  indexes: ['CREATE INDEX counts_reports ON counts (reports)'],
  tables: [
    { name: 'counts', columns: ['reports'], records: ({ reports }) => [{ reports }] },
    {
      name: 'count_keys',
      columns: ['item', 'hostile', 'list'],
      records: ({ keys }) => keys.map((item) => ({ item, hostile: HOSTILE, list: [HOSTILE, '', 'NULL', item] })),
    },
  ],
  keys: (event) => (event.type === 'SignalReported' ? [event.data.signal_id] : []),
  evolve: (row, event) =>
    event.type === 'SignalReported'
      ? { reports: (row?.reports ?? 0) + 1, keys: [...(row?.keys ?? []), event.data.report.item_key] }
      : row,
};

/** The module from which threads of a test load a model: all models of the service would take them seconds. */

/** Text that COPY, JSON or an array literal would trip over if it were not escaped. */
const HOSTILE = 'tab\t new\nline \\N \\. "quote" {brace},\0 half \uD800 ₹ نص';
