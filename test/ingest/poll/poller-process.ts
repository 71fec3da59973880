/** A poller in a separate process, for tests that kill it: `node poller-process.ts DATABASE_URL`. */
import pino from 'pino';
import { runPoller } from '../../../ingest/poll/poller.ts';
import { openDatabase } from '../../../log/postgres/database.ts';
import { postgresEventStore } from '../../../log/postgres/postgres-event-store.ts';
import { postgresGroup } from '../../../log/postgres/topics/consumer-group.ts';
import { postgresTopics } from '../../../log/postgres/topics/postgres-topics.ts';
import { ITEMS, POLLS } from '../../../schemas/poll.ts';

const [url = '', name = ''] = process.argv.slice(2);
const database = openDatabase(url);
const topics = postgresTopics(database);
await runPoller({
  store: postgresEventStore(database),
  items: topics.topic(ITEMS),
  polls: topics.topic(POLLS),
  group: postgresGroup(database, 'pollers'),
  resume: async () => null,
  clock: () => new Date(),
  logger: pino({ level: 'silent' }),
  signal: new AbortController().signal,
  allowAddress: () => true,
  contact: name,
});
