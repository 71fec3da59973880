/** Reads a model's topics into a new build: all that they contain, no less. */
import { pause } from '../../log/backoff.ts';
import type { Topic } from '../../log/topic.ts';
import { comparisonGroupOf, groupOf } from '../builds/groups.ts';
import { type Build, partitionInput } from '../builds/registry.ts';
import { followTopic } from '../live/follow.ts';
import type { Model } from '../model.ts';
import type { Services } from '../services.ts';
import { Coverage, type Targets, type TopicReading } from './coverage.ts';

const LOOK_MILLISECONDS = 50;

/**
 * Reads the topics to their ends, by the group that goes on with them when the build is live.
 * @throws TopicNotRead, and what the topic or the database threw
 */
export async function readTopicsToEnd(
  services: Services,
  model: Model,
  build: Build,
  signal: AbortSignal,
): Promise<TopicReading[]> {
  const readings: TopicReading[] = [];
  for (const name of model.topics) {
    const topic = services.topics.topic(name);
    const targets = new Map((await topic.ranges()).map(({ partition, end }) => [partition, end]));
    readings.push(await read(services, model, build, { topic, targets, group: groupOf(build), signal }));
  }
  for (const { topic, messages, missing, oldest } of readings)
    if (missing > 0)
      services.logger.warn(
        { model: model.name, topic, messages, missing, oldest },
        'a read model was built from a topic that no longer contains its oldest messages: what they said is not in it',
      );
  return readings;
}

/**
 * Reads the topics up to given checkpoints and no further, by a group of its own, which is deleted afterwards: what is
 * left out here comes again when the build follows the topic for good.
 * @param checkpoints those of the build to compare with, by input
 * @throws TopicNotRead, and what the topic or the database threw
 */
export async function readTopicsUntil(
  services: Services,
  model: Model,
  build: Build,
  checkpoints: ReadonlyMap<string, bigint>,
  signal: AbortSignal,
): Promise<TopicReading[]> {
  const group = comparisonGroupOf(build);
  const readings: TopicReading[] = [];
  for (const name of model.topics) {
    const topic = services.topics.topic(name);
    const ranges = await topic.ranges();
    const targets = new Map(
      ranges.map(({ partition, end }) => {
        const checkpoint = checkpoints.get(partitionInput(name, partition)) ?? 0n;
        // Beyond the end there is nothing to read: the topic was restored to an earlier point.
        return [partition, checkpoint < end ? checkpoint : end];
      }),
    );
    readings.push(await read(services, model, build, { topic, targets, group, signal, onlyUntilTargets: true }));
    await topic.deleteGroup(group);
  }
  return readings;
}

interface Reading {
  readonly topic: Topic;
  readonly targets: Targets;
  readonly group: string;
  readonly signal: AbortSignal;
  readonly onlyUntilTargets?: boolean;
}

async function read(
  services: Services,
  model: Model,
  build: Build,
  { topic, targets, group, signal, onlyUntilTargets = false }: Reading,
): Promise<TopicReading> {
  const coverage = new Coverage(topic.name, targets);
  const enough = new AbortController();
  const consuming = followTopic(services, model, build, topic.name, {
    group,
    signal: AbortSignal.any([signal, enough.signal]),
    stop: enough,
    ...(onlyUntilTargets ? { until: targets } : {}),
    handled: (batch) => coverage.add(batch),
  });
  consuming.catch(() => enough.abort());
  while (!enough.signal.aborted && !signal.aborted) {
    // A batch is noted before its offset is committed: when nothing is left to handle, all that came is noted.
    const left = await topic.lag(group);
    if (left === 0n || coverage.isAtTargets(await topic.ranges())) break;
    await pause(LOOK_MILLISECONDS, enough.signal);
  }
  enough.abort();
  await consuming;
  signal.throwIfAborted();
  return coverage.prove(await topic.ranges());
}
