/** The operators' commands on a database. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { addReplay } from '../../../bin/commands/replay.ts';
import { LabelledItem } from '../../../eval/labelled-items.ts';
import { postgresDeadLetters } from '../../../log/dead-letters.ts';
import { eventStoreDb } from '../../../log/eventstore/eventstore-adapter.ts';
import { consumeMessages } from '../../../log/message-consumer.ts';
import { LABELS } from '../../../operations/labels.ts';
import { ORACLE } from '../../../operations/oracle.ts';
import { PARKED } from '../../../operations/parked.ts';
import { SIGNALS } from '../../../operations/signals.ts';
import { createRegistry, liveBuild } from '../../../projector/model-builds.ts';
import { SEARCH_INDEX, waitForPosition } from '../../../projector/model-progress.ts';
import { readModels } from '../../../projector/models/all-read-models.ts';
import { signalsModel } from '../../../projector/models/signals-read-model.ts';
import { listParked, park } from '../../../projector/parked-events.ts';
import { readEnvelope } from '../../../schemas/events.ts';
import { ORACLE_JUDGEMENTS } from '../../../schemas/oracle.ts';
import { signalStream } from '../../../schemas/signal.ts';
import { certificate } from '../../harness/certificate.ts';
import { startClarity } from '../../harness/clarity.ts';
import { filledDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import { freePort } from '../../harness/free-port.ts';
import { startDouble } from '../../log/double/eventstore-double.ts';
import { doubleStore } from '../../log/double/store.ts';
import { type Engine, testEngine } from '../../projector/engine.ts';
import { detected, idOf, revised } from '../../projector/signal-events.ts';
import { runCommand } from '../run-command.ts';

// The commands run without the settings of the service whose rows these are: they must not put another address in.
const model = signalsModel({ baseUrl: 'https://clarity.test' });
const ESCAPE = '\u001b';
let engine: Engine;

/** A record of one signal, with its read model. */
const withSignal = filledDatabase('with_signal', async (database) => {
  await createRegistry(database);
  engine = await testEngine(async () => ({ database, url: '', close: async () => undefined }));
  engine.run([model]);
  await eventually(async () => expect((await liveBuild(engine.database, 'signals'))?.version).toBe(model.version));
  await add('one', detected('one'));
  await add('one', revised('one', 1, { headline: 'Kiri Foods opens 50 stores' }));
  await waitForPosition(engine.database, 'signals', await engine.store.head(), 10_000);
  await engine.close();
});
beforeEach(async () => {
  engine = await testEngine(withSignal);
});
afterEach(() => engine.close());

const add = (name: string, event: Parameters<Engine['add']>[1]) => engine.add(signalStream(idOf(name)), event);
const COMMANDS = { replay: addReplay, parked: PARKED, signals: SIGNALS, labels: LABELS, oracle: ORACLE };
const outcome = (command: keyof typeof COMMANDS, ...words: string[]) =>
  runCommand(COMMANDS[command], [command, ...words], engine.url);
/** The builds that a rebuild has committed rows of: one without any is dropped when it is interrupted. */
const committed = async (): Promise<string[]> => {
  const { rows } = await engine.database.query<{ name: string }>(
    `SELECT name FROM projector.builds JOIN projector.checkpoints ON build = name WHERE state = 'building'`,
  );
  return rows.map(({ name }) => name);
};

