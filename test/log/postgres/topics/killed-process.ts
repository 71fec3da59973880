/**
 * Changes the tables of the topics in a process of its own, which kills itself at a step: `node killed-process.ts trim
 * postgres://… 12`. A step is a statement. At an odd number it dies before it, at an even one right after it was sent.
 */
import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import { type Database, migrateLog, openDatabase } from '../../../../log/postgres/database.ts';
import { planRetention, trimTopics } from '../../../../log/postgres/topics/topic-retention.ts';

const [work = '', url = '', last = ''] = process.argv.slice(2);
const end = Number(last);
const die = (): void => void process.kill(process.pid, 'SIGKILL');

let steps = 0;
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (this: pg.Client, ...words: unknown[]) {
  steps += 1;
  if (steps === end && end % 2 === 1) die();
  const result = Reflect.apply(query, this, words);
  if (steps === end) void setImmediate().then(die);
  return result;
} as typeof query;

const later = new Date('2100-01-01');
const { signal } = new AbortController();
const WORK: Readonly<Record<string, (database: Database) => Promise<unknown>>> = {
  migrate: migrateLog,
  trim: async (database) =>
    trimTopics(database, await planRetention(database, { before: () => later, abandonedBefore: later }), {
      signal,
    }),
};
const database = openDatabase(url, { name: 'killed' });
await WORK[work]?.(database);
await database.end();
