/** `clarity analyse`: says of each new signal what the read models show of it, until stopped. */
import type { Command } from 'commander';
import { analysePart } from '../parts.ts';
import { runProcess } from '../process.ts';

export function addAnalyse(program: Command): void {
  program
    .command('analyse')
    .description('say of each new signal why it matters and what to watch, by what the read models show, until stopped')
    .action(() => runProcess('analyse', async (services) => ({ analyse: analysePart(services) })));
}
