/** The data directory of the embedded PostgreSQL: where it is, its port, and creating a cluster in it. */

import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  rmdir,
  writeFile,
} from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Account,
  accountFor,
  type Binaries,
  canEnter,
  ownFolder,
  postgresEnvironment,
} from './postgres-programs.ts';

// Where the data of the embedded PostgreSQL really is: in DATA_DIR, or, when its user cannot enter that, elsewhere.

export interface Place {
  /** Holds everything below; of this program's user. */
  readonly folder: string;
  /** The data directory of PostgreSQL; of the user that runs it. */
  readonly cluster: string;
  readonly password: string;
  readonly log: string;
  readonly port: string;
  readonly account: Account;
  /** Not in DATA_DIR. */
  readonly elsewhere: boolean;
}

const inside = (folder: string, elsewhere: boolean): Place => {
  const cluster = join(folder, 'cluster');
  return {
    folder,
    cluster,
    password: join(folder, 'password'),
    log: join(folder, 'postgres.log'),
    port: join(folder, 'port'),
    account: accountFor(cluster),
    elsewhere,
  };
};

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  // Others may pass through to the cluster, which is closed to all but its user; they cannot list or read the rest.
  if (process.platform !== 'win32') await chmod(folder, 0o711).catch(() => undefined);
}

/** A new folder elsewhere. Its name is chance: a DATA_DIR that was deleted and created again starts empty. */
async function elsewhere(dataDir: string, account: Account): Promise<string> {
  const name = randomBytes(8).toString('hex');
  const roots = ['/var/lib/clarity', join(tmpdir(), `clarity-${process.getuid?.() ?? 'user'}`)];
  for (const root of roots) {
    if (!(await ownFolder(root))) continue;
    const folder = join(root, name);
    await makeFolder(folder);
    if (canEnter(account, root)) return folder;
  }
  throw new Error(
    `the user that PostgreSQL runs as cannot enter ${dataDir}, nor any of ${roots.join(', ')}: ` +
      'set DATA_DIR to a directory that every user may pass through, or set DATABASE_URL',
  );
}

/**
 * Decides where the data is and makes the folders. Once elsewhere, it stays there: a note in DATA_DIR says where.
 * @param dataDir `DATA_DIR`, absolute or relative to the working directory
 */
export async function findPlace(dataDir: string): Promise<Place> {
  await mkdir(dataDir, { recursive: true });
  const absolute = await realpath(dataDir);
  const home = inside(join(absolute, 'postgres'), false);
  await makeFolder(home.folder);
  if (home.account === null || existsSync(home.cluster)) return home;
  const note = join(home.folder, 'moved-to');
  const noted = await readFile(note, 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
  if (noted === '' && (await passesThrough(home.account, home.folder))) return home;
  if (noted !== '' && existsSync(noted)) return inside(noted, true);
  const folder = await elsewhere(absolute, home.account);
  try {
    await writeFile(note, `${folder}\n`, { flag: noted === '' ? 'wx' : 'w' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // Another start wrote its note first: both use that folder, and one of them fails because it is in use.
    await rmdir(folder);
    return findPlace(dataDir);
  }
  return inside(folder, true);
}

/** Whether the account gets to a file in the folder; the folder itself it may not list. */
async function passesThrough(account: Account, folder: string): Promise<boolean> {
  const probe = await mkdtemp(join(folder, 'probe-'));
  if (process.platform !== 'win32') await chmod(probe, 0o755);
  try {
    return canEnter(account, probe);
  } finally {
    await rmdir(probe);
  }
}

// The port of the embedded PostgreSQL: the one it had before where that is free, else any free one.

/** Tries a port on loopback, 0 for any. @returns the port, or null when it is taken */
const tryPort = (port: number): Promise<number | null> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const { port: free } = server.address() as AddressInfo;
      server.close(() => resolve(free));
    });
  });

/** The port that is kept in a file, null when there is none. */
export async function keptPort(file: string): Promise<number | null> {
  const port = Number(await readFile(file, 'utf8').catch(() => ''));
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : null;
}

// Below the ports that systems draw for outgoing connections (Linux from 32768, others from 49152): one of those could
// be assigned to any client while PostgreSQL restarts, even by a client that then meets itself.
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

/** The password of the superuser, drawn once and kept readable by this program's user alone. */
async function password(place: Place): Promise<string> {
  const kept = await readFile(place.password, 'utf8').catch(() => null);
  if (kept) return kept.trim();
  if (existsSync(place.cluster))
    throw new Error(
      `${place.password} is missing, and without it the data of ${place.cluster} cannot be opened: ` +
        'put it back, or set DATA_DIR to another directory',
    );
  const drawn = randomBytes(24).toString('base64url');
  const partial = `${place.password}.${randomUUID()}`;
  await writeFile(partial, drawn, { mode: 0o600, flush: true });
  await rename(partial, place.password);
  return drawn;
}

async function run(program: string, parameters: readonly string[], place: Place, onSpawned: () => void): Promise<void> {
  const child = spawn(program, parameters, {
    ...place.account,
    cwd: place.account ? '/' : place.folder,
    env: postgresEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  onSpawned();
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0) throw new Error(`initdb ended with code ${code}: ${output.trim().slice(-2_000)}`);
}

/**
 * Makes the cluster when there is none: UTF-8, locale C, SCRAM passwords, no durable writes while making it when
 * `careless`. Made under another name and renamed, so that a crash leaves no half of one.
 * @param onSpawned is called when its program is at work
 * @returns the password of the superuser `clarity`
 */
export async function initialise(
  place: Place,
  binaries: Binaries,
  careless: boolean,
  onSpawned: () => void,
): Promise<string> {
  const secret = await password(place);
  if (existsSync(place.cluster)) return secret;
  for (const name of await readdir(place.folder))
    if (name.startsWith('making-')) await rm(join(place.folder, name), { recursive: true, force: true });
  const making = join(place.folder, `making-${randomUUID()}`);
  await mkdir(making, { mode: 0o755 });
  const cluster = join(making, 'cluster');
  const secretFile = join(making, 'secret');
  await mkdir(cluster, { mode: 0o700 });
  await writeFile(secretFile, `${secret}\n`, { mode: 0o600 });
  if (place.account) for (const path of [cluster, secretFile]) await chown(path, place.account.uid, place.account.gid);
  const parameters = [
    `--pgdata=${cluster}`,
    `--pwfile=${secretFile}`,
    '--username=clarity',
    '--encoding=UTF8',
    '--locale=C',
    '--auth=scram-sha-256',
    ...(careless ? ['--no-sync'] : []),
  ];
  await run(binaries.initdb, parameters, place, onSpawned);
  await rename(cluster, place.cluster);
  await rm(making, { recursive: true, force: true });
  return secret;
}
