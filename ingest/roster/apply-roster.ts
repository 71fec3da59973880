/** Makes the store's roster what a roster file says, by events. */
import { type EventStore, RevisionConflict } from '../../log/event-store.ts';
import { Source, sourceStream } from '../../schemas/source.ts';
import { loadRoster } from './load-roster.ts';
import { eventOf, planRoster, type RosterAuthor, type RosterChange } from './plan-roster.ts';

const ATTEMPTS = 5;

/**
 * Applies a roster: adds what is new, changes what differs, retires what the same author told about before and no
 * longer lists. Applied again it appends nothing.
 * @param author `by` names the roster, such as its file; another name never retires its sources
 * @returns the changes that were made
 * @throws RevisionConflict when somebody else keeps writing to the same sources
 */
export async function applyRoster(
  store: Pick<EventStore, 'append' | 'readAll'>,
  sources: readonly Source[],
  author: RosterAuthor,
  clock: () => Date = () => new Date(),
): Promise<RosterChange[]> {
  const wanted = sources.map(asStored);
  const made: RosterChange[] = [];
  for (let attempt = 1; ; attempt++) {
    const { roster } = await loadRoster(store);
    try {
      for (const change of planRoster(roster, wanted, author)) {
        const event = eventOf(change, author, clock().toISOString());
        await store.append(sourceStream(change.source_id), [event], change.expected);
        made.push(change);
      }
      return made;
    } catch (error) {
      // Somebody wrote to a source meanwhile: look again, what is done already will not come up a second time.
      if (!(error instanceof RevisionConflict) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** As it comes back from the store: with defaults, without undefined fields, so that like compares with like. */
const asStored = (source: Source): Source => Source.parse(JSON.parse(JSON.stringify(source)));
