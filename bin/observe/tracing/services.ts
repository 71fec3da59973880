/** Topics and an event store that tell what was written to them. */
import type { Services } from '../../services.ts';
import { eachTopic } from '../each-topic.ts';
import type { EventTracing } from './events.ts';

export function tracedServices(services: Services, { wrote }: Pick<EventTracing, 'wrote'>): Services {
  const { topics, store } = services;
  return {
    ...services,
    topics: eachTopic(topics, (topic) => ({
      ...topic,
      async publish(messages) {
        const started = performance.now();
        await topic.publish(messages);
        const events = messages.map(({ event }) => event);
        wrote('publish', topic.name, events, started);
      },
    })),
    store: {
      ...store,
      async append(stream, events, expected) {
        const started = performance.now();
        const done = await store.append(stream, events, expected);
        wrote('append', stream, events, started);
        return done;
      },
    },
  };
}
