/** One copy of a folder in a place that every user of the machine can read. */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, chmod, cp, lstat, mkdir, readdir, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A symbolic link that the copy needs and the original may lack. */
export interface Link {
  readonly path: string;
  readonly to: string;
}

/** Places for copies, best first. The temporary folder of a user carries its id, so that users do not meet there. */
export const cachePlaces = (): string[] => [
  ...(process.platform === 'win32' ? [] : ['/var/cache/clarity']),
  join(tmpdir(), `clarity-${process.getuid?.() ?? 'user'}`),
];

/**
 * Makes a folder that only this user can write and everybody can enter.
 * @returns false when that cannot be had, such as when somebody else owns the name in a shared temporary folder
 */
export async function ownFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path, { recursive: true, mode: 0o755 });
    const found = await lstat(path);
    if (!found.isDirectory() || (process.getuid && found.uid !== process.getuid())) return false;
    if (process.platform !== 'win32') await chmod(path, 0o755);
    await access(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

const filesOf = (folder: string) => readdir(folder, { recursive: true, withFileTypes: true });

/** Whether every file of the original stands in the copy with its size. */
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
 * Copies a folder once, whole or not at all: it is made beside its place and renamed into it, so that neither a crash
 * nor a second process leaves half of one. A copy that lost files is made anew.
 * @returns where the copy stands
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
    for (const link of links) await symlink(link.to, join(partial, link.path)).catch(() => undefined);
    await readableForAll(partial);
    const broken = `${partial}.broken`;
    await rename(target, broken).catch(() => undefined);
    // When the rename fails, another process has just put its own copy there: that one serves as well.
    await rename(partial, target).catch(() => undefined);
    await rm(partial, { recursive: true, force: true });
    await rm(broken, { recursive: true, force: true });
    if (await isComplete(original, target, links)) return target;
  }
  throw new Error(`no place for a copy of ${original}: tried ${places.join(', ')}`);
}
