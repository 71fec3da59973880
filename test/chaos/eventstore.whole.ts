/**
 * An event store whose leader is killed and paused under load: `npm run chaos -- eventstore`. No
 * acknowledged append is lost, duplicated or out of order, no caller gets an error within the timeout, a live
 * reader misses nothing, and at the end every read model equals its rebuild.
 */
import { describe, expect, it } from 'vitest';
import { signalHistory } from '../../bench/generated-history.ts';
import { pause } from '../../log/backoff.ts';
import type { EventStore } from '../../log/event-store.ts';
import { eventStoreDb } from '../../log/eventstore/eventstore-adapter.ts';
import { waitForPosition } from '../../projector/model-progress.ts';
import { readModels } from '../../projector/models/all-read-models.ts';
import { replay } from '../../projector/rebuild/replay-model.ts';
import { seededRandom } from '../harness/random.ts';
import { someEvent } from '../log/contract/events.ts';
import { testEngine } from '../projector/engine.ts';
import { type ChaoticServer, startChaoticServer } from './eventstore-server.ts';

const KILLS = Number(process.env.EVENTSTORE_KILLS ?? 10);
/** Milliseconds for which a call is retried: an election and a restart together. */
const TIMEOUT_MS = 30_000;
const WRITERS = 8;
/** Of a history longer than any run needs. */
const HISTORY = 1_000_000;
/** Maximum milliseconds of a pause: longer than the silence after which a server counts as hung. */
const LONGEST_PAUSE = 6_000;
const LONGEST_DOWN = 2_000;
const RUN = Date.now().toString(36);
const models = readModels({ baseUrl: 'https://clarity.test' });

/** Acknowledged ids by stream, in order; and the errors that callers got. */
interface Written {
  readonly acknowledged: Map<string, string[]>;
  readonly errors: string[];
}

async function write(
  store: EventStore,
  events: Iterable<{ readonly stream: string; readonly event: ReturnType<typeof someEvent> }>,
  written: Written,
  signal: AbortSignal,
): Promise<void> {
  for (const { stream, event } of events) {
    if (signal.aborted) return;
    try {
      await store.append(stream, [event], 'any');
      const ids = written.acknowledged.get(stream);
      if (ids) ids.push(event.id);
      else written.acknowledged.set(stream, [event.id]);
    } catch (error) {
      written.errors.push(`${stream}: ${String(error)}`);
      return;
    }
    await pause(2);
  }
}

function* plain(writer: number) {
  for (let number = 0; ; number++)
    yield { stream: `chaos-${RUN}-${writer}`, event: someEvent(`chaos ${RUN} ${writer} ${number}`) };
}

async function trouble(server: ChaoticServer, random: () => number): Promise<string> {
  const dealt = { killed: 0, paused: 0 };
  while (dealt.killed < KILLS) {
    await pause(500 + random() * 1_500);
    if (server.pause && random() < 1 / 3) {
      await server.pause(random() * LONGEST_PAUSE);
      dealt.paused++;
      continue;
    }
    await server.kill();
    await pause(random() * LONGEST_DOWN);
    await server.start();
    dealt.killed++;
  }
  return `${dealt.killed} killed, ${dealt.paused} paused`;
}

describe('an event store whose leader fails', () => {
  it(`given ${KILLS} kills under load, then nothing acknowledged is lost and all read models are equal`, {
    timeout: 600_000 + KILLS * 60_000,
  }, async () => {
    const { seed, random } = seededRandom();
    const server = await startChaoticServer();
    const engine = await testEngine();
    const store = await eventStoreDb({ url: server.url, retryFor: TIMEOUT_MS });
    const from = await store.head();
    const [writing, reading] = [new AbortController(), new AbortController()];
    const projector = engine.run(models, { store });
    const written: Written = { acknowledged: new Map(), errors: [] };
    const seen = new Map<string, string[]>();
    const reader = (async () => {
      const prefixes = [`chaos-${RUN}-`];
      for await (const { events } of store.subscribe({ after: from, prefixes, signal: reading.signal }))
        for (const { stream, id } of events) seen.set(stream, [...(seen.get(stream) ?? []), id]);
    })();
    try {
      const writers = [
        write(store, signalHistory(HISTORY), written, writing.signal),
        ...Array.from({ length: WRITERS - 1 }, (_, writer) => write(store, plain(writer), written, writing.signal)),
      ];
      const dealt = await trouble(server, random);
      writing.abort();
      await Promise.all(writers);
      const appended = [...written.acknowledged.values()].reduce((sum, ids) => sum + ids.length, 0);
      process.stdout.write(`${server.kind}: ${dealt}; ${appended} events acknowledged; seed ${seed}\n`);

      expect(written.errors, `seed ${seed}`).toEqual([]);
      expect(appended).toBeGreaterThan(0);
      for (const [stream, ids] of written.acknowledged)
        expect(
          (await store.read(stream)).map(({ id }) => id),
          stream,
        ).toEqual(ids);
      const head = await store.head();
      for (const { name, prefixes } of models)
        if (prefixes.length > 0) expect(await waitForPosition(engine.database, name, head, 120_000), name).toBe(true);
      for (const [stream, ids] of written.acknowledged)
        if (stream.startsWith('chaos-')) await expect.poll(() => seen.get(stream)?.length).toBe(ids.length);
      for (const [stream, ids] of seen) expect(ids, stream).toEqual(written.acknowledged.get(stream));

      await projector.stop();
      const equal: Record<string, boolean | undefined> = {};
      for (const model of models) {
        const options = { ...engine, store, model, verify: true, swap: false, signal: new AbortController().signal };
        equal[model.name] = (await replay(options)).verification?.equal;
      }
      expect(equal).toEqual(Object.fromEntries(models.map(({ name }) => [name, true])));
    } finally {
      writing.abort();
      reading.abort();
      await reader;
      await engine.close();
      await store.close();
      await server.stop();
    }
  });
});
