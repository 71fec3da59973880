/**
 * What operators do with a signal, and what they see of it: release, hold, merge, retract and confirm, each decided
 * again when a matcher was faster (corrections are in `correct-signals.ts`); its history, every event of its stream
 * with what it changed and what caused it, as far as the topics still contain that; and reports of readers that
 * something is wrong with it. The decisions are in `signal/review-decisions.ts`.
 */

import { isDeepStrictEqual } from 'node:util';
import { istDay } from '../language/days.ts';
import { changeStream, handleCommand, retryConflicts } from '../log/command-handler.ts';
import type { EventStore } from '../log/event-store.ts';
import type { Topics } from '../log/topic.ts';
import { type Event, type KnownEvent, readEvent } from '../schemas/events.ts';
import { FACT_FIELDS, type Facts } from '../schemas/facts.ts';
import { Refusal } from '../schemas/input-errors.ts';
import { ITEMS, POLLS } from '../schemas/poll.ts';
import { SignalId } from '../schemas/scalar.ts';
import { fieldsOf, type MistakeBody, mistakeId, mistakeStream, signalStream, slugStream } from '../schemas/signal.ts';
import { STORIES, type Understanding } from '../schemas/story.ts';
import {
  decideConfirm,
  decideHold,
  decideOperatorMerge,
  decideRelease,
  decideRetract,
  type Review,
} from '../signal/review-decisions.ts';
import { foldSignal, type SignalState } from '../signal/signal.ts';
import { signalsMergedBy } from '../signal/signal-reports.ts';

/** No signal has such an id or slug. */
export class NoSuchSignal extends Error {
  override name = 'NoSuchSignal';
  constructor(idOrSlug: string) {
    super(
      `no signal has the id or slug ${JSON.stringify(idOrSlug.slice(0, 100))}; an id is sig_ and 16 hex characters`,
    );
  }
}

/** The id that an id or slug names. @throws NoSuchSignal when no signal has the slug */
export async function signalIdOf(store: Pick<EventStore, 'read'>, idOrSlug: string): Promise<SignalId> {
  const id = SignalId.safeParse(idOrSlug);
  if (id.success) return id.data;
  const [first] = await store.read(slugStream(idOrSlug));
  const owner = first ? readEvent(first) : null;
  if (owner?.type !== 'SlugReserved') throw new NoSuchSignal(idOrSlug);
  return owner.data.signal_id;
}

/** The state of a signal by its newest events. @throws NoSuchSignal */
export async function readSignal(store: Pick<EventStore, 'read'>, idOrSlug: string): Promise<SignalState> {
  const id = await signalIdOf(store, idOrSlug);
  const state = foldSignal((await store.read(signalStream(id))).map((event) => readEvent(event)));
  if (!state) throw new NoSuchSignal(idOrSlug);
  return state;
}

/** Appends what is decided on the newest state of a signal. @returns the state before */
export async function changeSignal(
  store: EventStore,
  idOrSlug: string,
  decide: (state: SignalState) => KnownEvent,
): Promise<SignalState> {
  const stream = signalStream(await signalIdOf(store, idOrSlug));
  const { decision } = await changeStream(store, stream, (stored) => {
    const state = foldSignal(stored.map((event) => readEvent(event)));
    if (!state) throw new NoSuchSignal(idOrSlug);
    return { state, events: [decide(state)] };
  });
  return decision.state;
}

/** Makes a held signal public. @throws NoSuchSignal, CannotReview, StreamContention */
export const releaseSignal = (store: EventStore, idOrSlug: string, review: Review): Promise<SignalState> =>
  changeSignal(store, idOrSlug, (state) => decideRelease(state, review));

/** Takes a public signal out of every public answer. @throws NoSuchSignal, CannotReview, StreamContention */
export const holdSignal = (store: EventStore, idOrSlug: string, review: Review): Promise<SignalState> =>
  changeSignal(store, idOrSlug, (state) => decideHold(state, review));

/** Takes back a signal that is no move. @throws NoSuchSignal, CannotReview, StreamContention */
export const retractSignal = (store: EventStore, idOrSlug: string, review: Review): Promise<SignalState> =>
  changeSignal(store, idOrSlug, (state) => decideRetract(state, review));

/** Says that nothing is wrong with a signal. @throws NoSuchSignal, CannotReview, StreamContention */
export const confirmSignal = (store: EventStore, idOrSlug: string, review: Review): Promise<SignalState> =>
  changeSignal(store, idOrSlug, (state) => decideConfirm(state, review));

/**
 * Merges one signal into another, or the other way round where only the first is public.
 * @returns the signal that remains, as it was before
 * @throws NoSuchSignal, CannotReview, StreamContention
 */
export const mergeSignal = (store: EventStore, idOrSlug: string, into: string, review: Review): Promise<SignalState> =>
  retryConflicts('the signals', async () => {
    const [state, target] = [await readSignal(store, idOrSlug), await readSignal(store, into)];
    const { survivor, merged, events } = decideOperatorMerge(state, target, review);
    await store.append(signalStream(survivor.id), events.survivor, survivor.revision);
    await store.append(signalStream(merged.id), events.merged, merged.revision);
    return survivor;
  });

interface Cause {
  readonly id: string;
  /** Null when no topic holds it any more. */
  readonly type: string | null;
  readonly time: string | null;
  /** What it said, in one line of the source's words. */
  readonly about: string | null;
}

/** Looks events up by id; `known` are those at hand. */
export interface Causes {
  find(ids: readonly string[]): Promise<void>;
  readonly known: Map<string, Event>;
}

