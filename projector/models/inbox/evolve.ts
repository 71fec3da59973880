/** What inboxes need of a signal: whom it is delivered to, and when. */
import type { KnownEvent } from '../../../schemas/events.ts';
import { laterOf } from '../../../schemas/scalar.ts';
import type { Report, SignalStatus } from '../../../schemas/signal.ts';
import type { Understanding } from '../../../schemas/story.ts';
import type { Before } from '../../model.ts';
import { isSignalEvent, withStatus } from '../status.ts';

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
    return {
      ...row,
      sources: { ...from(before(event.data.signal_id)?.sources ?? {}, row.published_at), ...row.sources },
    };
  if (event.type === 'SignalRevised') return { ...row, ...named(event.data.after) };
  if (event.type === 'SignalReported')
    return event.data.resurfaced ? row : { ...row, sources: withSource(row, event.data.report) };
  const next = withStatus(row, event);
  return next.published_at === row.published_at ? next : { ...next, sources: from(next.sources, next.published_at) };
}

const named = ({ theme, brands }: Understanding): Pick<InboxRow, 'theme' | 'brands'> => ({
  theme: theme?.slug ?? null,
  brands: [...new Set(brands.filter(({ role }) => role === 'primary').map(({ slug }) => slug))],
});

const withSource = (
  { sources, published_at }: InboxRow,
  { source_id, first_seen_at }: Report,
): InboxRow['sources'] => ({ [source_id]: laterOf(first_seen_at, published_at), ...sources });

/** Nothing is delivered before it is published. */
const from = (sources: InboxRow['sources'], publishedAt: string): InboxRow['sources'] =>
  Object.fromEntries(Object.entries(sources).map(([source, at]) => [source, laterOf(at, publishedAt)]));
