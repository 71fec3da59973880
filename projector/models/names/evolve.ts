/** Each brand, theme and city that a signal ever named, by the name that was told last. */
import type { KnownEvent } from '../../../schemas/events.ts';
import { slugify } from '../../../schemas/identity.ts';
import type { Understanding } from '../../../schemas/story.ts';

export const NAME_TYPES = ['SignalDetected', 'SignalRevised'] as const;
export type NamedType = 'brand' | 'theme' | 'city';

export interface NameRow {
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
export const namesTold = (event: KnownEvent): readonly string[] => [...namesIn(event).keys()];

/** The row of a name after an event that tells it. */
export function evolveName(row: NameRow | null, event: KnownEvent, key: string): NameRow | null {
  const told = namesIn(event).get(key);
  return !told || (row && row.name === told.name) ? row : told;
}
