/** Follows: what each account waits for. */
import { readFileSync } from 'node:fs';
import { FOLLOWS_PREFIX, targetKey } from '../../../schemas/follow.ts';
import type { Model } from '../../model.ts';
import { modelVersion } from '../../version.ts';
import { evolveFollow, FOLLOW_TYPES_OF_EVENTS, type FollowRow, followOf } from './evolve.ts';

const schema = readFileSync(new URL('schema.sql', import.meta.url), 'utf8');

/** The model of follows, one row each, those that ended included. */
export function followsModel(): Model<FollowRow> {
  return {
    name: 'follows',
    types: FOLLOW_TYPES_OF_EVENTS,
    prefixes: [FOLLOWS_PREFIX],
    topics: [],
    schema,
    version: modelVersion(import.meta.url, { schema }),
    keys: followOf,
    evolve: evolveFollow,
    tables: [
      {
        name: 'follows',
        columns: ['account', 'type', 'slug', 'name', 'target', 'added_at', 'removed_at'],
        records: ({ account, type, slug, name, signal_id, added_at, removed_at }) => [
          { account, type, slug, name, target: targetKey(type, signal_id ?? slug), added_at, removed_at },
        ],
      },
    ],
  };
}
