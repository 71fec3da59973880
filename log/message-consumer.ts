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
import type { DeadLetters } from './dead-letters.ts';
import { describeError, type ErrorLogger, kindOf, logError, messageOf } from './errors.ts';
import type { Batch, ConsumeOptions, Topic, UnreadableMessage } from './topic.ts';

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

/** Some messages of a batch failed: the batch is redelivered. Its handled messages are not handled again. */
export class BatchFailed extends Error {
  override name = 'BatchFailed';
}

/** The state of the current batch of one partition, over its attempts. */
interface Progress {
  readonly done: Set<string>;
  /** Failed attempts by message; 0 for one that failed together with others and is handled alone from now on. */
  readonly tries: Map<string, number>;
}

class Partitions {
  readonly #progress = new Map<number, Progress>();
  readonly #stopped = new Set<number>();
  readonly #topic: string;
  readonly #group: string;

  constructor(topic: string, group: string) {
    this.#topic = topic;
    this.#group = group;
  }

  /** Progress of the current batch; the state of other messages is discarded. */
  of(partition: number, messages: readonly Received[]): Progress {
    const ids = new Set(messages.map(({ event }) => event.id));
    const before = this.#progress.get(partition);
    const progress = {
      done: new Set([...(before?.done ?? [])].filter((id) => ids.has(id))),
      tries: new Map([...(before?.tries ?? [])].filter(([id]) => ids.has(id))),
    };
    this.#progress.set(partition, progress);
    return progress;
  }

  stopped(partition: number, stopped: boolean): void {
    if (stopped === this.#stopped.has(partition)) return;
    if (stopped) this.#stopped.add(partition);
    else this.#stopped.delete(partition);
    partitionStopped.emit({ topic: this.#topic, group: this.#group, partition, stopped });
  }

  assigned(partitions: readonly number[]): void {
    for (const partition of [...this.#stopped]) if (!partitions.includes(partition)) this.stopped(partition, false);
    for (const partition of [...this.#progress.keys()])
      if (!partitions.includes(partition)) this.#progress.delete(partition);
  }
}

/** Consumes until the signal aborts; see `Topic.consume`. */
export async function consumeMessages(consumer: MessageConsumer): Promise<void> {
  const { topic, group, signal, batchSize, logger, deadLetters, handle } = consumer;
  const limits = { ...LIMITS, ...consumer.limits };
  const partitions = new Partitions(topic.name, group);
  const where = { topic: topic.name, group };
  let defectsInARow = 0;

  /** Handles messages together. @returns failures by message id */
  const attempt = async (events: readonly Event[]): Promise<Map<string, unknown>> => {
    const [only] = events;
    try {
      return new Map((await handle(events)).map(({ id, error }) => [id, error]));
    } catch (error) {
      if (only && events.length === 1) return new Map([[only.id, error]]);
      throw error;
    }
  };

  const skip = async (
    partition: number,
    { event, key, offset }: Received,
    kind: 'bad input' | 'defect',
    error: unknown,
    attempts: number,
  ): Promise<void> => {
    await deadLetters.add(group, topic.name, {
      message_id: event.id,
      partition,
      message_offset: offset,
      key,
      type: event.type,
      kind,
      attempts,
      error: messageOf(error),
      body: JSON.stringify(event),
    });
    messageSkipped.emit({ ...where, kind });
    logger[kind === 'defect' ? 'error' : 'warn'](
      { ...where, partition, offset: String(offset), event: event.id, kind, attempts, err: describeError(error) },
      'a message was skipped and stored as a dead letter',
    );
  };

  /** @returns true when the message is to be retried */
  const failed = async (partition: number, message: Received, error: unknown, progress: Progress): Promise<boolean> => {
    const kind = kindOf(error);
    const { id } = message.event;
    messageFailed.emit({ ...where, kind });
    if (kind === 'transient') return true;
    if (kind === 'bad input') {
      await skip(partition, message, kind, error, 1);
      progress.done.add(id);
      return false;
    }
    const tries = (progress.tries.get(id) ?? 0) + 1;
    progress.tries.set(id, tries);
    if (tries < limits.tries || defectsInARow >= limits.defectsInARow) {
      partitions.stopped(partition, true);
      logError(logger, error, { ...where, partition, event: id, attempts: tries }, 'a message caused a defect');
      return true;
    }
    await skip(partition, message, kind, error, tries);
    defectsInARow += 1;
    progress.done.add(id);
    return false;
  };

  const handleBatch = async ({ partition, messages }: Batch): Promise<void> => {
    const progress = partitions.of(partition, messages);
    const pending = messages.filter(({ event }) => !progress.done.has(event.id));
    const alone = pending.filter(({ event }) => progress.tries.has(event.id));
    const together = pending.filter(({ event }) => !progress.tries.has(event.id));
    let [again, transient] = [0, undefined as unknown];
    for (const group of [together, ...alone.map((message) => [message])]) {
      if (group.length === 0) continue;
      if (signal.aborted) return Promise.reject(new BatchFailed('the consumer stops'));
      let failures: Map<string, unknown>;
      try {
        failures = await attempt(group.map(({ event }) => event));
      } catch (error) {
        if (kindOf(error) === 'transient') throw error;
        // Handling each message alone shows which of them fails.
        for (const { event } of group) progress.tries.set(event.id, progress.tries.get(event.id) ?? 0);
        messageFailed.emit({ ...where, kind: kindOf(error) });
        logError(logger, error, { ...where, partition, messages: group.length }, 'messages failed together');
        again += group.length;
        continue;
      }
      for (const message of group) {
        const { id } = message.event;
        if (!failures.has(id)) {
          progress.done.add(id);
          defectsInARow = 0;
        } else if (await failed(partition, message, failures.get(id), progress)) {
          again += 1;
          if (kindOf(failures.get(id)) === 'transient') transient ??= failures.get(id);
        }
      }
    }
    if (transient !== undefined) throw transient;
    if (again > 0)
      throw new BatchFailed(`${again} of ${messages.length} messages of partition ${partition} are retried`);
    partitions.stopped(partition, false);
  };

  const unreadable = async ({ partition, offset, key, text, error }: UnreadableMessage): Promise<void> => {
    const message_id = `${partition}/${offset}`;
    await deadLetters.add(group, topic.name, {
      message_id,
      partition,
      message_offset: offset,
      key,
      type: 'unreadable',
      kind: 'bad input',
      attempts: 1,
      error: messageOf(error),
      body: text,
    });
    messageSkipped.emit({ ...where, kind: 'bad input' });
    logger.warn(
      { ...where, partition, offset: String(offset), kind: 'bad input', err: describeError(error) },
      'a message without a valid event was skipped and stored as a dead letter',
    );
  };

  await Promise.all([
    topic.consume({
      group,
      signal,
      ...(batchSize === undefined ? {} : { batchSize }),
      onAssigned: async (owned) => {
        partitions.assigned(owned);
        await consumer.onAssigned?.(owned);
      },
      onUnreadable: unreadable,
      handle: handleBatch,
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
