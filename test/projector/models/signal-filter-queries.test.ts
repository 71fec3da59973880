/** Search and lists on PostgreSQL. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgresSearch } from '../../../projector/models/search-queries.ts';
import type { Engine } from '../engine.ts';
import { NOW, searchContract, searchedEngine } from './search-contract.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await searchedEngine();
}, 60_000);
afterAll(() => engine.close());

searchContract(() => postgresSearch(engine.database));

it('given more signals than are counted, then the newest are, and it says so', async () => {
  const counted = postgresSearch(engine.database).facets({}, { now: NOW, values: 2, maximum: 20 });
  expect(await counted).toMatchObject({ total: 20, isCut: true });
});
