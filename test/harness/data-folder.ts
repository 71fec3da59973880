/** A temporary folder for the data of a PostgreSQL. */
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * As root, PostgreSQL runs as another user, which needs access; otherwise it keeps its data elsewhere, where no test cleans up.
 * @param name the prefix of its name
 * @returns its path; who asked removes it
 */
export async function dataFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  await chmod(folder, 0o755);
  return folder;
}
