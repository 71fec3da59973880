/** The Oracle: its latest measurement, the last one of each day, and the items of reference sources that it checks. */

import { istDay } from '../../language/days.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { ORACLE_PREFIX, type OracleMeasurement } from '../../schemas/oracle.ts';
import { ITEMS, type Item } from '../../schemas/poll.ts';
import { defineModel, type Model } from '../read-model.ts';

/** The model of the latest measurement: one row. */
export function oracleModel(): Model<OracleMeasurement> {
  return defineModel(import.meta.url, {
    name: 'oracle',
    types: ['OracleMeasured'],
    prefixes: [ORACLE_PREFIX],
    keys: () => ['latest'],
    evolve: (row, event) =>
      event.type === 'OracleMeasured' && (!row || event.data.measured_at >= row.measured_at) ? event.data : row,
    tables: [{ name: 'oracle', columns: [], records: () => [{}] }],
  });
}

// The last measurement of each day, for the course of the miss rate.

type OracleDay = Pick<OracleMeasurement, 'measured_at' | 'checked' | 'missed'>;

/** The model of the last measurement of each day in India, which is the key, `YYYY-MM-DD`. */
export function oracleDaysModel(): Model<OracleDay> {
  return defineModel(import.meta.url, {
    name: 'oracle_days',
    types: ['OracleMeasured'],
    prefixes: [ORACLE_PREFIX],
    keys: (event) => (event.type === 'OracleMeasured' ? [istDay(Date.parse(event.data.measured_at))] : []),
    evolve(row, event) {
      if (event.type !== 'OracleMeasured' || (row && event.data.measured_at < row.measured_at)) return row;
      const { measured_at, checked, missed } = event.data;
      return { measured_at, checked, missed };
    },
    tables: [
      { name: 'oracle_days', columns: ['checked', 'missed'], records: ({ checked, missed }) => [{ checked, missed }] },
    ],
  });
}

// Items of reference sources, which the Oracle checks. An edited item replaces its earlier version.

/** The key of an item: an edited one replaces what it was. */
const keysOf = (event: KnownEvent): readonly string[] =>
  event.type === 'ItemFound' && event.data.role === 'oracle' ? [`${event.data.source_id}/${event.data.item_key}`] : [];

/** The model of reference items; it ignores items of outlets. */
export function oracleItemsModel(): Model<Item> {
  return defineModel(import.meta.url, {
    name: 'oracle_items',
    types: ['ItemFound'],
    prefixes: [],
    topics: [ITEMS],
    indexes: ['CREATE INDEX oracle_items_seen ON oracle_items (seen_at)'],
    keys: keysOf,
    evolve: (row, event) => (event.type === 'ItemFound' ? event.data : row),
    tables: [
      { name: 'oracle_items', columns: ['seen_at'], records: ({ first_seen_at }) => [{ seen_at: first_seen_at }] },
    ],
  });
}
