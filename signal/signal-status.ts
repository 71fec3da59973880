/**
 * The status of a signal: which one it has at first, what it lacks, and which events change it; and the events of
 * signals as read models subscribe to them, with a fold into a row of any shape. Readers see and counts include
 * `public` signals only. Pure.
 */
import { DAY } from '../language/days.ts';
import type { KnownEvent } from '../schemas/events.ts';
import type { Item } from '../schemas/poll.ts';
import { laterOf, MOVES } from '../schemas/scalar.ts';
import type { SignalStatus } from '../schemas/signal.ts';
import type { Understanding } from '../schemas/story.ts';
import type { KnownReport } from './signal-reports.ts';

/** An event that is reported again after more days than this is old news, and so is an item that was found so late. */
export const RESURFACED_DAYS = 7;

/** True when the one time lies more than a week after the other; both RFC 3339. */
export const isLate = (time: string, than: string): boolean =>
  Date.parse(time) - Date.parse(than) > RESURFACED_DAYS * DAY;

/** True when an item's own date lies more than a week before it was first seen. */
export const isOldNews = ({ first_seen_at, published_at }: Pick<Item, 'first_seen_at' | 'published_at'>): boolean =>
  published_at !== null && isLate(first_seen_at, published_at);

type Source = Pick<Item, 'published_at' | 'first_seen_at' | 'outlet' | 'url'>;

/** What a signal with one report lacks to be public: a date, a source or a kind of move; null when it has all. */
export const lackingIn = (item: Source, understanding: Understanding): string | null =>
  lacking([{ ...item, resurfaced: false }], understanding);

/**
 * What a signal lacks to be public, with all its reports and its text; null when it has all. Old news does not help:
 * neither a report that does not count nor one that was dated long before it was first seen.
 */
export function lacking(
  reports: readonly (Source & Pick<KnownReport, 'resurfaced'>)[],
  understanding: Understanding,
): string | null {
  const counted = reports.filter((report) => !report.resurfaced && !isOldNews(report));
  if (!understanding.event_at && !counted.some(({ published_at }) => published_at)) return 'it has no date';
  if (!counted.some(({ outlet, url }) => outlet.trim() && url)) return 'it has no source';
  if (!MOVES.includes(understanding.move)) return 'it has no kind of move';
  return null;
}

/**
 * The first status of a signal, with its reason.
 * @param resurfaced true for old news of an event that no signal reports
 */
export function initialStatus(
  item: Item,
  understanding: Understanding,
  resurfaced: boolean,
): { status: 'public' | 'held' | 'resurfaced'; status_reason: string | null } {
  if (resurfaced && item.published_at) {
    const days = Math.floor((Date.parse(item.first_seen_at) - Date.parse(item.published_at)) / DAY);
    return { status: 'resurfaced', status_reason: `its own date is ${days} days before it was first seen` };
  }
  const lacks = lackingIn(item, understanding);
  return lacks ? { status: 'held', status_reason: lacks } : { status: 'public', status_reason: null };
}

/**
 * The status after an event of the signal itself. A merged signal stays merged. A resurfaced one is released only where
 * the outlet of its page gives another date than the source that listed it, a retracted one only by an operator.
 */
export function nextStatus(status: SignalStatus, { type }: Pick<KnownEvent, 'type'>): SignalStatus {
  if (type === 'SignalMerged') return 'merged';
  if (status === 'merged') return status;
  if (type === 'SignalRetracted') return 'retracted';
  if (type === 'SignalHeld' && status === 'public') return 'held';
  if (type === 'SignalReleased') return 'public';
  return status;
}

/** What every row of a signal has. */
interface WithStatus {
  readonly status: SignalStatus;
  /** When the service made it public, the last time. RFC 3339. */
  readonly published_at: string;
}

/**
 * The row with its status after an event of the signal itself. A released signal is published at the time of its release:
 * it comes after all that readers have seen, and they find it when they ask for what was published since.
 * @returns the row itself when the status is the same
 */
export function withStatus<Row extends WithStatus>(row: Row, event: Pick<KnownEvent, 'type' | 'time'>): Row {
  const status = nextStatus(row.status, event);
  if (status === row.status) return row;
  const published_at = status === 'public' ? laterOf(row.published_at, event.time) : row.published_at;
  return { ...row, status, published_at };
}

/** The types that change what readers see of a signal. `SignalJoined` changes nothing: it only moves a revision. */
export const SIGNAL_TYPES = [
  'SignalDetected',
  'SignalReported',
  'SignalRevised',
  'SignalCorrected',
  'SignalLinked',
  'SignalSplit',
  'SignalAnalysed',
  'SignalHeld',
  'SignalReleased',
  'SignalRetracted',
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
