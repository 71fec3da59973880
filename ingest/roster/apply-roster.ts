/** Makes the store's roster what a roster file says, by events. */
import { isDeepStrictEqual } from 'node:util';
import { retryConflicts } from '../../log/command-handler.ts';
import type { EventStore } from '../../log/event-store.ts';
import { type KnownEvent, newEvent } from '../../schemas/events.ts';
import { eventId } from '../../schemas/scalar.ts';
import { Source, type SourceId, sourceStream } from '../../schemas/source.ts';
import { addressKey, chooseFreeId, loadRoster, type Roster, type RosterEntry } from './roster.ts';

/** Who applies a roster, and why; one name per file, so that files do not undo each other. */
export interface RosterAuthor {
  readonly by: string;
  readonly why: string;
}

export interface RosterChange {
  readonly source_id: SourceId;
  readonly change: 'added' | 'changed' | 'retired';
  /** Null for one that is added. */
  readonly before: Source | null;
  /** Null for one that is retired. */
  readonly after: Source | null;
  /** The revision that the stream must have; `none` for a new stream. */
  readonly expected: number | 'none';
}

/** Compares the roster with what an author wants. Sources that only others listed are left alone. */
export function planRoster(roster: Roster, wanted: readonly Source[], author: RosterAuthor): RosterChange[] {
  const changes = wanted.flatMap((source) => planSource(roster.get(source.id) ?? null, source, author));
  const listed = new Set(wanted.map(({ id }) => id));
  for (const [id, entry] of roster)
    if (!listed.has(id) && !entry.retired && Object.hasOwn(entry.wantedBy, author.by))
      changes.push({
        source_id: id,
        change: 'retired',
        before: entry.source,
        after: null,
        expected: entry.revision,
      });
  return changes;
}

function planSource(entry: RosterEntry | null, wanted: Source, author: RosterAuthor): RosterChange[] {
  const about = { source_id: wanted.id, after: wanted };
  if (!entry) return [{ ...about, change: 'added', before: null, expected: 'none' }];
  if (isDeepStrictEqual(entry.wantedBy[author.by], wanted)) return [];
  return [
    {
      ...about,
      change: entry.retired ? 'added' : 'changed',
      before: entry.retired ? null : entry.source,
      expected: entry.revision,
    },
  ];
}

/**
 * The event of a change. Its id is computed from its content and its stream, so appending it is idempotent.
 * @param time RFC 3339 in UTC
 */
function createRosterEvent(change: RosterChange, author: RosterAuthor, time: string): KnownEvent {
  const { after, source_id, expected } = change;
  const id = eventId('roster', change.change, source_id, expected, author.by, JSON.stringify(after));
  if (!after) return newEvent('SourceRetired', { ...author, source_id }, { id, time });
  const type = change.change === 'added' ? 'SourceAdded' : 'SourceChanged';
  return newEvent(type, { ...author, source: after }, { id, time });
}

/**
 * Applies a roster: adds what is new, changes what differs, retires what the same author listed before and no
 * longer lists. Applied again it appends nothing.
 * @param author `by` names the roster, such as its file; another name never retires its sources
 * @returns the changes that were made
 * @throws StreamContention when other writers keep changing the same sources
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
      const event = createRosterEvent(change, author, clock().toISOString());
      await store.append(sourceStream(change.source_id), [event], change.expected);
      made.push(change);
    }
  });
  return made;
}

/** As it comes back from the store: with defaults, without undefined fields, so that like compares with like. */
const asStored = (source: Source): Source => Source.parse(JSON.parse(JSON.stringify(source)));

// Importing: sources that the roster lacks are added, none is changed or retired.

/** The sources to add, under ids that are free; what is polled already, by its address, is left out. */
export function selectNewSources(roster: Roster, listed: readonly Source[]): Source[] {
  const used = [...roster.values()].filter(({ retired }) => !retired);
  const polled = new Set(used.map(({ source }) => addressKey(source.url)));
  const taken = new Set(used.map(({ source }) => source.id));
  return listed
    .filter(({ url }) => !polled.has(addressKey(url)))
    .map((source) => {
      const id = chooseFreeId(source.id, taken);
      taken.add(id);
      return { ...source, id };
    });
}
