/** A matcher in a process of its own, to be killed: `node matcher-process.ts postgres://…`. It writes a line once it owns the match. */
import { pino } from 'pino';
import { supervise } from '../../../bin/supervise.ts';
import { runMatcherAsOwner } from '../../../ingest/match/matcher.ts';
import { postgresSignalIndex } from '../../../ingest/match/signal-index.ts';
import { postgresDeadLetters } from '../../../log/dead-letters.ts';
import { openDatabase } from '../../../log/postgres/database.ts';
import { postgresEventStore } from '../../../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../../../log/postgres/topics/postgres-topics.ts';
import { STORIES } from '../../../schemas/story.ts';

const database = openDatabase(process.argv[2] ?? '', { name: 'matcher' });
const logger = pino({ level: 'info' }, pino.destination({ dest: 1, sync: true }));
const part = async (signal: AbortSignal): Promise<void> =>
  runMatcherAsOwner(database, {
    stories: postgresTopics(database).topic(STORIES),
    store: postgresEventStore(database),
    deadLetters: postgresDeadLetters(database),
    index: await postgresSignalIndex(database),
    // Less than the test has signals: most of what a story is compared with is in the index.
    capacity: 3,
    logger,
    signal,
  });
// As in the service: a matcher that lost its lock becomes a standby.
await supervise('match', part, logger, new AbortController().signal);
