/** A temporary folder for the data of a PostgreSQL. */
import { chmod, mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system in memory, where the machine has one. */
const IN_MEMORY = '/dev/shm';
/** Far more than the databases of a test run. */
const ROOM = 2 * 2 ** 30;

/**
 * In memory where there is room: to copy the three hundred files of a database takes eight times as long on a disk.
 * As root, PostgreSQL runs as another user, which needs access; otherwise it keeps its data elsewhere, where no test cleans up.
 * @param name the prefix of its name
 * @returns its path; who asked removes it
 */
export async function dataFolder(name: string): Promise<string> {
  const free = await statfs(IN_MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  const folder = await mkdtemp(join(free > ROOM ? IN_MEMORY : tmpdir(), `${name}-`));
  await chmod(folder, 0o755);
  return folder;
}
