/** What a source's answers mean for the roster: a lasting move is adopted, one that is gone for good is retired. */
import type { EventStore } from '../../log/event-store.ts';
import { newEvent } from '../../schemas/events.ts';
import { eventId } from '../../schemas/identity.ts';
import { type Source, sourceStream } from '../../schemas/source.ts';
import type { PollResult } from './poll-source.ts';

const AUTHOR = 'poller';
/** A redirect counts as lasting when so many polls in a row saw it over at least a day. */
const POLLS_OF_MOVE = 3;
const DAY = 86_400_000;
/** "Gone" is believed when it is said so many times in a row. */
const POLLS_OF_GONE = 3;

interface Seen {
  readonly what: string;
  readonly since: number;
  readonly times: number;
}

/** Remembers what single polls said, and appends an event once it holds. */
export function adoptChanges(
  store: Pick<EventStore, 'append'>,
  clock: () => Date,
): (source: Source, result: PollResult) => Promise<void> {
  const seen = new Map<string, Seen>();
  return async (source, { movedTo, poll }) => {
    const gone = poll.data.error?.code === 'gone';
    const what = gone ? 'gone' : movedTo && movedTo !== source.url ? movedTo : null;
    if (what === null) {
      // A failure says nothing about a move.
      if (!poll.data.error) seen.delete(source.id);
      return;
    }
    const now = clock();
    const before = seen.get(source.id);
    const same = before?.what === what ? before : { what, since: now.getTime(), times: 0 };
    const again = { ...same, times: same.times + 1 };
    seen.set(source.id, again);
    const event = { id: eventId('source', source.id, source.url, what), time: now.toISOString() };
    if (gone && again.times >= POLLS_OF_GONE) {
      const why = `its server answered 410 Gone ${again.times} times in a row`;
      const retired = newEvent('SourceRetired', { source_id: source.id, by: AUTHOR, why }, event);
      await store.append(sourceStream(source.id), [retired], 'any');
    } else if (!gone && again.times >= POLLS_OF_MOVE && now.getTime() - again.since >= DAY) {
      const why = `a permanent redirect that lasted ${again.times} polls`;
      const moved = { source_id: source.id, from: source.url, to: what, by: AUTHOR, why };
      await store.append(sourceStream(source.id), [newEvent('SourceMoved', moved, event)], 'any');
    }
  };
}