/** @param signal aborts a look-up, which reads whole topics where the log has no index of ids */
export function causesIn(topics: Topics, signal: AbortSignal): Causes {
  const events = new Map<string, Event>();
  return {
    known: events,
    async find(ids) {
      let missing = [...new Set(ids)].filter((id) => !events.has(id));
      for (const name of [STORIES, ITEMS, POLLS]) {
        for (const event of await topics.topic(name).find(missing, signal)) events.set(event.id, event);
        missing = missing.filter((id) => !events.has(id));
      }
    },
  };
}

/** What an event of a topic said, in one line of the source’s words; null for any other. */
export function said(event: Event): string | null {
  try {
    const knownEvent = readEvent(event);
    if (knownEvent.type === 'StoryUnderstood') return `${knownEvent.data.item.outlet}: ${knownEvent.data.item.title}`;
    if (knownEvent.type === 'ItemFound')
      return `${knownEvent.data.outlet}: ${knownEvent.data.title} ${knownEvent.data.url}`;
    if (knownEvent.type === 'PollCompleted')
      return `${knownEvent.data.source_id}: ${knownEvent.data.outcome}, ${knownEvent.data.items_new} new, ${knownEvent.data.items_edited} edited`;
    return null;
  } catch {
    // The text that is shown states it.
    return 'cannot be read by this version of the program';
  }
}

const causeOf = (id: string, event: Event | undefined): Cause => ({
  id,
  type: event?.type ?? null,
  time: event?.time ?? null,
  about: event ? said(event) : null,
});

/** The chain of causes of an event, the nearest first, ending in what all of them share. */
function chainOf(event: Event, events: ReadonlyMap<string, Event>): Cause[] {
  const chain: Cause[] = [];
  const met = new Set([event.id]);
  for (let id = event.causation_id; id && !met.has(id); id = events.get(id)?.causation_id ?? null) {
    met.add(id);
    chain.push(causeOf(id, events.get(id)));
  }
  if (!met.has(event.correlation_id)) chain.push(causeOf(event.correlation_id, events.get(event.correlation_id)));
  return chain;
}

// What an event of a signal changed, in short lines for an operator. Pure; texts are those of the sources.

interface Change {
  readonly field: string;
  /** Null where the field was empty before. */
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
  ...(Object.keys(FACT_FIELDS) as (keyof Facts)[]),
];

const short = (value: unknown): string | null => {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return null;
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
    case 'SignalCorrected':
      return [
        now('correction', `of ${fieldsOf(event.data.corrected).join(', ')}, by ${event.data.by}: ${event.data.why}`),
        ...differences(event.data.before, event.data.after),
      ];
    case 'SignalRetracted':
      return [now('status', `retracted by ${event.data.by}: ${event.data.why}`)];
    case 'SignalConfirmed':
      return [now('confirmed', `by ${event.data.by}${event.data.why ? `: ${event.data.why}` : ''}`)];
    case 'SignalSplit': {
      const { report, into, by, why } = event.data;
      return [now('split off', null, `${report.outlet}: ${report.title}`), now('into', `${into}, by ${by}: ${why}`)];
    }
    case 'SignalReleased':
      return [now('status', `public, released by ${event.data.by}: ${event.data.why}`)];
    case 'SignalLinked':
      return [now('follows', event.data.follows)];
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

/** Reports of one signal that are stored: an operator who has read so many has seen what is wrong. */
const MAXIMUM = 200;

/**
 * Stores the report of a reader. It is stored when this resolves; sent twice on one day it is one report.
 * @param signal a public one
 * @returns its id
 * @throws Refusal when the signal has very many reports; StreamContention
 */
export async function reportMistake(
  { store, now }: { readonly store: Pick<EventStore, 'append' | 'read'>; readonly now: () => Date },
  signal: SignalId,
  body: MistakeBody,
): Promise<string> {
  const at = now();
  const id = mistakeId(signal, body, istDay(at));
  const { what, note = null, email } = body;
  await handleCommand(store, {
    stream: mistakeStream(signal),
    fold: (stored) => stored.map((event) => readEvent(event)),
    decide: (events) => {
      const reported = events.flatMap(({ type, data }) => (type === 'MistakeReported' ? data.mistake_id : []));
      const addresses = addressesIn(events, id);
      const report = { type: 'MistakeReported' as const, data: { mistake_id: id, signal_id: signal, what, note } };
      const isNew = !reported.includes(id);
      if (isNew && reported.length >= MAXIMUM)
        throw new Refusal(
          'invalid_request',
          'This entry was reported many times already. An operator will look at it.',
        );
      const wantsAnswer = email !== undefined && !addresses.includes(email) && addresses.length < MAXIMUM_ADDRESSES;
      const ask = { mistake_id: id, signal_id: signal, what, email: email ?? '' };
      return {
        facts: [
          ...(isNew ? [report] : []),
          ...(wantsAnswer ? [{ type: 'MistakeAnswerAsked' as const, data: ask }] : []),
        ],
      };
    },
    now: at,
  });
  return id;
}

/** Addresses that hear the outcome of one report. */
const MAXIMUM_ADDRESSES = 20;

/** The addresses that wait for the outcome of a report: those that asked since it was last mailed. */
export function addressesIn(events: readonly KnownEvent[], mistake: string): string[] {
  const own = events.filter(({ data }) => 'mistake_id' in data && data.mistake_id === mistake);
  const last = own.findLastIndex(({ type }) => type === 'MistakeAnswered');
  return own.slice(last + 1).flatMap(({ type, data }) => (type === 'MistakeAnswerAsked' ? data.email : []));
}