describe('clarity replay', () => {
  it('given Ctrl-C during a replay, leaves the live rows and says so, and the next one continues with what was built', async () => {
    const before = await liveBuild(engine.database, 'signals');
    // A lock on the live build's entry blocks any swap, so the replay is interrupted half way.
    const holder = await engine.database.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM projector.builds WHERE name = $1 FOR UPDATE', [before?.name]);

    const run = startClarity(['replay', 'signals'], { DATABASE_URL: engine.url });
    await eventually(async () => expect(await committed()).toHaveLength(1));
    run.process.kill('SIGINT');

    expect(await run.ended).toBe(130);
    await holder.query('ROLLBACK');
    holder.release();
    expect(run.output()).toContain('stopped; of signals, its live rows stay');
    expect(await liveBuild(engine.database, 'signals')).toEqual(before);
    const [built] = await committed();
    const next = await outcome('replay', 'signals');
    expect(next.code).toBe(0);
    expect((await liveBuild(engine.database, 'signals'))?.name).toBe(built);
  });

  it('given a version that this program does not contain, lists the existing ones; given its own, builds it', async () => {
    const wrong = await outcome('replay', 'signals', '--to-version', 'aaaaaaaaaaaa');
    const right = await outcome('replay', 'signals', '--to-version', model.version);

    expect(wrong.code).toBe(2);
    expect(wrong.output).toContain(`signals: live is ${model.version}, this release has ${model.version}`);
    expect(wrong.output).toContain('--to-version aaaaaaaaaaaa: this release has no such version of signals');
    expect(right).toMatchObject({ code: 0, output: expect.stringContaining('signals: rebuilt and live') });
  });

  it('given conflicting or unknown arguments, names the valid ones', async () => {
    const nothing = await outcome('replay', 'nothing');

    expect(nothing.code).toBe(2);
    for (const { name } of readModels({ baseUrl: 'http://localhost:8080' })) expect(nothing.output).toContain(name);
    expect(await outcome('replay', '--all', '--from', 'items')).toMatchObject({ code: 2 });
  });

  describe('given an event that the model refuses', () => {
    const bad = { ...detected('two'), data: {} };

    it('and that the live rows lack too, names it when the rebuilt rows are compared', async () => {
      const projector = engine.run([model]);
      await waitForPosition(engine.database, 'signals', await add('two', bad), 10_000);
      await projector.stop();

      const { code, output } = await outcome('replay', 'signals', '--verify');

      expect(code, output).toBe(0);
      expect(output).toContain(`signals: rebuilt and live, without the parked events ${bad.id};`);
      expect(output).toMatch(/\d rows equal the live ones/);
      const { output: json } = await outcome('replay', 'signals', '--verify', '--dry', '--json');
      expect(JSON.parse(json)).toMatchObject([{ parked: [bad.id], swapped: false, verification: { equal: true } }]);
    });

    it('and that is not parked, names it, and leaves the live rows as they are', async () => {
      const before = await liveBuild(engine.database, 'signals');
      await add('two', bad);

      // Without a comparison the rebuild goes up to the end of the log, which the live rows have not reached.
      const { code, output } = await outcome('replay', 'signals');

      expect(code).toBe(2);
      expect(output).toContain(`the rebuild of signals stopped at event ${bad.id} of type SignalDetected`);
      expect(await liveBuild(engine.database, 'signals')).toEqual(before);
    });
  });

  it('given a separate event store, rebuilds every read model from it', async () => {
    const double = await startDouble({ store: doubleStore() });
    const url = `esdb://127.0.0.1:${double.port}?tls=false`;
    const store = await eventStoreDb({ url });
    for (let number = 0; number < 40; number++)
      await store.append(signalStream(idOf(`name-${number}`)), [detected(`name-${number}`)], 'none');
    await store.close();
    const before = double.calls.read;

    vi.stubEnv('EVENTSTORE_URL', url);
    const run = await outcome('replay', '--all', '--dry');

    const models = readModels({ baseUrl: 'http://localhost:8080' });
    expect(run.code, run.output).toBe(0);
    for (const { name } of models) expect(run.output).toContain(`${name}: rebuilt and dropped`);
    expect(double.calls.read - before).toBeGreaterThan(0);
    double.kill();
  });

  it('given no stored items, has nothing to change', async () => {
    const run = await outcome('replay', '--from', 'items', '--json');

    expect(JSON.parse(run.output)).toMatchObject({ dry: false, items: 0, signals: 0, appended: {} });
  });
});

