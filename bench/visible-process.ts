/** A separate projector, until it is stopped. */
import { eventStoreDb } from '../log/eventstore/eventstore-adapter.ts';
import { kafkaTopics } from '../log/kafka/kafka-topics.ts';
import { openDatabase } from '../log/postgres/database.ts';
import { postgresEventStore } from '../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../log/postgres/topics/postgres-topics.ts';
import { readModels } from '../projector/models/all-read-models.ts';
import { runProjector } from '../projector/run-projector.ts';

const [url = '', storeUrl, brokers] = process.argv.slice(2);
const database = openDatabase(url, { name: 'bench project' });
const store = storeUrl ? await eventStoreDb({ url: storeUrl }) : postgresEventStore(database);
const topics = brokers
  ? await kafkaTopics({ brokers: brokers.split(','), clientId: 'clarity-bench-project' })
  : postgresTopics(database);
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
const quiet = (): undefined => undefined;
const logger = { info: quiet, warn: quiet, error: quiet };
const models = readModels({ baseUrl: 'http://localhost:8080' });
await runProjector({ models, database, store, topics, logger, signal: stop.signal });
await Promise.all([store.close(), topics.close()]);
await database.end();
