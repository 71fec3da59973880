/** Keeps a build up to date with its inputs, in one process at a time. */
import type { StoredEvent } from '../log/event-store.ts';
import { runAsSingleOwner } from '../log/postgres/single-owner.ts';
import type { Batch } from '../log/topic.ts';
import { eventsProjected } from '../schemas/observation.ts';
import { applyPage, logParked, type PageOfInput, type PositionedEvent } from './apply-page.ts';
import type { LiveFeed } from './live-feed.ts';
import { type Build, checkpoint, groupOf, partitionInput, STORE } from './model-builds.ts';
import type { Model, Services } from './read-model.ts';
import { CHECK_MILLISECONDS, watchLog } from './restored-log.ts';

/**
 * Waits until this process owns the model, then runs `work` until it ends; other processes are warm standbys. Checkpoints
 * reject late writes of a former owner.
 */
export const runAsOwner = (
  { database, logger }: Pick<Services, 'database' | 'logger'>,
  { name, version }: Pick<Model, 'name' | 'version'>,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> =>
  runAsSingleOwner(
    {
      database,
      lock: `projector owner ${name} ${version}`,
      signal,
      onStandby: () => logger.info({ model: name }, 'another process updates this read model; waiting as a standby'),
    },
    (owner) => work(owner.signal),
  );

export const withPositions = (events: readonly StoredEvent[]): PositionedEvent[] =>
  events.map((event) => ({ event, done: event.position }));

/** Applies a page and publishes its outcome. */
async function applyAndReport(services: Services, model: Model, build: Build, page: PageOfInput): Promise<void> {
  const refused = await applyPage(services.database, model, build, page);
  logParked(services, model, refused);
  eventsProjected.emit({ model: model.name, events: page.events.map(({ event }) => event) });
}

export interface FollowOptions {
  /** Milliseconds from one check of the log to the next, see `watchLog`. */
  readonly checkEvery?: number | undefined;
  /** The subscription that the models of this process share. */
  readonly feed: LiveFeed;
}

/**
 * Follows the event store and the topics of a model until the signal aborts.
 * @throws the first error of any input; by then the others have been stopped
 */
export async function follow(
  services: Services,
  model: Model,
  build: Build,
  signal: AbortSignal,
  { checkEvery = CHECK_MILLISECONDS, feed }: FollowOptions,
): Promise<void> {
  const stop = new AbortController();
  const both = AbortSignal.any([signal, stop.signal]);
  const group = groupOf(build);
  const inputs = model.topics.map((topic) => followTopic(services, model, build, topic, { group, signal: both, stop }));
  const checked = Promise.withResolvers<void>();
  if (model.prefixes.length > 0)
    // Not before: the first page of a log that was restored would move the checkpoint, and with it what shows that it was.
    inputs.push(checked.promise.then(() => followStore(services, model, build, both, feed)));
  inputs.push(watchLog(services, model, build, both, checkEvery, checked.resolve).finally(checked.resolve));
  for (const input of inputs) input.catch(() => stop.abort());
  const ended = await Promise.allSettled(inputs);
  const failed = ended.find((result) => result.status === 'rejected');
  if (failed && !signal.aborted) throw failed.reason;
}

async function followStore(
  services: Services,
  model: Model,
  build: Build,
  signal: AbortSignal,
  feed: LiveFeed,
): Promise<void> {
  if (signal.aborted) return;
  const { prefixes } = model;
  let from = await checkpoint(services.database, build.name, STORE);
  for await (const page of feed.follow({ after: from, prefixes, signal })) {
    if (signal.aborted) return;
    const { position: to, id } = page;
    await applyAndReport(services, model, build, { input: STORE, from, events: withPositions(page.events), to, id });
    from = to;
  }
}

interface TopicFollowing {
  readonly group: string;
  readonly signal: AbortSignal;
  /** Aborted when a batch cannot be applied; otherwise the topic would redeliver it forever. */
  readonly stop: AbortController;
  /** By partition, the offset at which to stop; unlimited by default. */
  readonly until?: ReadonlyMap<number, bigint>;
  /** Called with each handled batch, before its offset is committed. */
  readonly handled?: (batch: Batch) => void;
}

/**
 * Consumes a topic into a build until the signal aborts.
 * @throws the error for which a batch could not be applied
 */
export async function followTopic(
  services: Services,
  model: Model,
  build: Build,
  topic: string,
  { group, signal, stop, until, handled }: TopicFollowing,
): Promise<void> {
  let failure: unknown;
  await services.topics.topic(topic).consume({
    group,
    signal,
    handle: async (batch) => {
      const limit = until ? (until.get(batch.partition) ?? 0n) : batch.to;
      const to = batch.to < limit ? batch.to : limit;
      const events = batch.messages
        .map(({ event, offset }) => ({ event, done: offset + 1n }))
        .filter(({ done }) => done <= to);
      try {
        if (to > batch.from)
          await applyAndReport(services, model, build, {
            input: partitionInput(topic, batch.partition),
            from: null,
            events,
            to,
          });
        handled?.(batch);
      } catch (error) {
        failure = error;
        stop.abort();
        throw error;
      }
    },
  });
  if (failure) throw failure;
}