describe('clarity parked', () => {
  it('shows a hostile event as quoted text, retries it in vain, and drops it with a reason', async () => {
    const hostile = { ...detected('two'), data: { note: `${ESCAPE}[2J ignore what came before` } };
    const projector = engine.run([model]);
    await waitForPosition(engine.database, 'signals', await add('two', hostile), 10_000);
    await projector.stop();

    const listed = await outcome('parked', 'list', '--json');
    const shown = await outcome('parked', 'show', hostile.id.slice(0, 12));
    const retried = await outcome('parked', 'retry', '--all');
    const dropped = await outcome('parked', 'drop', hostile.id, '--why', 'no event of ours', '--by', 'asha');

    expect(JSON.parse(listed.output)).toMatchObject([{ model: 'signals', event_id: hostile.id, skipped: false }]);
    expect(shown.output).toContain('> ');
    expect(shown.output).not.toContain(ESCAPE);
    expect(retried).toMatchObject({ code: 1, output: expect.stringContaining(`still cannot project ${hostile.id}`) });
    expect(dropped.code).toBe(0);
    expect((await outcome('parked', 'show', hostile.id)).output).toContain('by asha: no event of ours');
    expect((await outcome('parked', 'retry', '--all')).output).toContain('nothing to retry');
    expect(await outcome('parked', 'show', 'ffffffff')).toMatchObject({
      code: 2,
      output: expect.stringContaining('no parked event has the id "ffffffff"'),
    });
  });
});

describe('clarity parked, for the search index', () => {
  const { key, certificate: ca } = certificate();
  const folder = mkdtempSync(join(tmpdir(), 'clarity-ca-'));
  const file = join(folder, 'ca.pem');
  writeFileSync(file, ca);
  /** What the server was sent, and its answer to the next writes. */
  let sent: { readonly path: string; readonly authorization: string | undefined; readonly body: string }[];
  let refusal: { status: number; error: { type: string; reason: string } } | null;
  // The addresses, the bytes and the answers are those of OpenSearch; its index is in the contract test.
  const server = createServer({ key, cert: ca }, async (request, response) => {
    const body = await text(request);
    sent.push({ path: request.url ?? '', authorization: request.headers.authorization, body });
    const ids = [...body.matchAll(/"_id":"([^"]+)"/g)].map(([, id]) => id);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ items: ids.map((_id) => ({ index: { _id, status: 201, ...refusal } })) }));
  });
  let nodes: string;

  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    // A node that does not answer, and one that does.
    nodes = `https://127.0.0.1:${await freePort()},https://127.0.0.1:${port}/staging`;
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    [sent, refusal] = [[], null];
  });
  /** For the next command. */
  const withSearch = (url = nodes): void => {
    vi.stubEnv('SEARCH_URL', url);
    vi.stubEnv('SEARCH_USERNAME', 'writer');
    vi.stubEnv('SEARCH_PASSWORD', 'pass, word');
    vi.stubEnv('SEARCH_CA_FILE', file);
  };
  /** Parks the detection of a signal that search has in PostgreSQL. */
  async function parked(): Promise<string> {
    const models = readModels({ baseUrl: 'https://clarity.test' }).filter(({ name }) => /^(search|facets)$/.test(name));
    const projector = engine.run(models);
    const head = await engine.store.head();
    for (const { name } of models) expect(await waitForPosition(engine.database, name, head, 10_000)).toBe(true);
    await projector.stop();
    const [first] = await engine.store.read(signalStream(idOf('one')));
    if (!first) throw new Error('no event');
    const insert = `INSERT INTO projector.builds (name, model, version, state) VALUES ('staging-signals-1', $1, '1', 'live')`;
    await engine.database.query(insert, [SEARCH_INDEX]);
    const event = readEnvelope(first);
    const refused = [{ event, error: new Error('too long') }];
    await park(engine.database, { model: SEARCH_INDEX, build: 'staging-signals-1', input: 'store' }, refused);
    return event.id;
  }

  it('given a retry, then the signal is written over TLS to a node that answers, and is no longer parked', async () => {
    const id = await parked();
    withSearch();
    refusal = { status: 400, error: { type: 'illegal_argument', reason: 'still too long' } };
    const refusedAgain = await outcome('parked', 'retry', id);
    expect(refusedAgain).toMatchObject({
      code: 1,
      output: expect.stringContaining(`search-index: still cannot project ${id}: illegal_argument: still too long`),
    });
    expect(await listParked(engine.database)).toMatchObject([{ error: 'illegal_argument: still too long' }]);

    refusal = null;
    withSearch();
    const retried = await outcome('parked', 'retry', '--all', '--json');
    expect(retried.code, retried.output).toBe(0);
    expect(JSON.parse(retried.output)).toEqual([
      { model: SEARCH_INDEX, event_id: id, way: 'indexed', error: null, rows: 1 },
    ]);
    expect(await listParked(engine.database)).toEqual([]);
    const [action = '', document = ''] = (sent.at(-1)?.body ?? '').split('\n');
    expect(sent.at(-1)).toMatchObject({
      path: '/staging-signals-1-writes/_bulk?require_alias=true',
      authorization: `Basic ${Buffer.from('writer:pass, word').toString('base64')}`,
    });
    // The position up to which the rows contain events.
    expect(JSON.parse(action)).toEqual({ index: { _id: idOf('one'), version: 2, version_type: 'external' } });
    expect(JSON.parse(document)).toMatchObject({ key: idOf('one'), headline: 'Kiri Foods opens 50 stores' });
  });

  it('given no SEARCH_URL, an authority that is not trusted or no index, then the error says so and the event stays parked', async () => {
    const id = await parked();
    expect(await outcome('parked', 'retry', id)).toMatchObject({
      code: 1,
      output: expect.stringContaining('SEARCH_URL is not set'),
    });
    withSearch(nodes.split(',')[1]);
    vi.stubEnv('SEARCH_CA_FILE', '');
    const untrusted = await outcome('parked', 'retry', id);
    expect(untrusted).toMatchObject({ code: 1, output: expect.stringMatching(/unreachable.*self-signed certificate/) });
    expect(untrusted.output).not.toContain('pass, word');
    await engine.database.query('DELETE FROM projector.builds WHERE model = $1', [SEARCH_INDEX]);
    withSearch();
    expect(await outcome('parked', 'retry', id)).toMatchObject({
      code: 1,
      output: expect.stringContaining('no search index is live'),
    });
    expect([await listParked(engine.database), sent]).toMatchObject([[{ event_id: id }], []]);
  });
});

