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
    .description(
      'read items as JSON lines on standard input and say what each one is; with --serve, work on the topics',
    )
    .option('--serve', 'consume the topic items and publish the topic stories until stopped')
    .option('--explain', 'give the rule and the words behind each field')
    .addHelpText(
      'after',
      `
A line in:   {"key":"1","title":"Zudio opens in Pune","summary":null,"url":"https://…","outlet":"…","date":"2026-11-20"}
A line out:  {"key":"1","relevant":true,"move":"stores","primary":["Zudio"],"cities":["Pune"],…}
A line that cannot be read gives {"line":N,"error":{…}}, and the rest goes on.`,
    )
    .action(async ({ serve, explain = false }: { serve?: boolean; explain?: boolean }) => {
      if (serve) return runProcess('understand', async (services) => ({ understand: await understandPart(services) }));
      // The catalogue first: a line reader that waits for anything loses the lines that come meanwhile.
      const catalogue = await openCatalogue();
      const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
      await writeLines(understandLines(lines, catalogue, { explain }));
    });
}
