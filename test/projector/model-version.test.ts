import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FACTS } from '../../facts/all-facts.ts';
import { modelFiles, modelVersion } from '../../projector/model-version.ts';
import { readModels } from '../../projector/models/all-read-models.ts';
import { EVENTS } from '../../schemas/events.ts';

const SCHEMA = 'CREATE TABLE a (key text PRIMARY KEY, row text NOT NULL);';
/** Files that have more than one model. */
const SHARED_FILES: Readonly<Record<string, string>> = {
  oracle: 'oracle-read-models',
  oracle_items: 'oracle-read-models',
  oracle_days: 'oracle-read-models',
  audit: 'audit-read-models',
  audit_actors: 'audit-read-models',
  sessions: 'ask-read-models',
  investigations: 'ask-read-models',
  inbox_reads: 'follows-read-models',
  follows: 'follows-read-models',
  brief_subscribers: 'mail-subscriptions-read-models',
  saved_searches: 'mail-subscriptions-read-models',
};
const fileOf = (model: string): string => {
  const isFact = FACTS.some(({ table }) => table.table === model);
  const subject = isFact ? 'reported-parts' : (SHARED_FILES[model] ?? `${model.replaceAll('_', '-')}-read-model`);
  return new URL(`../../projector/models/${subject}.ts`, import.meta.url).href;
};
const MODEL = `/** A model. */
import { readFileSync } from 'node:fs';
import type { Shape } from './types.ts';
import { fold, type Fold } from './fold.ts';
export const model = (shape: Shape): Fold => fold(shape); // the model
`;
const FILES: Record<string, string> = {
  'model.ts': MODEL,
  'fold.ts': `export { helper } from '../common/helper.ts';\nimport '../common/setup.ts';\nexport const fold = (row: number) => row + 1;\n`,
  'types.ts': 'export interface Shape { readonly width: number }\n',
  '../common/helper.ts': `export const helper = "import { a } from './not-there.ts'";\n`,
  '../common/setup.ts': 'export {};\n',
};

let number = 0;
let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'version-'));
});
afterEach(() => rm(root, { recursive: true }));

/** The version of the model in a copy of the files with some of them changed. A copy, for files are read once. */
async function versionWith(changes: Record<string, string> = {}, schema = SCHEMA, parameters = {}): Promise<string> {
  const folder = join(root, String(number++), 'model');
  await mkdir(folder, { recursive: true });
  await mkdir(join(folder, '../common'));
  for (const [name, text] of Object.entries({ ...FILES, ...changes })) await writeFile(join(folder, name), text);
  return modelVersion(pathToFileURL(join(folder, 'model.ts')).href, { schema, parameters });
}

describe('the version of a model', () => {
  it('is the same for the same code, and changes with the code of any file that is imported, however deep', async () => {
    const version = await versionWith();

    expect(version).toMatch(/^[0-9a-f]{12}$/);
    expect(await versionWith()).toBe(version);
    for (const name of ['model.ts', 'fold.ts', '../common/helper.ts', '../common/setup.ts'])
      expect(await versionWith({ [name]: `${FILES[name]}export const more = 1;\n` }), name).not.toBe(version);
  });

  it('does not change with comments, with white space, or with what is imported as a type alone', async () => {
    const version = await versionWith();

    expect(await versionWith({ 'model.ts': MODEL.replace('A model.', 'The model.').replace('// the model', '') })).toBe(
      version,
    );
    expect(await versionWith({ 'model.ts': MODEL.replaceAll('{ ', '{\n  ').replaceAll(' => ', '  =>\n') })).toBe(
      version,
    );
    expect(await versionWith({ 'types.ts': 'export interface Shape { readonly height: string }\n' })).toBe(version);
  });

  it('changes with text that only looks like a comment, and with white space inside text', async () => {
    const version = await versionWith({ 'fold.ts': "export const fold = () => 'a // b';\n" });

    expect(await versionWith({ 'fold.ts': "export const fold = () => 'a // c';\n" })).not.toBe(version);
    expect(await versionWith({ 'fold.ts': "export const fold = () => 'a  // b';\n" })).not.toBe(version);
  });

  it('changes with the statements, but not with their comments and white space', async () => {
    const version = await versionWith();

    expect(await versionWith({}, `-- Rows.\n${SCHEMA.replaceAll(' ', '\n  ')}\n/* end */`)).toBe(version);
    expect(await versionWith({}, SCHEMA.replace('NOT NULL', ''))).not.toBe(version);
    expect(await versionWith({}, SCHEMA.replace('NOT NULL', "DEFAULT 'a -- b'"))).not.toBe(
      await versionWith({}, SCHEMA.replace('NOT NULL', "DEFAULT 'a -- c'")),
    );
  });

  it('changes with parameters, in whatever order they are named', async () => {
    const version = await versionWith({}, SCHEMA, { baseUrl: 'https://a.test', style: 'plain' });

    expect(await versionWith({}, SCHEMA, { style: 'plain', baseUrl: 'https://a.test' })).toBe(version);
    expect(await versionWith({}, SCHEMA, { baseUrl: 'https://b.test', style: 'plain' })).not.toBe(version);
  });

  it('is that of the base URL for documents alone', () => {
    const versions = (baseUrl: string) =>
      Object.fromEntries(readModels({ baseUrl }).map(({ name, version }) => [name, version]));
    const [one, other] = [versions('https://a.test'), versions('https://b.test')];

    expect(Object.keys(one).filter((name) => one[name] !== other[name])).toEqual(['signals']);
  });

  it('covers, for every model, the helpers that it shares and the schemas of the events that it takes', async () => {
    for (const { name, types } of readModels({ baseUrl: 'https://a.test' })) {
      const files = modelFiles(fileOf(name));
      const exported = await Promise.all(
        files.filter((file) => file.includes('/schemas/')).map((file) => import(file) as Promise<object>),
      );
      const covered = exported
        .flatMap((module) => Object.values(module))
        .flatMap((value) => (value !== null && typeof value === 'object' ? Object.keys(value) : []));
      expect(covered, name).toEqual(expect.arrayContaining([...types]));
      expect(Object.keys(EVENTS)).toEqual(expect.arrayContaining([...types]));
    }
    const names = modelFiles(fileOf('names'));
    for (const shared of ['search-read-model.ts', 'signal-status.ts', 'schemas/signal.ts'])
      expect(
        names.some((file) => file.endsWith(shared)),
        shared,
      ).toBe(true);
  });
});
