/** The process that the bench of rebuilding watches: one read model replayed and swapped in, as `clarity replay` does. */
import { openDatabase } from '../log/postgres/database.ts';
import { postgresEventStore } from '../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../log/postgres/topics/postgres-topics.ts';
import { readModels } from '../projector/models/all-read-models.ts';
import { prepareReadModels } from '../projector/promote-build.ts';
import { yieldProcessToReaders } from '../projector/rebuild/fill-build.ts';
import { replay } from '../projector/rebuild/replay-model.ts';
import type { RebuildLine } from './rebuild-bench.ts';

const SAMPLE_MILLISECONDS = 100;

yieldProcessToReaders();
const [url = '', name = ''] = process.argv.slice(2);
const database = openDatabase(url, { name: 'bench rebuild' });
const [store, topics] = [postgresEventStore(database), postgresTopics(database)];
const models = readModels({ baseUrl: 'http://localhost:8080' });
const model = models.find((one) => one.name === name);
if (!model) throw new Error(`no read model is called ${name}`);
await prepareReadModels(database, models);

const write = (line: RebuildLine): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const sample = setInterval(() => write({ resident_bytes: process.memoryUsage.rss() }), SAMPLE_MILLISECONDS);
const quiet = (): undefined => undefined;
const logger = { info: quiet, warn: quiet, error: quiet };
const started = performance.now();
let folded = started;
await replay({
  ...{ model, database, store, topics, logger, clock: () => new Date(), signal: new AbortController().signal },
  onProgress: ({ phase }) => {
    if (phase === 'indexing') folded = performance.now();
  },
});
const ended = performance.now();
clearInterval(sample);
write({
  folding_seconds: (folded - started) / 1_000,
  indexing_seconds: (ended - folded) / 1_000,
  peak_bytes: process.resourceUsage().maxRSS * 1_024,
});
await Promise.all([store.close(), topics.close()]);
await database.end();
