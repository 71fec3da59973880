/**
 * Consumes a topic so that no single message blocks the others and none is lost. The kind of an error decides:
 * - transient: the batch is redelivered until it succeeds;
 * - bad input: the message becomes a dead letter at once;
 * - defect: the partition stops and the message is retried with growing pauses. After `tries` it becomes a dead letter
 *   and the partition continues. If many messages in a row end so, the fault is in the program: from `defectsInARow` on,
 *   the partition stays stopped until the program is corrected.
 */
import { type Event, readEnvelope } from '../schemas/events.ts';
import { messageFailed, messageSkipped, partitionStopped } from '../schemas/observation.ts';
import { pause } from './backoff.ts';
import type { DeadLetters, FailedMessage } from './dead-letters.ts';
import { describeBriefly, type ErrorLogger, kindOf, logError, messageOf, Stopping } from './errors.ts';
import { type Batch, type ConsumeOptions, PartlyHandled, type Topic, type UnreadableMessage } from './topic.ts';

type Received = Batch['messages'][number];

/** A message that could not be handled, while others of its batch could. */
export interface HandlingFailure {
  readonly id: string;
  readonly error: unknown;
}

export interface MessageConsumer extends Pick<ConsumeOptions, 'group' | 'signal' | 'batchSize' | 'onAssigned'> {
  readonly topic: Topic;
  readonly deadLetters: DeadLetters;
  readonly logger: ErrorLogger & Readonly<Record<'info', (about: object, message: string) => void>>;
  /**
   * Handles messages in order. Idempotent: a message may be delivered again.
   * @returns the messages that failed; all others are handled and durable
   * @throws when all of them failed together
   */
  readonly handle: (events: readonly Event[]) => Promise<readonly HandlingFailure[]>;
  readonly limits?: Partial<typeof LIMITS>;
}

export const LIMITS: Readonly<Record<'tries' | 'defectsInARow' | 'retryEvery', number>> = {
  /** Attempts at a message that causes a defect: about 13 s, as the pauses grow from 100 ms, doubling each time. */
  tries: 8,
  /** Messages in a row that may become dead letters because of a defect. */
  defectsInARow: 20,
  /** Milliseconds between two checks for dead letters to retry. */
  retryEvery: 5_000,
};

/** The state of the current batch of one partition, over its attempts. */
interface Progress {
  readonly done: Set<string>;
  /** Failed attempts by message, which is handled alone from then on. */
  readonly tries: Map<string, number>;
}

/** Handles messages together. @returns failures by message id. @throws when all of several failed together */
async function attempt(handle: MessageConsumer['handle'], events: readonly Event[]): Promise<Map<string, unknown>> {
  const [only] = events;
  try {
    return new Map((await handle(events)).map(({ id, error }) => [id, error]));
  } catch (error) {
    if (only && events.length === 1) return new Map([[only.id, error]]);
    throw error;
  }
}

/** Stores a message as a dead letter, so that the partition continues. */
async function skip(
  { topic, group, deadLetters, logger }: MessageConsumer,
  letter: Omit<FailedMessage, 'error'>,
  error: unknown,
  message: string,
): Promise<void> {
  const { message_id: event, message_offset, kind, partition, attempts } = letter;
  await deadLetters.add(group, topic.name, { ...letter, error: messageOf(error) });
  messageSkipped.emit({ topic: topic.name, group, kind });
  const about = { topic: topic.name, group, partition, offset: String(message_offset), event, kind, attempts };
  logger[kind === 'defect' ? 'error' : 'warn']({ ...about, err: describeBriefly(error) }, message);
}

const skipUnreadable = (
  consumer: MessageConsumer,
  { partition, offset, key, text, error }: UnreadableMessage,
): Promise<void> =>
  skip(
    consumer,
    {
      message_id: `${partition}/${offset}`,
      partition,
      message_offset: offset,
      key,
      type: 'unreadable',
      kind: 'bad input',
      attempts: 1,
      body: text,
    },
    error,
    'a message without a valid event was skipped and stored as a dead letter',
  );

/** Handles the batches of a consumer, and decides what becomes of the messages that fail. */
class BatchHandler {
  readonly #consumer: MessageConsumer;
  readonly #limits: typeof LIMITS;
  readonly #progress = new Map<number, Progress>();
  readonly #stopped = new Set<number>();
  readonly #where: { readonly topic: string; readonly group: string };
  #defectsInARow = 0;

  constructor(consumer: MessageConsumer, limits: typeof LIMITS) {
    this.#consumer = consumer;
    this.#limits = limits;
    this.#where = { topic: consumer.topic.name, group: consumer.group };
  }

