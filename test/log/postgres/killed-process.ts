/**
 * Changes the tables of the logs in a process of its own, which kills itself at a step:
 * `node killed-process.ts archive postgres://… file:///… 12`. `restore` is the command itself, `clarity events restore`.
 * A step is a statement or a request to the object store. At an odd number it dies before it, at an even one right after it
 * was sent.
 */
import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import { type ObjectStore, openObjectStore } from '../../../log/archive/object-store.ts';
import { type Database, migrateLog, openDatabase } from '../../../log/postgres/database.ts';
import { archiveEvents } from '../../../log/postgres/event-partitions.ts';
import { planRetention, trimTopics } from '../../../log/postgres/topics/topic-retention.ts';

const [work = '', url = '', folder = '', last = ''] = process.argv.slice(2);
const end = Number(last);
const die = (): void => void process.kill(process.pid, 'SIGKILL');

let steps = 0;
/** What a command does when it starts is not counted. */
let counts = work !== 'restore';
/** Counts a step. */
function step<Result>(take: () => Result): Result {
  if (!counts) return take();
  steps += 1;
  if (steps === end && end % 2 === 1) die();
  const result = take();
  if (steps === end) void setImmediate().then(die);
  return result;
}

const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (this: pg.Client, ...words: unknown[]) {
  counts ||= String(words[0]).includes('log.archived_object');
  return step(() => Reflect.apply(query, this, words));
} as typeof query;

const inner = openObjectStore(folder, { AWS_REGION: 'us-east-1' });
const objects: ObjectStore = {
  put: (name, content) => step(() => inner.put(name, content)),
  get: (name) => step(() => inner.get(name)),
  list: (prefix) => inner.list(prefix),
};
const later = new Date('2100-01-01');
const { signal } = new AbortController();
const WORK: Readonly<Record<string, (database: Database) => Promise<unknown>>> = {
  archive: (database) => archiveEvents({ database, objects, before: later, signal }),
  migrate: migrateLog,
  trim: async (database) =>
    trimTopics(database, await planRetention(database, { before: () => later, abandonedBefore: later }), {
      signal,
    }),
};
if (work === 'restore') {
  // The test runner sets a BASE_URL of its own.
  Object.assign(process.env, { DATABASE_URL: url, ARCHIVE_URL: folder, LOG_LEVEL: 'silent', BASE_URL: '' });
  process.argv.splice(2, Infinity, 'events', 'restore', '--from', '0', '--to', '999999', '--json');
  await import('../../../bin/clarity.ts');
} else {
  const database = openDatabase(url, { name: 'killed' });
  await WORK[work]?.(database);
  await database.end();
}
