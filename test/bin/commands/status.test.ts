/** `clarity status`: what it finds, what needs attention, and with which exit code it ends. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { addStatus, type Look, lookInWords, needsOf } from '../../../bin/commands/status.ts';
import { liveBuild } from '../../../projector/model-builds.ts';
import { waitForPosition } from '../../../projector/model-progress.ts';
import { signalsModel } from '../../../projector/models/signals-read-model.ts';
import { listParked } from '../../../projector/parked-events.ts';
import type { Model } from '../../../projector/read-model.ts';
import { signalStream } from '../../../schemas/signal.ts';
import { eventually } from '../../harness/eventually.ts';
import { freePort } from '../../harness/free-port.ts';
import { type Engine, testEngine } from '../../projector/engine.ts';
import { detected, idOf } from '../../projector/signal-events.ts';
import { runCommand } from '../run-command.ts';

const NOW = new Date('2026-11-21T06:00:00Z');
const ESCAPE = '\u001b';

/** Everything as it should be. */
const look: Look = {
  generated_at: NOW.toISOString(),
  database: {
    version: '18.4',
    bytes: 52_428_800,
    connections: { used: 20, maximum: 97 },
    milliseconds: 3,
    processes: [{ name: 'up', connections: 20 }],
  },
  topics: 'postgres',
  store: 'postgres',
  encoder_problem: null,
  standing: {
    groups: [{ topic: 'items', group: 'understand', lag: 12, partitions: [], seconds: 1 }],
    models: [{ model: 'signals', version: 'a', live: 'a', lag: 0, stopped_seconds: null, groups: [] }],
    rebuilds: [],
    parked: [],
    dead_letters: [],
    sources: {
      sources: 20,
      active: 20,
      paused: 0,
      healthy: 19,
      degraded: 0,
      failing: 1,
      silent: 0,
      items_per_hour: 33.5,
      signals_24h: 131,
    },
    roster: [],
    mails: [],
    model: null,
    oracle: {
      measured_at: '2026-11-21T05:30:00Z',
      window_hours: 72,
      slo: 0.1,
      checked: 64,
      missed: 2,
      miss_rate: 0.03,
      misses: [],
    },
  },
  unreachable: [],
  last_polled_at: '2026-11-21T05:59:00Z',
  troubled: [{ id: 'one', health: 'failing', last_error: 'timeout' }],
  held: 0,
  last_signal: {
    id: 'sig_0123456789abcdef',
    url: 'http://clarity.test/signal/kiri',
    published_at: '2026-11-21T05:58:00Z',
    headline: `Kiri${ESCAPE}[2J opens`,
  },
};
const standing = (changes: Partial<Look['standing']>): Look => ({
  ...look,
  standing: { ...look.standing, ...changes },
});
type Rebuild = Look['standing']['rebuilds'][number];
const running: Rebuild = {
  model: 'signals',
  process: 'replay',
  share: 0.25,
  events: 500,
  state: 'running',
  phase: 'folding',
  per_second: 1_234.5,
  seconds_left: 300,
  started_at: NOW,
  silent_seconds: 1,
  ended_at: null,
  error: null,
};
const needs = (one: Look): string[] => needsOf(one, NOW).map(({ what }) => what);

