/** Makes the store's roster what a roster file says, by events. */
import { retryConflicts } from '../../log/command-handler.ts';
import type { EventStore } from '../../log/event-store.ts';
import { Source, sourceStream } from '../../schemas/source.ts';
import { loadRoster } from './load-roster.ts';
import { eventOf, planRoster, type RosterAuthor, type RosterChange } from './plan-roster.ts';

/**
 * Applies a roster: adds what is new, changes what differs, retires what the same author told about before and no
 * longer lists. Applied again it appends nothing.
 * @param author `by` names the roster, such as its file; another name never retires its sources
 * @returns the changes that were made
 * @throws StreamContention when somebody else keeps writing to the same sources
 */
export async function applyRoster(
  store: Pick<EventStore, 'append' | 'readAll'>,
  sources: readonly Source[],
  author: RosterAuthor,
  clock: () => Date = () => new Date(),
): Promise<RosterChange[]> {
  const wanted = sources.map(asStored);
  const made: RosterChange[] = [];
  // When another writes to a source meanwhile, what is done already does not come up a second time.
  await retryConflicts('the roster', async () => {
    const { roster } = await loadRoster(store);
    for (const change of planRoster(roster, wanted, author)) {
      const event = eventOf(change, author, clock().toISOString());
      await store.append(sourceStream(change.source_id), [event], change.expected);
      made.push(change);
    }
  });
  return made;
}

/** As it comes back from the store: with defaults, without undefined fields, so that like compares with like. */
const asStored = (source: Source): Source => Source.parse(JSON.parse(JSON.stringify(source)));
