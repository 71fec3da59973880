/** A signal's slug: reserved in the event store before the signal is written, so that no two ever have the same. */
import { type EventStore, RevisionConflict } from '../../log/event-store.ts';
import { newEvent, readEvent } from '../../schemas/events.ts';
import { eventId, slugify } from '../../schemas/scalar.ts';
import { slugStream } from '../../schemas/signal.ts';
import type { StoryEvent } from './decide.ts';

/** Signals with one headline; beyond that the id itself makes the slug different. */
const MOST = 50;

/**
 * Reserves `headline`, `headline-2`, … whichever is free, or was reserved for this signal before.
 * @returns the slug, for ever this signal's
 */
export async function reserveSlug(store: EventStore, story: StoryEvent, signalId: string): Promise<string> {
  const base = slugify(story.data.understanding.headline);
  for (let number = 1; ; number++) {
    const ending = number > MOST ? signalId.slice(4, 12) : String(number);
    const slug = number === 1 ? base : `${base}-${ending}`;
    const reserved = newEvent(
      'SlugReserved',
      { slug, signal_id: signalId },
      {
        id: eventId('SlugReserved', slug, signalId),
        time: story.time,
        causation_id: story.id,
        correlation_id: story.correlation_id,
      },
    );
    try {
      await store.append(slugStream(slug), [reserved], 'none');
      return slug;
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
      const [first] = await store.read(slugStream(slug));
      const owner = first && readEvent(first);
      if (owner?.type === 'SlugReserved' && owner.data.signal_id === signalId) return slug;
      if (number > MOST) throw error;
    }
  }
}
