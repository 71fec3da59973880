/** The consumer of the topic `items`: understands each item and publishes stories to the topic `stories`. */
import { setImmediate } from 'node:timers/promises';
import type { DeadLetters } from '../../log/dead-letters.ts';
import { consumeMessages, type HandlingFailure, type MessageConsumer } from '../../log/message-consumer.ts';
import type { Topic } from '../../log/topic.ts';
import { type Event, type KnownEvent, newEvent, readEvent } from '../../schemas/events.ts';
import { eventHandled } from '../../schemas/observation.ts';
import { eventId } from '../../schemas/scalar.ts';
import { UNDERSTAND_VERSION } from './understand-item.ts';
import type { EncodedVerdict, Understander } from './understander.ts';

export const UNDERSTAND_GROUP = 'understand';

/** The story of an item event that was understood. Idempotent: its id is derived from the id of the item event. */
export function storyOf(
  found: KnownEvent<'ItemFound'>,
  { understanding, certainty, vector, meaning }: EncodedVerdict,
  { version }: Understander,
): KnownEvent<'StoryUnderstood'> {
  return newEvent(
    'StoryUnderstood',
    {
      ...{ item: found.data, understanding, understood_by: version, certainty },
      ...(vector && { vector }),
      ...(meaning && { meaning }),
    },
    {
      id: eventId('story', found.id, UNDERSTAND_VERSION),
      time: found.time,
      causation_id: found.id,
      correlation_id: found.correlation_id,
    },
  );
}

/**
 * Creates the story of an item event, with the key of its partition: the first primary brand, else the first brand,
 * else the URL.
 * @returns null for noise, for items of oracle sources and for events that are no items
 * @throws UnreadableEvent when no schema accepts the event
 */
export async function createStory(
  event: Event,
  understander: Understander,
): Promise<{ key: string; event: Event } | null> {
  const known = readEvent(event);
  if (known.type !== 'ItemFound' || known.data.role === 'oracle') return null;
  const verdict = await understander.understand(known.data);
  if (!verdict.relevant) return null;
  const { brands } = verdict.understanding;
  const key = (brands.find((brand) => brand.role === 'primary') ?? brands[0])?.slug ?? known.data.url;
  return { key, event: storyOf(known, verdict, understander) };
}

/**
 * Consumes items and publishes stories until the signal aborts. An item that is unreadable, or that meets a defect, is
 * dead-lettered; when publishing fails, the same batch is retried. See `consumeMessages`.
 */
export async function runUnderstand(parts: {
  items: Topic;
  stories: Topic;
  understander: Understander;
  deadLetters: DeadLetters;
  logger: MessageConsumer['logger'];
  signal: AbortSignal;
  limits?: MessageConsumer['limits'];
}): Promise<void> {
  const { items, stories, understander, ...rest } = parts;
  await consumeMessages({
    ...rest,
    topic: items,
    group: UNDERSTAND_GROUP,
    handle: async (events) => {
      const failures: HandlingFailure[] = [];
      const made: { key: string; event: Event }[] = [];
      for (const event of events) {
        const about = { handling: 'understand', event, started: performance.now() } as const;
        try {
          const story = await createStory(event, understander);
          eventHandled.emit({ ...about, outcome: story ? 'story' : 'no story' });
          if (story) made.push(story);
        } catch (error) {
          eventHandled.emit({ ...about, outcome: 'failed', failed: true });
          failures.push({ id: event.id, error });
        }
        // An item takes the thread for some milliseconds: other work of the process comes in between.
        if (understander.isEncoded) await setImmediate();
      }
      if (made.length > 0) await stories.publish(made);
      return failures;
    },
  });
}
