/** /operate/pipeline over the real measurements and rebuilds of the process of the pages. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresDeadLetters } from '../../log/dead-letters.ts';
import { createBuild, liveBuild, openSession } from '../../projector/model-builds.ts';
import { recordRebuild } from '../../projector/model-progress.ts';
import { namesModel } from '../../projector/models/names-read-model.ts';
import { detected, report } from '../projector/signal-events.ts';
import { OPERATOR, type SignedIn, type SigningIn } from './people/signing-in.ts';
import { withDesk } from './pipeline.desk.ts';

describe('/operate/pipeline', () => {
  let people: SigningIn;
  let olga: SignedIn;
  const text = async (id: string): Promise<string> =>
    (await olga.open('/operate/pipeline')).$(`#${id}`).text().replace(/\s+/g, ' ');

  beforeAll(async () => {
    people = await withDesk(['names', 'review', 'audit', 'audit_actors'], {
      LLM_BASE_URL: 'http://model.test',
      LLM_MODEL: 'small',
      LLM_BUDGET: '4',
    });
    olga = await people.signIn(OPERATOR);
    const times = {
      published_at: '2026-11-20T03:50:00Z',
      first_seen_at: '2026-11-20T04:20:00Z',
      found_at: '2026-11-20T04:20:00Z',
    };
    await people.site.append({ ...detected('kiri', { report: report('kiri', times) }), time: '2026-11-20T04:20:30Z' });
  });
  afterAll(() => people.close());

  it('then it has the delay of each step by recorded times', async () => {
    const delay = await text('delay');
    expect(delay).toContain('1 signal of the last 7 days');
    expect(delay).toMatch(/a poll finds it ?30 minutes ?30 minutes/);
    expect(delay).toMatch(/matched and public ?30 seconds/);
  });

  it('then it has backlogs, read models, spend and connections under the names of the metrics', async () => {
    expect(await text('backlog')).toMatch(/understand ?items ?0/);
    expect(await text('models')).toMatch(/names ?[0-9a-f]{12} ?0/);
    expect(await text('models')).toContain('not built');
    expect(await text('spend')).toContain('$0.00 of $4.00');
    expect(await text('connections')).toMatch(/This process: \d+ used, \d+ idle, 0 waiting, at most \d+/);
    expect(await text('mail')).toContain('No mails today');
    for (const name of ['clarity_consumer_lag_seconds', 'clarity_model_lag', 'clarity_model_spend_usd'])
      expect((await olga.open('/operate/pipeline')).$('main').text()).toContain(name);
  });

  it('given skipped messages and parked events, then each has its number, its newest cause and the way to retry', async () => {
    const { database } = people.site.engine;
    expect(await text('skipped')).toContain('Nothing was skipped or parked');
    await postgresDeadLetters(database).add('understand', 'items', {
      message_id: 'item-1',
      partition: 0,
      message_offset: 7n,
      key: 'one',
      type: 'ItemFound',
      kind: 'defect',
      error: 'TypeError: <b>no title</b>',
      attempts: 8,
      body: '{"title":null}',
    });
    await database.query(
      `INSERT INTO projector.parked (model, event_id, type, input, event, error, build)
       VALUES ('names', 'event-1', 'SignalDetected', 'polls/3', '{}', 'it does not fit', NULL)`,
    );
    const skipped = await text('skipped');
    expect(skipped).toMatch(/names ?1 ?it does not fit ?Retry or drop/);
    expect(skipped).toMatch(/understand, items, defect ?1 ?TypeError: <b>no title<\/b>/);
    await database.query('DELETE FROM projector.parked');
  });

  it('given a rebuild, then the model is rebuilt and live, the page says so, and the audit log who started it', async () => {
    const { database } = people.site.engine;
    const before = await liveBuild(database, 'names');
    const started = await olga.send('/operate/pipeline', '/operate/pipeline/rebuild', { model: 'names' });
    expect([started.status, started.headers.get('location')]).toEqual([303, '/operate/pipeline#models']);
    // Other models may have been rebuilt before: the page alone does not say that this one was.
    const live = () => liveBuild(database, 'names');
    await expect.poll(async () => (await live())?.name).not.toBe(before?.name);
    expect((await live())?.version).toBe(before?.version);
    await expect.poll(() => text('models')).toContain('rebuilt in');
    await expect
      .poll(async () => (await olga.open('/operate/audit')).$('tbody').text())
      .toMatch(new RegExp(`${OPERATOR}\\s*model rebuilt\\s*names`));
    expect((await olga.send('/operate/pipeline', '/operate/pipeline/rebuild', { model: 'nothing' })).status).toBe(400);
  });

  it('given a rebuild in another process, then its progress is shown and none is started; when it dies, that is', async () => {
    const { engine } = people.site;
    // Another process is another session: its lock on the build is what says that it lives.
    const other = await openSession(engine.database);
    const record = await recordRebuild(engine, await createBuild(other, namesModel()));
    const about = { model: 'names', phase: 'folding', done: 1, total: 4, events: 120 } as const;
    record.show({ ...about, per_second: 60, seconds_left: 90 });
    await expect.poll(() => text('models')).toMatch(/folding, 25 %, 60 events a second, 90 seconds left, in/);
    expect((await olga.open('/operate/pipeline')).$('meta[http-equiv="refresh"]')).toHaveLength(1);
    const refused = await olga.send('/operate/pipeline', '/operate/pipeline/rebuild', { model: 'review' });
    expect(refused.status).toBe(400);
    await other.end();
    await expect.poll(() => text('models')).toContain('interrupted at 25 %');
    expect((await olga.open('/operate/pipeline')).$('meta[http-equiv="refresh"]')).toHaveLength(0);
    await record.end(null);
  });
});
