/** The feed: one row a signal, with its documents ready to send. */
import { readFileSync } from 'node:fs';
import { SIGNAL_PREFIX } from '../../../schemas/signal.ts';
import type { Model, Table } from '../../model.ts';
import { modelVersion } from '../../version.ts';
import { SIGNAL_TYPES, touchedSignals } from '../status.ts';
import { detailBeside, documentsSql, itemParts, outletsOf } from './documents.ts';
import { evolveSignal } from './evolve.ts';
import { keptBeside, keptColumns, restore } from './keep.ts';
import type { SignalRow } from './row.ts';

const schema = readFileSync(new URL('schema.sql', import.meta.url), 'utf8');

const brandsOf = (row: SignalRow, only?: 'primary'): string[] => [
  ...new Set(row.text.brands.filter(({ role }) => !only || role === only).map(({ slug }) => slug)),
];

const brandsTable: Table<SignalRow> = {
  name: 'signal_brands',
  columns: ['brand', 'is_primary', 'published_at', 'move', 'theme'],
  records(row) {
    if (row.status !== 'public') return [];
    const about = brandsOf(row, 'primary');
    const { published_at, text } = row;
    const { move, theme } = text;
    return brandsOf(row).map((brand) => ({
      brand,
      is_primary: about.includes(brand),
      published_at,
      move,
      theme: theme?.slug ?? null,
    }));
  },
};

const signalsTable = (baseUrl: string): Table<SignalRow> => ({
  name: 'signals',
  columns: [
    'slug',
    'status',
    'published_at',
    'move',
    'theme',
    'cities',
    'outlets',
    'merged_into',
    'item_parts',
    'detail',
  ],
  json: ['item_parts', 'detail'],
  computed: documentsSql(baseUrl),
  records(row) {
    const [item, detail] = [itemParts(row), detailBeside(row)];
    return [
      {
        slug: row.slug,
        status: row.status,
        published_at: row.published_at,
        move: row.text.move,
        theme: row.text.theme?.slug ?? null,
        cities: row.text.cities,
        outlets: outletsOf(row).length,
        merged_into: row.merged_into,
        // Without the brace that opens it: the view begins with what stands in columns.
        item_parts: JSON.stringify(item).slice(1),
        detail: detail && JSON.stringify(detail),
      },
    ];
  },
});

/** @param options.baseUrl address that readers use, without a slash at the end; documents carry it */
export function signalsModel({ baseUrl }: { baseUrl: string }): Model<SignalRow> {
  return {
    name: 'signals',
    types: SIGNAL_TYPES,
    prefixes: [SIGNAL_PREFIX],
    topics: [],
    schema,
    version: modelVersion(import.meta.url, { schema, parameters: { baseUrl } }),
    tables: [signalsTable(baseUrl), brandsTable],
    keys: touchedSignals,
    evolve: evolveSignal,
    storage: { columns: keptColumns, keep: keptBeside, restore },
  };
}
