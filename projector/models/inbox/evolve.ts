/** What inboxes need of a signal: whom it is delivered to, and when. */
import type { KnownEvent } from '../../../schemas/events.ts';
import type { Report, SignalStatus } from '../../../schemas/signal.ts';
import type { Understanding } from '../../../schemas/story.ts';
import type { Before } from '../../model.ts';
import { isSignalEvent, nextStatus } from '../status.ts';

export interface InboxRow {
  readonly status: SignalStatus;
  readonly published_at: string;
  readonly theme: string | null;
  /** Brands that it is about. */
  readonly brands: readonly string[];
  readonly follows: string | null;
  /** When each source first reported it; never before the signal was published. */
  readonly sources: Readonly<Record<string, string>>;
}

/** Applies an event to one of the signals that it touches. */
export function evolveInbox(
  row: InboxRow | null,
  event: KnownEvent,
  key: string,
  before: Before<InboxRow>,
): InboxRow | null {
  if (!isSignalEvent(event)) return row;
  if (event.type === 'SignalDetected') {
    if (row) return row;
    const { status, published_at, understanding, report, follows } = event.data;
    const told = { status, published_at, ...named(understanding), follows, sources: {} };
    return { ...told, sources: withSource(told, report) };
  }
  if (!row) throw new Error(`${event.type} speaks of ${key}, of which no SignalDetected is known`);
  if (event.type === 'SignalMerged' && key !== event.data.signal_id)
    return { ...row, sources: { ...before(event.data.signal_id)?.sources, ...row.sources } };
  if (event.type === 'SignalRevised') return { ...row, ...named(event.data.after) };
  if (event.type === 'SignalReported')
    return event.data.resurfaced ? row : { ...row, sources: withSource(row, event.data.report) };
  const status = nextStatus(row.status, event);
  return status === row.status ? row : { ...row, status };
}

const named = ({ theme, brands }: Understanding): Pick<InboxRow, 'theme' | 'brands'> => ({
  theme: theme?.slug ?? null,
  brands: [...new Set(brands.filter(({ role }) => role === 'primary').map(({ slug }) => slug))],
});

function withSource({ sources, published_at }: InboxRow, { source_id, first_seen_at }: Report): InboxRow['sources'] {
  const at = Date.parse(first_seen_at) > Date.parse(published_at) ? first_seen_at : published_at;
  return { [source_id]: at, ...sources };
}
