import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MATCH_GROUP } from '../../../ingest/match/matcher.ts';
import { readAgain } from '../../../ingest/read-again.ts';
import { openStoredReadings, storedClaims } from '../../../ingest/understand/stored-readings.ts';
import { createUnderstander, runUnderstand, UNDERSTAND_GROUP } from '../../../ingest/understand/understander.ts';
import type { LanguageModel } from '../../../log/language-model.ts';
import { consumeToEnd } from '../../../log/topic.ts';
import { messagesIn, publishItems, runToEnd, type TestLog, testLog } from '../../harness/log.ts';
import { itemFound, newsItem } from '../../projector/item-events.ts';
import { logger } from '../match/trackers.ts';
import { smallCatalogue } from './small-catalogue.ts';

let log: TestLog;
beforeEach(async () => {
  log = await testLog();
});
afterEach(() => log.close());

/** A model that says the same of each item; nothing while it is unavailable. */
function modelThat(says: object): LanguageModel & { calls: number; isAvailable: boolean } {
  const model = {
    name: 'm',
    calls: 0,
    isAvailable: true,
    async call(_: unknown, given: unknown) {
      model.calls += 1;
      if (!model.isAvailable) return null;
      const { items } = given as { items: { n: number }[] };
      return { answer: { items: items.map(({ n }) => ({ n, ...says })) }, cost_usd: 0 };
    },
  };
  return model as unknown as LanguageModel & { calls: number; isAvailable: boolean };
}
const DEAL = {
  relevant: true,
  move: 'deals',
  primary: ['Flumo'],
  secondary: [],
  cities: [],
  delta: null,
  openings: [],
  people: [],
  results: [],
  deals: [{ type: 'funding', amount: null, target: 'Flumo', buyers: [], status: null, words: 'Flumo' }],
  enforcement: [],
  prices: [],
};
const understander = createUnderstander(smallCatalogue, null);
const DOUBTFUL = 'Flumo gets a lift from its early backers';

describe('items that a language model reads', () => {
  test('given uncertain items, then each is read once, and its story says what was read', async () => {
    const model = modelThat(DEAL);
    const claims = storedClaims(log.database);
    const readings = openStoredReadings({ database: log.database, model, reads: 'all', understander });
    await publishItems(log.items, itemFound(newsItem(DOUBTFUL)));
    const consume = (): Promise<void> =>
      runToEnd(log.items, UNDERSTAND_GROUP, (signal) =>
        runUnderstand({ ...log, understander: { ...understander, claims }, readings, logger, signal }),
      );
    await consume();
    const stories = await messagesIn(log.stories);
    expect(stories.map(({ data }) => data)).toMatchObject([
      { understanding: { move: 'deals', deal: { type: 'funding', target: 'Flumo' } } },
    ]);
    // A batch that comes again asks nobody.
    await log.database.query(`UPDATE log.topic_group SET next_offset = 0`);
    await consume();
    expect(model.calls).toBe(1);
  });

  test('given a provider that is unavailable, then the item waits, and is understood again when it is there', async () => {
    const model = modelThat(DEAL);
    model.isAvailable = false;
    const readings = openStoredReadings({ database: log.database, model, reads: 'all', understander });
    const event = itemFound(newsItem(DOUBTFUL));
    await publishItems(log.items, event);
    expect(await readings.readAhead([event])).toBe(0);
    expect(await readings.waiting(10)).toEqual([event.id]);

    // As noise, by the local readers.
    const { signal } = new AbortController();
    await consumeToEnd(log.items, { group: UNDERSTAND_GROUP, handle: async () => undefined, signal });
    const options = {
      ...log,
      readings,
      understander: { ...understander, claims: storedClaims(log.database) },
      logger,
      clock: () => new Date('2026-07-20T08:00:00Z'),
      signal,
    };
    expect(await readAgain(options)).toBeNull();
    model.isAvailable = true;
    expect(await readAgain(options)).toMatchObject({ stories: 1 });
    expect(await log.stories.lag(MATCH_GROUP)).toBe(1n);
    expect(await readAgain(options)).toBeNull();
    expect(await readings.waiting(10)).toEqual([]);
  });

  test('given an item that the topic no longer has, then it waits no longer', async () => {
    const model = modelThat(DEAL);
    model.isAvailable = false;
    const readings = openStoredReadings({ database: log.database, model, reads: 'all', understander });
    const event = itemFound(newsItem(DOUBTFUL));
    await readings.readAhead([event]);
    const { signal } = new AbortController();
    await readAgain({ ...log, readings, understander, logger, clock: () => new Date(), signal });
    expect(await readings.waiting(10)).toEqual([]);
  });
});
