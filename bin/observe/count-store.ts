/** An event store that counts what is appended, and logs it by its ids. */
import type { Logger } from 'pino';
import type { EventStore } from '../../log/event-store.ts';
import type { Metrics } from './metrics.ts';

/** An append that was done before counts again: the count tells of work, the store of facts. */
export const countedStore = (store: EventStore, metrics: Metrics, logger: Logger): EventStore => ({
  ...store,
  async append(stream, events, expected) {
    const done = await store.append(stream, events, expected);
    for (const { id: event_id, type, correlation_id, causation_id } of events) {
      metrics.appended(type);
      logger.debug({ stream, event_id, type, correlation_id, causation_id }, 'appended');
    }
    return done;
  },
});
