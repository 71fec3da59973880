/** A separate disk for PostgreSQL, small enough to fill: a file system in memory, which only root can mount. */
import { execFile } from 'node:child_process';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pause } from '../../log/backoff.ts';

const run = promisify(execFile);

const MEGABYTE = 1_048_576;
/** An empty cluster, its write-ahead log as set in `SETTINGS`, and the data of a run take two thirds of it. */
const SIZE = 384 * MEGABYTE;

/** Settings of a PostgreSQL on such a disk. */
export const SETTINGS = { min_wal_size: '32MB', max_wal_size: '96MB' };

export interface SmallDisk {
  /** Fills the disk for a while, so that writes fail. */
  fill(milliseconds: number): Promise<void>;
  unmount(): Promise<void>;
}

/** Mounts a small disk over an empty folder. @returns null where that is not allowed */
export async function mountSmallDisk(folder: string): Promise<SmallDisk | null> {
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=755`, 'clarity-chaos', folder]);
  } catch {
    // Mounting needs rights that this machine may not give.
    return null;
  }
  const filler = join(folder, 'filler');
  return {
    async fill(milliseconds) {
      const { bavail, bsize } = await statfs(folder);
      // A concurrent write may take the last space first: then the disk is full as well.
      await writeFile(filler, Buffer.alloc(bavail * bsize)).catch(() => undefined);
      await pause(milliseconds);
      await rm(filler, { force: true });
    },
    unmount: async () => void (await run('umount', ['--lazy', folder])),
  };
}
