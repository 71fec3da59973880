import { pino } from 'pino';
import { runMatcher } from '../ingest/match/matcher.ts';
import { postgresDeadLetters } from '../log/dead-letters.ts';
import { openDatabase } from '../log/postgres/database.ts';
import { postgresEventStore } from '../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../log/postgres/topics/postgres-topics.ts';
import { STORIES } from '../schemas/story.ts';

/** `ready` when it owns its partitions; `seconds` of processor time from SIGUSR2, when it is warm, to its end. */
interface MatcherLine {
  readonly ready: boolean;
  readonly seconds: number;
}

/** Matches until the signal aborts. */
async function matchingUntil(url: string, signal: AbortSignal, log: (line: MatcherLine) => void): Promise<void> {
  const database = openDatabase(url, { name: 'bench match' });
  const [store, topics] = [postgresEventStore(database), postgresTopics(database)];
  const stories = topics.topic(STORIES);
  let ready = false;
  let begun: NodeJS.CpuUsage | undefined;
  process.once('SIGUSR2', () => {
    begun = process.cpuUsage();
  });
  await runMatcher({
    store,
    deadLetters: postgresDeadLetters(database),
    stories: {
      ...stories,
      consume: (options) =>
        stories.consume({
          ...options,
          onAssigned: async (partitions) => {
            await options.onAssigned?.(partitions);
            if (!ready) log({ ready: true, seconds: 0 });
            ready = true;
          },
        }),
    },
    logger: pino({ level: 'silent' }),
    signal,
  });
  const { user, system } = process.cpuUsage(begun);
  log({ ready: false, seconds: (user + system) / 1e6 });
  await Promise.all([store.close(), topics.close()]);
  await database.end();
}

const [url = ''] = process.argv.slice(2);
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
await matchingUntil(url, stop.signal, (line) => process.stdout.write(`${JSON.stringify(line)}\n`));
