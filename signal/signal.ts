/** The signal: its state, folded from the events of its stream. All decisions about a signal are made on this state. Pure. */
import type { KnownEvent } from '../schemas/events.ts';
import type { SignalId } from '../schemas/scalar.ts';
import { type Correction, isSameItem, type ReportRef, type SignalStatus } from '../schemas/signal.ts';
import type { Understanding } from '../schemas/story.ts';
import {
  bestReport,
  type KnownReport,
  reportIn,
  revisedReport,
  withCorrectedFacts,
  withoutReport,
  withReport,
  withRevisedFacts,
} from './signal-reports.ts';
import { withStatus } from './signal-status.ts';

/** Why the signal matters and what to watch, and who wrote it: `rules` or the name of a model. */
export type Analysis = Omit<KnownEvent<'SignalAnalysed'>['data'], 'signal_id'>;

export interface SignalState {
  readonly id: SignalId;
  readonly slug: string;
  readonly status: SignalStatus;
  /** True while it is held only because the rules found something missing: a report that has it releases the signal. */
  readonly heldByRules: boolean;
  /** When the service made it public, the last time. RFC 3339. */
  readonly published_at: string;
  /** When the first item that reported it was first seen. */
  readonly first_seen_at: string;
  /** The earlier signal that it takes a step further; null for none. */
  readonly follows: SignalId | null;
  /** The id of the signal that it was merged into. */
  readonly mergedInto: SignalId | null;
  readonly understanding: Understanding;
  readonly understood_by: string;
  /** Its newest analysis; null when none is stored. */
  readonly analysis: Analysis | null;
  /** How often it was analysed. */
  readonly analyses: number;
  /** The report whose text the signal has. */
  readonly text: KnownReport;
  readonly reports: readonly KnownReport[];
  /** How often its text was revised or corrected. */
  readonly revisions: number;
  /** The fields that operators corrected, with the values that they keep. Empty for most signals. */
  readonly corrected: Correction;
  /** The last correction; null without any. */
  readonly correctedBy: { readonly by: string; readonly why: string } | null;
  /** Reports that an operator split off: they come back with a merge by an operator only. */
  readonly splitOff: readonly ReportRef[];
  /** The signals that they went to, which are another event. */
  readonly apart: ReadonlySet<SignalId>;
  /** The ids of its events: an event that is stored is not decided again. */
  readonly handled: ReadonlySet<string>;
  /** The last revision of its stream. */
  readonly revision: number;
}

/** Applies one event of a signal's stream; null before the first. */
export function evolveSignal(before: SignalState | null, event: KnownEvent): SignalState | null {
  if (event.type === 'SignalDetected') return detectedSignal(event);
  if (!before) return null;
  const state = {
    ...withStatus(before, event),
    handled: new Set([...before.handled, event.id]),
    revision: before.revision + 1,
  };
  switch (event.type) {
    case 'SignalReported': {
      const all = withReport(state.reports, reportIn(event));
      const reports = state.correctedBy
        ? withCorrectedFacts(all, state.corrected, state.text, state.understanding)
        : all;
      const splitOff = withoutReport(state.splitOff, event.data.report);
      return { ...state, reports, splitOff, text: bestReport(reports, state.text) ?? state.text };
    }
    case 'SignalRevised': {
      const { after, understood_by, revision } = event.data;
      const text = revisedReport(event.data, state.reports, state.text) ?? state.text;
      const revised = withRevisedFacts(state.reports, event.data, text);
      const reports = state.correctedBy ? withCorrectedFacts(revised, state.corrected, text, after) : revised;
      return { ...state, understanding: after, understood_by, text, reports, revisions: revision };
    }
    case 'SignalCorrected': {
      const { corrected: fields, after, revision, by, why } = event.data;
      const corrected = { ...state.corrected, ...fields };
      const reports = withCorrectedFacts(state.reports, corrected, state.text, after);
      return { ...state, understanding: after, corrected, correctedBy: { by, why }, reports, revisions: revision };
    }
    case 'SignalSplit': {
      const reports = withoutReport(state.reports, event.data.report);
      const splitOff = [...withoutReport(state.splitOff, event.data.report), event.data.report];
      const text = isSameItem(state.text, event.data.report) ? (reports[0] ?? state.text) : state.text;
      return { ...state, reports, text, splitOff, apart: new Set([...state.apart, event.data.into]) };
    }
    case 'SignalLinked':
      return { ...state, follows: event.data.follows };
    case 'SignalJoined':
      return { ...state, apart: new Set([...state.apart].filter((id) => id !== event.data.joined)) };
    case 'SignalAnalysed': {
      const { signal_id: _, ...analysis } = event.data;
      return { ...state, analysis, analyses: before.analyses + 1 };
    }
    case 'SignalHeld':
    case 'SignalReleased':
      return { ...state, heldByRules: state.status === 'held' && before.heldByRules };
    case 'SignalMerged':
      return { ...state, mergedInto: event.data.into };
    default:
      return state;
  }
}

function detectedSignal(event: KnownEvent<'SignalDetected'>): SignalState {
  const { signal_id, slug, status, published_at, understanding, understood_by, follows } = event.data;
  const report = reportIn(event);
  return {
    id: signal_id,
    slug,
    status,
    heldByRules: status === 'held',
    published_at,
    first_seen_at: report.first_seen_at,
    follows,
    mergedInto: null,
    understanding,
    understood_by,
    analysis: null,
    analyses: 0,
    text: report,
    reports: [report],
    revisions: 0,
    corrected: {},
    correctedBy: null,
    splitOff: [],
    apart: new Set(),
    handled: new Set([event.id]),
    revision: 0,
  };
}

/** Folds a whole stream; null for an empty one. */
export const foldSignal = (events: readonly KnownEvent[]): SignalState | null =>
  events.reduce<SignalState | null>(evolveSignal, null);

/** The state after further events that are not in the stream yet. */
export const afterEvents = (state: SignalState, events: readonly KnownEvent[]): SignalState =>
  events.reduce<SignalState | null>(evolveSignal, state) ?? state;
