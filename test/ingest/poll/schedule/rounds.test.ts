import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import fc from 'fast-check';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mayWaitUntil } from '../../../../ingest/poll/schedule/cadence.ts';
import { ownerOf, Rounds, Schedule } from '../../../../ingest/poll/schedule/rounds.ts';
import { applyRoster } from '../../../../ingest/roster/roster.ts';
import { postgresEventStore } from '../../../../log/postgres/postgres-event-store.ts';
import { postgresGroup } from '../../../../log/postgres/topics/consumer-group.ts';
import { logDatabase, type TestDatabase } from '../../../harness/database.ts';
import { eventually } from '../../../harness/eventually.ts';
import { sourceId } from '../../../harness/ids.ts';
import { type Outlet, rss, startOutlet } from '../outlet.ts';
import { source } from '../polling.ts';

describe('the schedule', () => {
  it('given several sources, then they are due in order of time, then of scheduling, each once and at its latest time', () => {
    const command = fc.oneof(fc.record({ set: fc.nat(20), due: fc.nat(50) }), fc.record({ remove: fc.nat(20) }));
    fc.assert(
      fc.property(fc.array(command), fc.nat(60), (commands, now) => {
        const schedule = new Schedule();
        const model = new Map<string, { due: number; order: number }>();
        for (const [order, one] of commands.entries()) {
          if ('set' in one) {
            schedule.set(sourceId(String(one.set)), one.due);
            model.set(String(one.set), { due: one.due, order });
          } else {
            schedule.remove(sourceId(String(one.remove)));
            model.delete(String(one.remove));
          }
        }
        const wanted = [...model].filter(([, { due }]) => due <= now);
        wanted.sort(([, one], [, other]) => one.due - other.due || one.order - other.order);
        const taken: string[] = [];
        for (let id = schedule.take(now); id !== null; id = schedule.take(now)) taken.push(id);
        expect(taken).toEqual(wanted.map(([id]) => id));
        const later = [...model.values()].map(({ due }) => due).filter((due) => due > now);
        expect(schedule.next()).toBe(later.length > 0 ? Math.min(...later) : null);
      }),
    );
  });
});

describe('clock changes', () => {
  const MINUTE = 60_000;
  const DAY = 86_400_000;
  const NOON = Date.parse('2026-11-21T12:00:00Z');

  /** Polls one source every ten minutes for two hours, while its clock is changed repeatedly. @returns the times of the polls, by the true clock */
  async function pollsWith(clockAt: (passed: number) => number): Promise<number[]> {
    const stop = new AbortController();
    let passed = 0;
    const polls: number[] = [];
    const clock = (): Date => new Date(clockAt(passed));
    const rounds = new Rounds({
      sources: () => [one],
      poll: async () => {
        polls.push(passed);
        return clock().getTime() + 10 * MINUTE;
      },
      onRemoved: () => undefined,
      clock,
      logger: pino({ level: 'silent' }),
      signal: stop.signal,
      pause: async (milliseconds, over) => {
        await new Promise((resolve) => setImmediate(resolve));
        if (over.aborted) return;
        passed += milliseconds;
        if (passed >= 120 * MINUTE) stop.abort();
      },
      concurrency: 1,
    });
    await rounds.run();
    return polls;
  }

  const one = source('one', 'https://outlet.in/feed');
  const gapsOf = (polls: readonly number[]): number[] => polls.slice(1).map((at, index) => at - (polls[index] ?? 0));

  describe('a poller whose clock changes', () => {
    it.each([
      ['back by days', -3 * DAY],
      ['back by minutes', -7 * MINUTE],
      ['forward by days', 3 * DAY],
    ])(
      'given one %s within a wait, when time goes on, then the source is polled within two cadences',
      async (_, step) => {
        const polls = await pollsWith((passed) => NOON + passed + (passed >= 35 * MINUTE ? step : 0));
        expect(polls.length).toBeGreaterThanOrEqual(11);
        expect(Math.max(...gapsOf(polls))).toBeLessThanOrEqual(20 * MINUTE);
      },
    );

    it('given an impossible due time that another clock stored, then the poller does not wait for it', () => {
      expect(mayWaitUntil(NOON + DAY / 2, 0, NOON)).toBe(true);
      expect(mayWaitUntil(NOON + 2 * DAY, 0, NOON)).toBe(false);
      expect(mayWaitUntil(NOON + 2 * DAY, 3, NOON)).toBe(true);
      expect(mayWaitUntil(NOON + 8 * DAY, 3, NOON)).toBe(false);
      expect(mayWaitUntil(NOON - 1, 0, NOON)).toBe(false);
      expect(mayWaitUntil(Number.NaN, 0, NOON)).toBe(false);
    });
  });
});

