/**
 * The process that the bench of matching watches: a matcher that makes the index of all signals from the event store,
 * starts again from it, and searches it for the stories that come next.
 */
import pino from 'pino';
import { match } from '../ingest/match/match-story.ts';
import { postgresSignalIndex } from '../ingest/match/signal-index.ts';
import { openTracker } from '../ingest/match/signal-tracker.ts';
import { openDatabase } from '../log/postgres/database.ts';
import { postgresEventStore } from '../log/postgres/postgres-event-store.ts';
import { type KnownEvent, readEvent } from '../schemas/events.ts';
import type { Story } from '../schemas/story.ts';
import { signalHistory } from './generated-history.ts';

/** Before these as many others warm up. */
const STORIES = 4_000;
/** Stories in hand at once, as in the matcher. */
const AT_ONCE = 64;
const [url = '', events = '0', capacity = '60000'] = process.argv.slice(2);
const database = openDatabase(url, { name: 'bench match', max: 16 });
const store = postgresEventStore(database);
const index = await postgresSignalIndex(database);
const open = () => openTracker(store, pino({ level: 'silent' }), { index, capacity: Number(capacity) });
const timed = async (work: () => Promise<void>): Promise<number> => {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
};

const first = open();
const indexing = await timed(async () => {
  await first.catchUp();
  await first.save();
});
const tracker = open();
const seconds = await timed(() => tracker.catchUp());

const isDetected = (event: KnownEvent): event is KnownEvent<'SignalDetected'> => event.type === 'SignalDetected';
const stories: Story[] = [];
let passed = 0;
for (const { event } of signalHistory(Number.MAX_SAFE_INTEGER)) {
  if (++passed <= Number(events) || event.type !== 'SignalDetected') continue;
  const known = readEvent(event);
  if (!isDetected(known)) continue;
  const { report, understanding, understood_by } = known.data;
  stories.push({ item: { ...report, role: 'news', language: 'en' }, understanding, understood_by });
  if (stories.length === 2 * STORIES) break;
}

async function matchAll(some: readonly Story[]): Promise<void> {
  const waiting = some[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const story of waiting) {
        const features = tracker.features(story);
        await tracker.ofItem(story.item);
        match(story, features, await tracker.near(features));
      }
    }),
  );
}

await matchAll(stories.slice(0, STORIES));
const begun = process.cpuUsage();
const took = await timed(() => matchAll(stories.slice(STORIES)));
const { user, system } = process.cpuUsage(begun);
const { rows } = await database.query<{ signals: number; bytes: number }>(
  `SELECT (SELECT count(*) FROM match.signal)::int AS signals,
    (SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c WHERE c.relnamespace = 'match'::regnamespace
      AND c.relkind = 'r')::float8 AS bytes`,
);
process.stdout.write(
  `${JSON.stringify({
    ...{ indexing, seconds, held: tracker.window.size, indexed: rows[0]?.signals ?? 0, bytes: rows[0]?.bytes ?? 0 },
    ...{ perSecond: STORIES / took, microseconds: (user + system) / STORIES },
  })}\n`,
);
await store.close();
await database.end();
