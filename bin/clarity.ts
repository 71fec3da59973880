import './node-version.mjs';
import { Command } from 'commander';
import packageFile from '../package.json' with { type: 'json' };
import { COMMANDS } from './command-list.ts';
import { logUncaughtErrors, reportError } from './errors.ts';
import { tolerateBrokenPipe } from './terminal.ts';

/** Milliseconds after an error until the process ends, whatever a client of a server still tries. */
const LINGER = 1_000;

tolerateBrokenPipe();
logUncaughtErrors();
const program = new Command('clarity')
  .description('A live feed of dated, source-cited moves in Indian retail and consumer business.')
  .version(packageFile.version)
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
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command) (await command[1]())(program);
  else for (const [other, [summary]] of Object.entries(COMMANDS)) program.command(other).description(summary);
  await program.parseAsync();
} catch (error) {
  process.exitCode = reportError(error);
  setTimeout(() => process.exit(), LINGER).unref();
}