  /** Forgets the partitions that another process consumes now. */
  assigned(partitions: readonly number[]): void {
    for (const partition of [...this.#stopped]) if (!partitions.includes(partition)) this.#mark(partition, false);
    for (const partition of [...this.#progress.keys()])
      if (!partitions.includes(partition)) this.#progress.delete(partition);
  }

  /** @throws PartlyHandled where the batch is to be redelivered; its handled messages are not handled again */
  async handle({ partition, messages }: Batch): Promise<void> {
    const progress = this.#progressOf(partition, messages);
    const pending = messages.filter(({ event }) => !progress.done.has(event.id));
    const alone = pending.filter(({ event }) => progress.tries.has(event.id));
    const together = pending.filter(({ event }) => !progress.tries.has(event.id));
    const retried: unknown[] = [];
    for (const group of [together, ...alone.map((message) => [message])])
      if (group.length > 0) retried.push(...(await this.#handleGroup(partition, group, progress)));
    const left = messages.filter(({ event }) => !progress.done.has(event.id));
    const [first] = left;
    if (first)
      throw new PartlyHandled(
        first.offset,
        `${left.length} of ${messages.length} messages of partition ${partition} are retried`,
        retried.find((error) => kindOf(error) === 'transient'),
      );
    this.#mark(partition, false);
  }

  /** Progress of the current batch; the state of other messages is discarded. */
  #progressOf(partition: number, messages: readonly Received[]): Progress {
    const ids = new Set(messages.map(({ event }) => event.id));
    const before = this.#progress.get(partition);
    const progress = {
      done: new Set([...(before?.done ?? [])].filter((id) => ids.has(id))),
      tries: new Map([...(before?.tries ?? [])].filter(([id]) => ids.has(id))),
    };
    this.#progress.set(partition, progress);
    return progress;
  }

  /** Marks a partition that does not move on. */
  #mark(partition: number, stopped: boolean): void {
    if (stopped === this.#stopped.has(partition)) return;
    if (stopped) this.#stopped.add(partition);
    else this.#stopped.delete(partition);
    partitionStopped.emit({ ...this.#where, partition, stopped });
  }

  /** Handles messages together. @returns the errors of those that are to be retried */
  async #handleGroup(partition: number, group: readonly Received[], progress: Progress): Promise<unknown[]> {
    const { handle, signal } = this.#consumer;
    if (signal.aborted) return [new Stopping('the consumer stops')];
    let failures: Map<string, unknown>;
    try {
      failures = await attempt(
        handle,
        group.map(({ event }) => event),
      );
    } catch (error) {
      const kind = kindOf(error);
      messageFailed.emit({ ...this.#where, kind });
      if (kind === 'transient') return [error];
      // Handling each message alone shows which of them fails.
      const failed: unknown[] = [];
      for (const message of group) failed.push(...(await this.#handleGroup(partition, [message], progress)));
      return failed;
    }
    const retried: unknown[] = [];
    for (const message of group) {
      const { id } = message.event;
      if (!failures.has(id)) {
        progress.done.add(id);
        this.#defectsInARow = 0;
      } else if (await this.#isRetried(partition, message, failures.get(id), progress)) retried.push(failures.get(id));
    }
    return retried;
  }

  /** Decides about a message that failed. @returns false for one that became a dead letter */
  async #isRetried(
    partition: number,
    { event, key, offset }: Received,
    error: unknown,
    progress: Progress,
  ): Promise<boolean> {
    const { logger } = this.#consumer;
    const kind = kindOf(error);
    const { id, type } = event;
    messageFailed.emit({ ...this.#where, kind });
    if (kind === 'transient') return true;
    const attempts = kind === 'defect' ? (progress.tries.get(id) ?? 0) + 1 : 1;
    if (kind === 'defect') {
      progress.tries.set(id, attempts);
      if (attempts < this.#limits.tries || this.#defectsInARow >= this.#limits.defectsInARow) {
        this.#mark(partition, true);
        const about = { ...this.#where, partition, event: id, attempts };
        if (attempts === 1) logError(logger, error, about, 'a message caused a defect');
        else logger.error({ ...about, kind, err: describeBriefly(error) }, 'a message caused a defect again');
        return true;
      }
    }
    const body = JSON.stringify(event);
    const letter = { message_id: id, partition, message_offset: offset, key, type, kind, attempts, body };
    await skip(this.#consumer, letter, error, 'a message was skipped and stored as a dead letter');
    if (kind === 'defect') this.#defectsInARow += 1;
    progress.done.add(id);
    return false;
  }
}

/** Consumes until the signal aborts; see `Topic.consume`. */
export async function consumeMessages(consumer: MessageConsumer): Promise<void> {
  const { topic, group, signal, batchSize } = consumer;
  const limits = { ...LIMITS, ...consumer.limits };
  const batches = new BatchHandler(consumer, limits);
  await Promise.all([
    topic.consume({
      group,
      signal,
      ...(batchSize === undefined ? {} : { batchSize }),
      onAssigned: async (owned) => {
        batches.assigned(owned);
        await consumer.onAssigned?.(owned);
      },
      onUnreadable: (message) => skipUnreadable(consumer, message),
      handle: (batch) => batches.handle(batch),
    }),
    retryDeadLetters(consumer, limits.retryEvery),
  ]);
}

/** Retries dead letters on an operator's request. One that fails again stays a dead letter, with the new error. */
async function retryDeadLetters(
  { topic, group, signal, logger, deadLetters, handle }: MessageConsumer,
  every: number,
): Promise<void> {
  const retry = async (letter: Awaited<ReturnType<DeadLetters['takeRetries']>>[number]): Promise<void> => {
    const about = { topic: topic.name, group, event: letter.message_id };
    try {
      const [failure] = await handle([readEnvelope(JSON.parse(letter.body))]);
      if (failure) throw failure.error;
      await deadLetters.remove(group, topic.name, letter.message_id);
      logger.info(about, 'a dead letter was handled');
    } catch (error) {
      // Its claim expires, and then it is retried again.
      if (kindOf(error) === 'transient') throw error;
      const kind = error instanceof SyntaxError ? 'bad input' : kindOf(error) === 'defect' ? 'defect' : 'bad input';
      await deadLetters.add(group, topic.name, { ...letter, kind, error: messageOf(error), attempts: 1 });
      logError(logger, error, about, 'a dead letter failed again');
    }
  };
  while (!signal.aborted) {
    await pause(every, signal);
    if (signal.aborted) return;
    try {
      for (const letter of await deadLetters.takeRetries(group, topic.name)) await retry(letter);
    } catch (error) {
      if (!signal.aborted) logError(logger, error, { topic: topic.name, group }, 'dead letters could not be retried');
    }
  }
}
