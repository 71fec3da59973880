/** `clarity eventstore`: checks the server of EVENTSTORE_URL, and creates a user with the rights that the service needs. */
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { Node, ServerReport } from '../../log/eventstore/eventstore-administration.ts';
import { readConfiguration } from '../../schemas/configuration.ts';
import { UserError } from '../errors.ts';
import { oneLine, printTable } from '../terminal.ts';

/** Exit code for scripts. */
const NEEDS_ATTENTION = 1;

interface PrepareFlags {
  readonly as: string;
  readonly resetPassword?: boolean;
  readonly json?: boolean;
}

export function addEventStore(program: Command): void {
  const eventStore = program.command('eventstore').description('the server of EVENTSTORE_URL: check, prepare');
  eventStore
    .command('check')
    .description('version, TLS, nodes, rights, largest append and clock; stores nothing')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExit code 0 when the server is suitable, 1 when something must change; the output ends with what to change.',
    )
    .action(async ({ json = false }: { readonly json?: boolean }) => {
      const { checkEventStore } = await import('../../log/eventstore/eventstore-administration.ts');
      const report = await checkEventStore(eventStoreUrl());
      process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : '');
      if (!json) printReport(report);
      if (report.problems.length > 0) process.exitCode = NEEDS_ATTENTION;
    });
  eventStore
    .command('prepare')
    .description('create the user of EVENTSTORE_URL with exactly the rights that the service needs')
    .requiredOption('--as <admin>', 'a user who can manage users, such as admin')
    .option('--reset-password', 'if the user exists, set its password to that of EVENTSTORE_URL')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The admin's password is read from EVENTSTORE_ADMIN_PASSWORD or prompted for, and is not stored.
Rights of other users are not changed. A second run changes nothing.`,
    )
    .action(async ({ as: user, resetPassword = false, json = false }: PrepareFlags) => {
      const url = eventStoreUrl();
      const password = process.env.EVENTSTORE_ADMIN_PASSWORD ?? (await askPassword(user));
      const { prepareEventStore } = await import('../../log/eventstore/eventstore-administration.ts');
      const done = await prepareEventStore({ url, admin: { user, password }, resetPassword });
      process.stdout.write(json ? `${JSON.stringify({ done }, null, 2)}\n` : `${done.map(said).join('\n')}\n`);
    });
}

const said = (line: string): string => oneLine(line, 200);

/** The configured address. @throws UserError when events are in PostgreSQL */
function eventStoreUrl(): string {
  const { EVENTSTORE_URL } = readConfiguration(process.env);
  if (!EVENTSTORE_URL) throw new UserError('EVENTSTORE_URL is not set: events are in PostgreSQL');
  return EVENTSTORE_URL;
}

/** Prompts on the terminal without echo. @throws UserError without a terminal */
async function askPassword(user: string): Promise<string> {
  if (!process.stdin.isTTY) throw new UserError(`set EVENTSTORE_ADMIN_PASSWORD to the password of ${said(user)}`);
  const terminal = createInterface({ input: process.stdin, terminal: true });
  try {
    process.stderr.write(`Password of ${said(user)}: `);
    const password = await terminal.question('');
    process.stderr.write('\n');
    return password;
  } finally {
    terminal.close();
  }
}

const nodeLine = ({ address, state, alive }: Node): string => `${address} ${state}${alive ? '' : ', down'}`;

function printReport(report: ServerReport): void {
  const { largest_append: largest, clock_ahead_seconds: clock, nodes } = report;
  printTable(
    ['', report.server],
    [
      ['version', said(report.version)],
      ['TLS', report.tls ? 'yes' : 'no'],
      ['user', report.user === null ? 'none' : said(report.user)],
      ...(nodes ?? []).map((node) => ['node', said(nodeLine(node))]),
      ['append', report.append],
      ['read $all', report.read_all],
      ['largest append', largest ? `${largest.at_least ? 'at least ' : ''}${largest.bytes} bytes` : 'unknown'],
      ['clock', clock === null ? 'unknown' : `${clock} s ahead of this machine`],
    ],
  );
  process.stdout.write(`\n${report.problems.map(said).join('\n') || 'The server is suitable.'}\n`);
}
