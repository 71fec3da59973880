/** The roster as it is now, kept up to date from the event store. */
import { backoff, pause } from '../../log/backoff.ts';
import type { EventStore } from '../../log/event-store.ts';
import { SOURCE_PREFIX, type Source } from '../../schemas/source.ts';
import { foldInto, type Roster } from './fold-sources.ts';
import { loadRoster, readable } from './load-roster.ts';

export interface LiveSources {
  /** The sources to be polled: neither paused nor retired, in the order in which they were first added. */
  readonly active: () => readonly Source[];
  /** Everything that is known, paused and retired sources included. */
  readonly roster: () => Roster;
  /** Ends when the signal aborts. */
  readonly done: Promise<void>;
}

/**
 * Reads the roster, then follows it until the signal aborts, through restarts of the store.
 * @param onChange called after each change, not for what stood in the store at first
 */
export async function followSources(
  store: Pick<EventStore, 'readAll' | 'subscribe'>,
  signal: AbortSignal,
  onChange: () => void = () => undefined,
): Promise<LiveSources> {
  const { roster, position: start } = await loadRoster(store);
  let position = start;
  const follow = async (): Promise<void> => {
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        for await (const page of store.subscribe({ after: position, prefixes: [SOURCE_PREFIX], signal })) {
          failures = 0;
          position = page.position;
          if (page.events.length === 0) continue;
          foldInto(roster, readable(page.events));
          onChange();
        }
      } catch {
        // The store is away; what is known still holds.
      }
      await pause(backoff(failures, { base: 100, maximum: 10_000 }, Math.random), signal);
    }
  };
  return {
    active: () => [...roster.values()].filter(isActive).map(({ source }) => source),
    roster: () => roster,
    done: follow(),
  };
}

const isActive = ({ source, retired }: { source: Source; retired: unknown }): boolean => !retired && !source.paused;
