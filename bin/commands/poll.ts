/** `clarity poll`: the process that polls the sources. */
import type { Command } from 'commander';
import { openRoster } from '../open-roster.ts';
import { pollPart } from '../parts.ts';
import { runProcess } from '../process.ts';
import { preparedModels } from '../services.ts';
import { keepHeapSmall } from '../supervise.ts';

export function addPoll(program: Command): void {
  program
    .command('poll')
    .description('poll the sources of the roster and publish the topics items and polls until stopped')
    .addHelpText('after', '\nROSTER=my.yaml names the sources; default: those of the last start, or the demo newsroom.')
    .action(() => {
      keepHeapSmall();
      return runProcess('poll', async (services, closing) => {
        // The state of a source is in a read model, which no projector may have created yet.
        await preparedModels(services);
        const roster = await openRoster(services);
        closing.add(roster.close);
        services.logger.info({ roster: roster.about }, 'polling');
        return { poll: pollPart(services, roster.demoPort) };
      });
    });
}
