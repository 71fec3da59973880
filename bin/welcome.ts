/** The output of `clarity up`: where the service is, how to call it, and when the first signals are on the page. */
import { accountOfEmail, changeAccount, loadAccount } from '../access/account.ts';
import { newKey } from '../access/api-keys.ts';
import { pause } from '../log/backoff.ts';
import { waitForPosition } from '../projector/model-progress.ts';
import { ACCOUNTS } from '../projector/models/accounts-read-model.ts';
import { countRecent } from '../projector/models/signals-queries.ts';
import { GO_LIVE } from '../schemas/configuration.ts';
import { aborted, isLoopback } from './process.ts';
import type { Services } from './services.ts';
import type { Part } from './supervise.ts';

const ACCOUNT = accountOfEmail('demo@localhost');
/** Milliseconds to wait until the projector knows the key: a key that is shown must work, on a busy machine too. */
const PROJECTION_TIMEOUT = 60_000;

/**
 * Creates a Pro key for the demo account.
 * @returns the key; null when the account already has one, which is not stored and cannot be shown again
 */
async function createFirstKey({
  store,
  database,
  now,
}: Pick<Services, 'store' | 'database' | 'now'>): Promise<string | null> {
  const { account } = await loadAccount(store, ACCOUNT.id);
  if (account.keys.length > 0) return null;
  const { key, ...kept } = newKey();
  const name = 'made at the first start of the demo';
  const command = { command: 'issue_key', key: kept, name, scopes: null, expires_at: null, plan: 'pro' } as const;
  const commander = { role: 'operator', by: 'first start' } as const;
  const { position } = await changeAccount(store, ACCOUNT, command, { commander, now: now() });
  if (position !== null) await waitForPosition(database, ACCOUNTS, position, PROJECTION_TIMEOUT);
  return key;
}

const CHECK_INTERVAL = 250;

/** How to call the API: with the key of the first start of the demo, else with a key to be issued. */
async function howToCall(services: Services, url: string, demo: boolean): Promise<string> {
  const canCreate = demo && isLoopback(services.configuration.HOST);
  const failed = (error: unknown): null => {
    services.logger.warn({ err: error }, 'no API key was created for the demo');
    return null;
  };
  const key = canCreate ? await createFirstKey(services).catch(failed) : null;
  const call = `curl -H 'Authorization: Bearer ${key ?? '<key>'}' '${url}/api/v1/signals?limit=5'`;
  return key
    ? `  API      ${call}\n           the key is shown only once\n`
    : `  API      ${call}\n           npm run clarity -- keys issue --account you@example.com --plan pro   creates a key\n`;
}

/**
 * Prints where the service is, then one line when the first signals are on the page.
 * @param demo whether the demo newsroom is polled
 */
export function welcome(services: Services, roster: string, port: number, demo: boolean): Part {
  const { configuration, database, dataDir } = services;
  const url = configuration.PORT === 0 ? `http://localhost:${port}` : configuration.BASE_URL;
  const started = performance.now();
  return async (signal) => {
    process.stdout.write(
      `Clarity is at ${url}\n` +
        `  polling  ${roster}\n` +
        `  data     ${dataDir ?? 'the PostgreSQL of DATABASE_URL'}\n` +
        '  stop     Ctrl-C; the next start continues from here\n',
    );
    process.stdout.write(await howToCall(services, url, demo));
    if (demo) process.stdout.write(`  real     ${GO_LIVE}   reads the real outlets, in a record of their own\n`);
    process.stdout.write(`  MCP      ${url}/mcp   tools for assistants, without a key; see docs/mcp.md\n`);
    while (!signal.aborted) {
      // Before the first projector has run there is no read model.
      const signals = await countRecent(database, new Date(0)).catch(() => 0);
      if (signals > 0) {
        const seconds = ((performance.now() - started) / 1000).toFixed(1);
        process.stdout.write(`The first signals are on the page (after ${seconds} s).\n`);
        break;
      }
      await pause(CHECK_INTERVAL, signal);
    }
    await aborted(signal);
  };
}
