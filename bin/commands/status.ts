/** `clarity status`: one look at everything. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { runningEmbeddedPostgres } from '../../log/postgres/embedded.ts';
import { type Configuration, readConfiguration } from '../../schemas/configuration.ts';
import { oneLine } from '../quote.ts';
import { unreachableLogs, withServices } from '../services.ts';
import { type Look, lookAt } from '../status/look.ts';
import { NAMES, type Need, needsOf } from '../status/needs.ts';
import { lookInWords } from '../status/write.ts';

/** What a shell script may act on. */
const NEEDS_A_HAND = 1;

export function addStatus(program: Command): void {
  program
    .command('status')
    .description('one look at everything: database, topics, read models, sources, parked events, Oracle, last signal')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nEnds with 0 when all is well, 1 when something needs a hand: what, and what to do, stands at the end.',
    )
    .action(async ({ json = false }: { json?: boolean }) => {
      const { look, needs } = await found();
      const text = json
        ? JSON.stringify({ ok: needs.length === 0, needs, ...(look ?? {}) }, null, 2)
        : look
          ? lookInWords(look, needs)
          : needs.map((need) => `${need.what}\n  ${need.do}`).join('\n');
      process.stdout.write(`${text}\n`);
      if (needs.length > 0) process.exitCode = NEEDS_A_HAND;
    });
}

/** Errors by which a server says that it is not there, or not for us. */
const AWAY = /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|57P0\d|28\w{3}|3D000)$/;

async function found(): Promise<{ look: Look | null; needs: readonly Need[] }> {
  const configuration = readConfiguration(process.env);
  const { DATABASE_URL, DATA_DIR } = configuration;
  // To look must not start what is looked at.
  if (!DATABASE_URL && !(await runningEmbeddedPostgres(DATA_DIR)))
    return {
      look: null,
      needs: [
        {
          what: `nothing runs on ${resolve(DATA_DIR)}`,
          do: 'npm start, or set DATA_DIR or DATABASE_URL to where it runs',
        },
      ],
    };
  try {
    return await withServices('status', async (services) => {
      const look = await lookAt(services, services.now());
      return { look, needs: needsOf(look, services.now()) };
    });
  } catch (error) {
    const { code = '', name = '', message } = error as { code?: string; name?: string; message?: string };
    if (name !== 'DatabaseUnavailable' && !AWAY.test(code)) throw error;
    const what =
      name === 'DatabaseUnavailable'
        ? (message ?? name)
        : `PostgreSQL of ${DATABASE_URL ? 'DATABASE_URL' : DATA_DIR} does not answer (${code})`;
    const needs = [
      { what, do: 'see that it runs, and that DATABASE_URL is right' },
      ...(await logNeeds(configuration)),
    ];
    return { look: null, needs };
  }
}

/** Where PostgreSQL does not answer: whether the other servers that are set do. */
async function logNeeds(configuration: Configuration): Promise<Need[]> {
  const unreachable = await unreachableLogs(configuration);
  return unreachable.map(({ dependency, reason }) => ({
    what: `${NAMES[dependency]} does not answer: ${oneLine(reason, 200)}`,
    do: 'see that it runs and that its settings are right',
  }));
}
