/** What a person sees who starts the service: where to look, and when there is something to see. */
import { pause } from '../log/backoff.ts';
import { countRecent } from '../projector/models/signals/queries.ts';
import { aborted } from './process.ts';
import type { Services } from './services.ts';
import type { Part } from './supervise.ts';

const LOOK_EVERY = 250;

/** Prints where to look, then one line as soon as the first signals stand on the page. */
export function welcome(services: Services, roster: string, port: number): Part {
  const { configuration, database, dataDir } = services;
  const url = configuration.PORT === 0 ? `http://localhost:${port}` : configuration.BASE_URL;
  const started = performance.now();
  return async (signal) => {
    process.stdout.write(
      `Clarity is at ${url}\n` +
        `  polling  ${roster}\n` +
        `  data     ${dataDir ?? 'the PostgreSQL of DATABASE_URL'}\n` +
        `  API      curl '${url}/api/v1/signals?limit=5'\n` +
        '  stop     Ctrl-C; the next start goes on from here\n',
    );
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