describe('clarity parked, for messages of topics', () => {
  const story = { ...detected('late'), id: randomUUID(), type: 'StoryUnderstood', data: { title: `${ESCAPE}[2J` } };
  const letters = () => postgresDeadLetters(engine.database);
  const keep = (error: string) =>
    letters().add('match', 'stories', {
      message_id: story.id,
      partition: 3,
      message_offset: 7n,
      key: 'nykaa',
      type: story.type,
      attempts: 8,
      kind: 'defect',
      error,
      body: JSON.stringify(story),
    });

  it('lists and shows a dead letter with its cause, and drops it with a reason', async () => {
    await keep('reading slug of undefined');
    const listed = await outcome('parked', 'list', '--json', '--group', 'match');
    const shown = await outcome('parked', 'show', story.id.slice(0, 8));
    const dropped = await outcome('parked', 'drop', story.id, '--why', 'a test of ours', '--by', 'asha');

    expect(JSON.parse(listed.output)).toMatchObject([
      { consumer: 'match', model: null, event_id: story.id, input: 'stories/3', kind: 'defect', attempts: 8 },
    ]);
    expect((await outcome('parked', 'list', '--group', 'understand')).output).toContain('no event is parked');
    expect(shown.output).toContain('reading slug of undefined');
    expect(shown.output).not.toContain(ESCAPE);
    expect(dropped.code).toBe(0);
    expect((await outcome('parked', 'show', story.id)).output).toContain('by asha: a test of ours');
    expect((await outcome('parked', 'retry', '--all')).output).toContain('nothing to retry');
  });

  it('given a running consumer, a retry reports the result of the message', async () => {
    await keep('first');
    const stop = new AbortController();
    const topic = engine.topics.topic('stories');
    const handled: string[] = [];
    const running = consumeMessages({
      topic,
      group: 'match',
      signal: stop.signal,
      deadLetters: letters(),
      limits: { retryEvery: 20 },
      logger: pino({ level: 'silent' }),
      handle: async (events) => {
        handled.push(...events.map(({ id }) => id));
        return [];
      },
    });
    const retried = await outcome('parked', 'retry', story.id);
    stop.abort();
    await running;

    expect(retried).toMatchObject({ code: 0, output: expect.stringContaining(`match: handled ${story.id}`) });
    expect(handled).toEqual([story.id]);
    expect((await outcome('parked', 'list')).output).toContain('no event is parked');
  });
});

