/** Keeps a build up to date with its inputs, for ever. */
import { describeError, kindOf } from '../../log/errors.ts';
import type { StoredEvent } from '../../log/event-store.ts';
import { eventsProjected } from '../../schemas/observation.ts';
import { type Build, checkpoint, partitionInput, STORE } from '../builds/registry.ts';
import type { Refused } from '../fold.ts';
import type { Model } from '../model.ts';
import type { Services } from '../services.ts';
import { applyPage, type PageOfInput, type Placed } from './page.ts';

/** The consumer group of a build: a new build reads every topic from its beginning. */
export const groupOf = (build: Build): string => `projector-${build.name}`;

export const placeStored = (events: readonly StoredEvent[]): Placed[] =>
  events.map((event) => ({ event, done: event.position }));

/** Says which events were parked. */
export function tellParked({ logger }: Services, model: Model, refused: readonly Refused[]): void {
  for (const { event, error } of refused)
    logger.error(
      { model: model.name, event_id: event.id, event_type: event.type, kind: kindOf(error), err: describeError(error) },
      'an event was parked: this read model could not take it',
    );
}

/** Applies a page and tells what became of it. */
async function take(services: Services, model: Model, build: Build, page: PageOfInput): Promise<void> {
  const started = performance.now();
  const refused = await applyPage(services.database, model, build, page);
  tellParked(services, model, refused);
  eventsProjected.tell({
    ...{ model: model.name, types: model.types, started },
    events: page.events.map(({ event }) => event),
    parked: refused.map(({ event }) => event.id),
  });
}

/**
 * Follows the event store and the topics of a model, or its topics alone, until the signal aborts.
 * @throws the first error of any input; by then the others have been stopped
 */
export async function follow(
  services: Services,
  model: Model,
  build: Build,
  signal: AbortSignal,
  only: 'all' | 'topics' = 'all',
): Promise<void> {
  const stop = new AbortController();
  const both = AbortSignal.any([signal, stop.signal]);
  const inputs = model.topics.map((topic) => followTopic(services, model, build, topic, both, stop));
  if (only === 'all' && model.prefixes.length > 0) inputs.push(followStore(services, model, build, both));
  for (const input of inputs) input.catch(() => stop.abort());
  const ended = await Promise.allSettled(inputs);
  const failed = ended.find((result) => result.status === 'rejected');
  if (failed && !signal.aborted) throw failed.reason;
}

async function followStore(services: Services, model: Model, build: Build, signal: AbortSignal): Promise<void> {
  const { database, store } = services;
  let from = await checkpoint(database, build.name, STORE);
  for await (const page of store.subscribe({ after: from, prefixes: model.prefixes, signal })) {
    if (signal.aborted) return;
    const { position: to } = page;
    await take(services, model, build, { input: STORE, from, events: placeStored(page.events), to });
    from = to;
  }
}

/** Errors go to `stop` as well as to the topic, which would else bring the same batch again for ever. */
async function followTopic(
  services: Services,
  model: Model,
  build: Build,
  topic: string,
  signal: AbortSignal,
  stop: AbortController,
): Promise<void> {
  let failure: unknown;
  await services.topics.topic(topic).consume({
    group: groupOf(build),
    signal,
    handle: async ({ partition, messages }) => {
      const last = messages.at(-1);
      if (!last) return;
      const events = messages.map(({ event, offset }) => ({ event, done: offset + 1n }));
      const page = { input: partitionInput(topic, partition), from: null, events, to: last.offset + 1n };
      try {
        await take(services, model, build, page);
      } catch (error) {
        failure = error;
        stop.abort();
        throw error;
      }
    },
  });
  if (failure) throw failure;
}
