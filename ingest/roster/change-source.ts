/** Has an operator's command done to a source of the store. */
import { type EventStore, RevisionConflict } from '../../log/event-store.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { sourceStream } from '../../schemas/source.ts';
import { decideSource, type SourceCommand } from './decide-source.ts';
import { foldSources } from './fold-sources.ts';
import { readable } from './load-roster.ts';
import type { RosterAuthor } from './plan-roster.ts';

const ATTEMPTS = 5;

/**
 * Reads the source, decides and appends; when somebody else writes first, it looks and decides again.
 * @returns the event, or null when nothing was to be changed
 * @throws SourceRefused; RevisionConflict when others keep writing to it
 */
export async function changeSource(
  store: Pick<EventStore, 'append' | 'read'>,
  command: SourceCommand,
  author: RosterAuthor,
  clock: () => Date,
): Promise<KnownEvent | null> {
  const stream = sourceStream(command.id);
  for (let attempt = 1; ; attempt++) {
    const stored = await store.read(stream);
    const entry = foldSources(readable(stored)).get(command.id) ?? null;
    const event = decideSource(entry, command, author, clock().toISOString());
    if (!event) return null;
    try {
      await store.append(stream, [event], stored.at(-1)?.revision ?? 'none');
      return event;
    } catch (error) {
      if (!(error instanceof RevisionConflict) || attempt === ATTEMPTS) throw error;
    }
  }
}
