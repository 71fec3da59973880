/** The bench of all read models: how it fails, and what is left of it. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { secondsUntilFresh } from '../../bench/fresh-models-bench.ts';
import { signalStream } from '../../schemas/signal.ts';
import { eventually } from '../harness/eventually.ts';
import { type Engine, testEngine } from '../projector/engine.ts';
import { idOf, merged } from '../projector/signal-events.ts';

const bench = fileURLToPath(new URL('../../bench/run-benches.ts', import.meta.url));

/** Ids and commands of the processes that a process has started, and those that they have. */
async function descendants(ancestor: number): Promise<Map<number, string>> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,args=']);
  const all = stdout.split('\n').flatMap((line) => {
    const [, pid, parent, words = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid ? [{ pid: Number(pid), parent: Number(parent), words }] : [];
  });
  const of = new Map<number, string>();
  const isBelow = ({ parent }: { parent: number }): boolean => parent === ancestor || of.has(parent);
  for (let size = -1; size < of.size; ) {
    size = of.size;
    for (const one of all) if (isBelow(one)) of.set(one.pid, one.words);
  }
  return of;
}
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a history that no model can be built from', () => {
  let engine: Engine;
  beforeEach(async () => {
    engine = await testEngine();
  });
  afterEach(() => engine.close());

  it('given a merge of a signal that was never detected, fails within a minute with the event, and leaves no projector', async () => {
    const orphan = merged('one', 'two');
    await engine.add(signalStream(idOf('one')), orphan);
    const [began, before] = [performance.now(), await descendants(process.pid)];

    const measuring = secondsUntilFresh([engine.url], engine.database, engine.store);

    await expect(measuring).rejects.toThrow(`stopped at event ${orphan.id}`);
    expect(performance.now() - began).toBeLessThan(60_000);
    const left = [...(await descendants(process.pid)).entries()].filter(([pid]) => !before.has(pid));
    expect(left.filter(([, words]) => words.includes('bench'))).toEqual([]);
  });
});

it('given a bench that is ended, then none of its processes outlives it', async () => {
  const running = spawn(process.execPath, [bench, 'fresh', '--events', '20', '--rounds', '1'], { stdio: 'ignore' });
  const { pid = 0 } = running;
  let started: number[] = [];
  // Its server and its projector.
  await eventually(async () => {
    const below = await descendants(pid);
    const words = [...below.values()];
    for (const file of ['double/serve.ts', 'visible-bench.ts'])
      expect(words.some((one) => one.includes(file))).toBe(true);
    started = [...below.keys()];
  });

  running.kill('SIGTERM');
  await once(running, 'close');

  await eventually(() => expect(started.filter(isRunning)).toEqual([]));
});
