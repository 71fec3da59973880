/** Events of items for tests. */
import { type KnownEvent, newEvent } from '../../schemas/events.ts';
import type { Item, ItemKey } from '../../schemas/poll.ts';
import { eventId } from '../../schemas/scalar.ts';
import { sourceId } from '../harness/ids.ts';

/** An item of a newspaper, identified by its key. */
export const newsItem = (key: string, changes: Partial<Item> = {}): Item => ({
  source_id: sourceId('shop-news'),
  outlet: 'Shop News',
  role: 'news',
  authority: 0.6,
  item_key: key as ItemKey,
  url: `https://shopnews.example/news/${encodeURIComponent(key)}`,
  title: key,
  summary: null,
  published_at: '2026-07-20T06:30:00Z',
  first_seen_at: '2026-07-20T07:00:00Z',
  fingerprint: key,
  language: 'en',
  ...changes,
});

/** The event of an item that a poll found when it was first seen. */
export const itemFound = (data: Item): KnownEvent<'ItemFound'> =>
  newEvent('ItemFound', data, {
    id: eventId('item', data.source_id, data.item_key, data.fingerprint),
    time: data.first_seen_at,
    correlation_id: eventId('poll', 'one'),
  });

/** An item that a reference source listed, identified by its number. */
export const referenceItem = (number: number): KnownEvent<'ItemFound'> =>
  itemFound(
    newsItem(`item ${number}`, {
      source_id: sourceId('reference'),
      outlet: 'Reference',
      role: 'oracle',
      authority: 0.9,
      url: `https://reference.test/${number}`,
      title: `Kiri Foods opens its store number ${number}`,
      published_at: '2026-11-20T06:00:00.000Z',
      first_seen_at: new Date(Date.UTC(2026, 10, 20, 6, 10) + number * 1000).toISOString(),
      fingerprint: String(number),
    }),
  );
