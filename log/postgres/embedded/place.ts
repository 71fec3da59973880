/** Where the data of the embedded PostgreSQL really is: in DATA_DIR, or, when its user cannot enter that, elsewhere. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, realpath, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, accountFor, canEnter } from './account.ts';
import { ownFolder } from './copy.ts';

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

/** A new folder elsewhere. Its name is chance: a DATA_DIR that was deleted and made again begins anew. */
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
    // Another start wrote its note first: both use that folder, and one of them is told that it is in use.
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
