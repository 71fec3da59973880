/** Names of brands, themes and cities, so that readers find them however they are spelled. */
import type { KnownEvent } from '../../schemas/events.ts';
import { slugify } from '../../schemas/scalar.ts';
import { SIGNAL_PREFIX } from '../../schemas/signal.ts';
import type { Understanding } from '../../schemas/story.ts';
import { defineModel, type Model } from '../read-model.ts';
import { withoutAccents } from './search-read-model.ts';

const NAME_TYPES = ['SignalDetected', 'SignalRevised', 'SignalCorrected'] as const;
type NamedType = 'brand' | 'theme' | 'city';

interface NameRow {
  readonly type: NamedType;
  readonly slug: string;
  readonly name: string;
}

const understandingOf = (event: KnownEvent): Understanding | null => {
  if (event.type === 'SignalDetected') return event.data.understanding;
  return event.type === 'SignalRevised' || event.type === 'SignalCorrected' ? event.data.after : null;
};

/** By key, such as `brand:zudio`. */
function namesIn(event: KnownEvent): ReadonlyMap<string, NameRow> {
  const understanding = understandingOf(event);
  const rows: NameRow[] = [];
  for (const { slug, name } of understanding?.brands ?? []) rows.push({ type: 'brand', slug, name });
  if (understanding?.theme) rows.push({ type: 'theme', ...understanding.theme });
  for (const city of understanding?.cities ?? []) rows.push({ type: 'city', slug: slugify(city), name: city });
  return new Map(rows.map((row) => [`${row.type}:${row.slug}`, row]));
}

const namesMentioned = (event: KnownEvent): readonly string[] => [...namesIn(event).keys()];

/** The row of a name after an event that mentions it: the newest spelling counts. */
function evolveName(row: NameRow | null, event: KnownEvent, key: string): NameRow | null {
  const mentioned = namesIn(event).get(key);
  return !mentioned || row?.name === mentioned.name ? row : mentioned;
}

/** The model of names. A name stays when its last signal goes; readers are shown those that public signals have. */
export function namesModel(): Model<NameRow> {
  return defineModel(import.meta.url, {
    name: 'names',
    types: NAME_TYPES,
    prefixes: [SIGNAL_PREFIX],
    indexes: [
      'CREATE INDEX names_like ON names USING gin (folded public.gin_trgm_ops)',
      'CREATE INDEX names_folded ON names (folded)',
    ],
    keys: namesMentioned,
    evolve: evolveName,
    tables: [
      {
        name: 'names',
        columns: ['type', 'slug', 'name', 'folded'],
        records: ({ type, slug, name }) => [{ type, slug, name, folded: withoutAccents(name).toLowerCase() }],
      },
    ],
  });
}
