/** Events of sources and polls for tests, each field as it mostly is. */
import type { KnownEvent } from '../../schemas/events.ts';
import type { Poll } from '../../schemas/poll.ts';
import { Source } from '../../schemas/source.ts';
import { sourceId } from '../harness/ids.ts';
import { storedEvent } from './given-when-then.ts';

export const SOURCE = 'daily-trade';

export const source = (changes: Partial<Source> = {}): Source =>
  Source.parse({ id: SOURCE, outlet: 'Daily Trade', url: 'https://outlet.test/feed', ...changes });

export const added = (changes: Partial<Source> = {}): KnownEvent<'SourceAdded'> =>
  storedEvent('SourceAdded', { by: 'roster', why: 'first apply', source: source(changes) });

/** A poll that found nothing new, so many hours after the beginning of 20 November 2026 in UTC. */
export const poll = (changes: Partial<Poll> = {}, hour = 1): Poll => {
  const started = Date.UTC(2026, 10, 20) + hour * 3_600_000;
  return {
    source_id: sourceId(SOURCE),
    started_at: new Date(started).toISOString(),
    duration_ms: 20,
    outcome: 'unchanged',
    http_status: 200,
    items_found: 10,
    items_new: 0,
    items_edited: 0,
    items_refused: 0,
    newest_item_at: null,
    etag: null,
    last_modified: null,
    error: null,
    cadence_seconds: 600,
    next_poll_at: new Date(started + 600_000).toISOString(),
    listed: null,
    ...changes,
  };
};

export const polled = (changes: Partial<Poll> = {}, hour = 1): KnownEvent<'PollCompleted'> =>
  storedEvent('PollCompleted', poll(changes, hour));
