/** Topics that count what passes, and log it by its ids: one correlation id is one item on its way from poll to page. */
import type { Logger } from 'pino';
import type { ConsumeOptions, Message, Topic, Topics } from '../../log/topic.ts';
import { POLLS, type Poll } from '../../schemas/poll.ts';
import { eachTopic } from './each-topic.ts';
import type { Metrics } from './metrics.ts';

const countedTopic = (topic: Topic, metrics: Metrics, logger: Logger): Topic => ({
  ...topic,
  async publish(messages: readonly Message[]) {
    await topic.publish(messages);
    metrics.published(topic.name, messages.length);
    for (const { event } of messages) {
      if (topic.name === POLLS) metrics.polled((event.data as Poll).outcome);
      const { id: event_id, type, correlation_id, causation_id } = event;
      logger.debug({ topic: topic.name, event_id, type, correlation_id, causation_id }, 'published');
    }
  },
  consume: (options: ConsumeOptions) =>
    topic.consume({
      ...options,
      handle: async (batch) => {
        await options.handle(batch);
        metrics.handled(topic.name, options.group, batch.messages.length);
      },
    }),
});

export const countedTopics = (topics: Topics, metrics: Metrics, logger: Logger): Topics =>
  eachTopic(topics, (topic) => countedTopic(topic, metrics, logger));