describe('rendezvous hashing', () => {
  const members = fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 8 });

  it('given members in any order, then a name has one owner, and a member that leaves moves only its own names', () => {
    fc.assert(
      fc.property(members, fc.string(), fc.nat(), (living, name, place) => {
        const owner = ownerOf(name, living);
        expect(living).toContain(owner);
        expect(ownerOf(name, living.toReversed())).toBe(owner);
        const leaver = living[place % living.length];
        if (leaver !== owner)
          expect(
            ownerOf(
              name,
              living.filter((member) => member !== leaver),
            ),
          ).toBe(owner);
      }),
    );
    expect(ownerOf('a', [])).toBeNull();
  });

  it('given many names, then they are shared evenly', () => {
    const living = ['a', 'b', 'c', 'd'];
    const counts = new Map<string, number>();
    for (let number = 0; number < 4_000; number++) {
      const owner = ownerOf(`source-${number}`, living) ?? '';
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
    }
    for (const member of living) expect(counts.get(member)).toBeGreaterThan(850);
  });
});

describe('several poller processes', () => {
  // So many hosts that each of three members almost certainly owns one: 3 × (2/3)^40.
  const HOSTS = 40;
  const IDS = Array.from({ length: 2 * HOSTS }, (_, number) => `s${number}`);
  let server: TestDatabase;
  const outlets: Outlet[] = [];
  const pollers: ChildProcess[] = [];
  /** Hosts that are being requested now, and those that were ever requested twice at once. */
  const asked = new Map<number, number>();
  const twice = new Set<number>();
  /** The last poller that requested a source, and the number of requests. */
  const last = new Map<string, string>();
  const times = new Map<string, number>();

  beforeAll(async () => {
    server = await logDatabase();
    for (let host = 0; host < HOSTS; host++) {
      const outlet = await startOutlet((request, response) => {
        const path = request.url ?? '';
        asked.set(host, (asked.get(host) ?? 0) + 1);
        if ((asked.get(host) ?? 0) > 1) twice.add(host);
        last.set(path, request.headers['user-agent'] ?? '');
        times.set(path, (times.get(path) ?? 0) + 1);
        response.on('close', () => asked.set(host, (asked.get(host) ?? 1) - 1));
        response.end(rss(`<title>News of ${path}</title><link>https://a.in${path}</link>`));
      });
      outlets.push(outlet);
    }
    const sources = IDS.map((id, number) =>
      source(id, `${outlets[number % HOSTS]?.url}/${id}`, { cadence_seconds: 1 }),
    );
    const store = postgresEventStore(server.database);
    await applyRoster(store, sources, { by: 'test', why: 'test' });
    await store.close();
  });
  afterAll(async () => {
    for (const poller of pollers) poller.kill('SIGKILL');
    for (const outlet of outlets) await outlet.close();
    await server.close();
  });

  function start(name: string): ChildProcess {
    const poller = spawn(process.execPath, [resolve(import.meta.dirname, '../poller-process.ts'), server.url, name], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    pollers.push(poller);
    return poller;
  }
  const askedBy = (name: string): number => [...last.values()].filter((agent) => agent.includes(`+${name})`)).length;

  it('given several pollers, then they share the hosts, request none twice at once, and take over the sources of one that is killed', async () => {
    const first = start('one');
    await eventually(() => expect(askedBy('one')).toBe(IDS.length));
    start('two');
    start('three');
    await eventually(() => {
      for (const name of ['one', 'two', 'three']) expect(askedBy(name)).toBeGreaterThan(0);
      // Both sources of a host are polled by one of them, or the host would have two requests at once.
      for (let host = 0; host < HOSTS; host++) expect(last.get(`/s${host}`)).toBe(last.get(`/s${host + HOSTS}`));
    });
    first.kill('SIGKILL');
    await once(first, 'close');
    const before = new Map(times);
    await eventually(() => {
      for (const id of IDS) expect(times.get(`/${id}`)).toBeGreaterThan((before.get(`/${id}`) ?? 0) + 1);
      expect(askedBy('one')).toBe(0);
    });
    expect([...twice]).toEqual([]);
  });

  it('given a claim, then one member at a time holds it, and it is free when the session of that member ends', async () => {
    const group = postgresGroup(server.database, 'others');
    const [one, other] = [await group.join(), await group.join()];
    const giveBack = await one.claim('a');
    expect(await other.claim('a')).toBeNull();
    await giveBack?.();
    expect(await other.claim('a')).not.toBeNull();
    await other.leave();
    expect(await one.claim('a')).not.toBeNull();
    await one.leave();
  });
});
