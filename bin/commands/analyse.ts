/** `clarity analyse`: the process that writes why each new signal matters, from the read models. */
import type { Command } from 'commander';
import { analysePart } from '../parts.ts';
import { runProcess } from '../process.ts';

export function addAnalyse(program: Command): void {
  program
    .command('analyse')
    .description('write why each new signal matters and what to watch, from the read models, until stopped')
    .action(() => runProcess('analyse', async (services) => ({ analyse: analysePart(services) })));
}
