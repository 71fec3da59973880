/** The loop: items in, stories out. */
import type { Logger } from 'pino';
import type { Topic } from '../../log/topic.ts';
import type { Event } from '../../schemas/envelope.ts';
import { newEvent, readEvent } from '../../schemas/events.ts';
import { eventId } from '../../schemas/identity.ts';
import { eventHandled } from '../../schemas/observation.ts';
import type { PreparedCatalogue } from './catalogue.ts';
import { UNDERSTAND_VERSION, understand } from './understand.ts';

export const UNDERSTAND_GROUP = 'understand';

/**
 * The story that an item event becomes, with the key of its partition: the first primary brand, else the first brand,
 * else the address. Null for noise, for items of oracle sources and for events that are no items.
 * The id is made of the item event's, so an item understood twice is one story.
 * @throws UnreadableEvent when the event has a form that no schema takes
 */
export function storyOf(event: Event, catalogue: PreparedCatalogue): { key: string; event: Event } | null {
  const known = readEvent(event);
  if (known.type !== 'ItemFound' || known.data.role === 'oracle') return null;
  const item = known.data;
  const verdict = understand(item, catalogue);
  if (!verdict.relevant) return null;
  const { brands } = verdict.understanding;
  const key = (brands.find((brand) => brand.role === 'primary') ?? brands[0])?.slug ?? item.url;
  const understood_by = `${UNDERSTAND_VERSION}+${catalogue.catalogue.version}`;
  const story = newEvent(
    'StoryUnderstood',
    { item, understanding: verdict.understanding, understood_by },
    {
      id: eventId('story', event.id, UNDERSTAND_VERSION),
      time: event.time,
      causation_id: event.id,
      correlation_id: event.correlation_id,
    },
  );
  return { key, event: story };
}

/**
 * Consumes items and publishes stories until the signal aborts. An item that cannot be read is logged by its id and
 * passed over; when publishing fails the same batch comes again.
 */
export async function runUnderstand(parts: {
  items: Topic;
  stories: Topic;
  catalogue: PreparedCatalogue;
  logger: Pick<Logger, 'warn'>;
  signal: AbortSignal;
}): Promise<void> {
  const { items, stories, catalogue, logger, signal } = parts;
  await items.consume({
    group: UNDERSTAND_GROUP,
    signal,
    handle: async ({ messages }) => {
      const made = messages.flatMap(({ event }) => {
        const about = { handling: 'understand', event, started: performance.now() } as const;
        try {
          const story = storyOf(event, catalogue);
          eventHandled.tell({ ...about, outcome: story ? 'story' : 'no story' });
          return story ?? [];
        } catch (error) {
          eventHandled.tell({ ...about, outcome: 'passed over', failed: true });
          logger.warn(
            { event: event.id, code: error instanceof Error ? error.name : 'Error' },
            'an item was passed over',
          );
          return [];
        }
      });
      if (made.length > 0) await stories.publish(made);
    },
  });
}
