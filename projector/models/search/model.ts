/** Search: one row a signal with its weighted words. Questions and the search box are answered from it. */
import { readFileSync } from 'node:fs';
import { earlierOf } from '../../../schemas/scalar.ts';
import { SIGNAL_PREFIX } from '../../../schemas/signal.ts';
import type { Model } from '../../model.ts';
import { modelVersion } from '../../version.ts';
import { SIGNAL_TYPES, touchedSignals } from '../status.ts';
import { evolveSearch, withoutAccents } from './evolve.ts';
import type { SearchRow } from './row.ts';

const schema = readFileSync(new URL('schema.sql', import.meta.url), 'utf8');

/** Texts that have columns of their own are not kept twice. */
const TEXTS = ['headline', 'names', 'body'] as const;

/** When it happened, as far as that is known: a signal that was released late, or came by a first poll, is older news. */
const movedAt = ({ event_at, first_seen_at, published_at }: SearchRow): string =>
  [event_at ?? first_seen_at, first_seen_at].reduce(earlierOf, published_at);

/** The model of search. */
export function searchModel(): Model<SearchRow> {
  return {
    name: 'search',
    types: SIGNAL_TYPES,
    prefixes: [SIGNAL_PREFIX],
    topics: [],
    schema,
    version: modelVersion(import.meta.url, { schema }),
    keys: touchedSignals,
    evolve: evolveSearch,
    storage: {
      columns: TEXTS,
      keep: ({ headline: _, names: __, body: ___, ...rest }) => JSON.stringify(rest),
      restore: ({ row, headline, names, body }) => ({ ...JSON.parse(row ?? '{}'), headline, names, body }) as SearchRow,
    },
    tables: [
      {
        name: 'search_signals',
        columns: ['is_public', 'moved_at', 'move', 'theme', 'brands', 'about', 'cities', ...TEXTS, 'titles'],
        records: (row) => {
          const { move, theme, brands, about, cities, headline, names, body } = row;
          const filters = { is_public: row.status === 'public', moved_at: movedAt(row), move, theme };
          const titles = withoutAccents(row.titles.join(' . '));
          return [{ ...filters, brands, about, cities, headline, names, body, titles }];
        },
      },
    ],
  };
}
