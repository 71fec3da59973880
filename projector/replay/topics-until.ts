/** Reads a model's topics into a build up to given checkpoints and no further. */
import { pause } from '../../log/backoff.ts';
import { type Build, checkpoint, partitionInput } from '../builds/registry.ts';
import { groupOf } from '../live/follow.ts';
import { applyPage } from '../live/page.ts';
import type { Model } from '../model.ts';
import type { Services } from '../services.ts';

const LOOK_MILLISECONDS = 50;

/**
 * Consumes under a group of its own, whose offsets run ahead of the checkpoints: what is left out here comes again when
 * the build follows the topic for good.
 */
export async function readTopicsUntil(
  services: Services,
  model: Model,
  build: Build,
  targets: ReadonlyMap<string, bigint>,
  signal: AbortSignal,
): Promise<void> {
  const group = `${groupOf(build)}-until`;
  for (const topic of model.topics) {
    const inputs = [...targets.keys()].filter((input) => input.startsWith(`${topic}/`));
    const enough = new AbortController();
    const consuming = services.topics.topic(topic).consume({
      group,
      signal: AbortSignal.any([signal, enough.signal]),
      handle: async ({ partition, messages }) => {
        const input = partitionInput(topic, partition);
        const target = targets.get(input) ?? 0n;
        const events = messages
          .map(({ event, offset }) => ({ event, done: offset + 1n }))
          .filter(({ done }) => done <= target);
        const to = events.at(-1)?.done;
        if (to !== undefined) await applyPage(services.database, model, build, { input, from: null, events, to });
      },
    });
    consuming.catch(() => enough.abort());
    while (!enough.signal.aborted && !signal.aborted) {
      const reached = await Promise.all(
        inputs.map(
          async (input) => (await checkpoint(services.database, build.name, input)) >= (targets.get(input) ?? 0n),
        ),
      );
      // Messages that retention removed never come: the end of the topic ends the wait as well.
      if (reached.every(Boolean) || (await services.topics.topic(topic).lag(group)) === 0n) break;
      await pause(LOOK_MILLISECONDS, enough.signal);
    }
    enough.abort();
    await consuming;
  }
}
