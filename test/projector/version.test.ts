import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readModels } from '../../projector/models/index.ts';
import { modelVersion } from '../../projector/version.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'version-'));
});
afterAll(() => rm(folder, { recursive: true }));

const file = async (name: string, text: string): Promise<URL> => {
  const path = join(folder, name);
  await writeFile(path, text);
  return pathToFileURL(path);
};

describe('the version of a model', () => {
  it('changes with any file and parameter, and with nothing else', async () => {
    const [one, same, other] = await Promise.all([file('a.ts', 'x'), file('b.ts', 'x'), file('c.ts', 'y')]);

    const version = modelVersion([one], { baseUrl: 'https://a.test', style: 'plain' });

    expect(version).toMatch(/^[0-9a-f]{12}$/);
    expect(modelVersion([same], { style: 'plain', baseUrl: 'https://a.test' })).toBe(version);
    expect(modelVersion([other], { baseUrl: 'https://a.test', style: 'plain' })).not.toBe(version);
    expect(modelVersion([one], { baseUrl: 'https://b.test', style: 'plain' })).not.toBe(version);
    expect(modelVersion([one, one], { baseUrl: 'https://a.test', style: 'plain' })).not.toBe(version);
  });

  it('is that of the base URL for documents alone', () => {
    const versions = (baseUrl: string) =>
      Object.fromEntries(readModels({ baseUrl }).map(({ name, version }) => [name, version]));
    const [one, other] = [versions('https://a.test'), versions('https://b.test')];

    expect(Object.keys(one).filter((name) => one[name] !== other[name])).toEqual(['signals']);
  });
});
