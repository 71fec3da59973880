/** Events of items for tests. */
import { type KnownEvent, newEvent } from '../../schemas/events.ts';
import type { ItemKey } from '../../schemas/poll.ts';
import { eventId } from '../../schemas/scalar.ts';
import { sourceId } from '../harness/ids.ts';

/** An item that a reference source listed, identified by its number. */
export const referenceItem = (number: number): KnownEvent<'ItemFound'> =>
  newEvent(
    'ItemFound',
    {
      source_id: sourceId('reference'),
      outlet: 'Reference',
      role: 'oracle',
      authority: 0.9,
      item_key: `item ${number}` as ItemKey,
      url: `https://reference.test/${number}`,
      title: `Kiri Foods opens its store number ${number}`,
      summary: null,
      published_at: '2026-11-20T06:00:00.000Z',
      first_seen_at: new Date(Date.UTC(2026, 10, 20, 6, 10) + number * 1000).toISOString(),
      fingerprint: String(number),
      language: 'en',
    },
    { id: eventId('item', 'reference', String(number)), time: '2026-11-20T06:10:00.000Z' },
  );
