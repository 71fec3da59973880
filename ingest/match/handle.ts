/** One story on its way into the event store: matched, decided, written, and again when another matcher was faster. */
import { type EventStore, RevisionConflict } from '../../log/event-store.ts';
import { decideKnown, decideNew, decideReport, idOf, type StoryEvent } from './decide.ts';
import { type Match, match, retoldBy } from './match.ts';
import { mergeSignals } from './merge.ts';
import { reserveSlug } from './slug.ts';
import type { Tracker } from './tracker.ts';

const ATTEMPTS = 20;

/** A story that deciding cannot take: it is put aside, so that it never stops the others. */
export class PoisonedStory extends Error {
  override name = 'PoisonedStory';
}

/** Pure work on one story: when it fails, it fails for this story alone and for ever. */
function decided<Result>(story: StoryEvent, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    throw new PoisonedStory(`story ${story.id} cannot be decided`, { cause });
  }
}

/** Merges signals that were met before this one although they only tell its event again, weeks later. */
async function mergeRetold(tracker: Tracker, story: StoryEvent, id: string): Promise<void> {
  const { item } = story.data;
  const features = decided(story, () => tracker.features(story.data));
  const retold = retoldBy(features, Date.parse(item.first_seen_at) / 86_400_000, tracker.window.near(features));
  for (const other of retold) if (other !== id) await mergeSignals(tracker, id, other, story);
}

async function known(tracker: Tracker, story: StoryEvent, id: string, fresh: boolean): Promise<boolean> {
  const state = await tracker.state(id, fresh);
  if (!state) return false;
  if (state.mergedInto) return known(tracker, story, state.mergedInto, fresh);
  await tracker.append(
    state.id,
    decided(story, () => decideKnown(story, state)),
    state.revision,
  );
  // It may have died between detecting and merging.
  if (state.id === idOf(story.data) && state.status === 'public') await mergeRetold(tracker, story, state.id);
  return true;
}

async function detect(
  tracker: Tracker,
  store: EventStore,
  story: StoryEvent,
  about: { follows: string | null; resurfaced: boolean },
): Promise<void> {
  const id = idOf(story.data);
  const slug = await reserveSlug(store, story, id);
  await tracker.append(id, [decided(story, () => decideNew(story, { slug, ...about }))], 'none');
  if (!about.resurfaced) await mergeRetold(tracker, story, id);
}

async function report(
  tracker: Tracker,
  story: StoryEvent,
  evidence: Match & { resurfaced: boolean; merge: readonly string[] },
  fresh: boolean,
): Promise<void> {
  // Merging goes first: should the process die here, the story comes again and finds the same signals to merge.
  for (const other of evidence.merge) await mergeSignals(tracker, evidence.signal, other, story);
  const id = tracker.window.resolve(evidence.signal);
  const state = await tracker.state(id, fresh);
  if (!state) throw new PoisonedStory(`signal ${id} has no stream`);
  await tracker.append(
    id,
    decided(story, () => decideReport(story, state, evidence)),
    state.revision,
  );
}

async function attempt(tracker: Tracker, store: EventStore, story: StoryEvent, fresh: boolean): Promise<void> {
  const { item } = story.data;
  // Its own stream is asked only after a conflict: an item older than the window may have been the first of a signal.
  const holder = tracker.window.ofItem(item) ?? (fresh ? idOf(story.data) : null);
  if (holder && (await known(tracker, story, holder, fresh))) return;
  const features = decided(story, () => tracker.features(story.data));
  const decision = decided(story, () => match(story.data, features, tracker.window.near(features)));
  if (decision.kind === 'new') return detect(tracker, store, story, { follows: decision.follows, resurfaced: false });
  const resurfaced = decision.kind === 'resurfaced';
  if (!decision.match) return detect(tracker, store, story, { follows: null, resurfaced });
  const merge = decision.kind === 'same' ? decision.merge : [];
  return report(tracker, story, { ...decision.match, resurfaced, merge }, fresh);
}

/**
 * Handles one story. Done twice, also after dying half way, it leaves what it leaves when done once.
 * @throws PoisonedStory when it can never be handled; EventTooLarge; or what the store throws
 */
export async function handleStory(tracker: Tracker, store: EventStore, story: StoryEvent): Promise<void> {
  for (let turn = 1; ; turn++) {
    try {
      return await attempt(tracker, store, story, turn > 1);
    } catch (error) {
      if (!(error instanceof RevisionConflict) || turn >= ATTEMPTS) throw error;
      await tracker.catchUp();
    }
  }
}
