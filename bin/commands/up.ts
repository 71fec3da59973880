/** `clarity up`, which is `npm start`: everything in one process tree, on embedded defaults. */
import type { Command } from 'commander';
import { openRoster, rosterSettings } from '../open-roster.ts';
import {
  analysePart,
  archivePart,
  cachePurgePart,
  matchPart,
  oraclePart,
  pollPart,
  projectPart,
  retentionPart,
  sweepPart,
  understandPart,
} from '../parts.ts';
import { runProcess } from '../process.ts';
import { listen } from '../reader-server.ts';
import { rosterProgress } from '../roster-progress.ts';
import type { Part } from '../supervise.ts';
import { welcome } from '../welcome.ts';
import { briefMailPart } from './brief.ts';

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
    .action(async ({ roster: named }: { readonly roster?: string }) => {
      // Before anything reads the settings: they are those of the whole process.
      if (named !== undefined) Object.assign(process.env, await rosterSettings(named, process.env));
      // For a person at a terminal the lines of progress say what a warning in the log would repeat for each source.
      if (named !== undefined && process.stdout.isTTY) process.env.LOG_LEVEL ||= 'error';
      await runProcess('up', async (services, closing) => {
        const understand = await understandPart(services);
        const roster = await openRoster(services);
        closing.add(roster.close);
        const mails = services.configuration.SMTP_URL !== undefined;
        const brief: Record<string, Part> = mails ? { brief: await briefMailPart(services) } : {};
        const port = await listen(services, closing);
        return {
          welcome: welcome(services, roster.about, port, roster.demoPort !== null),
          poll: pollPart(services, roster.demoPort),
          understand,
          match: matchPart(services),
          analyse: analysePart(services),
          project: projectPart(services),
          retention: retentionPart(services),
          ...archivePart(services),
          oracle: await oraclePart(services),
          sweep: sweepPart(services),
          ...(roster.demoPort === null ? { roster: rosterProgress(services) } : {}),
          ...brief,
          ...cachePurgePart(services),
        };
      });
    });
}
