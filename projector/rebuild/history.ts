/** Reads the event store ahead of whoever folds it. */
import type { EventStore, Page, Position } from '../../log/event-store.ts';

const PAGE = 500;

/**
 * Pages of the store up to and including a position, each read while the one before is folded.
 * @param after where to begin; the last page stands exactly at `target`
 */
export async function* history(
  store: EventStore,
  prefixes: readonly string[],
  after: Position,
  target: Position,
): AsyncGenerator<Page> {
  const read = (position: Position): Promise<Page> => {
    const page = store.readAll({ after: position, prefixes, limit: PAGE });
    page.catch(() => undefined);
    return page;
  };
  let position = after;
  let next = position < target ? read(position) : null;
  while (next) {
    const page = await next;
    const stuck = page.events.length === 0 && page.position === position;
    const over = page.position >= target || stuck;
    position = page.position;
    next = over ? null : read(position);
    yield over ? { events: page.events.filter((event) => event.position <= target), position: target } : page;
  }
}
