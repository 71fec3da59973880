/** Writes rows that a build does not hold yet by COPY, several times faster than INSERT. */
import { transcode } from 'node:buffer';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Model } from '../model.ts';
import { columnsOf, copyLines, type Rows } from './encode.ts';

/** Bytes of UTF-16 that are gathered before they are sent. */
const CHUNK = 128 * 1024;

/** Kept from one COPY to the next, because memory outside the heap is given back late; null while in use. */
let spare: Buffer | null = null;

/**
 * Lines as UTF-8 in larger pieces. They are gathered as UTF-16, which is how JavaScript holds text with a rupee sign in
 * it, and turned into UTF-8 at once: several times faster than line by line.
 */
function* chunks(lines: Iterable<string>): Generator<Buffer> {
  const gathered = spare ?? Buffer.allocUnsafeSlow(CHUNK);
  spare = null;
  let length = 0;
  for (const line of lines) {
    if (length + 2 * line.length > CHUNK) {
      if (length > 0) yield transcode(gathered.subarray(0, length), 'utf16le', 'utf8');
      length = 0;
    }
    if (2 * line.length > CHUNK) yield Buffer.from(line);
    else length += gathered.write(line, length, 'utf16le');
  }
  if (length > 0) yield transcode(gathered.subarray(0, length), 'utf16le', 'utf8');
  spare = gathered;
}

/**
 * Adds new rows to a build; to be called in the transaction that made or emptied its tables: the rows are frozen at
 * once, so that nothing has to visit them again before indexes alone can answer.
 */
export async function copyRows<Row>(
  client: ClientBase,
  model: Model<Row>,
  build: string,
  rows: Rows<Row>,
): Promise<void> {
  if (rows.size === 0) return;
  for (const table of model.tables) {
    const columns = columnsOf(model, table);
    const target = client.query(copyFrom(`COPY ${build}.${table.name} (${columns}) FROM STDIN WITH (FREEZE)`));
    await pipeline(Readable.from(chunks(copyLines(model, table, rows))), target);
  }
}
