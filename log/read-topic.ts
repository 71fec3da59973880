/** Reads what a topic holds, from its beginning to its end, once. */
import type { Event } from '../schemas/events.ts';
import { pause } from './backoff.ts';
import type { Topic } from './topic.ts';

const LOOK_MILLISECONDS = 50;

export interface Reading {
  /** A group that nobody used before: one that was used goes on where it stopped. */
  readonly group: string;
  /** Events of one key come in their order; those of different keys in any. An event may come twice. */
  readonly take: (events: readonly Event[]) => void | Promise<void>;
  /** Told how many messages were read, of how many. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  readonly signal: AbortSignal;
}

/**
 * Resolves when everything that the topic held was taken; what comes meanwhile may be among it.
 * @throws the signal's reason when it aborts, and what `take` throws
 */
export async function readTopic(topic: Topic, { group, take, onProgress, signal }: Reading): Promise<void> {
  const total = Number(await topic.lag(group));
  if (total === 0) return;
  const enough = new AbortController();
  let failure: { readonly error: unknown } | undefined;
  let done = 0;
  const consuming = topic.consume({
    group,
    signal: AbortSignal.any([signal, enough.signal]),
    handle: async ({ messages }) => {
      if (failure) return;
      try {
        await take(messages.map(({ event }) => event));
      } catch (error) {
        failure = { error };
        enough.abort();
      }
      done += messages.length;
      onProgress?.(done, Math.max(done, total));
    },
  });
  consuming.catch((error: unknown) => {
    failure ??= { error };
    enough.abort();
  });
  while (!enough.signal.aborted && !signal.aborted) {
    if ((await topic.lag(group)) === 0n) break;
    await pause(LOOK_MILLISECONDS, enough.signal);
  }
  enough.abort();
  await consuming.catch(() => undefined);
  // Nobody reads on from here: a group that is left behind would hold back retention.
  await topic.deleteGroup(group).catch(() => undefined);
  if (failure) throw failure.error;
  signal.throwIfAborted();
}

/**
 * Events of a topic by their ids; none for those that it holds no longer.
 * @param group used only where the topic has no index and is read from end to end; see `Reading`
 */
export async function findEvents(
  topic: Topic,
  ids: readonly string[],
  { group, signal }: { readonly group: string; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, Event>> {
  const found = new Map<string, Event>();
  const wanted = new Set(ids);
  if (wanted.size === 0) return found;
  const take = (events: readonly Event[]): void => {
    for (const event of events) if (wanted.has(event.id)) found.set(event.id, event);
  };
  if (topic.find) take(await topic.find([...wanted]));
  else await readTopic(topic, { group, take, signal });
  return found;
}
