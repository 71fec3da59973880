/** The events of signals, as read models subscribe to them, and a fold of them into a row of any shape. Pure. */
import type { KnownEvent } from '../schemas/events.ts';
import { type WithStatus, withStatus } from './signal-status.ts';

/** The types that change what readers see of a signal. `SignalJoined` changes nothing: it only moves a revision. */
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

/** True for an event of a type in SIGNAL_TYPES. */
export const isSignalEvent = (event: KnownEvent): event is SignalEvent =>
  (SIGNAL_TYPES as readonly string[]).includes(event.type);

/** The ids of the signals that an event changes: its own, and the one that it is merged into. */
export function touchedSignals(event: KnownEvent): readonly string[] {
  if (!isSignalEvent(event)) return [];
  return event.type === 'SignalMerged' ? [event.data.signal_id, event.data.into] : [event.data.signal_id];
}

/**
 * What the events of a signal do to a row, in addition to its status and its time of publication: these follow the rules of
 * `signal-status.ts` in every row. An event without an entry changes nothing else.
 */
export type SignalFold<Row extends WithStatus> = {
  readonly SignalDetected: (event: KnownEvent<'SignalDetected'>) => Row;
  /** Another signal was merged into the signal of the row; `merged` is its row before. */
  readonly absorbed?: (row: Row, merged: Row | null) => Row;
} & {
  /** `row` has the status after the event. */
  readonly [Type in Exclude<SignalEvent['type'], 'SignalDetected'>]?: (row: Row, event: KnownEvent<Type>) => Row;
};

/**
 * Makes the fold of a read model of signals: one row for each signal.
 * @returns the row of signal `key` after an event that touches it; `before` gives the rows of other signals before it
 * @throws for an event of a signal without a SignalDetected
 */
export const foldSignalsBy =
  <Row extends WithStatus>(fold: SignalFold<Row>) =>
  (row: Row | null, event: KnownEvent, key: string, before: (key: string) => Row | null): Row | null => {
    if (!isSignalEvent(event)) return row;
    if (event.type === 'SignalDetected') return row ?? fold.SignalDetected(event);
    if (!row) throw new Error(`${event.type} of ${key} has no SignalDetected before it`);
    if (event.type === 'SignalMerged' && key !== event.data.signal_id)
      return fold.absorbed?.(row, before(event.data.signal_id)) ?? row;
    // The entry of a type takes events of that type.
    const change = fold[event.type] as ((row: Row, event: SignalEvent) => Row) | undefined;
    const next = withStatus(row, event);
    return change ? change(next, event) : next;
  };
