/** The operating system's user that PostgreSQL runs as: it refuses to run as root. */
import { execFileSync, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';

/** A user and its main group; null stands for the user of this program. */
export type Account = { readonly uid: number; readonly gid: number } | null;

const isRoot = (): boolean => process.getuid?.() === 0;

const idOf = (flag: '-u' | '-g', user: string): number | null => {
  try {
    return Number(execFileSync('id', [flag, user], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch {
    return null;
  }
};

function named(user: string): Account {
  const uid = idOf('-u', user);
  const gid = idOf('-g', user);
  return uid === null || gid === null ? null : { uid, gid };
}

const ownerOf = (path: string): Account => {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : null;
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
export function canRun(account: Account, program: string, parameters: readonly string[]): boolean {
  const run = spawnSync(program, [...parameters], { ...account, cwd: '/', stdio: 'ignore', timeout: 20_000 });
  return run.status === 0;
}

/** Whether the account can enter a directory. */
export const canEnter = (account: Account, directory: string): boolean =>
  account === null || canRun(account, '/bin/sh', ['-c', 'cd "$1" && ls . >/dev/null', 'sh', directory]);
