/** The port of the embedded PostgreSQL: the one it had before where that is free, else any free one. */
import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';

/** Tries a port on loopback, 0 for any. @returns the port, or null when it is taken */
const tryPort = (port: number): Promise<number | null> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const { port: found } = server.address() as AddressInfo;
      server.close(() => resolve(found));
    });
  });

/** The port that is kept in a file, null when there is none. */
export async function keptPort(file: string): Promise<number | null> {
  const port = Number(await readFile(file, 'utf8').catch(() => ''));
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : null;
}

// Below the ports that systems draw for outgoing connections (Linux from 32768, others from 49152): one of those could
// be drawn by anybody while PostgreSQL restarts, even by a client that then meets itself.
const [LOWEST, MANY] = [20_000, 12_000];

async function freePort(): Promise<number | null> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const port = await tryPort(LOWEST + Math.floor(Math.random() * MANY));
    if (port !== null) return port;
  }
  return tryPort(0);
}

/** Chooses a port and keeps it in the file, so that who knew the address before a restart finds it again. */
export async function choosePort(file: string): Promise<number> {
  const kept = await keptPort(file);
  const port = (kept && (await tryPort(kept))) ?? (await freePort());
  if (port === null) throw new Error('no free port on 127.0.0.1 for PostgreSQL');
  await writeFile(file, String(port));
  return port;
}
