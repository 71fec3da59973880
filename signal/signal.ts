/** A signal as its stream tells it: what deciding needs to know. A pure fold. */
import type { KnownEvent } from '../schemas/events.ts';
import { laterOf } from '../schemas/scalar.ts';
import { factsOf, isSameItem, type Report, type ReportedFacts, revisedReport } from '../schemas/signal.ts';
import type { Understanding } from '../schemas/story.ts';

/** A report with what its events say of it; each item of each source once, in its latest wording. */
export interface KnownReport extends Report {
  /** True for old news reported again: the report is kept with the signal and does not count. */
  readonly resurfaced: boolean;
  /** What its newest event says that it states; unset where that says nothing, as in version 1.0. */
  readonly facts?: ReportedFacts;
}

export interface SignalState {
  readonly id: string;
  readonly slug: string;
  readonly status: 'public' | 'held' | 'resurfaced' | 'merged';
  /** True while it is held only because the rules found something missing: filling that releases it. */
  readonly heldByRules: boolean;
  /** When the service made it public, the last time. */
  readonly published_at: string;
  /** When the first item that reported it was first seen. */
  readonly first_seen_at: string;
  readonly mergedInto: string | null;
  readonly understanding: Understanding;
  readonly understood_by: string;
  /** The report whose text stands. */
  readonly text: KnownReport;
  readonly reports: readonly KnownReport[];
  /** How often its text was revised. */
  readonly revisions: number;
  /** Ids of its events: what was written is not written twice. */
  readonly handled: ReadonlySet<string>;
  /** Last revision of the stream. */
  readonly revision: number;
}

/** A report as it is stored, without what its event says besides. */
export const storedReport = ({ resurfaced: _, facts: __, ...report }: KnownReport): Report => report;

const counted = (state: SignalState, event: KnownEvent): SignalState => ({
  ...state,
  handled: new Set([...state.handled, event.id]),
  revision: state.revision + 1,
});

/** The evidence of a report that is stored again, since other rules understand its wording otherwise. */
export const UNDERSTOOD_AGAIN = 'understood again';
/** The event of such a report, or of one that version 1.0 merged, has the time of the decision, not that of a poll. */
const NOT_POLLED = new RegExp(`^(came with sig_|${UNDERSTOOD_AGAIN}$)`);

function knownReport(event: KnownEvent<'SignalDetected'> | KnownEvent<'SignalReported'>): KnownReport {
  if (event.type === 'SignalDetected') {
    const { report, status, understanding } = event.data;
    const known = { ...report, found_at: report.found_at ?? event.time, resurfaced: status === 'resurfaced' };
    return withFacts(known, factsOf(understanding));
  }
  const { report, match, resurfaced, facts } = event.data;
  const polled = match.reasons.some((reason) => NOT_POLLED.test(reason)) ? undefined : event.time;
  return withFacts({ ...report, found_at: report.found_at ?? polled, resurfaced }, facts);
}

/** The report with what it states in place of what it stated. */
function withFacts({ facts: _, ...report }: KnownReport, facts: ReportedFacts | undefined): KnownReport {
  return facts ? { ...report, facts } : report;
}

/** What a revision says of the facts of reports: an operator's text is final, another is of its report alone. */
function revisedFacts(
  reports: readonly KnownReport[],
  { reason, after }: KnownEvent<'SignalRevised'>['data'],
  text: KnownReport,
): readonly KnownReport[] {
  if (reason === 'better_report') return reports;
  const facts = factsOf(after);
  return reports.map((report) =>
    isSameItem(report, text) ? withFacts(report, facts) : reason === 'operator' ? withFacts(report, undefined) : report,
  );
}

/** Adds a report; one of an item that is known already replaces its wording. */
function withReport(state: SignalState, report: KnownReport): SignalState {
  const known = state.reports.find((one) => isSameItem(one, report));
  if (!known) return { ...state, reports: [...state.reports, report] };
  // An item that counted before goes on counting.
  const resurfaced = known.resurfaced && report.resurfaced;
  const newest = { ...report, first_seen_at: known.first_seen_at, resurfaced };
  return {
    ...state,
    reports: state.reports.map((one) => (one === known ? newest : one)),
    text: isSameItem(state.text, report) ? newest : state.text,
  };
}

/** Folds one event of a signal's stream; null before its first. */
export function evolveSignal(before: SignalState | null, event: KnownEvent): SignalState | null {
  if (event.type === 'SignalDetected') {
    const { signal_id, slug, status, published_at, understanding, understood_by } = event.data;
    const report = knownReport(event);
    return {
      id: signal_id,
      slug,
      status,
      heldByRules: status === 'held',
      published_at,
      first_seen_at: report.first_seen_at,
      mergedInto: null,
      understanding,
      understood_by,
      text: report,
      reports: [report],
      revisions: 0,
      handled: new Set([event.id]),
      revision: 0,
    };
  }
  if (!before) return null;
  const state = counted(before, event);
  switch (event.type) {
    case 'SignalReported':
      return withReport(state, knownReport(event));
    case 'SignalRevised': {
      const { after, understood_by, revision } = event.data;
      const text = revisedReport(event.data, state.reports, state.text) ?? state.text;
      const reports = revisedFacts(state.reports, event.data, text);
      return { ...state, understanding: after, understood_by, text, reports, revisions: revision };
    }
    case 'SignalHeld':
      return state.status === 'public' ? { ...state, status: 'held', heldByRules: false } : state;
    case 'SignalReleased':
      return state.status === 'held' || state.status === 'resurfaced'
        ? { ...state, status: 'public', heldByRules: false, published_at: laterOf(state.published_at, event.time) }
        : state;
    case 'SignalMerged':
      return { ...state, status: 'merged', mergedInto: event.data.into };
    default:
      return state;
  }
}

/** Folds a whole stream; null for an empty one. */
export const foldSignal = (events: readonly KnownEvent[]): SignalState | null =>
  events.reduce<SignalState | null>(evolveSignal, null);
