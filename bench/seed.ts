/** Fills an empty event store fast, past its append: what is measured is reading it. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { encodeEvent } from '../log/encode.ts';
import { asciiJson } from '../log/postgres/ascii.ts';
import { type Database, transaction } from '../log/postgres/database.ts';
import type { Written } from './history.ts';

const CHUNK = 64 * 1024;

function* lines(history: Iterable<Written>): Generator<string> {
  let chunk = '';
  let position = 0;
  for (const { stream, revision, event } of history) {
    const body = asciiJson(encodeEvent(event)).replaceAll('\\', '\\\\');
    chunk += `${++position}\t${stream}\t${revision}\t${event.id}\t${body}\n`;
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

/** Writes a history into `log.event`, positions from 1 on. */
export async function seedEvents(database: Database, history: Iterable<Written>): Promise<void> {
  await transaction(database, async (client) => {
    const target = client.query(copyFrom('COPY log.event (position, stream, revision, id, body) FROM STDIN'));
    await pipeline(Readable.from(lines(history)), target);
    await client.query(`SELECT setval('log.event_position', (SELECT max(position) FROM log.event))`);
  });
  await database.query('VACUUM ANALYZE log.event');
}
