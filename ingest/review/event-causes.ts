/** The causes of an event: its story, its item and its poll, as far as the topics still contain them. */
import type { Topics } from '../../log/topic.ts';
import { type Event, readEvent } from '../../schemas/events.ts';
import { ITEMS } from '../../schemas/item.ts';
import { POLLS } from '../../schemas/poll.ts';
import { STORIES } from '../../schemas/story.ts';

export interface Cause {
  readonly id: string;
  /** Null when no topic holds it any more. */
  readonly type: string | null;
  readonly time: string | null;
  /** What it said, in one line of the source's words. */
  readonly about: string | null;
}

/** Looks events up by id; `known` are those at hand. */
export interface Causes {
  find(ids: readonly string[]): Promise<void>;
  readonly known: Map<string, Event>;
}

/** @param signal aborts a look-up, which reads whole topics where the log has no index of ids */
export function causesIn(topics: Topics, signal: AbortSignal): Causes {
  const known = new Map<string, Event>();
  return {
    known,
    async find(ids) {
      let missing = [...new Set(ids)].filter((id) => !known.has(id));
      for (const name of [STORIES, ITEMS, POLLS]) {
        for (const event of await topics.topic(name).find(missing, signal)) known.set(event.id, event);
        missing = missing.filter((id) => !known.has(id));
      }
    },
  };
}

/** What an event of a topic said, in one line of the source’s words; null for any other. */
export function said(event: Event): string | null {
  try {
    const known = readEvent(event);
    if (known.type === 'StoryUnderstood') return `${known.data.item.outlet}: ${known.data.item.title}`;
    if (known.type === 'ItemFound') return `${known.data.outlet}: ${known.data.title} ${known.data.url}`;
    if (known.type === 'PollCompleted')
      return `${known.data.source_id}: ${known.data.outcome}, ${known.data.items_new} new, ${known.data.items_edited} edited`;
    return null;
  } catch {
    // The text that is shown states it.
    return 'cannot be read by this version of the program';
  }
}

const causeOf = (id: string, event: Event | undefined): Cause => ({
  id,
  type: event?.type ?? null,
  time: event?.time ?? null,
  about: event ? said(event) : null,
});

/** The chain of causes of an event, the nearest first, ending in what all of them share. */
export function chainOf(event: Event, known: ReadonlyMap<string, Event>): Cause[] {
  const chain: Cause[] = [];
  const met = new Set([event.id]);
  for (let id = event.causation_id; id && !met.has(id); id = known.get(id)?.causation_id ?? null) {
    met.add(id);
    chain.push(causeOf(id, known.get(id)));
  }
  if (!met.has(event.correlation_id)) chain.push(causeOf(event.correlation_id, known.get(event.correlation_id)));
  return chain;
}
