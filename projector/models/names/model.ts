/** Names: what readers may look for by a name, also one that they do not know how to spell. */
import { readFileSync } from 'node:fs';
import { SIGNAL_PREFIX } from '../../../schemas/signal.ts';
import type { Model } from '../../model.ts';
import { modelVersion } from '../../version.ts';
import { withoutAccents } from '../search/evolve.ts';
import { evolveName, NAME_TYPES, type NameRow, namesTold } from './evolve.ts';

const schema = readFileSync(new URL('schema.sql', import.meta.url), 'utf8');

/** The model of names. A name stays when its last signal goes; readers are shown those that public signals have. */
export function namesModel(): Model<NameRow> {
  return {
    name: 'names',
    types: NAME_TYPES,
    prefixes: [SIGNAL_PREFIX],
    topics: [],
    schema,
    version: modelVersion(import.meta.url, { schema }),
    keys: namesTold,
    evolve: evolveName,
    tables: [
      {
        name: 'names',
        columns: ['type', 'slug', 'name', 'folded'],
        records: ({ type, slug, name }) => [{ type, slug, name, folded: withoutAccents(name).toLowerCase() }],
      },
    ],
  };
}
