/** Handles one story: finds its signal, decides, appends, and decides again when another writer was faster. Reserves the slugs of new signals. */

import { retryConflicts } from '../../log/command-handler.ts';
import { type EventStore, RevisionConflict } from '../../log/event-store.ts';
import { newEvent, readEvent } from '../../schemas/events.ts';
import { eventId, type SignalId, slugify } from '../../schemas/scalar.ts';
import { slugStream } from '../../schemas/signal.ts';
import {
  decideKnownItem,
  decideLink,
  decideNewSignal,
  decideReport,
  idOf,
  isSplitOff,
  type StoryEvent,
} from '../../signal/report-decisions.ts';
import type { SignalState } from '../../signal/signal.ts';
import { findRepeats, findStepBefore, findStepsAfter, type Match, match, type NearSignal } from './match-story.ts';
import { mergeSignals } from './merge-signals.ts';
import type { Features } from './report-features.ts';
import type { Tracker } from './signal-tracker.ts';

// A signal's slug: reserved in the event store before the signal is written, so that no two ever have the same.

/** Signals with one headline; beyond that the id itself makes the slug different. */
const MAX_NUMBERED_SLUGS = 50;

/**
 * Reserves `headline`, `headline-2`, … whichever is free, or was reserved for this signal before.
 * @param cause the event or command that the reservation follows from
 * @returns the slug, for ever this signal's
 */
export async function reserveSlug(
  store: EventStore,
  headline: string,
  signalId: SignalId,
  cause: { readonly id: string | null; readonly time: string; readonly correlation_id: string },
): Promise<string> {
  const base = slugify(headline);
  for (let number = 1; ; number++) {
    const ending = number > MAX_NUMBERED_SLUGS ? signalId.slice(4, 12) : String(number);
    const slug = number === 1 ? base : `${base}-${ending}`;
    const reserved = newEvent(
      'SlugReserved',
      { slug, signal_id: signalId },
      {
        id: eventId('SlugReserved', slug, signalId),
        time: cause.time,
        causation_id: cause.id,
        correlation_id: cause.correlation_id,
      },
    );
    try {
      await store.append(slugStream(slug), [reserved], 'none');
      return slug;
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
      const [first] = await store.read(slugStream(slug));
      const owner = first && readEvent(first);
      if (owner?.type === 'SlugReserved' && owner.data.signal_id === signalId) return slug;
      if (number > MAX_NUMBERED_SLUGS) throw error;
    }
  }
}

// One story on its way into the event store: matched, decided, written, and again when another writer was faster.

/** A signal that was found to report the event has no stream: the store was restored or changed by hand. */
class SignalMissing extends Error {
  override name = 'SignalMissing';
}

/** A story, and what is known of it before it is matched. */
interface Given {
  readonly story: StoryEvent;
  readonly features: Features;
  readonly seenDay: number;
}

/** Merges signals that were detected before this one although they only repeat its event, weeks later. */
async function mergeRepeats(tracker: Tracker, given: Given, near: readonly NearSignal[], id: SignalId): Promise<void> {
  const repeats = findRepeats(given.features, given.seenDay, near);
  for (const other of repeats) if (other !== id) await mergeSignals(tracker, id, other, given.story);
}

/** Links a signal to the one that a report of it takes a step further, of all that are known now. */
async function linkToEarlier(tracker: Tracker, { story }: Given, later: SignalId, report: Features): Promise<void> {
  const state = await tracker.state(later);
  if (!state) return;
  const near = (await tracker.near(report)).filter(({ id }) => id !== later);
  const earlier = findStepBefore(report, near);
  if (earlier === null) return;
  await tracker.append(state.id, decideLink(story, state, earlier, tracker.now()), state.revision);
}

/** Links the signals that take this event a step further although they were detected before it. */
async function linkLater(tracker: Tracker, given: Given, near: readonly NearSignal[], id: SignalId): Promise<void> {
  const earlier = tracker.window.get(id);
  if (!earlier || earlier.resurfaced) return;
  const linked = new Set<SignalId>();
  for (const { signal, report } of findStepsAfter(earlier, near)) {
    const later = tracker.window.resolve(signal);
    if (linked.has(later) || later === id) continue;
    linked.add(later);
    await linkToEarlier(tracker, given, later, report);
  }
}

