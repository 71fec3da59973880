/** The decision about a signal whose stored items are understood again by the present rules. Pure: no change gives no event. */

import { isDeepStrictEqual } from 'node:util';
import { type KnownEvent, newEvent } from '../schemas/events.ts';
import type { ItemKey } from '../schemas/poll.ts';
import { addressKey, eventId } from '../schemas/scalar.ts';
import { factsOf, isSameItem, type Report, type ReportRef } from '../schemas/signal.ts';
import type { SourceId } from '../schemas/source.ts';
import type { Understanding } from '../schemas/story.ts';
import { foldSignal, type SignalState } from './signal.ts';
import {
  correctedFacts,
  type KnownReport,
  ranksAbove,
  revisedReport,
  storedReport,
  textWith,
  UNDERSTOOD_AGAIN,
  withCorrection,
  withoutReport,
} from './signal-reports.ts';
import { lackingIn } from './signal-status.ts';

// The text that a signal would have, were its items understood by the present rules. Pure.

/** One wording of an item. */
export interface Version {
  /** Id of its ItemFound event. */
  readonly item_event: string;
  readonly time: string;
  readonly fingerprint: string;
  /** What it is understood as now; null for noise. */
  readonly story: KnownEvent<'StoryUnderstood'> | null;
}

type VersionsOf = (item: ReportRef) => readonly Version[];

interface PresentText {
  readonly understanding: Understanding;
  readonly understood_by: string;
  /** The report whose text it is, and the event of its item. */
  readonly item_key: ItemKey;
  readonly source_id: SourceId;
  readonly item_event: string;
}

type TextEvent = KnownEvent<'SignalDetected'> | KnownEvent<'SignalRevised'>;

/** The wording from whose story an event was made, known by the id that the story had. */
function causing(event: TextEvent, versions: readonly Version[]): Version | undefined {
  const rules = event.data.understood_by.split('+')[0] ?? '';
  return versions.find(({ item_event }) => eventId('story', item_event, rules) === event.causation_id);
}

const sameWording = (report: Report, versions: readonly Version[]): Version | undefined =>
  versions.find(({ fingerprint }) => fingerprint === report.fingerprint);

/**
 * Follows the texts of a signal from its first, each from its own wording of its item.
 * @returns null when it is unknown: an item is no longer stored, is no move any more, or an operator wrote the text
 */
function presentTextOf(events: readonly KnownEvent[], versionsOf: VersionsOf): PresentText | null {
  let reports: readonly Report[] = [];
  let text: PresentText | null = null;
  for (const event of events) {
    if (event.type === 'SignalReported') reports = [...reports, event.data.report];
    if (event.type === 'SignalSplit') reports = withoutReport(reports, event.data.report);
    if (event.type === 'SignalDetected') {
      const { report } = event.data;
      reports = [...reports, report];
      text = textOf(causing(event, versionsOf(report)) ?? sameWording(report, versionsOf(report)));
    }
    if (event.type === 'SignalRevised') text = revised(text, event, reports, versionsOf);
  }
  return text;
}

function revised(
  text: PresentText | null,
  event: KnownEvent<'SignalRevised'>,
  reports: readonly Report[],
  versionsOf: VersionsOf,
): PresentText | null {
  const { reason } = event.data;
  if (reason === 'operator') return null;
  const report = revisedReport(event.data, reports, text ?? undefined);
  const versions = report ? versionsOf(report) : [];
  const cause = causing(event, versions);
  if (reason === 'edited') return textOf(cause);
  if (reason === 'split') return textOf(report && sameWording(report, versions));
  // One that no story led to was written by a replay: it says what the steps before it say in other rules' words.
  if (reason === 'understood_again') return cause ? textOf(cause) : text;
  const better = textOf(cause ?? (report && sameWording(report, versions)));
  const current = text && reports.findLast((one) => isSameItem(one, text));
  if (!text || !better || !report || !current) return null;
  // A merge took over a text that may itself be one of several reports: by the same rules it is what it was.
  const understanding =
    !cause && better.understood_by === event.data.understood_by
      ? event.data.after
      : textWith({ report: current, understanding: text.understanding }, { report, ...better });
  return { ...better, understanding };
}

function textOf(version: Version | undefined): PresentText | null {
  if (!version?.story) return null;
  const { item, understanding, understood_by } = version.story.data;
  return {
    understanding,
    understood_by,
    item_key: item.item_key,
    source_id: item.source_id,
    item_event: version.item_event,
  };
}

// What a signal's stored items, understood again, change about it. Pure: nothing changed gives no event.

/** Who holds and releases here; and whose decisions may be taken back: an operator's are final. */
const REPLAY = 'replay';
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
export function decideReplay(events: readonly KnownEvent[], versionsOf: VersionsOf, run: Run): KnownEvent[] {
  const state = foldSignal(events);
  if (!state || state.status === 'merged') return [];
  return [
    ...revise(events, state, versionsOf, run),
    ...decideFacts(events, state, versionsOf, run),
    ...decideStatus(events, state, versionsOf, run),
  ];
}

function revise(events: readonly KnownEvent[], state: SignalState, versionsOf: VersionsOf, run: Run): KnownEvent[] {
  const text = presentTextOf(events, versionsOf);
  if (!text) return [];
  const { understood_by, item_key, source_id, item_event } = text;
  const understanding = withCorrection(text.understanding, state.corrected);
  if (isDeepStrictEqual(understanding, state.understanding)) return [];
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
function decideFacts(
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
    const read = version?.story ? factsOf(version.story.data.understanding) : undefined;
    const facts = state.correctedBy ? correctedFacts(read, state.corrected, null) : read;
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
  addressKey(report.url) === addressKey(text.url) && report.outlet !== text.outlet && !ranksAbove(report, text);

const SAID = ['SignalHeld', 'SignalReleased', 'SignalRetracted', 'SignalCorrected', 'SignalConfirmed'] as const;
type Said = KnownEvent<(typeof SAID)[number]>;
const isSaid = (event: KnownEvent): event is Said => (SAID as readonly string[]).includes(event.type);

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
  version?.story ? lackingIn(version.story.data.item, version.story.data.understanding) === null : false;
