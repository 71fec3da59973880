/** What a signal's stored items, understood again, change about it. Pure: nothing changed gives no event. */
import { isDeepStrictEqual } from 'node:util';
import { type KnownEvent, newEvent } from '../../schemas/events.ts';
import { eventId } from '../../schemas/scalar.ts';
import { factsOf, isSameItem } from '../../schemas/signal.ts';
import { ranksAbove } from '../match/better.ts';
import { foldSignal, type KnownReport, type SignalState, storedReport, UNDERSTOOD_AGAIN } from '../match/state.ts';
import { missing } from '../match/status.ts';
import { presentText, type Version, type VersionsOf } from './present-text.ts';

/** Who holds and releases here; and whose decisions may be taken back: an operator's are final. */
export const REPLAY = 'replay';
const OURS = new Set([REPLAY, 'match']);

export interface Run {
  /** RFC 3339, when it is decided. */
  readonly time: string;
  /** Shared by all events of one replay. */
  readonly correlation_id: string;
}

/**
 * @param events the whole stream of the signal
 * @param versionsOf what is stored of an item
 * @returns events for the end of the stream; none when nothing changed
 */
export function decideAgain(events: readonly KnownEvent[], versionsOf: VersionsOf, run: Run): KnownEvent[] {
  const state = foldSignal(events);
  if (!state || state.status === 'merged') return [];
  return [
    ...revise(events, state, versionsOf, run),
    ...stateFacts(events, state, versionsOf, run),
    ...decideStatus(events, state, versionsOf, run),
  ];
}

function revise(events: readonly KnownEvent[], state: SignalState, versionsOf: VersionsOf, run: Run): KnownEvent[] {
  const text = presentText(events, versionsOf);
  if (!text || isDeepStrictEqual(text.understanding, state.understanding)) return [];
  const { understanding, understood_by, item_key, source_id, item_event } = text;
  const revision = state.revisions + 1;
  return [
    newEvent(
      'SignalRevised',
      {
        signal_id: state.id,
        revision,
        reason: 'understood_again',
        before: state.understanding,
        after: understanding,
        understood_by,
        item_key,
        source_id,
      },
      // The number makes it another event when the same rules come back after others: that text is new again.
      {
        id: eventId('SignalRevised', state.id, REPLAY, revision),
        time: run.time,
        causation_id: item_event,
        correlation_id: run.correlation_id,
      },
    ),
  ];
}

/**
 * Stores the reports again whose facts are others by the present rules, or were never stored, as in version 1.0. The
 * report whose text the signal has states its facts by that; what came before an operator's text counts no more.
 */
function stateFacts(
  events: readonly KnownEvent[],
  state: SignalState,
  versionsOf: VersionsOf,
  { time, correlation_id }: Run,
): KnownEvent<'SignalReported'>[] {
  const final = events.findLastIndex((event) => event.type === 'SignalRevised' && event.data.reason === 'operator');
  const settled = foldSignal(events.slice(0, final + 1))?.reports ?? [];
  const isOpen = (report: KnownReport): boolean =>
    ![state.text, ...settled].some((other) => isSameItem(other, report)) &&
    !report.resurfaced &&
    !isListing(report, state);
  return state.reports.filter(isOpen).flatMap((report) => {
    const version = versionsOf(report).findLast(({ fingerprint }) => fingerprint === report.fingerprint);
    const facts = version?.story ? factsOf(version.story.data.understanding) : undefined;
    if (!version || isDeepStrictEqual(facts, report.facts)) return [];
    const { item_key, source_id } = report;
    return newEvent(
      'SignalReported',
      {
        signal_id: state.id,
        report: storedReport(report),
        match: { score: 1, reasons: [UNDERSTOOD_AGAIN] },
        resurfaced: false,
        ...(facts && { facts }),
      },
      {
        id: eventId('SignalReported', state.id, REPLAY, source_id, item_key, state.revision),
        time,
        causation_id: version.item_event,
        correlation_id,
      },
    );
  });
}

/** Whether a source only lists the page that the text is of: it may be wrong about it, so the matcher took no facts from it. */
const isListing = (report: KnownReport, { text }: SignalState): boolean =>
  report.url === text.url && report.outlet !== text.outlet && !ranksAbove(report, text);

type Said = KnownEvent<'SignalHeld'> | KnownEvent<'SignalReleased'>;
const isSaid = (event: KnownEvent): event is Said => event.type === 'SignalHeld' || event.type === 'SignalReleased';

function decideStatus(
  events: readonly KnownEvent[],
  state: SignalState,
  versionsOf: VersionsOf,
  run: Run,
): KnownEvent[] {
  const last = events.findLast(isSaid);
  if (last && !OURS.has(last.data.by)) return [];
  const say = (type: 'SignalHeld' | 'SignalReleased', why: string): KnownEvent[] => [
    newEvent(
      type,
      { signal_id: state.id, by: REPLAY, why },
      { id: eventId(type, state.id, REPLAY, state.revision), ...run },
    ),
  ];
  const newest = state.reports.map((report) => versionsOf(report).at(-1));
  if (state.status === 'public' && newest.every(isNoise))
    return say(
      'SignalHeld',
      newest.length === 1 ? 'its item is no move any more' : `none of its ${newest.length} items is a move any more`,
    );
  if (state.status !== 'held') return [];
  if (last?.type === 'SignalHeld' && last.data.by === REPLAY && newest.some(isMove))
    return say('SignalReleased', 'an item of it is a move again');
  if (
    state.heldByRules &&
    state.reports.filter(({ resurfaced }) => !resurfaced).some((report) => lacksNothing(versionsOf(report).at(-1)))
  )
    return say('SignalReleased', 'what was missing is there now');
  return [];
}

const isNoise = (version: Version | undefined): boolean => version !== undefined && version.story === null;
const isMove = (version: Version | undefined): boolean => version !== undefined && version.story !== null;
const lacksNothing = (version: Version | undefined): boolean =>
  version?.story ? missing(version.story.data.item, version.story.data.understanding) === null : false;
