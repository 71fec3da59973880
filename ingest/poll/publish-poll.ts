/** Makes a poll durable: first what it found, then that it took place. A kill in between repeats it harmlessly. */
import type { Logger } from 'pino';
import type { Topic } from '../../log/topic.ts';
import { persistently } from './persistently.ts';
import type { PollResult } from './poll-source.ts';

const AT_ONCE = 200;

interface Publishing {
  readonly items: Pick<Topic, 'publish'>;
  readonly polls: Pick<Topic, 'publish'>;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Publishes items in their order, through restarts of the log. @throws the signal's reason */
export async function publishItems(
  { items, logger, signal }: Omit<Publishing, 'polls'>,
  events: PollResult['items'],
): Promise<void> {
  const messages = events.map((event) => ({ key: event.data.url, event }));
  for (let from = 0; from < messages.length; from += AT_ONCE)
    await persistently(() => items.publish(messages.slice(from, from + AT_ONCE)), {
      what: 'publishing items',
      logger,
      signal,
    });
}

/** Publishes the items, oldest first, then the poll, through restarts of the log. @throws the signal's reason */
export async function publishPoll({ items, polls, logger, signal }: Publishing, result: PollResult): Promise<void> {
  const about = { what: 'publishing a poll', logger, signal };
  await publishItems({ items, logger, signal }, result.items);
  await persistently(() => polls.publish([{ key: result.poll.data.source_id, event: result.poll }]), about);
}
