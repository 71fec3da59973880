/** Appending until it is done or in conflict. */
import type { Event } from '../../schemas/envelope.ts';
import { backoff, pause } from '../backoff.ts';
import { type ExpectedRevision, RevisionConflict } from '../event-store.ts';
import { type Appended, decide, type Known } from './decide.ts';
import type { KnownStreams } from './known.ts';
import { type Proposed, propose } from './record.ts';

export interface Appending {
  readonly streams: KnownStreams;
  /** Reads what a stream has beyond what is known. */
  readonly refresh: (stream: string, known: Known) => Promise<void>;
  /** Appends behind what is known. @returns null when the stream has moved on, or has the events already */
  readonly write: (stream: string, events: readonly Proposed[], known: Known) => Promise<Appended | null>;
}

/** Makes the append of an event store. */
export function appender({ streams, refresh, write }: Appending) {
  const once = async (stream: string, events: readonly Proposed[], expected: ExpectedRevision): Promise<Appended> => {
    const before = streams.get(stream);
    const known = before ?? streams.open(stream);
    // A stream that should not be there yet need not be read first.
    let fresh = known.behind || (!before && expected !== 'none');
    if (fresh) await refresh(stream, known);
    for (let failures = 0; ; failures++) {
      const decision = decide(known, events, expected);
      if (decision.kind === 'there') return decision.appended;
      if (decision.kind === 'conflict' && fresh) throw new RevisionConflict(stream, expected, decision.actual);
      if (decision.kind === 'append') {
        const appended = await write(stream, decision.events, known);
        if (appended) return appended;
        // Others write to the stream at once: each round one of them gets through.
        if (failures > 2) await pause(backoff(failures - 3, { base: 5, maximum: 100 }, Math.random));
      }
      await refresh(stream, known);
      fresh = true;
    }
  };

  // Appends of this process to one stream take turns: at once, all but one would fail and have to read again.
  const turns = new Map<string, Promise<unknown>>();
  return async (stream: string, given: readonly Event[], expected: ExpectedRevision): Promise<Appended> => {
    // Of one id given twice the first counts.
    const events = [...new Map(given.toReversed().map((event) => [event.id, propose(event)])).values()].toReversed();
    const before = turns.get(stream);
    const appended = before ? before.then(() => once(stream, events, expected)) : once(stream, events, expected);
    const turn = appended.catch(() => undefined);
    turns.set(stream, turn);
    try {
      return await appended;
    } finally {
      if (turns.get(stream) === turn) turns.delete(stream);
    }
  };
}
