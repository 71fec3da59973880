/** The examples of docs/adding.md work as described there. */

import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readItems } from '../../ingest/poll/normalise/read-items.ts';
import { PollError } from '../../ingest/poll/poll-error.ts';
import { createNameLookup } from '../../mcp/tool.ts';
import { liveBuild } from '../../projector/model-builds.ts';
import { waitForPosition } from '../../projector/model-progress.ts';
import { postgresSearch } from '../../projector/models/search-queries.ts';
import { signalStream } from '../../schemas/signal.ts';
import { eventually } from '../harness/eventually.ts';
import { openAccess } from '../harness/open-access.ts';
import { type Engine, testEngine } from '../projector/engine.ts';
import { detected, held, idOf, understanding } from '../projector/signal-events.ts';
import { dealsModel } from './deals/deals-read-model.ts';
import { dealRoutes } from './route.ts';
import { readLines } from './source-kind.ts';
import { latestDeals } from './tool.ts';

let engine: Engine;
const deal = { type: 'funding', amount: '₹40 Cr', target: 'Kiri Foods', buyers: [] } as const;
const ANSWER = [{ slug: 'slug-kiri', type: 'funding', amount: '₹40 Cr', target: 'Kiri Foods' }];

beforeAll(async () => {
  engine = await testEngine();
  const model = dealsModel();
  engine.run([model]);
  await eventually(async () => expect((await liveBuild(engine.database, 'deals'))?.version).toBe(model.version));
  const acquisition = (name: string) =>
    detected(name, { understanding: understanding({ deal: { ...deal, buyers: [] } }) });
  for (const event of [acquisition('kiri'), acquisition('doubtful'), held('doubtful')])
    await engine.add(signalStream(event.data.signal_id), event);
  await engine.add(signalStream(idOf('other')), detected('other'));
  await waitForPosition(engine.database, 'deals', await engine.store.head(), 10_000);
});
afterAll(() => engine.close());

describe('the examples', () => {
  it('given the route, over the read model, then it serves only public deals and names a wrong parameter', async () => {
    const server = Fastify();
    dealRoutes(server, { database: engine.database, authorise: openAccess().authorise });
    expect((await server.inject('/api/v1/deals')).json()).toEqual({ deals: ANSWER });
    expect((await server.inject('/api/v1/deals?limt=5')).body).toContain('limt');
    await server.close();
  });

  it('given the tool, then it returns the result of the same query', async () => {
    const known = createNameLookup({ brands: [], themes: [], groups: [], cities: [], malls: [] });
    const { database } = engine;
    const own = { database, search: postgresSearch(database), baseUrl: 'http://clarity.test', now: engine.clock };
    const context = { ...known, ...own };
    const caller = await openAccess().identify({}, '');
    if ('code' in caller) throw new Error('nobody');
    const { text, structured } = await latestDeals.run({ ...context, args: { limit: 5 }, caller });
    expect(structured.deals).toEqual(ANSWER);
    expect(text).toContain('funding: Kiri Foods, ₹40 Cr');
  });

  it('given the source kind and an invalid line, then only this line is skipped', () => {
    const { entries } = readLines(
      '2026-11-21\tOne opens\t/1\nnonsense\n\tTwo opens\tjavascript:x',
      'http://outlet.example.in/',
    );
    expect(
      readItems(entries, 'http://outlet.example.in/', new Date('2026-11-21T06:00:00Z')).items.map(({ title }) => title),
    ).toEqual(['One opens']);
    expect(() => readLines('<html>', 'http://outlet.example.in/')).toThrow(PollError);
  });
});
