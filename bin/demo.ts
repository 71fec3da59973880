/** The demo newsroom: what is polled when no roster is named. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { startNewsroom } from '../demo/newsroom.ts';
import type { Configuration } from '../schemas/configuration.ts';
import type { Source } from '../schemas/source.ts';

const PREFERRED_PORT = 8090;

const isFree = (port: number): Promise<boolean> =>
  new Promise((answer) => {
    const probe = createServer();
    probe.once('error', () => answer(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => answer(true)));
  });

/**
 * The port of the last time, since it stands in the addresses of the articles, else 8090, else any free one.
 * It is kept in `DATA_DIR`.
 */
async function choosePort({ DEMO_PORT, DATA_DIR }: Configuration): Promise<number> {
  if (DEMO_PORT) return DEMO_PORT;
  const file = join(resolve(DATA_DIR), 'demo-port');
  const kept = Number(await readFile(file, 'utf8').catch(() => ''));
  for (const port of [kept, PREFERRED_PORT]) if (port > 0 && (await isFree(port))) return keep(file, port);
  return keep(file, 0);
}

async function keep(file: string, port: number): Promise<number> {
  if (port === 0) return 0;
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, `${port}\n`);
  return port;
}

/** Starts the newsroom on loopback. */
export async function startDemo(
  configuration: Configuration,
): Promise<{ url: string; port: number; sources: readonly Source[]; close(): Promise<void> }> {
  const { url, sources, close } = await startNewsroom({ port: await choosePort(configuration) });
  const port = Number(new URL(url).port);
  await keep(join(resolve(configuration.DATA_DIR), 'demo-port'), port);
  return { url, port, sources, close };
}