describe('clarity signals', () => {
  it('shows the history, holds and releases, and refuses invalid decisions', async () => {
    const history = await outcome('signals', 'history', idOf('one'));
    const hold = await outcome('signals', 'hold', idOf('one'), '--why', 'in doubt');
    const twice = await outcome('signals', 'hold', idOf('one'), '--why', 'in doubt');

    expect(history.output).toMatch(/SignalRevised[\s\S]*headline[\s\S]*becomes\n\s+> Kiri Foods opens 50 stores/);
    expect(hold.code).toBe(0);
    expect(twice).toMatchObject({ code: 2, output: expect.stringContaining('only a public signal is held') });
    expect(await outcome('signals', 'history', 'no-such')).toMatchObject({ code: 2 });
  });

  it('corrects fields and refuses what it cannot read, shows them as they are written, and exports labels', async () => {
    const id = idOf('one');
    const corrected = await outcome(
      'signals',
      'correct',
      id,
      '--why',
      'the report says so',
      '--cities',
      'Gaya ; Patna',
    );
    expect(corrected).toMatchObject({ code: 0, output: expect.stringContaining('corrected') });
    const fields = await outcome('signals', 'fields', id);
    expect(fields.output).toMatch(/cities \(corrected\)\s+Gaya ; Patna/);
    expect(fields.output).toMatch(/1\s+Daily Trade\s+Title of one/);
    const wrong = await outcome('signals', 'correct', id, '--why', 'x', '--openings', 'begun | Zudio');
    expect(wrong).toMatchObject({ code: 2, output: expect.stringContaining('opened, announced, planned, closed') });
    expect(await outcome('signals', 'correct', id, '--why', 'x')).toMatchObject({ code: 2 });
    expect(await outcome('signals', 'split', id, '1', '--why', 'x')).toMatchObject({ code: 2 });

    const review = readModels({ baseUrl: 'https://clarity.test' }).filter(({ name }) => name === 'review');
    const projector = engine.run(review);
    expect(await waitForPosition(engine.database, 'review', await engine.store.head(), 10_000)).toBe(true);
    await projector.stop();
    const lines = (await outcome('labels', 'export')).output.split('\n').filter((line) => line.startsWith('{'));
    expect(lines.map((line) => LabelledItem.parse(JSON.parse(line)))).toMatchObject([
      { key: id, relevant: true, cities: ['Gaya', 'Patna'], primary: ['Kiri Foods'] },
    ]);
    expect((await outcome('signals', 'retract', id, '--why', 'an opinion')).code).toBe(0);
    expect(await outcome('signals', 'confirm', id)).toMatchObject({ code: 2 });
  });
});

describe('clarity oracle', () => {
  it('given a verdict, then it is stored with who gave it; without a measurement there are no misses', async () => {
    expect(await outcome('oracle', 'judge', 'https://reference.test/1', 'move', '--json')).toMatchObject({ code: 0 });
    const [judged] = await engine.store.read(ORACLE_JUDGEMENTS);
    expect(judged?.data).toMatchObject({ url: 'https://reference.test/1', is_move: true, by: expect.any(String) });
    expect(await outcome('oracle', 'judge', 'https://reference.test/1', 'maybe')).toEqual({
      code: 2,
      output: expect.stringContaining('verdict: "maybe" cannot be used. Allowed: move, noise.'),
    });
    expect(await outcome('oracle', 'misses')).toEqual({
      code: 2,
      output: expect.stringContaining('nothing has been measured'),
    });
  });
});
