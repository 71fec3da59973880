/** The decisions about a signal that matching does not make: those of an operator, and its analysis. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { type KnownEvent, newEvent } from '../schemas/events.ts';
import { noFacts, withContinued } from '../schemas/facts.ts';
import { eventId, type SignalId } from '../schemas/scalar.ts';
import { type Correction, fieldsOf, isSameItem, type ReportRef } from '../schemas/signal.ts';
import type { Understanding } from '../schemas/story.ts';
import { decideMerge, survivorOf } from './merge-decisions.ts';
import { isLaterWording } from './report-decisions.ts';
import type { Analysis, SignalState } from './signal.ts';
import { countedOutlets, evidenceOfSplit, type KnownReport, storedReport, withCorrection } from './signal-reports.ts';
import { lackingIn } from './signal-status.ts';

/** The status of the signal does not permit the command. */
export class CannotReview extends Error {
  override name = 'CannotReview';
}

export interface Review {
  readonly by: string;
  readonly why: string;
  /** RFC 3339. */
  readonly time: string;
  /** The id of the event that is appended; the ids of further events are computed from it. */
  readonly id: string;
}

const about = ({ id, time }: Review) => ({ id, time, correlation_id: id });

/** @throws CannotReview unless it is held or retracted */
export function decideRelease(state: SignalState, review: Review): KnownEvent<'SignalReleased'> {
  if (state.status !== 'held' && state.status !== 'retracted')
    throw new CannotReview(`${state.id} is ${state.status}; only a held or retracted signal is released`);
  return newEvent('SignalReleased', { signal_id: state.id, by: review.by, why: review.why }, about(review));
}

/** @throws CannotReview unless it is public */
export function decideHold(state: SignalState, review: Review): KnownEvent<'SignalHeld'> {
  if (state.status !== 'public') throw new CannotReview(`${state.id} is ${state.status}; only a public signal is held`);
  return newEvent('SignalHeld', { signal_id: state.id, by: review.by, why: review.why }, about(review));
}

/** It is no move: readers never see it again, and no report brings it back. @throws CannotReview where it is merged or retracted */
export function decideRetract(state: SignalState, review: Review): KnownEvent<'SignalRetracted'> {
  if (state.status === 'merged' || state.status === 'retracted')
    throw new CannotReview(`${state.id} is ${state.status}; it cannot be retracted`);
  return newEvent('SignalRetracted', { signal_id: state.id, by: review.by, why: review.why }, about(review));
}

/**
 * Nothing is wrong with it.
 * @param review an empty reason is stored as none
 * @throws CannotReview unless it is public
 */
export function decideConfirm(state: SignalState, review: Review): KnownEvent<'SignalConfirmed'> {
  if (state.status !== 'public')
    throw new CannotReview(`${state.id} is ${state.status}; only a public signal is confirmed`);
  return newEvent('SignalConfirmed', { signal_id: state.id, by: review.by, why: review.why || null }, about(review));
}

/**
 * Corrects fields of a signal: they keep these values whatever is reported, edited or understood later.
 * @param wanted the fields with their values; those that the signal has already are left out
 * @throws CannotReview where it is merged, or where no field is changed
 */
export function decideCorrection(
  state: SignalState,
  wanted: Correction,
  review: Review,
): KnownEvent<'SignalCorrected'> {
  if (state.status === 'merged')
    throw new CannotReview(`${state.id} is merged into ${state.mergedInto}: correct that one`);
  const before = state.understanding;
  const changed = Object.entries(wanted).filter(
    ([field, value]) => value !== undefined && !isDeepStrictEqual(value, before[field as keyof Correction]),
  );
  const corrected: Correction = withContinued(Object.fromEntries(changed));
  if (fieldsOf(corrected).length === 0) throw new CannotReview(`${state.id} says that already; nothing is corrected`);
  const { source_id, item_key, outlet, url } = state.text;
  return newEvent(
    'SignalCorrected',
    {
      signal_id: state.id,
      revision: state.revisions + 1,
      corrected,
      before,
      after: withCorrection(before, corrected),
      report: { source_id, item_key, outlet, url },
      by: review.by,
      why: review.why,
    },
    about(review),
  );
}

