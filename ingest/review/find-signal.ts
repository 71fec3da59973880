import type { EventStore } from '../../log/event-store.ts';
import { readEvent } from '../../schemas/events.ts';
import { SignalId } from '../../schemas/scalar.ts';
import { slugStream } from '../../schemas/signal.ts';

/** No signal has such an id or slug. */
export class NoSuchSignal extends Error {
  override name = 'NoSuchSignal';
  constructor(idOrSlug: string) {
    super(
      `no signal has the id or slug ${JSON.stringify(idOrSlug.slice(0, 100))}; an id is sig_ and 16 hex characters`,
    );
  }
}

/** The id that an id or slug names. @throws NoSuchSignal when nobody owns the slug */
export async function signalIdOf(store: EventStore, idOrSlug: string): Promise<string> {
  if (SignalId.safeParse(idOrSlug).success) return idOrSlug;
  const [first] = await store.read(slugStream(idOrSlug));
  const owner = first ? readEvent(first) : null;
  if (owner?.type !== 'SlugReserved') throw new NoSuchSignal(idOrSlug);
  return owner.data.signal_id;
}
