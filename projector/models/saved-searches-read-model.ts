/** Saved searches: one row each, until it is removed. */
import { readFileSync } from 'node:fs';
import type { AccountId } from '../../schemas/access.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { SAVED_SEARCH_TYPES, SEARCHES_PREFIX } from '../../schemas/saved-search.ts';
import { modelVersion } from '../model-version.ts';
import type { Model } from '../read-model.ts';

interface SearchRow {
  readonly account: AccountId;
  readonly name: string;
  readonly query: string;
  readonly token_hash: string | null;
  readonly saved_at: string;
  readonly read_until: string;
}

type SearchEvent = KnownEvent<(typeof SAVED_SEARCH_TYPES)[number]>;
const isSearchEvent = (event: KnownEvent): event is SearchEvent =>
  (SAVED_SEARCH_TYPES as readonly string[]).includes(event.type);

/** The row of a search after an event; null after its removal. */
function evolveSearch(row: SearchRow | null, event: KnownEvent): SearchRow | null {
  if (event.type === 'SearchSaved') {
    const { account_id: account, name, query } = event.data;
    return row ?? { account, name, query, token_hash: null, saved_at: event.time, read_until: event.time };
  }
  // What comes after its removal says nothing.
  if (!row || event.type === 'SearchRemoved') return null;
  if (event.type === 'SearchRead')
    return event.data.up_to > row.read_until ? { ...row, read_until: event.data.up_to } : row;
  if (event.type === 'SearchFeedIssued') return { ...row, token_hash: event.data.token_hash };
  return event.type === 'SearchFeedRevoked' ? { ...row, token_hash: null } : row;
}

const schema = readFileSync(new URL('./saved-searches.sql', import.meta.url), 'utf8');

/** Created after the rows. */
const indexes = [
  'CREATE INDEX saved_searches_of_account ON saved_searches (account, saved_at)',
  'CREATE INDEX saved_searches_of_token ON saved_searches (token_hash) WHERE token_hash IS NOT NULL',
];

/** The model of saved searches. */
export function savedSearchesModel(): Model<SearchRow> {
  return {
    name: 'saved_searches',
    types: SAVED_SEARCH_TYPES,
    prefixes: [SEARCHES_PREFIX],
    topics: [],
    schema,
    indexes,
    version: modelVersion(import.meta.url, { schema }),
    keys: (event) => (isSearchEvent(event) ? [event.data.search_id] : []),
    evolve: evolveSearch,
    tables: [
      {
        name: 'saved_searches',
        columns: ['account', 'name', 'query', 'token_hash', 'saved_at', 'read_until'],
        records: (row) => [{ ...row }],
      },
    ],
  };
}
