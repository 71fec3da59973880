/** An event store that counts the events that it stores, and logs them by their ids; repeated appends store none. */
import type { Logger } from 'pino';
import type { EventStore } from '../../log/event-store.ts';
import type { Metrics } from './metrics.ts';

export const countedStore = (store: EventStore, metrics: Metrics, logger: Logger): EventStore => ({
  ...store,
  async append(stream, events, expected) {
    const done = await store.append(stream, events, expected);
    const stored = new Set(done.stored);
    for (const { id: event_id, type, correlation_id, causation_id } of events) {
      // Once, also for an event that is given twice.
      if (!stored.delete(event_id)) continue;
      metrics.appended(type);
      logger.debug({ stream, event_id, type, correlation_id, causation_id }, 'appended');
    }
    return done;
  },
});
