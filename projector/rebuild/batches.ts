/** The events of a history in small batches, read ahead of whoever folds them. */
import { type EventStore, type Position, TEXT_SEPARATOR, type TextPage } from '../../log/event-store.ts';
import type { Queryable } from '../../log/postgres/database.ts';
import type { Event } from '../../schemas/events.ts';
import { history } from './history.ts';

const PAGE = 512;
/** Events parsed at once: few enough to be garbage before the collector copies them, which would take more than parsing. */
const BATCH = 256;

export interface Batch {
  /** Not checked yet. */
  readonly events: readonly Event[];
  /** Where the store was read to: the last batch of a page completes it. */
  readonly position: Position;
}

/**
 * Batches of the events up to and including a position.
 * @param target a position that the log has reached; the last batch stands exactly at it
 * @param over a connection for nothing else, to the database of the projector: a store in it is read over that; null to
 *   leave the choice to the store
 */
export async function* batches(
  store: EventStore,
  prefixes: readonly string[],
  target: Position,
  over: Queryable | null,
): AsyncGenerator<Batch> {
  if (!store.readTexts) {
    yield* history(store, prefixes, 0n, target);
    return;
  }
  const read = (after: Position): Promise<TextPage> | null => {
    const page =
      after < target ? store.readTexts?.({ after, until: target, prefixes, limit: PAGE, ...(over && { over }) }) : null;
    page?.catch(() => undefined);
    return page ?? null;
  };
  let position: Position = 0n;
  for (let next = read(position); next; ) {
    const page = await next;
    next = read(page.position);
    position = page.position;
    for (const events of parse(page.texts)) yield { events, position };
  }
}

function* parse(texts: readonly string[]): Generator<readonly Event[]> {
  let events: Event[] = [];
  for (const text of texts) {
    // The store writes checked events alone, and the fold checks each against the schema of its type.
    for (const one of text.split(TEXT_SEPARATOR)) events.push(JSON.parse(one) as Event);
    if (events.length < BATCH) continue;
    yield events;
    events = [];
  }
  yield events;
}
