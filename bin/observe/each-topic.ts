/** Topics that do something more with what passes. */
import type { Topic, Topics } from '../../log/topic.ts';

/** The same topics, each wrapped once. */
export function eachTopic(topics: Topics, wrap: (topic: Topic) => Topic): Topics {
  const wrapped = new Map<string, Topic>();
  return {
    topic(name) {
      const topic = wrapped.get(name) ?? wrap(topics.topic(name));
      wrapped.set(name, topic);
      return topic;
    },
    groups: (prefix) => topics.groups(prefix),
    close: () => topics.close(),
  };
}
