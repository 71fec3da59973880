/** The items that the topic still contains, understood by the present rules. About 1 KB of memory for each move. */
import { type Event, readEvent } from '../../schemas/events.ts';
import { itemName, type ReportRef } from '../../schemas/signal.ts';
import type { Version } from '../../signal/replay-decisions.ts';
import type { StoryEvent } from '../../signal/report-decisions.ts';
import { createStory } from '../understand/understand-consumer.ts';
import type { Understander } from '../understand/understander.ts';

/** Stories are kept as text, which takes a fraction of the room, and which is compared as it would be stored. */
interface Kept extends Omit<Version, 'story'> {
  readonly story: string | null;
}

export class StoredItems {
  readonly #items = new Map<string, Kept[]>();
  readonly #understander: Understander;
  /** Items that no schema takes. */
  unreadable = 0;

  constructor(understander: Understander) {
    this.#understander = understander;
  }

  /**
   * Understands events of the topic; other events and those of oracle sources are skipped. An event may be delivered twice.
   * @param isWanted unset for all items
   */
  async take(events: readonly Event[], isWanted: (item: ReportRef) => boolean = () => true): Promise<void> {
    for (const event of events) {
      try {
        await this.#add(event, isWanted);
      } catch {
        // Counted: the report of the replay shows the number.
        this.unreadable += 1;
      }
    }
  }

  async #add(event: Event, isWanted: (item: ReportRef) => boolean): Promise<void> {
    const known = readEvent(event);
    if (known.type !== 'ItemFound' || known.data.role === 'oracle' || !isWanted(known.data)) return;
    const versions = this.#items.get(itemName(known.data)) ?? [];
    if (versions.some(({ item_event }) => item_event === known.id)) return;
    const story = await createStory(known, this.#understander);
    const { id: item_event, time } = known;
    const { fingerprint } = known.data;
    versions.push({ item_event, time, fingerprint, story: story ? JSON.stringify(story.event) : null });
    versions.sort((a, b) => Date.parse(a.time) - Date.parse(b.time));
    this.#items.set(itemName(known.data), versions);
  }

  get size(): number {
    return this.#items.size;
  }

  has(item: ReportRef): boolean {
    return this.#items.has(itemName(item));
  }

  /** The wordings of an item, oldest first; none for one that the topic holds no longer. */
  versions(item: ReportRef): readonly Version[] {
    return (this.#items.get(itemName(item)) ?? []).map(opened);
  }

  /** The newest wording of every item that is a move, one after the other. */
  *stories(): Generator<StoryEvent> {
    for (const versions of this.#items.values()) {
      const newest = versions.at(-1);
      const story = newest ? opened(newest).story : null;
      if (story) yield story;
    }
  }
}

const opened = (kept: Kept): Version => {
  const story = kept.story === null ? null : readEvent(JSON.parse(kept.story) as Event);
  return { ...kept, story: story?.type === 'StoryUnderstood' ? story : null };
};
