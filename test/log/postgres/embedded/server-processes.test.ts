import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DirectoryInUse, own, ownerOf } from '../../../../log/postgres/embedded/server-processes.ts';

describe('owning a directory', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'clarity-owner-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const claim = (name: string, text: string) => writeFile(join(directory, name), text);

  test('given no owner, then the directory is owned until it is released', async () => {
    const release = await own(directory);
    expect(await ownerOf(directory)).toBe(process.pid);
    await expect(own(directory)).rejects.toThrow(DirectoryInUse);
    await release();
    expect(await ownerOf(directory)).toBeNull();
    await (await own(directory))();
  });

  test('given the claim of an ended process whose pid is in use again, then it is ignored', async () => {
    await claim('owner-old', JSON.stringify({ pid: process.pid, started: 'long ago', settled: true }));
    const release = await own(directory);
    expect(await readdir(directory)).toHaveLength(1);
    await release();
  });

  test('given an incomplete claim after a crash, then it is ignored', async () => {
    await claim('owner-half', '{"pid":');
    await claim('partial-1', '');
    await (await own(directory))();
  });

  test('given many claims at once, then exactly one succeeds', async () => {
    await claim('owner-old', JSON.stringify({ pid: 2 ** 22 + 1, started: '', settled: true }));
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => own(directory)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(DirectoryInUse);
  });
});
