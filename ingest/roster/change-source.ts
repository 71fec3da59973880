/** Has an operator's command done to a source of the store. */
import { changeStream } from '../../log/command-handler.ts';
import type { EventStore } from '../../log/event-store.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { sourceStream } from '../../schemas/source.ts';
import { decideSource, type SourceCommand } from './decide-source.ts';
import { foldSources } from './fold-sources.ts';
import { readable } from './load-roster.ts';
import type { RosterAuthor } from './plan-roster.ts';

/**
 * Reads the source, decides and appends; when somebody else writes first, it looks and decides again.
 * @returns the event, or null when nothing was to be changed
 * @throws SourceRefused; StreamContention when others keep writing to it
 */
export async function changeSource(
  store: Pick<EventStore, 'append' | 'read'>,
  command: SourceCommand,
  author: RosterAuthor,
  clock: () => Date,
): Promise<KnownEvent | null> {
  const { decision } = await changeStream(store, sourceStream(command.id), (stored) => {
    const entry = foldSources(readable(stored)).get(command.id) ?? null;
    const event = decideSource(entry, command, author, clock().toISOString());
    return { events: event ? [event] : [] };
  });
  return decision.events[0] ?? null;
}
