/** The history of a signal: each event of its stream, what it changed, and what caused it. */
import { isDeepStrictEqual } from 'node:util';
import type { EventStore } from '../../log/event-store.ts';
import type { Topics } from '../../log/topic.ts';
import { type KnownEvent, readEvent } from '../../schemas/events.ts';
import type { SignalId } from '../../schemas/scalar.ts';
import { signalStream } from '../../schemas/signal.ts';
import type { Understanding } from '../../schemas/story.ts';
import { signalsMergedBy } from '../../signal/signal-reports.ts';
import { type Cause, causesIn, chainOf } from './event-causes.ts';
import { NoSuchSignal, signalIdOf } from './review-signals.ts';

// What an event of a signal changed, in short lines for an operator. Pure; texts are those of the sources.

interface Change {
  readonly field: string;
  /** Null where nothing stood before. */
  readonly before: string | null;
  readonly after: string | null;
}

const FIELDS: readonly (keyof Understanding)[] = [
  'headline',
  'deck',
  'summary',
  'key_facts',
  'delta',
  'move',
  'kind',
  'event_at',
  'theme',
  'brands',
  'cities',
  'mall',
  'people',
  'openings',
  'deal',
  'result',
];

const short = (value: unknown): string | null => {
  if (value === null || (Array.isArray(value) && value.length === 0)) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** The fields in which two texts differ. */
const differences = (before: Understanding, after: Understanding): Change[] =>
  FIELDS.filter((field) => !isDeepStrictEqual(before[field], after[field])).map((field) => ({
    field,
    before: short(before[field]),
    after: short(after[field]),
  }));

const now = (field: string, after: string | null, before: string | null = null): Change => ({ field, before, after });

/** What the event changed, the text's fields one by one. */
function changesOf(event: KnownEvent): Change[] {
  switch (event.type) {
    case 'SignalDetected': {
      const { status, status_reason, understanding, report, follows } = event.data;
      return [
        now('status', status_reason ? `${status}: ${status_reason}` : status),
        now('headline', understanding.headline),
        now('report', `${report.outlet}: ${report.title} ${report.url}`),
        ...(follows ? [now('follows', follows)] : []),
      ];
    }
    case 'SignalReported': {
      const { report, match, resurfaced } = event.data;
      return [
        now(resurfaced ? 'report (old news)' : 'report', `${report.outlet}: ${report.title} ${report.url}`),
        now('match', `${match.score}: ${match.reasons.join(', ')}`),
      ];
    }
    case 'SignalRevised':
      return [
        now('revision', `${event.data.revision}, ${event.data.reason}, by ${event.data.understood_by}`),
        ...differences(event.data.before, event.data.after),
      ];
    case 'SignalAnalysed':
      return [now('why_it_matters', event.data.why_it_matters), now('what_to_watch', event.data.what_to_watch)];
    case 'SignalHeld':
      return [now('status', `held by ${event.data.by}: ${event.data.why}`)];
    case 'SignalReleased':
      return [now('status', `public, released by ${event.data.by}: ${event.data.why}`)];
    case 'SignalJoined':
      return [now('joined', `by ${event.data.joined}, merged into this signal by ${event.data.by}: ${event.data.why}`)];
    case 'SignalMerged':
      return [
        now(
          'status',
          `merged into ${event.data.into} (${event.data.into_slug}) by ${event.data.by}: ${event.data.why}`,
        ),
      ];
    default:
      return [];
  }
}

// The history of a signal: every event of its stream, what it changed, and what led to it.

export interface HistoryEntry {
  readonly signal_id: string;
  readonly time: string;
  readonly type: string;
  readonly id: string;
  readonly revision: number;
  readonly changes: readonly Change[];
  /** The nearest cause first. */
  readonly causes: readonly Cause[];
}

interface HistoryOptions {
  readonly store: EventStore;
  readonly topics: Topics;
  readonly signal: AbortSignal;
}

/** More steps than any chain of merges has. */
const MAX_SIGNALS = 100;

/** Signals that this event leads to: the one that it was merged into, or one whose reports came here by a merge. */
const ledTo = (event: KnownEvent): SignalId[] => {
  if (event.type === 'SignalMerged') return [event.data.into];
  if (event.type !== 'SignalReported') return [];
  return signalsMergedBy(event.data);
};

/**
 * Every event of the signal, and of those merged with it, in the order in which they were written.
 * @throws NoSuchSignal; UnreadableEvent for an event that no schema takes
 */
export async function signalHistory(idOrSlug: string, options: HistoryOptions): Promise<HistoryEntry[]> {
  const { store, topics, signal } = options;
  const events: {
    readonly event: KnownEvent;
    readonly signal_id: string;
    readonly revision: number;
    readonly position: bigint;
  }[] = [];
  const ids = new Set([await signalIdOf(store, idOrSlug)]);
  for (const id of ids) {
    const stored = await store.read(signalStream(id));
    for (const one of stored) {
      const event = readEvent(one);
      events.push({ event, signal_id: id, revision: one.revision, position: one.position });
      for (const other of ledTo(event)) if (ids.size < MAX_SIGNALS) ids.add(other);
    }
  }
  if (events.length === 0) throw new NoSuchSignal(idOrSlug);
  const causes = causesIn(topics, signal);
  for (const { event } of events) causes.known.set(event.id, event);
  // Story, item, poll: at most three steps lead out of the store.
  for (let step = 0; step < 3; step++)
    await causes.find(
      [...causes.known.values()].flatMap((event) => [event.causation_id ?? [], event.correlation_id].flat()),
    );
  return events
    .toSorted((a, b) => (a.position < b.position ? -1 : 1))
    .map(({ event, signal_id, revision }) => ({
      signal_id,
      time: event.time,
      type: event.type,
      id: event.id,
      revision,
      changes: changesOf(event),
      causes: chainOf(event, causes.known),
    }));
}
