/**
 * Appends that come at the same time share a commit. The lock of an append is held until its commit is on disk, so
 * one commit each would be as slow as the disk; while one is under way the next ones gather here.
 */
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { Event } from '../../schemas/events.ts';
import { encodeEvent } from '../encode.ts';
import { type Appended, type ExpectedRevision, RevisionConflict, TEXT_SEPARATOR } from '../event-store.ts';
import { asciiJson } from './ascii.ts';
import type { Database } from './database.ts';
import { isUnavailable } from './unavailable.ts';

interface Waiting {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly ids: readonly string[];
  readonly bodies: readonly string[];
  readonly bytes: number;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: unknown) => void;
}

const Outcome = z.object({
  outcome: z.enum(['appended', 'conflict']),
  last_revision: z.int(),
  last_position: z.bigint().nullable(),
  known_ids: z.array(z.string()),
});

const MOST_APPENDS = 200;
const MOST_BYTES = 8 * 1_048_576;
const CODES = { none: -1, any: -2 } as const;

// The texts come as one: the driver would write every quote of an array's elements twice, and the server read it so.
const APPEND = `SELECT * FROM log.append_events_many($1::text[], $2::int[], $3::int[], $4::uuid[], string_to_array($5, $6))`;

const codeOf = (expected: ExpectedRevision): number => (typeof expected === 'number' ? expected : CODES[expected]);

/** The next appends for one commit, oldest first: each stream once, so that none depends on another. */
function takeGroup(queue: Waiting[]): Waiting[] {
  const group: Waiting[] = [];
  const later: Waiting[] = [];
  const streams = new Set<string>();
  let bytes = 0;
  for (const append of queue) {
    const fits = group.length === 0 || (group.length < MOST_APPENDS && bytes + append.bytes <= MOST_BYTES);
    // Marked also when it has to wait, so that appends to one stream never overtake each other.
    if (fits && !streams.has(append.stream)) {
      group.push(append);
      bytes += append.bytes;
    } else later.push(append);
    streams.add(append.stream);
  }
  queue.splice(0, queue.length, ...later);
  return group;
}

async function commit(database: Database, group: readonly Waiting[]): Promise<void> {
  const values = [
    group.map(({ stream }) => stream),
    group.map(({ expected }) => codeOf(expected)),
    group.map(({ ids }) => ids.length),
    group.flatMap(({ ids }) => ids),
    group.flatMap(({ bodies }) => bodies).join(TEXT_SEPARATOR),
    TEXT_SEPARATOR,
  ];
  const { rows } = await database.query({ name: 'log_append_events', text: APPEND, values });
  const outcomes = rows.map((row) => Outcome.parse(row));
  group.forEach((append, index) => {
    const outcome = outcomes[index];
    if (outcome?.outcome === 'appended' && outcome.last_position !== null) {
      const known = new Set(outcome.known_ids);
      const stored = append.ids.filter((id) => !known.has(id));
      append.resolve({ revision: outcome.last_revision, position: outcome.last_position, stored });
    } else append.reject(new RevisionConflict(append.stream, append.expected, outcome?.last_revision ?? -1));
  });
}

/**
 * Makes the append of an event store.
 * @param onCommit called after each commit
 */
export function appender(database: Database, onCommit: () => void) {
  const queue: Waiting[] = [];
  let busy = false;

  const work = async (): Promise<void> => {
    if (busy) return;
    busy = true;
    while (queue.length > 0) {
      // Whoever waited for the last commit may append again at once: that goes with the next one.
      await setImmediate();
      const group = takeGroup(queue);
      try {
        await commit(database, group);
        onCommit();
      } catch (error) {
        // One bad append must not fail its neighbours: each is tried by itself, and fails for its own reason.
        // A server that is away would fail all of them, one after the other.
        if (group.length === 1 || isUnavailable(error)) for (const append of group) append.reject(error);
        else for (const append of group) await commit(database, [append]).catch(append.reject);
      }
    }
    busy = false;
  };

  return async (stream: string, given: readonly Event[], expected: ExpectedRevision): Promise<Appended> => {
    const events = [...new Map(given.toReversed().map((event) => [event.id, event])).values()].toReversed();
    const bodies = events.map((event) => asciiJson(encodeEvent(event)));
    return new Promise((resolve, reject) => {
      const bytes = bodies.reduce((sum, body) => sum + body.length, 0);
      queue.push({ stream, expected, ids: events.map(({ id }) => id), bodies, bytes, resolve, reject });
      void work();
    });
  };
}