describe('what needs attention', () => {
  it('given no problem, nothing; a single failing outlet is not reported', () => {
    expect(needs(look)).toEqual([]);
    expect(lookInWords(look, [])).toContain('Nothing needs attention.');
  });

  it.each<[string, Look, string]>([
    [
      'a group far behind',
      standing({ groups: [{ topic: 'items', group: 'understand', lag: 6_000, partitions: [], seconds: 1 }] }),
      '6000 messages',
    ],
    [
      'messages of a group without consumers',
      { ...look, database: { ...look.database, processes: [] } },
      'no process runs understand',
    ],
    [
      'a model far behind',
      standing({ models: [{ model: 'm', version: 'a', live: 'a', lag: 20_000, stopped_seconds: null, groups: [] }] }),
      '20000',
    ],
    [
      'a model that has stopped near the end of the log',
      standing({ models: [{ model: 'm', version: 'a', live: 'a', lag: 3, stopped_seconds: 90, groups: [] }] }),
      'has not moved for 90 s',
    ],
    [
      'a model never built',
      standing({ models: [{ model: 'm', version: 'a', live: null, lag: 0, stopped_seconds: null, groups: [] }] }),
      'has not been built',
    ],
    [
      'two releases',
      standing({ models: [{ model: 'm', version: 'a', live: 'b', lag: 0, stopped_seconds: null, groups: [] }] }),
      'version b is live',
    ],
    [
      'a platform without the encoder',
      { ...look, encoder_problem: 'the native ONNX runtime does not load on linux-s390x' },
      'does not load on linux-s390x',
    ],
    [
      'a server that is almost full',
      { ...look, database: { ...look.database, connections: { used: 90, maximum: 97 } } },
      '90 of 97 connections',
    ],
    ['parked events', standing({ parked: [{ model: 'signals', events: 2 }] }), '2 events of signals'],
    ['many sources in trouble', { ...look, troubled: [1, 2, 3].flatMap(() => look.troubled) }, '3 of 20'],
    ['polls that stopped', { ...look, last_polled_at: '2026-11-21T04:00:00Z' }, 'nothing has been polled'],
    [
      'a feed that stopped',
      { ...look, last_signal: look.last_signal && { ...look.last_signal, published_at: '2026-11-19T00:00:00Z' } },
      'no signal',
    ],
    [
      'too much missed',
      standing({ oracle: look.standing.oracle && { ...look.standing.oracle, missed: 20, miss_rate: 0.3 } }),
      '20 of 64',
    ],
  ])('given %s, reports it and says what to do', (_name, one, words) => {
    expect(needs(one)).toEqual([expect.stringContaining(words)]);
    expect(needsOf(one, NOW)[0]?.do).not.toBe('');
  });

  describe('given a rebuild that waits for an event', () => {
    const error = 'the rebuild of m stopped at event e1 of type SignalDetected: it has no headline';
    const rebuild: Rebuild = { ...running, model: 'm', state: 'failed', error };
    const waiting = (live: string | null, parked: Look['standing']['parked'] = [{ model: 'm', events: 1 }]): Look =>
      standing({
        models: [{ model: 'm', version: 'a', live, lag: 0, stopped_seconds: null, groups: [] }],
        rebuilds: [rebuild],
        parked,
      });

    it.each([null, 'b'])('and the live version %s, names the event, and advises nothing that does not help', (live) => {
      expect(needs(waiting(live))).toEqual([`m waits: ${error}`, '1 events of m are parked']);
    });

    it('that was dropped since, or whose release was taken back, does not say that it waits', () => {
      expect(needs(waiting('b', []))).toEqual([expect.stringContaining('version b is live')]);
      expect(needs(waiting('a'))).toEqual(['1 events of m are parked']);
    });
  });

  it('given a first start that waits for the event store, advises nothing that would not help', () => {
    const first = standing({
      models: [{ model: 'm', version: 'a', live: null, lag: null, stopped_seconds: null, groups: [] }],
      sources: look.standing.sources && { ...look.standing.sources, sources: 0, active: 0 },
    });
    const unreachable = [{ dependency: 'event store', reason: 'nothing within 8 s' } as const];
    expect(needs({ ...first, unreachable, troubled: [] })).toEqual([
      'the event store of EVENTSTORE_URL does not answer: nothing within 8 s',
    ]);
    expect(needs({ ...first, troubled: [] })).toHaveLength(2);
  });

  it('given a rebuild in some process, then its progress; given one whose process died, then that it was interrupted', () => {
    expect(lookInWords(standing({ rebuilds: [running] }), [])).toContain(
      'signals is being rebuilt in replay: folding, 25 %, 1235 events a second, 5 minutes left',
    );
    const dead = lookInWords(standing({ rebuilds: [{ ...running, state: 'interrupted' }] }), []);
    expect(dead).toContain('the rebuild of signals was interrupted at 25 %: its process (replay) ended');
  });

  it('given few compared reports of reference sources, then nothing is claimed and nothing needs attention', () => {
    const few = look.standing.oracle && { ...look.standing.oracle, checked: 9, missed: 9, miss_rate: 1 };
    expect(needs(standing({ oracle: few }))).toEqual([]);
    expect(lookInWords(standing({ oracle: few }), [])).toContain(
      'not measured yet: 9 could be compared, 10 are needed',
    );
  });

  it('shows text of sources without control sequences for a terminal', () => {
    expect(lookInWords(look, [])).not.toContain(ESCAPE);
  });
});

