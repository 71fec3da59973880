/**
 * Prints the encoder's input for items on standard input, one JSON object a line: `node list-tokens.ts VOCABULARY`.
 * Training reads texts by way of this, so that it sees them exactly as the service does.
 */

import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { createEncoderTokeniser } from '../../ingest/understand/encoder/encoder-tokens.ts';

const vocabulary = process.argv[2];
if (!vocabulary) throw new Error('usage: node list-tokens.ts VOCABULARY < ITEMS.jsonl');
const tokenise = createEncoderTokeniser(await readFile(vocabulary, 'utf8'));
for await (const line of createInterface({ input: process.stdin })) {
  const { title, summary } = JSON.parse(line) as { title: string; summary: string | null };
  console.log(JSON.stringify(tokenise({ title, summary })));
}
