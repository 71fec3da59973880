#!/usr/bin/env node
import './node-version.mjs';
import { Command } from 'commander';
import { addAccounts } from './commands/accounts.ts';
import { addAnalyse } from './commands/analyse.ts';
import { addApi } from './commands/api.ts';
import { addBrief } from './commands/brief.ts';
import { addEventStore } from './commands/eventstore.ts';
import { addKeys } from './commands/keys.ts';
import { addMatch } from './commands/match.ts';
import { addMcp } from './commands/mcp.ts';
import { addMigrate } from './commands/migrate.ts';
import { addOracle } from './commands/oracle.ts';
import { addParked } from './commands/parked.ts';
import { addPoll } from './commands/poll.ts';
import { addProject } from './commands/project.ts';
import { addProposals } from './commands/proposals.ts';
import { addReplay } from './commands/replay.ts';
import { addSignals } from './commands/signals.ts';
import { addSources } from './commands/sources.ts';
import { addStatus } from './commands/status.ts';
import { addTopics } from './commands/topics.ts';
import { addTrace } from './commands/trace.ts';
import { addUnderstand } from './commands/understand.ts';
import { addUp } from './commands/up.ts';
import { reportError } from './errors.ts';
import { logUncaughtErrors } from './logging.ts';
import { tolerateBrokenPipe } from './terminal.ts';

/** Milliseconds after an error until the process ends, whatever a client of a server still tries. */
const LINGER = 1_000;

tolerateBrokenPipe();
logUncaughtErrors();
const program = new Command('clarity')
  .description('A live feed of dated, source-cited moves in Indian retail and consumer business.')
  .helpCommand(false)
  .configureHelp({ sortSubcommands: false })
  .showHelpAfterError('(run "clarity --help" for all commands)')
  .addHelpText(
    'after',
    `
Start here:
  npm start                                   everything, on a demo newsroom, at http://localhost:8080
  ROSTER=my.yaml npm start                    the same on your own sources
  npm run clarity -- replay --all --verify    rebuild every read model beside the live ones and compare

Settings come from the environment; README.md and .env.example list them.`,
  );

addUp(program);
addPoll(program);
addUnderstand(program);
addMatch(program);
addAnalyse(program);
addProject(program);
addApi(program);
addBrief(program);
addMcp(program);
addMigrate(program);
addStatus(program);
addTrace(program);
addSources(program);
addProposals(program);
addOracle(program);
addKeys(program);
addAccounts(program);
addSignals(program);
addReplay(program);
addParked(program);
addTopics(program);
addEventStore(program);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = reportError(error);
  setTimeout(() => process.exit(), LINGER).unref();
}
