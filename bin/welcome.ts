/** What a person sees who starts the service: where to look, and when there is something to see. */
import { pause } from '../log/backoff.ts';
import { countRecent } from '../projector/models/signals-queries.ts';
import { firstKey, isLoopback } from './first-key.ts';
import { aborted } from './process.ts';
import type { Services } from './services.ts';
import type { Part } from './supervise.ts';

const LOOK_EVERY = 250;

/** How to call the API: with the key that is made at the first start of the demo, else with one to be issued. */
async function howToCall(services: Services, url: string, demo: boolean): Promise<string> {
  const key = demo && isLoopback(services.configuration.HOST) ? await firstKey(services).catch(() => null) : null;
  const call = `curl -H 'Authorization: Bearer ${key ?? '<key>'}' '${url}/api/v1/signals?limit=5'`;
  return key
    ? `  API      ${call}\n           the key is shown this once\n`
    : `  API      ${call}\n           npm run clarity -- keys issue --account you@example.com --plan pro   makes a key\n`;
}

/**
 * Prints where to look, then one line as soon as the first signals stand on the page.
 * @param demo whether the demo newsroom is read
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
        '  stop     Ctrl-C; the next start goes on from here\n',
    );
    process.stdout.write(await howToCall(services, url, demo));
    process.stdout.write(`  MCP      ${url}/mcp   the same as tools for assistants, without a key; see docs/mcp.md\n`);
    while (!signal.aborted) {
      const signals = await countRecent(database, new Date(0)).catch(() => 0);
      if (signals > 0) {
        const seconds = ((performance.now() - started) / 1000).toFixed(1);
        process.stdout.write(`The first signals are on the page (after ${seconds} s).\n`);
        break;
      }
      await pause(LOOK_EVERY, signal);
    }
    await aborted(signal);
  };
}
