/**
 * A hundred times the usual load: outlets publish a hundred times the items, readers call a hundred times as often, each
 * process with a heap of 224 MB. Refused calls get Retry-After, no call fails, memory is
 * bounded, and at the end the read models equal those of a run without the load. A part of `npm run chaos`.
 */
import { describe, expect, it, vi } from 'vitest';
import { issueKeys } from '../../bench/bench.ts';
import { type Judge, startCallers } from '../../bench/soak/soak-callers.ts';
import { pause } from '../../log/backoff.ts';
import { openDatabase } from '../../log/postgres/database.ts';
import { postgresEventStore } from '../../log/postgres/postgres-event-store.ts';
import { runAllInOne } from '../end-to-end/all-in-one.ts';
import { EVENTS, OUTLETS, ROUNDS } from '../end-to-end/rounds.ts';
import { runRounds } from '../end-to-end/run-rounds.ts';
import { ALL_MODELS_EQUAL } from '../end-to-end/state.ts';
import { CROWD_OUTLETS, type Crowd, openCrowd } from './crowd.ts';
import { type Deployment, deploy } from './deployment.ts';
import { startReader } from './reader.ts';
import { startWatcher } from './watcher.ts';

const TIMES = Number(process.env.LOAD_TIMES ?? 100);
/** Calls per second on a usual day, as in the soak test. */
const USUAL_CALLS = 2;
const ACCOUNTS = 20;
const HOUR = 3_600_000;
/** Minimum milliseconds of a round. */
const HELD = 5_000;
/** Maximum milliseconds of a round. */
const TIMEOUT_MS = 300_000;
/** Megabytes resident of any process: a full heap, the program, buffers. */
const MAX_RESIDENT_MB = 450;

const names = [...OUTLETS, ...CROWD_OUTLETS];

/** Refused calls get a Retry-After within a day. */
const judge: Judge = (status, headers) => {
  // Our own timeout: their number is checked at the end.
  if (status === 'none') return null;
  if (status !== '429' && status !== '503') return Number(status) < 500 ? null : `status ${status}`;
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return seconds >= 1 && seconds <= 86_400 ? null : `${status} with Retry-After ${headers.get('retry-after')}`;
};

/** Keys on Pro, one for each account of the callers. */
async function keysIn(url: string): Promise<string[]> {
  const database = openDatabase(url, { max: 4 });
  const store = postgresEventStore(database);
  try {
    // As soon as the processes have created their tables.
    return await vi.waitFor(() => issueKeys(database, store, ACCOUNTS), { timeout: 60_000, interval: 500 });
  } finally {
    await store.close();
    await database.end();
  }
}

async function runLoaded(deployed: Deployment, crowd: Crowd, at: Date) {
  const { processes, outlets, databaseUrl, url } = deployed;
  const keys = await keysIn(databaseUrl);
  // Calls before it listens say nothing about load.
  await vi.waitFor(() => fetch(`${url}/robots.txt`), { timeout: 60_000, interval: 200 });
  const reader = startReader(url, deployed.key);
  const watcher = startWatcher(processes);
  const callers = startCallers(url, keys, USUAL_CALLS * TIMES, judge);
  try {
    const ended = await runRounds(
      {
        settings: deployed.settings,
        databaseUrl: async () => databaseUrl,
        check: () => expect(processes.ended).toEqual([]),
        timeoutMs: TIMEOUT_MS,
        more: crowd,
        disturb: () => pause(HELD),
      },
      outlets,
      at,
    );
    return { ...ended, callers, reader, watcher };
  } catch (error) {
    process.stdout.write(`${[...callers.answers].join(' ')}\n${processes.lastWords()}\n`);
    throw error;
  } finally {
    await Promise.all([callers.stop(), reader.stop(), watcher.stop()]);
  }
}

describe('every process, under a hundred times the usual load', () => {
  it(`given ${TIMES} times the items and the calls, then nothing fails, and the result equals that of a quiet run`, {
    timeout: 3 * ROUNDS * TIMEOUT_MS,
  }, async () => {
    const crowd = await openCrowd(TIMES);
    const at = new Date(Date.now() - HOUR);
    const quiet = await runAllInOne(() => 0, Math.random, at, {}, { names, more: crowd, timeoutMs: TIMEOUT_MS });
    const deployed = await deploy(names);
    const loaded = await runLoaded(deployed, crowd, at).finally(deployed.stop);
    const { callers, reader, watcher } = loaded;
    const answers = [...callers.answers].toSorted().map(([name, many]) => `${many} ${name}`);
    process.stdout.write(`${crowd.items} items more; ${answers.join(', ')}\n${watcher.summary()}\n`);
    expect(Object.keys(quiet.rows).length).toBe(EVENTS + crowd.reportsUpTo(ROUNDS - 1));
    expect(loaded.events).toEqual(quiet.events);
    expect(loaded.rows).toEqual(quiet.rows);
    expect(loaded.models).toEqual(ALL_MODELS_EQUAL);
    expect(callers.wrong).toEqual([]);
    expect(reader.wrong).toEqual([]);
    const calls = [...callers.answers.values()].reduce((sum, many) => sum + many, 0);
    const unanswered = [...callers.answers].filter(([name]) => name.endsWith('none'));
    expect(
      unanswered.reduce((sum, [, many]) => sum + many, 0),
      answers.join(),
    ).toBeLessThanOrEqual(calls / 100);
    expect(watcher.dead).toEqual([]);
    expect(watcher.maxResident(), watcher.summary()).toBeLessThanOrEqual(MAX_RESIDENT_MB);
  });
});
