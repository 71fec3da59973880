/** Writes rows that a build does not hold yet by COPY, several times faster than INSERT. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Model } from '../model.ts';
import { columnsOf, copyLine, type Rows, recordsOf } from './encode.ts';

const CHUNK = 64 * 1024;

function* chunks(lines: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const line of lines) {
    chunk += line;
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk) yield chunk;
}

/** Adds new rows to a build; to be called in a transaction. */
export async function copyRows<Row>(
  client: PoolClient,
  model: Model<Row>,
  build: string,
  rows: Rows<Row>,
): Promise<void> {
  if (rows.size === 0) return;
  for (const table of model.tables) {
    const columns = columnsOf(model, table);
    const target = client.query(copyFrom(`COPY ${build}.${table.name} (${columns}) FROM STDIN`));
    await pipeline(Readable.from(chunks(recordsOf(model, table, rows).map(copyLine))), target);
  }
}
