/** Every process separately, on a PostgreSQL and outlets of the test, behind a proxy. */
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../log/postgres/embedded/embedded-postgres.ts';
import { dataFolder } from '../harness/data-folder.ts';
import { freePort } from '../harness/free-port.ts';
import { issueKey } from '../harness/issue-key.ts';
import { type Outlets, startOutlets } from '../harness/outlets.ts';
import { type Processes, startProcesses } from './processes.ts';
import { type ProxyServer, startProxy } from './proxy.ts';
import { mountSmallDisk, SETTINGS, type SmallDisk } from './small-disk.ts';

export interface Deployment {
  /** The settings of the processes. */
  readonly settings: Record<string, string>;
  readonly processes: Processes;
  readonly proxy: ProxyServer;
  /** The disk of PostgreSQL that can be filled; null where it is the machine's own. */
  readonly disk: SmallDisk | null;
  readonly outlets: Outlets;
  /** The address of PostgreSQL without the proxy. */
  readonly databaseUrl: string;
  readonly dataDir: string;
  /** The base URL for readers. */
  readonly url: string;
  /** A key on Pro that every process knows from its start. */
  readonly key: string;
  stop(): Promise<void>;
}

/**
 * @param more settings, such as those of Kafka
 * @param fills whether PostgreSQL gets a disk that can be filled, where that is possible
 */
export async function deploy(
  names: readonly string[],
  more: Record<string, string> = {},
  fills = false,
): Promise<Deployment> {
  const folder = await dataFolder('clarity-chaos');
  const data = join(folder, 'data');
  await mkdir(data);
  await chmod(data, 0o755);
  const disk = fills ? await mountSmallDisk(data) : null;
  if (fills && !disk) process.stdout.write('no disk is filled: mounting one takes root\n');
  const server = await startEmbeddedPostgres({
    dataDir: data,
    settings: { max_connections: '300', ...(fills ? SETTINGS : {}) },
  });
  const through = new URL(server.url);
  const proxy = await startProxy(Number(through.port));
  through.port = String(proxy.port);
  const outlets = await startOutlets(names);
  const roster = join(folder, 'roster.yaml');
  await writeFile(roster, outlets.roster());
  const port = await freePort();
  const settings = {
    ROSTER: roster,
    DATABASE_URL: through.href,
    PORT: String(port),
    BASE_URL: 'http://clarity.test',
    ALLOW_PRIVATE_SOURCES: '1',
    // With a leak, a process would die within the run.
    NODE_OPTIONS: '--max-old-space-size=224',
    ...more,
  };
  const key = await issueKey(settings);
  const processes = await startProcesses(settings, join(folder, 'clocks'));
  return {
    settings,
    processes,
    proxy,
    disk,
    outlets,
    key,
    databaseUrl: server.url,
    dataDir: server.dataDir,
    url: `http://127.0.0.1:${port}`,
    async stop() {
      await processes.stop();
      await outlets.close();
      await proxy.stop();
      await server.stop();
      await disk?.unmount();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
