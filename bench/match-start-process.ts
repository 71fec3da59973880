/** The process that the bench of matching watches: a matcher that fills its window from the event store. */
import pino from 'pino';
import { openTracker } from '../ingest/match/tracker.ts';
import { openDatabase } from '../log/postgres/database.ts';
import { postgresEventStore } from '../log/postgres/event-store.ts';

const [url = ''] = process.argv.slice(2);
const database = openDatabase(url, { name: 'bench match' });
const store = postgresEventStore(database);
const tracker = openTracker(store, pino({ level: 'silent' }));
const started = performance.now();
await tracker.catchUp();
const seconds = (performance.now() - started) / 1000;
process.stdout.write(`${JSON.stringify({ seconds, held: tracker.window.size })}\n`);
await store.close();
await database.end();