describe('the command', () => {
  let engine: Engine;
  beforeEach(async () => {
    engine = await testEngine();
  });
  afterEach(() => engine.close());

  it('given a database with a signal and an empty roster, reports both as JSON and exits with 1', async () => {
    const model = signalsModel({ baseUrl: 'https://clarity.test' });
    const projector = engine.run([model]);
    await eventually(async () => expect((await liveBuild(engine.database, 'signals'))?.version).toBe(model.version));
    const position = await engine.add(signalStream(idOf('one')), detected('one'));
    await waitForPosition(engine.database, 'signals', position, 10_000);
    await projector.stop();
    const { code, output } = await runCommand(addStatus, ['status', '--json'], engine.url);
    const { ok, needs, last_signal, standing: found } = JSON.parse(output);
    expect([code, ok]).toEqual([1, false]);
    expect(last_signal.id).toBe(idOf('one'));
    expect(found.models.find((one: { model: string }) => one.model === 'signals')).toMatchObject({ lag: 0 });
    expect(needs.map(({ what }: { what: string }) => what)).toContain('the roster is empty');
  });

  it('given a release whose rebuild has stopped at an event, says that the model waits, and for which event', async () => {
    const model = signalsModel({ baseUrl: 'https://clarity.test' });
    const refused = detected('two');
    const refusing: Model = {
      ...(model as Model),
      evolve() {
        throw new Error('this release cannot take it');
      },
    };
    const former = engine.run([{ ...(model as Model), version: 'aaaaaaaaaaaa' }]);
    const position = await engine.add(signalStream(idOf('two')), refused);
    expect(await waitForPosition(engine.database, 'signals', position, 10_000)).toBe(true);
    await former.stop();

    const projector = engine.run([refusing]);
    await eventually(async () => expect(await listParked(engine.database)).toMatchObject([{ stops: true }]));

    const inStatus = async (): Promise<string[]> => {
      const { output } = await runCommand(addStatus, ['status', '--json'], engine.url);
      return JSON.parse(output).needs.map(({ what }: { what: string }) => what);
    };
    const waits = `signals waits: the rebuild of signals stopped at event ${refused.id} of type SignalDetected: this release`;
    await eventually(async () => expect(await inStatus()).toContainEqual(expect.stringContaining(waits)));
    await projector.stop();
  });

  it('given an unreachable DATABASE_URL, says so without its password and ends with 1', async () => {
    const url = `postgres://clarity:hunter2@127.0.0.1:${await freePort()}/clarity`;
    const { code, output } = await runCommand(addStatus, ['status'], url);
    expect(code).toBe(1);
    expect(output).toContain('does not answer');
    expect(output).not.toContain('hunter2');
  });

  it('given no service in DATA_DIR, says so and starts none', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'clarity-status-'));
    vi.stubEnv('DATA_DIR', folder);
    const { code, output } = await runCommand(addStatus, ['status'], '');
    expect([code, output]).toEqual([1, expect.stringContaining(`no service runs on ${folder}`)]);
    await rm(folder, { recursive: true });
  });
});
