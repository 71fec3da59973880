/** `clarity understand`: as a filter over JSON lines, or as the process between the topics `items` and `stories`. */
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { understandLines } from '../../ingest/understand/understand-lines.ts';
import { understandPart } from '../parts.ts';
import { runProcess } from '../process.ts';
import { openCatalogue } from '../services.ts';
import { writeLines } from '../terminal.ts';

export function addUnderstand(program: Command): void {
  program
    .command('understand')
    .description('classify items, given as JSON lines on standard input; with --serve, consume the topics')
    .option('--serve', 'consume the topic items and publish the topic stories until stopped')
    .option('--explain', 'print the rule and the words behind each field')
    .addHelpText(
      'after',
      `
Input:   {"key":"1","title":"Zudio opens in Pune","summary":null,"url":"https://…","outlet":"…","date":"2026-11-20"}
Output:  {"key":"1","relevant":true,"move":"stores","primary":["Zudio"],"cities":["Pune"],…}
An invalid line gives {"line":N,"error":{…}}; the following lines are processed.`,
    )
    .action(async ({ serve, explain = false }: { serve?: boolean; explain?: boolean }) => {
      if (serve) return runProcess('understand', async (services) => ({ understand: await understandPart(services) }));
      // The catalogue first: a line reader loses the lines that arrive while something else is awaited.
      const catalogue = await openCatalogue();
      const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
      await writeLines(understandLines(lines, catalogue, { explain }));
    });
}
