#!/usr/bin/env node
import './node-version.mjs';
import { enableCompileCache } from 'node:module';
import { Command } from 'commander';
import { logUncaughtErrors, reportError } from './errors.ts';
import { tolerateBrokenPipe } from './terminal.ts';

type AddCommand = (program: Command) => void;

const processes = () => import('./commands/processes.ts');

/** The commands in the order of the help. Only the one that is run is loaded: all of them together take a second or two. */
const COMMANDS: Readonly<Record<string, readonly [summary: string, load: () => Promise<AddCommand>]>> = {
  up: [
    'run everything: poll, understand, match, project, API and pages',
    async () => (await import('./commands/up.ts')).addUp,
  ],
  poll: ['poll the sources of the roster', async () => (await processes()).addPoll],
  understand: [
    'classify items: a filter over JSON lines, or the process between items and stories',
    async () => (await processes()).addUnderstand,
  ],
  match: [
    'match stories to signals: a filter over pairs, or the process that appends signals',
    async () => (await processes()).addMatch,
  ],
  analyse: ['write why each new signal matters and what to watch', async () => (await processes()).addAnalyse],
  project: ['fold events into the read models', async () => (await processes()).addProject],
  api: ['serve the REST API and the pages', async () => (await processes()).addApi],
  brief: ['mail the morning brief to its subscribers', async () => (await import('./commands/brief.ts')).addBrief],
  mcp: ['serve assistants at /mcp in a process of its own', async () => (await processes()).addMcp],
  migrate: ['create or update the tables of logs and access', async () => (await processes()).addMigrate],
  status: [
    'show the state of the service and what needs attention',
    async () => (await import('./commands/status.ts')).addStatus,
  ],
  trace: ['show one item on its way from poll to page', async () => (await import('./commands/signals.ts')).addTrace],
  sources: ['show, test and change the roster', async () => (await import('./commands/sources.ts')).addSources],
  proposals: [
    'list, accept and reject sources that readers suggested',
    async () => (await import('./commands/sources.ts')).addProposals,
  ],
  oracle: [
    'measure the coverage against the reference sources',
    async () => (await import('./commands/processes.ts')).addOracle,
  ],
  keys: ['issue, list and revoke API keys', async () => (await import('./commands/accounts.ts')).addKeys],
  accounts: [
    'list and erase accounts, set plans, review applications for keys',
    async () => (await import('./commands/accounts.ts')).addAccounts,
  ],
  signals: [
    'show the history of a signal; correct, split, retract, hold, release, merge and export signals',
    async () => (await import('./commands/signals.ts')).addSignals,
  ],
  catalogue: [
    'list, show and change brands, themes and groups; export and import them',
    async () => (await import('./commands/catalogue.ts')).addCatalogue,
  ],
  brands: [
    'promote or refuse names that the catalogue lacks',
    async () => (await import('./commands/catalogue.ts')).addBrands,
  ],
  labels: [
    'export the decisions of operators as labelled items',
    async () => (await import('./commands/signals.ts')).addLabels,
  ],
  replay: ['replay a topic or rebuild read models', async () => (await import('./commands/replay.ts')).addReplay],
  parked: [
    'list and retry parked events and dead letters',
    async () => (await import('./commands/parked.ts')).addParked,
  ],
  topics: ['list and trim the topics in PostgreSQL', async () => (await import('./commands/topics.ts')).addTopics],
  events: [
    'list, archive and restore the events in PostgreSQL',
    async () => (await import('./commands/events.ts')).addEvents,
  ],
  eventstore: [
    'check and prepare the server of EVENTSTORE_URL',
    async () => (await import('./commands/events.ts')).addEventStore,
  ],
};

/** Milliseconds after an error until the process ends, whatever a client of a server still tries. */
const LINGER = 1_000;

// Modules that were compiled once load in half the time.
enableCompileCache();
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
  npm start -- --roster india                 the same on real outlets; or --roster my.yaml, your own sources
  npm run clarity -- replay --all --verify    rebuild every read model next to the live ones and compare

Settings come from the environment; README.md and .env.example list them.`,
  );

try {
  const name = process.argv[2] ?? '';
  const asked = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (asked) (await asked[1]())(program);
  else for (const [other, [summary]] of Object.entries(COMMANDS)) program.command(other).description(summary);
  await program.parseAsync();
} catch (error) {
  process.exitCode = reportError(error);
  setTimeout(() => process.exit(), LINGER).unref();
}
