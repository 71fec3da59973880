/** `clarity match`: pairs as a filter over JSON lines, or the process between the topic `stories` and the event store. */
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { matchLines } from '../../ingest/match/compare-pairs.ts';
import { matchPart } from '../parts.ts';
import { runProcess } from '../process.ts';
import { openCatalogue } from '../services.ts';
import { writeLines } from '../terminal.ts';

export function addMatch(program: Command): void {
  program
    .command('match')
    .description('consume the topic stories and append signals until stopped; with --pairs, compare items of a file')
    .option(
      '--pairs',
      'read pairs {key, a, b} as JSON lines on standard input and say whether both report the same event',
    )
    .option('--explain', 'print the evidence for each score')
    .action(async ({ pairs, explain = false }: { pairs?: boolean; explain?: boolean }) => {
      if (!pairs) return runProcess('match', async (services) => ({ match: matchPart(services) }));
      // The catalogue first: a line reader loses the lines that arrive while something else is awaited.
      const catalogue = await openCatalogue();
      const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
      await writeLines(matchLines(lines, catalogue, { explain }));
    });
}
