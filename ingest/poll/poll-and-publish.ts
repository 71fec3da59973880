/** One poll with all that belongs to it: where the source stood, what is published, what it means for the roster. */
import type { Logger } from 'pino';
import { logError } from '../../log/errors.ts';
import type { Topic } from '../../log/topic.ts';
import type { PollTrigger } from '../../schemas/poll.ts';
import type { Source } from '../../schemas/source.ts';
import type { Fetching } from './fetch-entries.ts';
import { persistently } from './persistently.ts';
import type { PollMemory } from './poll-memory.ts';
import { type PollResult, pollSource } from './poll-source.ts';
import type { PollState } from './poll-state.ts';
import { publishItems, publishPoll } from './publish-poll.ts';
import { isSkipping, mayWaitUntil } from './turns/cadence.ts';
import type { WebSub } from './websub.ts';

export interface Polling extends Fetching {
  readonly items: Pick<Topic, 'publish'>;
  readonly polls: Pick<Topic, 'publish'>;
  readonly resume: (sourceId: string) => Promise<PollState | null>;
  readonly memory: PollMemory;
  readonly changes: (source: Source, result: PollResult) => Promise<void>;
  /** Told how a poll went once it is published, so that who requested it learns of it. */
  readonly answer?: (poll: PollResult['poll']['data']) => Promise<void>;
  /** Subscribes to hubs and polls more slowly while they work. */
  readonly webSub?: Pick<WebSub, 'polled' | 'slowed'>;
  readonly clock: () => Date;
  readonly random: () => number;
  readonly logger: Logger;
}

/**
 * @returns a function that polls one source and says when it is due again, in milliseconds since 1970. With the trigger
 *   `schedule` it leaves a source alone that is not due yet, as the first time after a restart.
 */
export const polling = (options: Polling) =>
  async function poll(source: Source, trigger: PollTrigger = 'schedule'): Promise<number> {
    const { memory, resume, clock, logger, signal } = options;
    let state = memory.get(source.id);
    if (state === undefined) {
      state = await persistently(() => resume(source.id), { what: 'reading where a source stands', logger, signal });
      memory.set(source.id, state);
      const due = Date.parse(state?.next_poll_at ?? '');
      const skips = isSkipping(state?.polling_hints ?? null);
      const waits = mayWaitUntil(due, state?.consecutive_failures ?? 0, clock().getTime(), skips);
      if (trigger === 'schedule' && waits) return due;
    }
    const { webSub } = options;
    const found = triggeredBy(
      trigger,
      await pollSource(source, state, { ...options, publishItems: (items) => publishItems(options, items) }),
    );
    const result = (await webSub?.slowed(source, found).catch(() => null)) ?? found;
    await publishPoll(options, result);
    memory.set(source.id, result.state);
    const { error, items_new, outcome, next_poll_at } = result.poll.data;
    logger[error ? 'warn' : 'debug']({ source: source.id, outcome, items_new, error }, 'polled');
    await webSub
      ?.polled(source, result)
      .catch((failure: unknown) =>
        logError(logger, failure, { source: source.id }, 'a subscription to a hub could not be kept; it is polled'),
      );
    await options
      .answer?.(result.poll.data)
      .catch((failure: unknown) =>
        logError(logger, failure, { source: source.id }, 'a request to poll could not be answered; it will be again'),
      );
    // The poll is told already; what it means for the roster will come up again with the next one.
    await options
      .changes(source, result)
      .catch((failure: unknown) =>
        logError(logger, failure, { source: source.id }, 'a change of the roster could not be stored'),
      );
    return Date.parse(next_poll_at);
  };

const triggeredBy = (trigger: PollTrigger, result: PollResult): PollResult => ({
  ...result,
  poll: { ...result.poll, data: { ...result.poll.data, trigger } },
});
