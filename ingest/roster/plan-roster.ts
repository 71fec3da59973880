/** What must happen to the store's roster so that it is as a roster file wants it. */
import { isDeepStrictEqual } from 'node:util';
import { type KnownEvent, newEvent } from '../../schemas/events.ts';
import { eventId } from '../../schemas/identity.ts';
import type { Source } from '../../schemas/source.ts';
import type { Roster, RosterEntry } from './fold-sources.ts';

/** Who applies a roster, and why; one name per file, so that files do not undo each other. */
export interface RosterAuthor {
  readonly by: string;
  readonly why: string;
}

export interface RosterChange {
  readonly source_id: string;
  readonly change: 'added' | 'changed' | 'retired';
  /** Null for one that is added. */
  readonly before: Source | null;
  /** Null for one that is retired. */
  readonly after: Source | null;
  /** The revision that the stream must have; `none` for a new stream. */
  readonly expected: number | 'none';
}

/** Compares the roster with what an author wants. Sources that only others told about are left alone. */
export function planRoster(roster: Roster, wanted: readonly Source[], author: RosterAuthor): RosterChange[] {
  const changes = wanted.flatMap((source) => planSource(roster.get(source.id) ?? null, source, author));
  const listed = new Set(wanted.map(({ id }) => id));
  for (const [id, entry] of roster)
    if (!listed.has(id) && !entry.retired && Object.hasOwn(entry.told, author.by))
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
  if (isDeepStrictEqual(entry.told[author.by], wanted)) return [];
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
 * The event of a change. Its id is made of what it says and where it goes, so a change appended twice is one event.
 * @param time RFC 3339 in UTC
 */
export function eventOf(change: RosterChange, author: RosterAuthor, time: string): KnownEvent {
  const { after, source_id, expected } = change;
  const id = eventId('roster', change.change, source_id, expected, author.by, JSON.stringify(after));
  if (!after) return newEvent('SourceRetired', { ...author, source_id }, { id, time });
  const type = change.change === 'added' ? 'SourceAdded' : 'SourceChanged';
  return newEvent(type, { ...author, source: after }, { id, time });
}
