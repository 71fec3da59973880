/** A disk of its own for PostgreSQL, small enough to be filled: a file system in memory, which only root can mount. */
import { execFile } from 'node:child_process';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pause } from '../../log/backoff.ts';

const run = promisify(execFile);

const MEGABYTE = 1_048_576;
/** An empty cluster, its log at the size of `SETTINGS` and what a run writes take two thirds of it. */
const SIZE = 384 * MEGABYTE;

/** Settings of a PostgreSQL on such a disk. */
export const SETTINGS = { min_wal_size: '32MB', max_wal_size: '96MB' };

export interface SmallDisk {
  /** Leaves no room for a while. Whatever is written meanwhile fails. */
  fill(milliseconds: number): Promise<void>;
  unmount(): Promise<void>;
}

/** Mounts one over an empty folder. @returns null where that is not allowed */
export async function mountSmallDisk(folder: string): Promise<SmallDisk | null> {
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=755`, 'clarity-chaos', folder]);
  } catch {
    return null;
  }
  const filler = join(folder, 'filler');
  return {
    async fill(milliseconds) {
      const { bavail, bsize } = await statfs(folder);
      // What others write at this moment may take the last room first: then it is full too.
      await writeFile(filler, Buffer.alloc(bavail * bsize)).catch(() => undefined);
      await pause(milliseconds);
      await rm(filler, { force: true });
    },
    unmount: async () => void (await run('umount', ['--lazy', folder])),
  };
}
