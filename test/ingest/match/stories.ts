/** Made-up stories for tests of matching. */

import { newEvent } from '../../../schemas/events.ts';
import { eventId, fingerprint, slugify } from '../../../schemas/scalar.ts';
import type { Story, Understanding } from '../../../schemas/story.ts';
import type { StoryEvent } from '../../../signal/report-decisions.ts';

export interface Telling {
  title: string;
  summary?: string | null;
  outlet?: string;
  authority?: number;
  published_at?: string | null;
  first_seen_at?: string;
  url?: string;
  item_key?: string;
  source_id?: string;
  /** Start of the poll that found it; when it was first seen, unless it is an edit. */
  found_at?: string;
  edits?: number;
  on_own_site?: boolean;
  understanding?: Partial<Understanding>;
  brand?: string;
  understood_by?: string;
}

export function storyOf(telling: Telling): Story {
  const outlet = telling.outlet ?? 'Retail Post';
  const url = telling.url ?? `https://${slugify(outlet)}.example/${slugify(telling.title)}`;
  const first_seen_at = telling.first_seen_at ?? '2026-07-06T08:00:00.000Z';
  const published_at = telling.published_at === undefined ? first_seen_at : telling.published_at;
  const summary = telling.summary ?? null;
  return {
    item: {
      source_id: telling.source_id ?? slugify(outlet),
      outlet,
      role: 'news',
      authority: telling.authority ?? 0.5,
      item_key: telling.item_key ?? url,
      url,
      title: telling.title,
      summary,
      published_at,
      first_seen_at,
      fingerprint: fingerprint(telling.title, summary, published_at),
      language: 'en',
      edits: telling.edits,
      on_own_site: telling.on_own_site,
    },
    understanding: {
      move: 'stores',
      kind: null,
      headline: telling.title,
      deck: null,
      summary,
      key_facts: [],
      delta: null,
      event_at: null,
      theme: null,
      brands: telling.brand
        ? [{ slug: slugify(telling.brand), name: telling.brand, role: 'primary', provisional: false }]
        : [],
      cities: [],
      mall: null,
      people: [],
      openings: [],
      deal: null,
      result: null,
      ...telling.understanding,
    },
    understood_by: telling.understood_by ?? 'rules-1',
  };
}

export function storyEvent(telling: Telling): StoryEvent {
  const data = storyOf(telling);
  const { source_id, item_key, fingerprint: print, edits = 0, first_seen_at } = data.item;
  const id = eventId('story', source_id, item_key, print, data.understood_by, edits);
  return newEvent('StoryUnderstood', data, { id, time: telling.found_at ?? first_seen_at });
}
