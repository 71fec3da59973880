import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { nextAddressChange } from '../../../ingest/poll/poll-source.ts';
import { evolveSource } from '../../../projector/models/source-health-read-model.ts';
import { type Outlet, rss, startOutlet } from './outlet.ts';
import { openPolling, type Polling, polled, source } from './polling.ts';

const HOUR = 3_600_000;
const FEED = rss('<title>A store opens</title><link>https://outlet.example.in/1</link>');

let polling: Polling;
beforeAll(async () => {
  polling = await openPolling();
});
afterAll(() => polling.close());

const outlets: Outlet[] = [];
afterEach(async () => {
  for (const outlet of outlets.splice(0)) await outlet.close();
});

/** Polls a source at these hours from now, each time with a poller that has just started. */
async function pollRestarting(id: string, url: string, hours: readonly number[]): Promise<void> {
  for (const hour of hours) {
    const before = polling.pollsOf(id).length;
    const now = Date.now() + hour * HOUR;
    const stop = await polling.start([source(id, url)], {
      clock: () => new Date(now),
      resume: async () =>
        polling.polls
          .filter(({ data }) => data.source_id === id)
          .reduce<ReturnType<typeof evolveSource>>(evolveSource, null)?.polls ?? null,
    });
    await polled(polling, [id], before + 1);
    await stop();
  }
}

const changesOf = async (id: string) => (await polling.store.read(`source-${id}`)).map(({ type }) => type).slice(1);

describe('a change of address', () => {
  it('given a permanent redirect, when the poller restarts before each poll, then the new address is adopted after a day', async () => {
    const outlet = await startOutlet((request, response) =>
      request.url === '/old' ? response.writeHead(301, { location: '/new' }).end() : response.end(FEED),
    );
    outlets.push(outlet);
    await pollRestarting('moved', `${outlet.url}/old`, [0, 11, 22]);
    expect(await changesOf('moved')).toEqual([]);
    await pollRestarting('moved', `${outlet.url}/old`, [26]);
    expect((await polling.store.read('source-moved')).at(-1)).toMatchObject({
      type: 'SourceMoved',
      data: { from: `${outlet.url}/old`, to: `${outlet.url}/new` },
    });
  });

  it('given status 410 three times, when the poller restarts before each poll, then the source is retired', async () => {
    const outlet = await startOutlet((_request, response) => response.writeHead(410).end());
    outlets.push(outlet);
    await pollRestarting('gone-for-good', `${outlet.url}/feed`, [0, 25, 50]);
    expect(await changesOf('gone-for-good')).toEqual(['SourceRetired']);
  });

  it('given a redirect that changes its target or ends, then its count starts again; other failures leave the count unchanged', () => {
    const url = 'https://outlet.example.in/old';
    const first = nextAddressChange(url, null, { movedTo: 'https://outlet.example.in/new', errorCode: null }, 'T1');
    expect(first).toEqual({ kind: 'moved', to: 'https://outlet.example.in/new', since: 'T1', polls: 1 });
    expect(nextAddressChange(url, first, { movedTo: null, errorCode: 'timeout' }, 'T2')).toEqual(first);
    expect(nextAddressChange(url, first, { movedTo: 'https://elsewhere.in/', errorCode: null }, 'T2')).toMatchObject({
      since: 'T2',
      polls: 1,
    });
    expect(nextAddressChange(url, first, { movedTo: null, errorCode: 'gone' }, 'T2')).toMatchObject({ kind: 'gone' });
    expect(nextAddressChange(url, first, { movedTo: url, errorCode: null }, 'T2')).toBeNull();
    const long = `https://outlet.example.in/${'x'.repeat(3_000)}`;
    expect(nextAddressChange(url, null, { movedTo: long, errorCode: null }, 'T1')).toBeNull();
  });
});
