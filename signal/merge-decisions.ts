/** The decision that two signals are one: which of them remains, and the events of both streams. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { type KnownEvent, newEvent } from '../schemas/events.ts';
import { addressKey, eventId } from '../schemas/scalar.ts';
import { type Correction, fieldsOf, isSameItem } from '../schemas/signal.ts';
import { isLaterWording, onlyNew, releaseWhenComplete, wordingId } from './report-decisions.ts';
import { afterEvents, type SignalState } from './signal.ts';
import {
  evidenceOfMerge,
  isBetter,
  isTrueToSlug,
  type KnownReport,
  ranksAbove,
  storedReport,
  textWith,
  withCorrection,
} from './signal-reports.ts';
import { isLate } from './signal-status.ts';

/**
 * Which of two signals remains when they are merged, and which is merged into it. A public signal remains before one
 * that is not, so that a merge never takes a story from readers; a held one, which can still be released, before a
 * resurfaced one, which cannot; and any before one that an operator retracted.
 * @param preferred remains where both may
 */
export function survivorOf(
  preferred: SignalState,
  other: SignalState,
): { readonly survivor: SignalState; readonly merged: SignalState } {
  const rank = { public: 3, held: 2, resurfaced: 1, retracted: 0, merged: -1 };
  return rank[other.status] > rank[preferred.status]
    ? { survivor: other, merged: preferred }
    : { survivor: preferred, merged: other };
}

/**
 * Two signals found to be one: the survivor takes over the reports of the other, and its text where that is better; the
 * other then points to it. The events for the survivor are to be written first: should the writer die between, the merge
 * is found again.
 *
 * Both streams are written to, each at the revision that was read, before the merge is complete. So signals never lead to each
 * other in a circle: of merges at the same instant, in opposite directions or around several signals, each would have to
 * join its survivor before that was read by the next, which closes no circle. That is what `SignalJoined` is for.
 * @param cause the event that showed it, with the time at which this is decided
 * @param attempt an id that no other attempt at a merge has: what is stored already would move no revision
 * What operators corrected stays corrected, also of the signal that is merged. What they split or retracted is not merged
 * without them.
 * @param survivor see `survivorOf`
 */
export function decideMerge(
  cause: { readonly id: string | null; readonly time: string; readonly correlation_id: string },
  survivor: SignalState,
  other: SignalState,
  attempt: string,
  author: { readonly by: string; readonly why: string } = { by: 'match', why: 'both report the same event' },
): { survivor: KnownEvent[]; merged: KnownEvent[] } {
  if (survivor.id === other.id || survivor.status === 'merged' || other.status === 'merged')
    return { survivor: [], merged: [] };
  if (author.by === 'match' && (isSettled(survivor, other) || areOtherKinds(survivor, other)))
    return { survivor: [], merged: [] };
  const about = { time: cause.time, causation_id: cause.id, correlation_id: cause.correlation_id };
  const reports = other.reports.filter((report) => {
    const own = survivor.reports.find((one) => isSameItem(one, report));
    return !own || (own.fingerprint !== report.fingerprint && isLaterWording(report, own));
  });
  // A report that was split off and comes back is another event than its first coming.
  const returning = (report: KnownReport): number[] =>
    survivor.splitOff.some((gone) => isSameItem(gone, report)) ? [survivor.revision] : [];
  const events: KnownEvent[] = reports.map((report) =>
    newEvent(
      'SignalReported',
      {
        signal_id: survivor.id,
        report: storedReport(report),
        match: { score: 1, reasons: [evidenceOfMerge(other.id)] },
        resurfaced: report.resurfaced || isLate(report.first_seen_at, survivor.first_seen_at),
        // What is in doubt brings its reports and none of their facts.
        ...(other.status === 'public' && report.facts && { facts: report.facts }),
      },
      { id: eventId('SignalReported', ...wordingId(survivor.id, report), ...returning(report)), ...about },
    ),
  );
  events.push(...mergedText(afterEvents(survivor, events), other, about));
  events.push(...mergedCorrection(afterEvents(survivor, events), other, about));
  const release = (why: string): KnownEvent<'SignalReleased'> =>
    newEvent(
      'SignalReleased',
      { signal_id: survivor.id, by: author.by, why },
      { id: eventId('SignalReleased', survivor.id, other.id), ...about },
    );
  if (isSound(other)) events.push(...releaseWhenComplete(afterEvents(survivor, events), release, other.text.outlet));
  const merged = newEvent(
    'SignalMerged',
    { signal_id: other.id, into: survivor.id, into_slug: survivor.slug, ...author },
    { id: eventId('SignalMerged', other.id, survivor.id), ...about },
  );
  const joined = newEvent(
    'SignalJoined',
    { signal_id: survivor.id, joined: other.id, ...author },
    { id: eventId('SignalJoined', survivor.id, other.id, survivor.revision, attempt), ...about },
  );
  return { survivor: [...onlyNew(survivor, events), joined], merged: [merged] };
}

