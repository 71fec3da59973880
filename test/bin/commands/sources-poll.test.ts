import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runPoller } from '../../../ingest/poll/poller.ts';
import { applyRoster } from '../../../ingest/roster/roster.ts';
import { postgresPollRequests, requestPoll, waitingPollRequests } from '../../../log/postgres/poll-requests.ts';
import { SOURCES } from '../../../operations/sources.ts';
import { pollState } from '../../../projector/models/source-health-queries.ts';
import { sourceHealthModel } from '../../../projector/models/source-health-read-model.ts';
import { prepareReadModels } from '../../../projector/promote-build.ts';
import { ITEMS, POLLS } from '../../../schemas/poll.ts';
import { eventually } from '../../harness/eventually.ts';
import { sourceId } from '../../harness/ids.ts';
import { type Outlet, rss, startOutlet } from '../../ingest/poll/outlet.ts';
import { source } from '../../ingest/poll/polling.ts';
import { type Engine, testEngine } from '../../projector/engine.ts';
import { runCommand } from '../run-command.ts';

const clock = (): Date => new Date();

describe('sources poll and sources history', () => {
  let engine: Engine;
  let outlet: Outlet;
  let stop: AbortController;
  let running: Promise<unknown>[];
  beforeEach(async () => {
    engine = await testEngine();
    await prepareReadModels(engine.database, [sourceHealthModel()]);
    outlet = await startOutlet((request, response) =>
      request.headers['if-none-match'] === '"a"'
        ? response.writeHead(304).end()
        : response.setHeader('etag', '"a"').end(rss('<title>Story</title><link>https://a.in/1</link>')),
    );
    stop = new AbortController();
    running = [];
    await applyRoster(engine.store, [source('paper', outlet.url), source('quiet', outlet.url, { paused: true })], {
      by: 'test',
      why: 'test',
    });
  });
  afterEach(async () => {
    stop.abort();
    await Promise.allSettled(running);
    await outlet.close();
    await engine.close();
  });

  const clarity = (...words: string[]) => runCommand(SOURCES, ['sources', ...words], engine.url);
  const startPoller = (): void => {
    running.push(
      runPoller({
        store: engine.store,
        clock,
        logger: pino({ level: 'silent' }),
        signal: stop.signal,
        items: engine.topics.topic(ITEMS),
        polls: engine.topics.topic(POLLS),
        resume: (id) => pollState(engine.database, id),
        requests: postgresPollRequests(engine.database, clock),
        allowAddress: () => true,
      }),
    );
  };

  it('given a source that is not due for half an hour, when an operator polls it, then it is read now', async () => {
    const projector = engine.run([sourceHealthModel()]);
    startPoller();
    await eventually(() => expect(outlet.requests).toHaveLength(1));
    await eventually(async () => expect((await pollState(engine.database, sourceId('paper')))?.recent).toHaveLength(1));
    expect(await clarity('poll', 'paper')).toEqual({
      code: 0,
      output: 'paper: HTTP 304, 0 items, 0 new, 0 edited, 0 refused, 0 bytes\n',
    });
    expect(outlet.requests).toHaveLength(2);
    expect(JSON.parse((await clarity('poll', 'paper', '--json')).output)).toMatchObject({
      trigger: 'operator',
      http_status: 304,
    });
    await eventually(async () => expect((await pollState(engine.database, sourceId('paper')))?.recent).toHaveLength(3));
    expect(JSON.parse((await clarity('history', 'paper', '--json')).output)).toMatchObject([
      { trigger: 'schedule', http_status: 200, items_found: 1, items_new: 1, bytes: expect.any(Number), error: null },
      { trigger: 'operator', http_status: 304, bytes: 0 },
      { trigger: 'operator', http_status: 304 },
    ]);
    const { output } = await clarity('history', 'paper');
    expect(output).toMatch(/time +why +status +found +new/);
    expect(output).toMatch(/3 polls, 1 with new items, 2 times 304, 0 failed, \d+ bytes read/);
    await projector.stop();
  });

  it('given no poller, when an operator polls, then the request outlives the wait and is done by the next poller', async () => {
    expect(await clarity('poll', 'paper', '--wait', '1')).toMatchObject({
      code: 2,
      output: expect.stringMatching(/no poller has read paper within 1 s/),
    });
    expect(await waitingPollRequests(engine.database)).toMatchObject([{ source_id: 'paper' }]);
    startPoller();
    await eventually(async () => expect(await waitingPollRequests(engine.database)).toEqual([]));
    expect(outlet.requests.length).toBeGreaterThan(0);
  });

  it('given several requests for a source, then one is stored, the latest', async () => {
    const times = [0, 1, 2].map((minute) => new Date(Date.UTC(2026, 10, 21, 6, minute)));
    for (const time of times) await requestPoll(engine.database, sourceId('paper'), time);
    expect(await waitingPollRequests(engine.database)).toEqual([{ source_id: 'paper', requested_at: times.at(-1) }]);
  });

  it('given a source that nobody polls, then it says what to do first', async () => {
    expect(await clarity('poll', 'quiet')).toMatchObject({ code: 2, output: expect.stringMatching(/is paused/) });
    expect(await clarity('poll', 'nobody')).toMatchObject({ code: 2, output: expect.stringMatching(/no source has/) });
    expect(await clarity('history', 'nobody')).toMatchObject({ code: 2 });
  });
});
