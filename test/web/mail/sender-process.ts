/**
 * A process that mails the brief of a day, or the digests that are due, which tests kill:
 * `node sender-process.ts DATABASE_URL SMTP_URL NOW brief|searches`.
 */
import { randomUUID } from 'node:crypto';
import { openDatabase } from '../../../log/postgres/database.ts';
import { postgresEventStore } from '../../../log/postgres/postgres-event-store.ts';
import { directoryOf } from '../../../schemas/directory.ts';
import { briefOfDay, sendRound, sendSearchRound } from '../../../web/mail/due-mails.ts';
import { mailServer, type RoundOptions } from '../../../web/mail/mail-rounds.ts';

const [, , databaseUrl = '', smtpUrl = '', moment = '', what = ''] = process.argv;
const database = openDatabase(databaseUrl, { max: 2 });
const now = new Date(moment);
const server = mailServer(smtpUrl);
const options: RoundOptions = {
  database,
  server,
  now: () => now,
  store: postgresEventStore(database),
  directory: directoryOf({ brands: [], themes: [] }),
  settings: { from: 'Clarity <brief@clarity.test>', baseUrl: 'http://clarity.test', demo: false },
  sender: randomUUID(),
  signal: new AbortController().signal,
  logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
  // After a kill, the next process knows here that the former one is dead.
  abandonedAfter: 0,
};
const count = what === 'brief' ? await sendRound(options, briefOfDay(now)) : await sendSearchRound(options);
process.stdout.write(JSON.stringify(count));
server.close();
await database.end();
