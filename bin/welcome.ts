/** The output of `clarity up`: where the service is, how to call it, and when the first signals are on the page. */
import { pause } from '../log/backoff.ts';
import { countRecent } from '../projector/models/signals-queries.ts';
import { createFirstKey, isLoopback } from './first-key.ts';
import { aborted } from './process.ts';
import type { Services } from './services.ts';
import type { Part } from './supervise.ts';

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
