/** One consumer of a topic: joins its group, owns its share of the partitions, and gives up what becomes another's. */
import { backoff, pause } from '../../backoff.ts';
import type { ConsumeOptions } from '../../topic.ts';
import type { Database } from '../database.ts';
import { passes } from '../failures.ts';
import type { Listener } from '../listener.ts';
import { Ends } from './ends.ts';
import { join, type Member } from './membership.ts';
import { Ownership } from './ownership.ts';
import { work } from './worker.ts';

export interface Consumer extends ConsumeOptions {
  readonly database: Database;
  readonly topic: string;
  /** How many partitions the topic has. */
  readonly partitions: () => Promise<number>;
  readonly listener: Listener;
  readonly report: (error: unknown, partition?: number) => void;
}

/** How often a member says that it lives, and looks for other members and for messages, in milliseconds. */
const BEAT = 500;
/** The same while another member has yet to give up a partition. */
const EAGER_BEAT = 50;

/** Consumes as one member on one connection, until the signal aborts or the connection is lost. */
async function consumeAs(member: Member, consumer: Consumer): Promise<void> {
  const { database, group, topic, handle, signal, listener } = consumer;
  // A handler that gives up because all is stopping has not failed: its batch comes again at the next start.
  const report: Consumer['report'] = (error, partition) => {
    if (!signal.aborted) consumer.report(error, partition);
  };
  const partitions = await consumer.partitions();
  const ends = new Ends();
  const ownership = new Ownership({
    member,
    report,
    onAssigned: (owned) => consumer.onAssigned?.(owned),
    work: (partition, stop) =>
      work({
        ...{ database, group, topic, partition, handle, signal: stop },
        batchSize: consumer.batchSize ?? 500,
        onUnreadable: consumer.onUnreadable,
        failed: (error) => report(error, partition),
        more: (from, until) => ends.behind(partition, from, until),
      }),
  });
  let lost = false;
  void member.ended.then(() => {
    lost = true;
    ownership.stop();
    listener.wake(topic);
  });
  try {
    for (let due = 0, missing = true; !signal.aborted && !lost; ) {
      const seen = listener.seen(topic);
      if (performance.now() >= due) {
        missing = await ownership.balance(await member.beat(), partitions);
        due = performance.now() + (missing ? EAGER_BEAT : BEAT);
      }
      await ends.look(database, topic);
      await listener.wait(topic, seen, Math.max(1, due - performance.now()), signal);
    }
  } finally {
    await ownership.end();
  }
}

/** See `Topic.consume`. */
export async function consumeTopic(consumer: Consumer): Promise<void> {
  const { database, group, topic, signal } = consumer;
  for (let failures = 0; !signal.aborted; ) {
    let member: Member | undefined;
    const start = performance.now();
    try {
      member = await join(database, group, topic);
      await consumeAs(member, consumer);
    } catch (error) {
      if (!passes(error)) throw error;
      consumer.report(error);
    } finally {
      await member?.leave();
    }
    failures = performance.now() - start > 5_000 ? 0 : failures + 1;
    await pause(backoff(failures, { base: 50, maximum: 5_000 }, Math.random), signal);
  }
}