/** True for two signals that an operator found to be two events, and where one of them is no move at all. */
const isSettled = (one: SignalState, other: SignalState): boolean =>
  one.apart.has(other.id) || other.apart.has(one.id) || one.status === 'retracted' || other.status === 'retracted';

/** Readers know both, as moves of two kinds: matching makes no one of them. */
const areOtherKinds = (one: SignalState, other: SignalState): boolean =>
  one.status === 'public' && other.status === 'public' && one.understanding.move !== other.understanding.move;

/** False for what an operator holds, which is in doubt, and for old news. */
const isSound = ({ status, heldByRules }: SignalState): boolean =>
  status === 'public' || (status === 'held' && heldByRules);

/** The better of two texts for a signal that has taken over the reports of another. */
function mergedText(
  survivor: SignalState,
  other: SignalState,
  about: { time: string; causation_id: string | null; correlation_id: string },
): KnownEvent[] {
  const text = survivor.reports.find((report) => isSameItem(report, other.text));
  if (!isSound(other) || !text || text.resurfaced || isSameItem(text, survivor.text)) return [];
  const isSamePage = addressKey(text.url) === addressKey(survivor.text.url) && text.outlet !== survivor.text.outlet;
  const next = { report: text, understanding: other.understanding };
  const current = { report: survivor.text, understanding: survivor.understanding };
  if (isSamePage ? !ranksAbove(text, survivor.text) : !isBetter(current, next)) return [];
  if (!isSamePage && !isTrueToSlug(survivor.slug, survivor.understanding, other.understanding)) return [];
  const together = textWith(
    { report: survivor.text, understanding: survivor.understanding },
    { report: text, understanding: other.understanding },
  );
  const understanding = withCorrection(together, survivor.corrected);
  if (isDeepStrictEqual(understanding, survivor.understanding)) return [];
  return [
    newEvent(
      'SignalRevised',
      {
        signal_id: survivor.id,
        revision: survivor.revisions + 1,
        reason: 'better_report',
        before: survivor.understanding,
        after: understanding,
        understood_by: other.understood_by,
        item_key: text.item_key,
        source_id: text.source_id,
      },
      { id: eventId('SignalRevised', survivor.id, other.id, other.revisions), ...about },
    ),
  ];
}

/** What operators corrected of the merged signal, and of the survivor not. */
function mergedCorrection(
  survivor: SignalState,
  other: SignalState,
  about: { time: string; causation_id: string | null; correlation_id: string },
): KnownEvent[] {
  if (!other.correctedBy || !isSound(other)) return [];
  const own = new Set<string>(Object.keys(survivor.corrected));
  const corrected: Correction = Object.fromEntries(
    Object.entries(other.corrected).filter(([field]) => !own.has(field)),
  );
  if (fieldsOf(corrected).length === 0) return [];
  const { source_id, item_key, outlet, url } = survivor.text;
  return [
    newEvent(
      'SignalCorrected',
      {
        signal_id: survivor.id,
        revision: survivor.revisions + 1,
        corrected,
        before: survivor.understanding,
        after: withCorrection(survivor.understanding, corrected),
        report: { source_id, item_key, outlet, url },
        taken_from: other.id,
        ...other.correctedBy,
      },
      { id: eventId('SignalCorrected', survivor.id, other.id, other.revisions), ...about },
    ),
  ];
}
