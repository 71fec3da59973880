/** A matcher in a process of its own, to be killed: `node matcher-process.ts postgres://…`. */
import { pino } from 'pino';
import { runMatcher } from '../../../ingest/match/matcher.ts';
import { postgresSignalIndex } from '../../../ingest/match/signal-index.ts';
import { postgresDeadLetters } from '../../../log/dead-letters.ts';
import { openDatabase } from '../../../log/postgres/database.ts';
import { postgresEventStore } from '../../../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../../../log/postgres/topics/postgres-topics.ts';
import { STORIES } from '../../../schemas/story.ts';

const database = openDatabase(process.argv[2] ?? '', { name: 'matcher' });
await runMatcher({
  stories: postgresTopics(database).topic(STORIES),
  store: postgresEventStore(database),
  deadLetters: postgresDeadLetters(database),
  index: await postgresSignalIndex(database),
  // Less than the test has signals: most of what a story is compared with is in the index.
  capacity: 3,
  logger: pino({ level: 'warn' }, pino.destination(2)),
  signal: new AbortController().signal,
});
