/** Inbox: the targets of each public signal. Who follows a target finds the signal in the inbox. */
import { readFileSync } from 'node:fs';
import { targetKey } from '../../../schemas/follow.ts';
import { SIGNAL_PREFIX } from '../../../schemas/signal.ts';
import type { Model, TableRecord } from '../../model.ts';
import { modelVersion } from '../../version.ts';
import { SIGNAL_TYPES, touchedSignals } from '../status.ts';
import { evolveInbox, type InboxRow } from './evolve.ts';

const schema = readFileSync(new URL('schema.sql', import.meta.url), 'utf8');

function targetsOf({ status, published_at, theme, brands, follows, sources }: InboxRow): TableRecord[] {
  if (status !== 'public') return [];
  return [
    ...brands.map((brand) => ({ target: targetKey('brand', brand), at: published_at })),
    ...(theme ? [{ target: targetKey('theme', theme), at: published_at }] : []),
    ...(follows ? [{ target: targetKey('signal', follows), at: published_at }] : []),
    ...Object.entries(sources).map(([source, at]) => ({ target: targetKey('source', source), at })),
  ];
}

/** The model of inboxes. */
export function inboxModel(): Model<InboxRow> {
  return {
    name: 'inbox',
    types: SIGNAL_TYPES,
    prefixes: [SIGNAL_PREFIX],
    topics: [],
    schema,
    version: modelVersion(import.meta.url, { schema }),
    keys: touchedSignals,
    evolve: evolveInbox,
    tables: [
      { name: 'inbox_signals', columns: ['follows'], records: ({ follows }) => [{ follows }] },
      { name: 'signal_targets', columns: ['target', 'at'], records: targetsOf },
    ],
  };
}
