/** A signal as its stream tells it: what deciding needs to know. A pure fold. */
import type { KnownEvent } from '../../schemas/events.ts';
import type { Report } from '../../schemas/signal.ts';
import type { Understanding } from '../../schemas/story.ts';

export interface SignalState {
  readonly id: string;
  readonly slug: string;
  readonly status: 'public' | 'held' | 'resurfaced' | 'merged';
  /** True while it is held only because the rules found something missing: filling that releases it. */
  readonly heldByRules: boolean;
  readonly published_at: string;
  readonly mergedInto: string | null;
  readonly understanding: Understanding;
  readonly understood_by: string;
  /** The report whose text stands. */
  readonly text: Report;
  readonly reports: readonly Report[];
  /** How often its text was revised. */
  readonly revisions: number;
  /** Ids of its events: what was written is not written twice. */
  readonly handled: ReadonlySet<string>;
  /** Last revision of the stream. */
  readonly revision: number;
}

const counted = (state: SignalState, event: KnownEvent): SignalState => ({
  ...state,
  handled: new Set([...state.handled, event.id]),
  revision: state.revision + 1,
});

/** Folds one event of a signal's stream; null before its first. */
export function evolveSignal(before: SignalState | null, event: KnownEvent): SignalState | null {
  if (event.type === 'SignalDetected') {
    const { signal_id, slug, status, published_at, understanding, understood_by, report } = event.data;
    return {
      id: signal_id,
      slug,
      status,
      heldByRules: status === 'held',
      published_at,
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
      return { ...state, reports: [...state.reports, event.data.report] };
    case 'SignalRevised': {
      const { after, understood_by, item_key, revision } = event.data;
      const text = state.reports.findLast((report) => report.item_key === item_key) ?? state.text;
      return { ...state, understanding: after, understood_by, text, revisions: revision };
    }
    case 'SignalHeld':
      return { ...state, status: 'held', heldByRules: false };
    case 'SignalReleased':
      return { ...state, status: 'public', heldByRules: false };
    case 'SignalMerged':
      return { ...state, status: 'merged', mergedInto: event.data.into };
    default:
      return state;
  }
}

/** Folds a whole stream; null for an empty one. */
export const foldSignal = (events: readonly KnownEvent[]): SignalState | null =>
  events.reduce<SignalState | null>(evolveSignal, null);
