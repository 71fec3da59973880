/**
 * A process that calls for one account until it is refused for two seconds, then gives back its leases and ends. It writes a
 * byte to a file for each call that is accepted: what was written is known after a kill too.
 * Arguments: address of the database, name of the account, calls a day, calls at once, file.
 */
import { openSync, writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { charge, settleLeases } from '../../../access/quota/charge.ts';
import { openDatabase } from '../../../log/postgres/database.ts';
import { day } from './windows.ts';

const [url = '', whose = '', max = '', atOnce = '', file = ''] = process.argv.slice(2);
const database = openDatabase(url, { max: 4 });
const written = openSync(file, 'a');
const windows = [day(whose, Number(max))];
const REFUSED = 2_000;

let last = performance.now();
await Promise.all(
  Array.from({ length: Number(atOnce) }, async () => {
    while (performance.now() - last < REFUSED) {
      const { fits } = await charge(database, windows);
      if (fits) {
        writeSync(written, '.');
        last = performance.now();
      }
      await pause(fits ? 1 : 20);
    }
  }),
);
await settleLeases(database);
await database.end();
