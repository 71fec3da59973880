/**
 * A real OpenSearch server for tests: `OPENSEARCH_URL`, else one run by Java from Maven's packages. Where there is neither,
 * the reason is printed and the tests are skipped.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, copyFile, mkdir, mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from './free-port.ts';
import { fetchLibraries, listening, works } from './kafka.ts';

const packages = {
  pom: resolve(import.meta.dirname, '../../deploy/opensearch/pom.xml'),
  libraries: resolve(import.meta.dirname, '../../node_modules/.cache/opensearch'),
};

export interface SearchServer {
  /** Without a path. */
  readonly url: string;
  /** Stops it as a crash would; null, as the next, for a server that is not ours. */
  readonly kill: (() => Promise<void>) | null;
  /** Starts it again on the same data. */
  readonly start: (() => Promise<void>) | null;
  stop(): Promise<void>;
}

/**
 * @param report receives a line before a long wait
 * @returns the reason when there is no server
 */
export async function startOpenSearch(
  report: (line: string) => void = () => undefined,
): Promise<SearchServer | { readonly missing: string }> {
  const given = process.env.OPENSEARCH_URL;
  if (given) return { url: given, kill: null, start: null, stop: async () => undefined };
  for (const program of ['java', 'mvn'])
    if (!(await works(program, '-version'))) return { missing: `no OPENSEARCH_URL, no ${program}` };
  const unfetched = await fetchLibraries(packages, report);
  return unfetched ? { missing: `no OPENSEARCH_URL, and Maven cannot fetch a server: ${unfetched}` } : javaServer();
}

/** Downloads the packages before test files would do so concurrently. */
export async function setup(): Promise<void> {
  if (process.env.OPENSEARCH_URL) return;
  // If the download fails, `startOpenSearch` reports it and the tests are skipped.
  if ((await works('java', '-version')) && (await works('mvn', '-version'))) await fetchLibraries(packages);
}

/** Modules of the server: the class of each, and the packages that it does not share with the server. */
const MODULES = {
  'transport-netty4': { main: 'org.opensearch.transport.Netty4Plugin', packages: /^(netty|transport-netty4)-/ },
  'analysis-common': { main: 'org.opensearch.analysis.common.CommonAnalysisPlugin', packages: /^analysis-common-/ },
};
const VERSION = /^opensearch-(\d+\.\d+\.\d+)\.jar$/;

/** The layout of an installation: the packages, the modules with their descriptors, the settings. */
async function install(home: string, port: number, transport: number): Promise<void> {
  const jars = (await readdir(packages.libraries)).filter((name) => name.endsWith('.jar'));
  const version = jars.map((name) => VERSION.exec(name)?.[1]).find(Boolean);
  for (const folder of ['lib', 'config', 'logs', 'plugins', ...Object.keys(MODULES).map((name) => `modules/${name}`)])
    await mkdir(join(home, folder), { recursive: true });
  for (const jar of jars) {
    const [module] = Object.entries(MODULES).find(([, own]) => own.packages.test(jar)) ?? [];
    await copyFile(join(packages.libraries, jar), join(home, module ? `modules/${module}` : 'lib', jar));
  }
  for (const [name, { main }] of Object.entries(MODULES)) {
    const about = {
      name,
      description: name,
      version,
      classname: main,
      'java.version': 11,
      'opensearch.version': version,
    };
    const lines = Object.entries(about).map(([field, value]) => `${field}=${value}\n`);
    await writeFile(join(home, 'modules', name, 'plugin-descriptor.properties'), lines.join(''));
    const policy = 'grant { permission java.security.AllPermission; };\n';
    await writeFile(join(home, 'modules', name, 'plugin-security.policy'), policy);
  }
  await writeFile(
    join(home, 'config', 'opensearch.yml'),
    `discovery.type: single-node\nnetwork.host: 127.0.0.1\nhttp.port: ${port}\ntransport.port: ${transport}\n` +
      'cluster.routing.allocation.disk.threshold_enabled: false\n',
  );
  await writeFile(
    join(home, 'config', 'log4j2.properties'),
    'appender.console.type = Console\nappender.console.name = console\nrootLogger.level = warn\nrootLogger.appenderRef.console.ref = console\n',
  );
}

/** OpenSearch refuses to run as root; this is `nobody` on most systems. */
const NOBODY = 65_534;

async function give(folder: string, owner: number): Promise<void> {
  await chown(folder, owner, owner);
  for (const entry of await readdir(folder, { recursive: true })) await chown(join(folder, entry), owner, owner);
}

async function javaServer(): Promise<SearchServer> {
  const home = await mkdtemp(join(tmpdir(), 'clarity-opensearch-'));
  const [port, transport] = [await freePort(), await freePort()];
  await install(home, port, transport);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await give(home, NOBODY);
  const heap = process.env.OPENSEARCH_HEAP ?? '384m';
  const java = [
    `-Xms${heap}`,
    `-Xmx${heap}`,
    '-XX:+UseSerialGC',
    '-Djava.security.manager=allow',
    `-Dopensearch.path.home=${home}`,
    `-Dopensearch.path.conf=${join(home, 'config')}`,
    `-Djava.io.tmpdir=${join(home, 'logs')}`,
    '-cp',
    join(home, 'lib', '*'),
    'org.opensearch.bootstrap.OpenSearch',
  ];
  const start = async (): Promise<ChildProcess> => {
    const log = await open(join(home, 'logs', 'server.log'), 'a');
    const child = spawn('java', java, {
      cwd: home,
      stdio: ['ignore', log.fd, log.fd],
      ...(isRoot && { uid: NOBODY, gid: NOBODY }),
    });
    await log.close();
    await listening(port);
    return child;
  };
  let server = await start();
  const kill = async (): Promise<void> => {
    const ended = once(server, 'exit');
    if (server.kill('SIGKILL')) await ended;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    kill,
    start: async () => {
      server = await start();
    },
    stop: async () => {
      await kill();
      await rm(home, { recursive: true, force: true });
    },
  };
}
