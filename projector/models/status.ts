/** Whether readers may see a signal. Only `public` ones are shown or counted. */
import type { KnownEvent } from '../../schemas/events.ts';
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
 * The status after an event of the signal itself. A merged signal stays merged, and a resurfaced one is never made
 * public: holding and releasing move between `public` and `held` alone.
 */
export function nextStatus(status: SignalStatus, event: SignalEvent): SignalStatus {
  if (event.type === 'SignalMerged') return 'merged';
  if (event.type === 'SignalHeld' && status === 'public') return 'held';
  if (event.type === 'SignalReleased' && status === 'held') return 'public';
  return status;
}
