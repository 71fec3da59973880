/** Items of reference sources, as they stand now: what the Oracle checks. */
import { readFileSync } from 'node:fs';
import type { KnownEvent } from '../../../schemas/events.ts';
import { ITEMS, type Item } from '../../../schemas/item.ts';
import type { Model } from '../../model.ts';
import { modelVersion } from '../../version.ts';

const schema = readFileSync(new URL('schema.sql', import.meta.url), 'utf8');

/** The key of an item: an edited one replaces what it was. */
const keysOf = (event: KnownEvent): readonly string[] =>
  event.type === 'ItemFound' && event.data.role === 'oracle' ? [`${event.data.source_id}/${event.data.item_key}`] : [];

/** The model of reference items; items of outlets pass by. */
export function oracleItemsModel(): Model<Item> {
  return {
    name: 'oracle_items',
    types: ['ItemFound'],
    prefixes: [],
    topics: [ITEMS],
    schema,
    version: modelVersion(import.meta.url, { schema }),
    keys: keysOf,
    evolve: (row, event) => (event.type === 'ItemFound' ? event.data : row),
    tables: [
      { name: 'oracle_items', columns: ['seen_at'], records: ({ first_seen_at }) => [{ seen_at: first_seen_at }] },
    ],
  };
}
