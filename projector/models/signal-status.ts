/** Whether readers may see a signal. Only `public` ones are shown or counted. */
import type { KnownEvent } from '../../schemas/events.ts';
import { laterOf } from '../../schemas/scalar.ts';
import type { SignalStatus } from '../../schemas/signal.ts';

/** The event types of signals; every read model of signals takes them all. */
export const SIGNAL_TYPES = [
  'SignalDetected',
  'SignalReported',
  'SignalRevised',
  'SignalAnalysed',
  'SignalHeld',
  'SignalReleased',
  'SignalMerged',
] as const;
export type SignalEvent = KnownEvent<(typeof SIGNAL_TYPES)[number]>;

/** True for an event of a signal. */
export const isSignalEvent = (event: KnownEvent): event is SignalEvent =>
  (SIGNAL_TYPES as readonly string[]).includes(event.type);

/** The signals that an event touches: its own, and the one that it is merged into. */
export function touchedSignals(event: KnownEvent): readonly string[] {
  if (!isSignalEvent(event)) return [];
  return event.type === 'SignalMerged' ? [event.data.signal_id, event.data.into] : [event.data.signal_id];
}

/**
 * The status after an event of the signal itself. A merged signal stays merged. A resurfaced one is released only where
 * the outlet whose page it is dates it otherwise than the source that listed it.
 */
export function nextStatus(status: SignalStatus, event: SignalEvent): SignalStatus {
  if (event.type === 'SignalMerged') return 'merged';
  if (event.type === 'SignalHeld' && status === 'public') return 'held';
  if (event.type === 'SignalReleased' && (status === 'held' || status === 'resurfaced')) return 'public';
  return status;
}

/** What every row of a signal has. */
interface Shown {
  readonly status: SignalStatus;
  /** When the service made it public, the last time. */
  readonly published_at: string;
}

/**
 * The row with the status that an event of the signal itself leaves it in. What is released is published then: it comes
 * after all that readers have seen, and they find it by asking for what was published since.
 * @returns the row itself when nothing changes
 */
export function withStatus<Row extends Shown>(row: Row, event: SignalEvent): Row {
  const status = nextStatus(row.status, event);
  if (status === row.status) return row;
  const published_at = status === 'public' ? laterOf(row.published_at, event.time) : row.published_at;
  return { ...row, status, published_at };
}
