/** A separate PostgreSQL for one test, whose processes can all be stopped and continued. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../log/postgres/embedded/embedded-postgres.ts';
import { dataFolder } from './data-folder.ts';

export interface FreezablePostgres {
  readonly url: string;
  /** SIGSTOP to the server and all its processes: connections stay open, nothing responds. */
  freeze(): Promise<void>;
  /** SIGCONT to all that were stopped. */
  thaw(): void;
  stop(): Promise<void>;
}

/** The processes of a server: the one in the first line of its lock file, and its children. */
async function processesOf(server: EmbeddedPostgres): Promise<number[]> {
  const postmaster = Number((await readFile(join(server.dataDir, 'cluster', 'postmaster.pid'), 'utf8')).split('\n')[0]);
  const found = [postmaster];
  for (const pid of await readdir('/proc')) {
    const stat = /^\d+$/.test(pid) ? await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '') : '';
    if (Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === postmaster) found.push(Number(pid));
  }
  return found;
}

export async function startFreezablePostgres(): Promise<FreezablePostgres> {
  const folder = await dataFolder('clarity-frozen');
  const server = await startEmbeddedPostgres({ dataDir: folder, settings: { fsync: 'off', full_page_writes: 'off' } });
  let stopped: number[] = [];
  const send = (pid: number, signal: NodeJS.Signals): void => {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has ended meanwhile.
    }
  };
  const thaw = (): void => {
    for (const pid of stopped) send(pid, 'SIGCONT');
    stopped = [];
  };
  return {
    url: server.url,
    async freeze() {
      // The postmaster first, so that it starts no further ones.
      const [postmaster] = await processesOf(server);
      if (postmaster) send(postmaster, 'SIGSTOP');
      stopped = await processesOf(server);
      for (const pid of stopped) send(pid, 'SIGSTOP');
    },
    thaw,
    async stop() {
      thaw();
      await server.stop();
      for (const path of [folder, server.dataDir]) await rm(path, { recursive: true, force: true });
    },
  };
}
