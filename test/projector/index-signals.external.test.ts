/** Search and lists on a real OpenSearch, and the projection that fills its index. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { retryIndexed, runSearchIndex } from '../../projector/index-signals.ts';
import { checkpoint, liveBuild, STORE } from '../../projector/model-builds.ts';
import { SEARCH_INDEX, searchIndexStatus } from '../../projector/model-progress.ts';
import { openSearchServer, openSearchSignals } from '../../projector/models/opensearch-queries.ts';
import { postgresSearch, type SignalSearch } from '../../projector/models/search-queries.ts';
import { searchModel } from '../../projector/models/search-read-model.ts';
import { listParked, park } from '../../projector/parked-events.ts';
import { replay } from '../../projector/rebuild/replay-model.ts';
import { readEnvelope } from '../../schemas/events.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { signalStream } from '../../schemas/signal.ts';
import { eventually } from '../harness/eventually.ts';
import { freePort } from '../harness/free-port.ts';
import { type SearchServer, startOpenSearch } from '../harness/opensearch.ts';
import type { Engine } from './engine.ts';
import { NOW, searchContract, searchedEngine } from './models/search-contract.ts';
import { detected, held, idOf, merged, released, report, reported, revised, understanding } from './signal-events.ts';

const server = await startOpenSearch((line) => process.stdout.write(`${line}\n`));

if ('missing' in server)
  describe('search on OpenSearch', () => {
    it.skip(`skipped: ${server.missing}`, () => undefined);
  });
else onServer(server);

function onServer({ url, kill, start, stop }: SearchServer): void {
  let engine: Engine;
  let search: SignalSearch & { close(): Promise<void> };
  let running: { stop(): Promise<void> };
  const { client, alias } = openSearchServer({ SEARCH_URL: url }, 30_000);

  function run(database = engine.database): { stop(): Promise<void> } {
    const controller = new AbortController();
    const { store, logger } = engine;
    const ended = runSearchIndex({ settings: { SEARCH_URL: url }, store, database, logger, signal: controller.signal });
    return {
      async stop() {
        controller.abort();
        await ended;
      },
    };
  }
  /** The database, with something that is done before each batch of rows is read. */
  const onBatch = (work: () => Promise<void>): Engine['database'] =>
    new Proxy(engine.database, {
      get(database, name) {
        const value = Reflect.get(database, name);
        if (typeof value !== 'function') return value;
        if (name !== 'query') return value.bind(database);
        return async (...words: readonly unknown[]) => {
          if (String(words[0]).includes('ORDER BY f.key')) await work();
          return Reflect.apply(value, database, words);
        };
      },
    });
  const liveIndex = async (): Promise<string> => (await liveBuild(engine.database, SEARCH_INDEX))?.name ?? '';
  /** Waits until readers find what was appended up to a position. */
  async function indexed(position: bigint): Promise<void> {
    await eventually(async () =>
      expect(await checkpoint(engine.database, await liveIndex(), STORE)).toBeGreaterThanOrEqual(position),
    );
    await client.indices.refresh({ index: alias });
  }
  const find = async (text: string): Promise<string[]> =>
    (await search.search({ text, limit: 10 })).map(({ signal }) => signal.id);
  const add = (name: string, ...events: Parameters<Engine['add']>[1][]): Promise<bigint> =>
    engine.add(signalStream(idOf(name)), ...events);
  const saying = (name: string, headline: string) =>
    detected(name, { understanding: understanding({ headline }), report: report(name, { title: headline }) });

  beforeAll(async () => {
    engine = await searchedEngine();
    search = openSearchSignals({ SEARCH_URL: url }, engine.database, () => NOW);
    running = run();
    await eventually(async () => expect(await liveIndex()).not.toBe(''));
    await indexed(await engine.store.head());
  }, 120_000);
  afterAll(async () => {
    await running.stop();
    await search.close();
    await client.close();
    await engine.close();
    await stop();
  });

  searchContract(() => search);

  it('given the same list, then its pages and cursors are those of PostgreSQL', async () => {
    const postgres = postgresSearch(engine.database);
    for (const asked of [
      { sort: 'salience', limit: 7 },
      { without: { kind: ['deals'] }, limit: 7, detail: 'text' },
    ] as const) {
      const first = await postgres.list(asked);
      expect(await search.list(asked)).toEqual(first);
      const cursor = first.next_cursor ?? undefined;
      expect(await search.list({ ...asked, cursor })).toEqual(await postgres.list({ ...asked, cursor }));
    }
  });

  describe('the projection into OpenSearch', () => {
    it('given a revised signal, then the new words find it and the old ones do not', async () => {
      await indexed(await add('changing', saying('changing', 'Vermilion lanterns')));
      expect(await find('vermilion')).toEqual([idOf('changing')]);
      await indexed(await add('changing', revised('changing', 1, { headline: 'Cobalt lanterns' })));
      expect(await find('cobalt')).toEqual([idOf('changing')]);
      const onlyTitles = await find('vermilion -cobalt');
      expect(onlyTitles).toEqual([]);
    });

    it('given a signal that is held, released and merged, then it is found only while it is public', async () => {
      await add('target', saying('target', 'Ochre kites'));
      await indexed(await add('leaving', saying('leaving', 'Indigo kites')));
      expect(await find('indigo')).toEqual([idOf('leaving')]);
      const inIndex = async () =>
        (await client.count({ index: alias, body: { query: { term: { key: idOf('leaving') } } } })).body.count;
      await indexed(await add('leaving', held('leaving')));
      expect([await find('indigo'), await inIndex()]).toEqual([[], 0]);
      await indexed(await add('leaving', released('leaving')));
      expect([await find('indigo'), await inIndex()]).toEqual([[idOf('leaving')], 1]);
      await indexed(await add('leaving', merged('leaving', 'target')));
      expect([await find('indigo -ochre'), await inIndex()]).toEqual([[], 0]);
    });

    it('given further reports, then the signal is found by the number of its outlets', async () => {
      const outlets = ['Mint', 'Retail Post', 'Bazaar', 'Fifth', 'Sixth'];
      const more = outlets.map((outlet) => reported('many', report(`many-${outlet}`, { outlet })));
      await indexed(await add('many', saying('many', 'Saffron umbrellas'), ...more));
      const { documents } = await search.list({ outlets: 6, limit: 5 });
      expect(documents.map((document) => JSON.parse(document).id)).toEqual([idOf('many')]);
    });

    it('given a late write of an earlier version, then the newer document stays', async () => {
      await indexed(await add('late', saying('late', 'Crimson boats')));
      const index = await liveIndex();
      const write = client.index({
        index,
        id: idOf('late'),
        version: 1,
        version_type: 'external',
        body: { key: idOf('late'), headline: 'Old boats', tags: [] },
      });
      await expect(write).rejects.toMatchObject({ statusCode: 409 });
      expect(await find('crimson')).toEqual([idOf('late')]);
    });

    it('given a signal that OpenSearch does not accept, then its event is parked and the others are indexed', async () => {
      // Lucene has a maximum of 32,766 bytes of a term.
      const city = 'x'.repeat(40_000);
      await add('refused', detected('refused', { understanding: understanding({ cities: [city] }) }));
      await indexed(await add('after', saying('after', 'Magenta swings')));
      expect(await find('magenta')).toEqual([idOf('after')]);
      const parked = await listParked(engine.database, SEARCH_INDEX);
      expect(parked).toMatchObject([
        { type: 'SignalDetected', input: STORE, error: expect.stringContaining('immense') },
      ]);
      expect(engine.logger.lines).toContainEqual(
        expect.objectContaining({ level: 'error', message: expect.stringContaining('parked') }),
      );
      const retry = async (entries: typeof parked) => {
        const { store, database, logger } = engine;
        const { signal } = new AbortController();
        return retryIndexed({ settings: { SEARCH_URL: url }, store, database, logger, signal }, entries);
      };
      expect(await retry(parked)).toMatchObject([{ way: 'indexed', error: expect.stringContaining('immense') }]);
      // One that the index has in the meantime.
      const [event] = await engine.store.read(signalStream(idOf('after')));
      if (!event) throw new Error('no event');
      const refused = [{ event: readEnvelope(event), error: new Error('busy') }];
      await park(engine.database, { model: SEARCH_INDEX, build: await liveIndex(), input: STORE }, refused);
      const both = await retry(await listParked(engine.database, SEARCH_INDEX));
      expect(both.filter(({ error }) => error === null)).toHaveLength(1);
      expect(await listParked(engine.database, SEARCH_INDEX)).toMatchObject([{ event_id: parked[0]?.event_id }]);
      await client.indices.refresh({ index: alias });
      expect(await find('magenta')).toEqual([idOf('after')]);
    });

    it('given a read model that is rebuilt, then a new index is built beside, swapped, and the former one is deleted', async () => {
      const before = await liveIndex();
      const { signal } = new AbortController();
      await replay({ ...engine, model: searchModel(), signal });
      const until = eventually(async () => expect(await liveIndex()).not.toBe(before));
      let isReplaced = false;
      const waiting = until.finally(() => {
        isReplaced = true;
      });
      // Readers see a whole index all the time.
      while (!isReplaced) expect(await find('magenta')).toEqual([idOf('after')]);
      await waiting;
      const names = async () =>
        (await client.cat.indices({ index: `${alias}-*`, format: 'json' })).body.map(({ index }) => index);
      await eventually(async () => expect(await names()).toEqual([await liveIndex()]));
      expect(await listParked(engine.database, SEARCH_INDEX)).toHaveLength(1);
    });

    it('given an index that was deleted, then PostgreSQL answers until it is built again', async () => {
      const before = await liveIndex();
      await client.indices.delete({ index: before });
      expect(await find('magenta')).toEqual([idOf('after')]);
      await add('anew', saying('anew', 'Turquoise bells'));
      await eventually(async () => expect(await liveIndex()).not.toBe(before));
      expect(await find('turquoise')).toEqual([idOf('anew')]);
    });

    it('given a process that ends while it fills an index, then the next one goes on where it was', async () => {
      await running.stop();
      const before = await liveIndex();
      await client.indices.delete({ index: before });
      const controller = new AbortController();
      const { signal } = controller;
      let batches = 0;
      // Ends with the fourth batch of five.
      const database = onBatch(async () => {
        if (++batches === 4) controller.abort();
      });
      await runSearchIndex({
        settings: { SEARCH_URL: url },
        store: engine.store,
        database,
        logger: engine.logger,
        signal,
        batch: 5,
      });
      expect([batches, await liveIndex()]).toEqual([4, before]);
      const from = engine.logger.lines.length;
      running = run();
      await eventually(async () => expect(await liveIndex()).not.toBe(before));
      const said = engine.logger.lines.slice(from).map(({ message }) => message);
      expect(said).toContain('resuming the build of the search index');
      const { rows } = await engine.database.query('SELECT count(*)::int AS public FROM read.signal_facets');
      expect(await search.facets({}, { now: NOW, values: 1, maximum: 10 })).toMatchObject({
        // All but the one that is parked.
        total: rows[0].public - 1,
      });
    });

    it('given an index that is being replaced, then it is kept up to date until the new one is live', async () => {
      await running.stop();
      const before = await liveIndex();
      await replay({ ...engine, model: searchModel(), signal: new AbortController().signal });
      const gate = Promise.withResolvers<void>();
      const database = onBatch(async () => {
        await gate.promise;
      });
      running = run(database);
      await add('meantime', saying('meantime', 'Sepia mirrors'));
      await eventually(async () => expect(await find('sepia')).toEqual([idOf('meantime')]));
      expect(await liveIndex()).toBe(before);
      gate.resolve();
      await eventually(async () => expect(await liveIndex()).not.toBe(before));
      expect(await find('sepia')).toEqual([idOf('meantime')]);
    });

    it('given a second process, then it waits, and goes on where the first one stopped', async () => {
      const second = run();
      await eventually(() =>
        expect(engine.logger.lines).toContainEqual(
          expect.objectContaining({ message: expect.stringContaining('waiting as a standby') }),
        ),
      );
      await running.stop();
      running = second;
      const index = await liveIndex();
      await indexed(await add('second', saying('second', 'Umber wheels')));
      expect([await find('umber'), await liveIndex()]).toEqual([[idOf('second')], index]);
      expect(await searchIndexStatus(engine.database, await engine.store.head())).toMatchObject({ lag: 0 });
    });

    it.skipIf(!kill || !start)(
      'given a server that is killed, then readers get 503 with Retry-After, and the index catches up when it is back',
      async () => {
        const index = await liveIndex();
        await kill?.();
        const refused = await search.search({ text: 'umber', limit: 5 }).catch((error: unknown) => error);
        expect(refused).toBeInstanceOf(Refusal);
        expect(refused).toMatchObject({ code: 'unavailable', retryAfter: 5 });
        await expect(search.list({ only: { city: ['Pune'] }, limit: 5 })).rejects.toThrow('not available');
        // What PostgreSQL reads off one index goes on.
        expect((await search.list({ only: { brand: ['sargam'] }, limit: 50 })).documents).toHaveLength(5);
        const last = await add('meanwhile', saying('meanwhile', 'Lilac drums'));
        await start?.();
        await indexed(last);
        expect([await find('lilac'), await liveIndex()]).toEqual([[idOf('meanwhile')], index]);
      },
    );
  });

  describe('the address of OpenSearch', () => {
    it('given a user, a password and a path, then they are sent, and the path begins the names of indexes', async () => {
      const asked: { path: string | undefined; authorization: string | undefined }[] = [];
      const port = await freePort();
      const recorder = createServer((request, response) => {
        asked.push({ path: request.url?.split('?')[0], authorization: request.headers.authorization });
        response.writeHead(401, { 'content-type': 'application/json' }).end('{}');
      }).listen(port, '127.0.0.1');
      await once(recorder, 'listening');
      const { port: at } = recorder.address() as AddressInfo;
      const guarded = openSearchSignals(
        { SEARCH_URL: `http://reader:p%40ss@127.0.0.1:${at}/staging` },
        engine.database,
        () => NOW,
      );
      const error = await guarded.search({ text: 'bells', limit: 5 }).catch((thrown: unknown) => thrown);
      expect(asked).toEqual([
        { path: '/staging-signals/_search', authorization: `Basic ${Buffer.from('reader:p@ss').toString('base64')}` },
      ]);
      expect(error).not.toBeInstanceOf(Refusal);
      expect(String(error)).not.toContain('p@ss');
      await guarded.close();
      recorder.close();
    });
  });
}
