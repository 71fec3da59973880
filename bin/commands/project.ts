/** `clarity project`: the process that folds events into read models. */
import type { Command } from 'commander';
import { projectPart, retentionPart } from '../parts.ts';
import { runProcess } from '../process.ts';

export function addProject(program: Command): void {
  program
    .command('project')
    .description('fold events into the read models until stopped; one process owns each model, others are on standby')
    .action(() =>
      runProcess('project', async (services) => ({
        project: projectPart(services),
        retention: retentionPart(services),
      })),
    );
}
