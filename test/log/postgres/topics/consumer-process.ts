/** A consumer in a process of its own, to be killed: prints each batch as a line of JSON after handling it. */
import { openDatabase } from '../../../../log/postgres/database.ts';
import { postgresTopics } from '../../../../log/postgres/topics/postgres-topics.ts';

const [url = '', topic = '', group = ''] = process.argv.slice(2);
const say = (line: unknown): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const controller = new AbortController();
process.once('SIGTERM', () => controller.abort());
const database = openDatabase(url, { max: 4 });
const topics = postgresTopics(database);
await topics.topic(topic).consume({
  group,
  batchSize: 5,
  signal: controller.signal,
  onAssigned: (partitions) => say({ assigned: partitions }),
  handle: async ({ messages }) => say({ handled: messages.map(({ key, event }) => ({ key, data: event.data })) }),
});
await topics.close();
await database.end();