/** A text of a report. */
interface ReadText {
  readonly report: KnownReport;
  readonly understanding: Understanding;
  readonly understood_by: string;
}

/**
 * The report of a signal that is to be split off.
 * @throws CannotReview where the signal is merged, does not have the report, or has no other
 */
export function reportToSplit(state: SignalState, item: ReportRef): KnownReport {
  if (state.status === 'merged')
    throw new CannotReview(`${state.id} is merged into ${state.mergedInto}: split that one`);
  const report = state.reports.find((one) => isSameItem(one, item));
  if (!report) throw new CannotReview(`${state.id} has no report ${item.item_key} of ${item.source_id}`);
  if (state.reports.length === 1)
    throw new CannotReview(`${state.id} has no other report; correct, merge or retract it instead`);
  return report;
}

/**
 * Splits a report off a signal. Append these events after those of the signal that gets it: then the report is in a signal
 * at any time.
 * @param into the signal that gets the report
 * @param text the text that the signal has from then on, where it had that of the report; see `textAfterSplit`
 */
export function decideSplit(
  state: SignalState,
  report: KnownReport,
  into: { readonly id: SignalId; readonly slug: string },
  text: ReadText | null,
  review: Review,
): KnownEvent[] {
  const { by, why } = review;
  const rest = state.reports.filter((one) => !isSameItem(one, report));
  const split = newEvent(
    'SignalSplit',
    {
      signal_id: state.id,
      report: storedReport(report),
      into: into.id,
      into_slug: into.slug,
      outlets: countedOutlets(rest),
      by,
      why,
    },
    about(review),
  );
  return text ? [split, revisedText(state, text, 'split', review)] : [split];
}

/** The revision that gives a signal the text of one of its reports, as far as no operator corrected it. */
function revisedText(
  state: SignalState,
  { report: { item_key, source_id }, understanding, understood_by }: ReadText,
  reason: 'split' | 'edited',
  { id, time }: Review,
): KnownEvent<'SignalRevised'> {
  return newEvent(
    'SignalRevised',
    {
      signal_id: state.id,
      revision: state.revisions + 1,
      reason,
      before: state.understanding,
      after: withCorrection(understanding, state.corrected),
      understood_by,
      item_key,
      source_id,
    },
    {
      id: eventId('SignalRevised', id, ...(reason === 'split' ? [] : [state.id, state.revisions])),
      time,
      correlation_id: id,
    },
  );
}

/** The report whose text a signal has when its own is split off; null where it keeps its text. */
export const textAfterSplit = (state: SignalState, gone: ReportRef): KnownReport | null =>
  isSameItem(state.text, gone) ? (state.reports.find((one) => !isSameItem(one, gone)) ?? null) : null;

/** A report that was split off as a signal of its own. */
export function decideSignalOfReport(
  { report, understanding, understood_by }: ReadText,
  { id, slug }: { readonly id: SignalId; readonly slug: string },
  review: Review,
): KnownEvent<'SignalDetected'> {
  const lacks = lackingIn(report, understanding);
  return newEvent(
    'SignalDetected',
    {
      signal_id: id,
      slug,
      status: lacks ? 'held' : 'public',
      status_reason: lacks,
      published_at: review.time,
      understanding,
      understood_by,
      report: storedReport(report),
      follows: null,
    },
    { id: eventId('SignalDetected', id, review.id), time: review.time, correlation_id: review.id },
  );
}

/**
 * A report that was split off another signal joins this one, or has other words there by now.
 * @param text of the report, where this signal may have its text from it; null for one that is not understood again
 * @throws CannotReview where this one is merged
 */
