/** `clarity eventstore`: checks the server of EVENTSTORE_URL, and creates a user with the rights that the service needs. */
import { z } from 'zod';
import { checkEventStore, prepareEventStore, type ServerReport } from '../log/eventstore/eventstore-administration.ts';
import type { Node } from '../log/eventstore/eventstore-connection.ts';
import { Refusal } from '../schemas/input-errors.ts';
import { type BareContext, defineBareAction, type OperatorActions } from './operator-action.ts';
import { oneLine, tableText } from './terminal-text.ts';

const short = (line: string): string => oneLine(line, 200);

/** The configured address. @throws Refusal when events are in PostgreSQL */
function eventStoreUrl({ configuration: { EVENTSTORE_URL } }: BareContext): string {
  if (EVENTSTORE_URL) return EVENTSTORE_URL;
  throw new Refusal('invalid_request', 'EVENTSTORE_URL is not set: events are in PostgreSQL');
}

const nodeLine = ({ address, state, alive }: Node): string => `${address} ${state}${alive ? '' : ', down'}`;

function reportText(report: ServerReport): string {
  const { largest_append: largest, clock_ahead_seconds: clock, nodes } = report;
  const table = tableText(
    ['', report.server],
    [
      ['version', short(report.version)],
      ['TLS', report.tls ? 'yes' : 'no'],
      ['user', report.user === null ? 'none' : short(report.user)],
      ...(nodes ?? []).map((node) => ['node', short(nodeLine(node))]),
      ['append', report.append],
      ['read $all', report.read_all],
      ['largest append', largest ? `${largest.at_least ? 'at least ' : ''}${largest.bytes} bytes` : 'unknown'],
      ['clock', clock === null ? 'unknown' : `${clock} s ahead of this machine`],
    ],
  );
  return `${table}\n\n${report.problems.map(short).join('\n') || 'The server is suitable.'}`;
}

const check = defineBareAction({
  name: 'check',
  summary: 'version, TLS, nodes, rights, largest append and clock; stores nothing',
  help: 'Exit code 0 when the server is suitable, 1 when something must change; the output ends with what to change.',
  input: z.object({}),
  audit: 'nothing',
  run: async (_, context) => checkEventStore(eventStoreUrl(context)),
  text: reportText,
  exitCode: ({ problems }) => (problems.length > 0 ? 1 : 0),
});

const prepare = defineBareAction({
  name: 'prepare',
  summary: 'create the user of EVENTSTORE_URL with exactly the rights that the service needs',
  help: `The admin's password is read from EVENTSTORE_ADMIN_PASSWORD or prompted for, and is not stored.
Rights of other users are not changed. A second run changes nothing.`,
  input: z.object({
    as: z.string().meta({ description: 'a user who can manage users, such as admin', placeholder: 'admin' }),
    reset_password: z
      .boolean()
      .default(false)
      .describe('if the user exists, set its password to that of EVENTSTORE_URL'),
  }),
  audit: 'nothing',
  async run({ as: user, reset_password: resetPassword }, context) {
    const url = eventStoreUrl(context);
    const password = await context.askSecret(`Password of ${short(user)}`, 'EVENTSTORE_ADMIN_PASSWORD');
    return { done: await prepareEventStore(url, { user, password }, resetPassword) };
  },
  text: ({ done }) => done.map(short).join('\n'),
});

export const EVENT_STORE: OperatorActions = {
  name: 'eventstore',
  summary: 'check and prepare the server of EVENTSTORE_URL',
  actions: [check, prepare],
};
