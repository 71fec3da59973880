/** Which items of its inbox an account has read. */
import { readFileSync } from 'node:fs';
import { FOLLOWS_PREFIX } from '../../../schemas/follow.ts';
import type { Model } from '../../model.ts';
import { modelVersion } from '../../version.ts';
import { evolveRead, type ReadRow, readsOf } from './evolve.ts';

const schema = readFileSync(new URL('schema.sql', import.meta.url), 'utf8');

/** The model of what was read. */
export function inboxReadsModel(): Model<ReadRow> {
  return {
    name: 'inbox_reads',
    types: ['InboxRead'],
    prefixes: [FOLLOWS_PREFIX],
    topics: [],
    schema,
    version: modelVersion(import.meta.url, { schema }),
    keys: readsOf,
    evolve: evolveRead,
    tables: [
      {
        name: 'inbox_reads',
        columns: ['account', 'signal_id', 'read_at', 'up_to'],
        records: ({ account, signal_id, read_at, up_to }) => [{ account, signal_id, read_at, up_to }],
      },
    ],
  };
}
