/** A process that mails the brief of a day, to be killed: `node sender-process.ts DATABASE_URL SMTP_URL NOW`. */
import { randomUUID } from 'node:crypto';
import { openDatabase } from '../../log/postgres/database.ts';
import { directoryOf } from '../../schemas/directory.ts';
import { briefOfDay } from '../../web/brief-mail/due.ts';
import { sendRound } from '../../web/brief-mail/round.ts';
import { mailServer } from '../../web/brief-mail/smtp.ts';

const [, , databaseUrl = '', smtpUrl = '', moment = ''] = process.argv;
const database = openDatabase(databaseUrl, { max: 2 });
const now = new Date(moment);
const server = mailServer(smtpUrl);
const count = await sendRound(
  {
    ...{ database, server, now: () => now },
    directory: directoryOf({ brands: [], themes: [] }),
    settings: { from: 'Clarity <brief@clarity.test>', baseUrl: 'http://clarity.test', demo: false },
    sender: randomUUID(),
    signal: new AbortController().signal,
    report: () => undefined,
  },
  briefOfDay(now),
);
process.stdout.write(JSON.stringify(count));
server.close();
await database.end();