export function decideReportFrom(
  from: SignalState,
  { report, text }: { readonly report: KnownReport; readonly text: ReadText | null },
  state: SignalState,
  review: Review,
): KnownEvent[] {
  if (from.id === state.id) throw new CannotReview(`${state.id} has the report already`);
  if (state.status === 'merged') throw new CannotReview(`${state.id} is merged into ${state.mergedInto} already`);
  const own = state.reports.find((one) => isSameItem(one, report));
  if (own && (own.fingerprint === report.fingerprint || !isLaterWording(report, own))) return [];
  const reported = newEvent(
    'SignalReported',
    {
      signal_id: state.id,
      report: storedReport(report),
      match: { score: 1, reasons: [evidenceOfSplit(from.id)] },
      resurfaced: report.resurfaced,
      ...(report.facts && { facts: report.facts }),
    },
    {
      id: eventId('SignalReported', state.id, review.id, ...(own ? [report.fingerprint] : [])),
      time: review.time,
      correlation_id: review.id,
    },
  );
  return own && text && isSameItem(state.text, report)
    ? [reported, revisedText(state, text, 'edited', review)]
    : [reported];
}

/**
 * What is known of a report whose story is no longer stored: its words, its facts, and of the rest what the signal says.
 */
export const understandingFrom = (state: SignalState, report: KnownReport): Understanding => ({
  ...state.understanding,
  headline: report.title,
  deck: null,
  summary: report.summary,
  key_facts: [],
  delta: null,
  ...noFacts(),
  ...report.facts,
});

/**
 * Merges one signal into another, which takes over its reports; its slug leads there from then on. Where only the first is
 * public, that one remains: a merge takes no story from readers.
 * @returns the signal that remains, the merged one, and the events of each stream. Append those of `survivor` first: then
 *   each report is in a signal at any time
 * @throws CannotReview for a signal and itself, or when one of them is merged already
 */
export function decideOperatorMerge(
  state: SignalState,
  into: SignalState,
  review: Review,
): {
  readonly survivor: SignalState;
  readonly merged: SignalState;
  readonly events: { survivor: KnownEvent[]; merged: KnownEvent[] };
} {
  if (state.id === into.id) throw new CannotReview(`${state.id} cannot be merged into itself`);
  for (const { id, status, mergedInto } of [state, into])
    if (status === 'merged') throw new CannotReview(`${id} is merged into ${mergedInto} already`);
  const cause = { id: null, time: review.time, correlation_id: review.id };
  const { survivor, merged } = survivorOf(into, state);
  const author = { by: review.by, why: review.why };
  return { survivor, merged, events: decideMerge(cause, survivor, merged, review.id, author) };
}

/**
 * Stores an analysis of a public signal. One that says nothing any more withdraws the stored one.
 * @param detected the first event of the signal: the analysis has its time and cause, however late it is written
 * @returns null when it is not public, when the analysis is the stored one, or when another author wrote that
 */
export function decideAnalysis(
  state: SignalState,
  analysis: Analysis,
  detected: KnownEvent,
): KnownEvent<'SignalAnalysed'> | null {
  const { analysis: stored } = state;
  if (state.status !== 'public' || (stored && stored.by !== analysis.by)) return null;
  const said = ({ why_it_matters = null, what_to_watch = null, sentences = [], standing }: Partial<Analysis>) => ({
    why_it_matters,
    what_to_watch,
    sentences,
    standing: standing ?? null,
  });
  if (isDeepStrictEqual(said(analysis), said(stored ?? {}))) return null;
  return newEvent(
    'SignalAnalysed',
    { signal_id: state.id, ...analysis },
    {
      // Two processes that write the same one at a time write one event.
      id: eventId('SignalAnalysed', state.id, analysis.by, state.revisions, state.analyses),
      time: detected.time,
      causation_id: detected.id,
      correlation_id: detected.correlation_id,
    },
  );
}
