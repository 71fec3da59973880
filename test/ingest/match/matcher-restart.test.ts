/** PostgreSQL becomes unreachable for a running matcher: the embedded server crashes and restarts. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { handleStory } from '../../../ingest/match/handle-story.ts';
import { MATCH_GROUP, runMatcher } from '../../../ingest/match/matcher.ts';
import { Tracker } from '../../../ingest/match/signal-tracker.ts';
import { postgresDeadLetters } from '../../../log/dead-letters.ts';
import { migrateLog, openDatabase } from '../../../log/postgres/database.ts';
import { startEmbeddedPostgres } from '../../../log/postgres/embedded/embedded-postgres.ts';
import { postgresEventStore } from '../../../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../../../log/postgres/topics/postgres-topics.ts';
import { SIGNAL_PREFIX } from '../../../schemas/signal.ts';
import { STORIES } from '../../../schemas/story.ts';
import { eventually } from '../../harness/eventually.ts';
import { memoryStore } from './memory-store.ts';
import { storyEvent } from './stories.ts';

const logger = pino({ level: 'silent' });
const BRANDS = ['Anaya Silks', 'Brewbarn', 'Mithila Sweets', 'Tallgrass', 'Kumbh Naturals', 'Orangery', 'Saanvi Looms'];
const NEWS = BRANDS.flatMap((brand) =>
  [`${brand} raises ₹42 crore from Kestrel Capital`, `${brand} bags Rs 42 Cr led by Kestrel Capital`].map(
    (title, index) => storyEvent({ brand, title, outlet: `Outlet ${index}`, understanding: { move: 'deals' } }),
  ),
);

async function undisturbed(): Promise<string[]> {
  const store = memoryStore();
  const tracker = new Tracker(store, logger);
  await tracker.catchUp();
  for (const story of NEWS) await handleStory(tracker, store, story);
  return store.events
    .filter(({ stream }) => stream.startsWith(SIGNAL_PREFIX))
    .map(({ id }) => id)
    .sort();
}

/** Kills the postmaster; the supervisor of the embedded server starts another at the same port. */
async function crash(dataDir: string): Promise<void> {
  const [postmaster = ''] = (await readFile(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(postmaster), 'SIGKILL');
  await eventually(async () => {
    const [next = ''] = (await readFile(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8')).split('\n');
    expect(next).not.toBe(postmaster);
  });
}

describe('a matcher whose PostgreSQL crashes', () => {
  it('given stories before, while and after, then it ends as if nothing had happened', {
    timeout: 60_000,
  }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'clarity-match-'));
    const server = await startEmbeddedPostgres({ dataDir: folder, settings: { fsync: 'off' } });
    const database = openDatabase(server.url);
    await migrateLog(database);
    const [store, topics] = [postgresEventStore(database), postgresTopics(database)];
    const stories = topics.topic(STORIES);
    const stop = new AbortController();
    const running = runMatcher({
      stories,
      store,
      logger,
      signal: stop.signal,
      deadLetters: postgresDeadLetters(database),
    });
    // A publisher of the service tries again too; publishing a story twice is one story.
    const publish = (some: typeof NEWS): Promise<void> =>
      eventually(() =>
        stories.publish(some.map((event) => ({ key: event.data.understanding.brands[0]?.slug ?? '', event }))),
      );
    const lag = (wanted: bigint): Promise<void> =>
      eventually(async () => expect(await stories.lag(MATCH_GROUP)).toBe(wanted));
    try {
      await publish(NEWS.slice(0, 5));
      await lag(0n);
      await publish(NEWS.slice(5, 9));
      await crash(server.dataDir);
      await publish(NEWS.slice(9));
      await lag(0n);
      const { events } = await store.readAll({ after: 0n, prefixes: [SIGNAL_PREFIX], limit: 1_000 });
      expect(events.map(({ id }) => id).sort()).toEqual(await undisturbed());
      stop.abort();
      await running;
    } finally {
      stop.abort();
      await topics.close();
      await store.close();
      await database.end();
      await server.stop();
      for (const path of [folder, server.dataDir]) await rm(path, { recursive: true, force: true });
    }
  });
});
