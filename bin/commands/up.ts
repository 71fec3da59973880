/** `clarity up`, which is `npm start`: the settings of the start; the service itself is in `bin/everything.ts`. */
import type { Command } from 'commander';
import { readConfiguration } from '../../schemas/configuration.ts';
import { startDatabaseEarly } from '../embedded-database.ts';
import { createLogger, levelOf } from '../errors.ts';

export function addUp(program: Command): void {
  program
    .command('up')
    .description('run everything: poll, understand, match, project, API and pages')
    .addHelpText(
      'after',
      `
Without settings it keeps its data in .data (an embedded PostgreSQL) and polls a demo newsroom on loopback.
--roster india reads the real outlets of deploy/roster.india.yaml; --roster FILE those of a file. Such a record has a
directory of its own, .data/NAME, unless DATA_DIR or DATABASE_URL names another place.
Stop it with Ctrl-C; the next start continues where it stopped. Delete .data/postgres to start the demo over.`,
    )
    .option('--roster <roster>', 'india, or a roster file: read these sources, in a record of their own')
    .action(async ({ roster }: { readonly roster?: string }) => {
      if (roster !== undefined) await applyRosterSettings(roster);
      const configuration = readConfiguration(process.env);
      await startDatabaseEarly(configuration, createLogger('up', levelOf('up', configuration)));
      // Loaded only now: its modules take a second, in which the programs of PostgreSQL are at work.
      const { runEverything } = await import('../everything.ts');
      await runEverything();
    });
}

/** Settings of `--roster`, before anything reads the environment: they are those of the whole process. */
async function applyRosterSettings(roster: string): Promise<void> {
  const { rosterSettings } = await import('../polled-sources.ts');
  Object.assign(process.env, await rosterSettings(roster, process.env));
  // For a person at a terminal the lines of progress say what a warning in the log would repeat for each source.
  if (process.stdout.isTTY) process.env.LOG_LEVEL ||= 'error';
}
