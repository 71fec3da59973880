/** Names of brands, themes and cities, so that readers find them however they are spelled. */
import { readFileSync } from 'node:fs';
import type { KnownEvent } from '../../schemas/events.ts';
import { slugify } from '../../schemas/scalar.ts';
import { SIGNAL_PREFIX } from '../../schemas/signal.ts';
import type { Understanding } from '../../schemas/story.ts';
import { modelVersion } from '../model-version.ts';
import type { Model } from '../read-model.ts';
import { withoutAccents } from './search-read-model.ts';

// Each brand, theme and city that a signal ever named, by the name that was told last.

const NAME_TYPES = ['SignalDetected', 'SignalRevised'] as const;
type NamedType = 'brand' | 'theme' | 'city';

interface NameRow {
  readonly type: NamedType;
  readonly slug: string;
  readonly name: string;
}

const understandingOf = (event: KnownEvent): Understanding | null => {
  if (event.type === 'SignalDetected') return event.data.understanding;
  return event.type === 'SignalRevised' ? event.data.after : null;
};

/** By key, such as `brand:zudio`. */
function namesIn(event: KnownEvent): ReadonlyMap<string, NameRow> {
  const told = understandingOf(event);
  const rows: NameRow[] = [];
  for (const { slug, name } of told?.brands ?? []) rows.push({ type: 'brand', slug, name });
  if (told?.theme) rows.push({ type: 'theme', ...told.theme });
  for (const city of told?.cities ?? []) rows.push({ type: 'city', slug: slugify(city), name: city });
  return new Map(rows.map((row) => [`${row.type}:${row.slug}`, row]));
}

/** Keys of the names that an event tells. */
const namesTold = (event: KnownEvent): readonly string[] => [...namesIn(event).keys()];

/** The row of a name after an event that tells it. */
function evolveName(row: NameRow | null, event: KnownEvent, key: string): NameRow | null {
  const told = namesIn(event).get(key);
  return !told || (row && row.name === told.name) ? row : told;
}

// Names: what readers may look for by a name, also one that they do not know how to spell.

const schema = readFileSync(new URL('./names.sql', import.meta.url), 'utf8');

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
