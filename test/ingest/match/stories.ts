/** Made-up stories for tests of matching. */

import { newEvent } from '../../../schemas/events.ts';
import type { ItemKey } from '../../../schemas/poll.ts';
import { eventId, fingerprint, slugify } from '../../../schemas/scalar.ts';
import type { Story, Understanding } from '../../../schemas/story.ts';
import type { StoryEvent } from '../../../signal/report-decisions.ts';
import { sourceId } from '../../harness/ids.ts';
import { brandRef } from '../../projector/signal-events.ts';

export interface TestStory {
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

export function storyOf(report: TestStory): Story {
  const outlet = report.outlet ?? 'Retail Post';
  const url = report.url ?? `https://${slugify(outlet)}.example/${slugify(report.title)}`;
  const first_seen_at = report.first_seen_at ?? '2026-07-06T08:00:00.000Z';
  const published_at = report.published_at === undefined ? first_seen_at : report.published_at;
  const summary = report.summary ?? null;
  return {
    item: {
      source_id: sourceId(report.source_id ?? slugify(outlet)),
      outlet,
      role: 'news',
      authority: report.authority ?? 0.5,
      item_key: (report.item_key ?? url) as ItemKey,
      url,
      title: report.title,
      summary,
      published_at,
      first_seen_at,
      fingerprint: fingerprint(report.title, summary, published_at),
      language: 'en',
      edits: report.edits,
      on_own_site: report.on_own_site,
    },
    understanding: {
      move: 'stores',
      kind: null,
      headline: report.title,
      deck: null,
      summary,
      key_facts: [],
      delta: null,
      event_at: null,
      theme: null,
      brands: report.brand ? [brandRef(slugify(report.brand), report.brand)] : [],
      cities: [],
      mall: null,
      people: [],
      openings: [],
      deal: null,
      result: null,
      ...report.understanding,
    },
    understood_by: report.understood_by ?? 'rules-1',
  };
}

export function storyEvent(report: TestStory): StoryEvent {
  const data = storyOf(report);
  const { source_id, item_key, fingerprint: print, edits = 0, first_seen_at } = data.item;
  const id = eventId('story', source_id, item_key, print, data.understood_by, edits);
  return newEvent('StoryUnderstood', data, { id, time: report.found_at ?? first_seen_at });
}
