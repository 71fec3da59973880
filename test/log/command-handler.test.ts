import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeStream, handleCommand, retryConflicts, StreamContention } from '../../log/command-handler.ts';
import { type EventStore, RevisionConflict, type StoredEvent } from '../../log/event-store.ts';
import { postgresEventStore } from '../../log/postgres/postgres-event-store.ts';
import type { AccountId } from '../../schemas/access.ts';
import { logDatabase, type TestDatabase } from '../harness/database.ts';

const NOW = new Date('2026-11-21T04:30:00Z');
const ID = 'acc_00000000000000aa' as AccountId;

let test: TestDatabase;
/** As of two processes: each has its own queues. */
let stores: [EventStore, EventStore];
beforeAll(async () => {
  test = await logDatabase();
  stores = [postgresEventStore(test.database), postgresEventStore(test.database)];
});
afterAll(async () => {
  for (const store of stores) await store.close();
  await test.close();
});

const plans = (stored: readonly StoredEvent[]): number => stored.length;
/** Alternates the plan, so that every event depends on the revision that it was decided at. */
const flip = (store: EventStore, stream: string) =>
  handleCommand(store, {
    stream,
    fold: plans,
    decide: (count) => ({
      facts: [
        {
          type: 'PlanChanged' as const,
          data: {
            account_id: ID,
            by: 'test',
            ...(count % 2 === 0
              ? { from: 'free' as const, to: 'pro' as const }
              : { from: 'pro' as const, to: 'free' as const }),
          },
        },
      ],
    }),
    now: NOW,
  });
const conflictOn = (stream: string): RevisionConflict => new RevisionConflict(stream, 0, 1);

describe('handleCommand', () => {
  it('given 50 commands at once on one stream by two processes, then each is executed once, on the state before it', async () => {
    await Promise.all(Array.from({ length: 50 }, (_, n) => flip(stores[n % 2 === 0 ? 0 : 1], 'account-many')));
    const stored = await stores[0].read('account-many');
    expect(stored.map(({ data }) => (data as { from: string }).from)).toEqual(
      Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? 'free' : 'pro')),
    );
  });

  it('given an append whose answer was lost, when the command decides the same at the same place, then it is stored once', async () => {
    const inner = stores[0];
    let lost = true;
    const store: EventStore = {
      ...inner,
      async append(...append) {
        const done = await inner.append(...append);
        if (!lost) return done;
        lost = false;
        throw new RevisionConflict(append[0], append[2], -1);
      },
      // As a reader that lags: the second attempt decides on what the first one decided on.
      read: async () => [],
    };
    await flip(store, 'account-lost');
    expect(await inner.read('account-lost')).toHaveLength(1);
  });

  it('given the same event decided by two processes at once, then it is stored for each of them', async () => {
    const inner = stores[0];
    const command = () => ({
      stream: 'account-two',
      fold: plans,
      now: NOW,
      decide: () => ({
        facts: [{ type: 'AccountErased' as const, data: { account_id: ID, by: 'test' } }],
      }),
    });
    await Promise.all([handleCommand(stores[0], command()), handleCommand(stores[1], command())]);
    expect(await inner.read('account-two')).toHaveLength(2);
  });

  it('given a decision without events, then nothing is appended and there is no position', async () => {
    const handled = await handleCommand(stores[0], {
      stream: 'account-none',
      fold: plans,
      now: NOW,
      decide: () => ({ facts: [], answer: 'so already' }),
    });
    expect([handled.position, handled.decision.answer]).toEqual([null, 'so already']);
    expect(await stores[0].read('account-none')).toEqual([]);
  });

  it('given a decision that refuses, then the next command on the stream is still executed', async () => {
    const refused = changeStream(stores[0], 'account-refused', () => {
      throw new Error('refused');
    });
    const next = flip(stores[0], 'account-refused');
    await expect(refused).rejects.toThrow('refused');
    expect((await next).events).toHaveLength(1);
  });
});

describe('the time budget', () => {
  it('given a stream that others keep writing to, when the budget is spent, then StreamContention and nothing is stored', async () => {
    const conflicting: EventStore = { ...stores[0], append: async (stream) => Promise.reject(conflictOn(stream)) };
    let clock = 0;
    const elapsed = (): number => (clock += 100);
    await expect(
      changeStream(conflicting, 'account-busy', () => ({ events: [] as never[] }), { elapsed }),
    ).resolves.toMatchObject({ position: null });
    const work = () => Promise.reject(conflictOn('account-busy'));
    await expect(retryConflicts('account-busy', work, { elapsed, budget: 1_000 })).rejects.toThrow(StreamContention);
    expect(await stores[0].read('account-busy')).toEqual([]);
  });

  it('given a command that holds its stream, then one that waits for longer than its budget is not started', async () => {
    const held = Promise.withResolvers<void>();
    const slow: EventStore = {
      ...stores[0],
      read: async (stream) => {
        await held.promise;
        return stores[0].read(stream);
      },
    };
    const first = flip(slow, 'account-held');
    const order: string[] = [];
    const decide = (name: string) => () => {
      order.push(name);
      return { events: [] as never[] };
    };
    await expect(changeStream(slow, 'account-held', decide('late'), { budget: 5 })).rejects.toThrow(StreamContention);
    const behind = changeStream(slow, 'account-held', decide('behind'));
    held.resolve();
    await Promise.all([first, behind]);
    expect(order).toEqual(['behind']);
    expect(await stores[0].read('account-held')).toHaveLength(1);
  });
});