/** Handles a story whose item a signal has already. @returns that signal, null when it has no stream */
async function reportKnownItem(tracker: Tracker, given: Given, id: SignalId, fresh: boolean): Promise<SignalId | null> {
  const { story, features } = given;
  if (!(await tracker.state(id, fresh))) return null;
  const state = await survivorOfMerges(tracker, id, fresh);
  if (isSplitOff(state, story.data.item)) {
    // An operator moved it, which the window may not know yet.
    await tracker.catchUp();
    const holder = await tracker.ofItem(story.data.item);
    if (holder && holder !== state.id) return reportKnownItem(tracker, given, holder, true);
  }
  await tracker.append(state.id, decideKnownItem(story, state, tracker.now()), state.revision, features);
  // It may have died between writing and merging.
  if (state.id === idOf(story.data) && state.status === 'public') {
    const near = await tracker.near(features);
    await mergeRepeats(tracker, given, near, state.id);
    await linkLater(tracker, given, near, state.id);
  }
  return state.id;
}

async function detect(
  tracker: Tracker,
  store: EventStore,
  { story, features }: Given,
  about: { follows: SignalId | null; resurfaced: boolean },
): Promise<void> {
  const id = idOf(story.data);
  const slug = await reserveSlug(store, story.data.understanding.headline, id, story);
  await tracker.append(id, [decideNewSignal(story, { slug, ...about }, tracker.now())], 'none', features);
}

/** Merges that one signal can lead through. */
const MAX_MERGES = 50;

/** A signal, or the one that it was merged into, over several steps. @throws SignalMissing when there is none */
async function survivorOfMerges(tracker: Tracker, signal: SignalId, fresh: boolean): Promise<SignalState> {
  let id = signal;
  for (let step = 0; step < MAX_MERGES; step++) {
    const state = await tracker.state(id, fresh);
    if (!state) break;
    if (!state.mergedInto) return state;
    // A merge that the window does not know: it is behind, and could lack the signal that the story is written to.
    await tracker.catchUp();
    id = state.mergedInto;
  }
  throw new SignalMissing(`signal ${signal} leads to no stream`);
}

async function report(
  tracker: Tracker,
  { story, features }: Given,
  evidence: Match & { resurfaced: boolean; merge: readonly SignalId[] },
  fresh: boolean,
): Promise<void> {
  // Merge first: if the process dies here, the story is delivered again and finds the same signals to merge.
  for (const other of evidence.merge) await mergeSignals(tracker, evidence.signal, other, story);
  const state = await survivorOfMerges(tracker, tracker.window.resolve(evidence.signal), fresh);
  await tracker.append(state.id, decideReport(story, state, evidence, tracker.now()), state.revision, features);
}

/** Reports the story in the signal that it matched, with the merges and links that follow. @returns the signal */
async function joinSignal(
  tracker: Tracker,
  given: Given,
  near: readonly NearSignal[],
  evidence: Match & { resurfaced: boolean; merge: readonly SignalId[] },
  fresh: boolean,
): Promise<SignalId> {
  await report(tracker, given, evidence, fresh);
  if (evidence.resurfaced) return evidence.signal;
  const id = tracker.window.resolve(evidence.signal);
  await mergeRepeats(tracker, given, near, id);
  if ((await tracker.state(id))?.follows === null) await linkToEarlier(tracker, given, id, given.features);
  return evidence.signal;
}

async function attempt(tracker: Tracker, store: EventStore, given: Given, fresh: boolean): Promise<SignalId> {
  const { story, features } = given;
  const own = idOf(story.data);
  // Its own stream is read only after a conflict: an item older than the window may have been the first of a signal.
  const holder = (await tracker.ofItem(story.data.item)) ?? (fresh ? own : null);
  const before = holder && (await reportKnownItem(tracker, given, holder, fresh));
  if (before) return before;
  const near = await tracker.near(features);
  const decision = match(story.data, features, near);
  const resurfaced = decision.kind === 'resurfaced';
  if (decision.kind !== 'new' && decision.match) {
    const merge = decision.kind === 'same' ? decision.merge : [];
    return joinSignal(tracker, given, near, { ...decision.match, resurfaced, merge }, fresh);
  }
  await detect(tracker, store, given, { follows: decision.kind === 'new' ? decision.follows : null, resurfaced });
  if (!resurfaced) {
    await mergeRepeats(tracker, given, near, own);
    await linkLater(tracker, given, near, own);
  }
  return own;
}

/**
 * Handles one story. Done twice, also after dying half way, it leaves what it leaves when done once.
 * @param features those of the tracker
 * @returns the signal that has its report
 * @throws StreamContention when others keep being faster, EventTooLarge, what the store throws, or what deciding throws, which is a defect
 */
export async function handleStory(
  tracker: Tracker,
  store: EventStore,
  story: StoryEvent,
  features: Features = tracker.features(story.data),
): Promise<SignalId> {
  const given = { story, features, seenDay: Date.parse(story.data.item.first_seen_at) / 86_400_000 };
  let isFirst = true;
  return retryConflicts(`the streams of story ${story.id}`, async () => {
    if (!isFirst) await tracker.catchUp();
    const fresh = !isFirst;
    isFirst = false;
    return attempt(tracker, store, given, fresh);
  });
}
