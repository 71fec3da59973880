/** The dependency rule: which folder may import from which, and which files may contain SQL. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');

/** Top to bottom; a folder imports from itself and from the layers below its own. */
const LAYERS = [
  ['bin'],
  ['api', 'mcp', 'web'],
  ['operations'],
  ['presentation'],
  ['answer', 'access'],
  ['ingest', 'projector'],
  ['signal'],
  ['facts'],
  ['log'],
  ['language'],
  ['schemas'],
];
/** Folders outside the layers, each with the folders that it may import from. */
const OUTSIDE: Record<string, readonly string[]> = { demo: ['schemas'] };

const layerOf = (folder: string): number => LAYERS.findIndex((layer) => layer.includes(folder));
/** What a kind of fact adds to a story is part of the vocabulary, in the folder of the kind. */
const folderOf = (path: string): string =>
  /^facts\/(?:[\w-]+\/)?fields\.ts$/.test(path) ? 'schemas' : (path.split('/')[0] ?? '');
const folders = [...LAYERS.flat(), ...Object.keys(OUTSIDE)];
const files = globSync(`{${folders.join(',')}}/**/*.ts`, { cwd: root }).sort();

interface Dependency {
  readonly from: string;
  readonly to: string;
}

function dependenciesOf(file: string): Dependency[] {
  const text = readFileSync(join(root, file), 'utf8');
  const imports = text.matchAll(/(?:from\s+|import\s*\(?\s*)'(\.{1,2}\/[^']+)'/g);
  return [...imports].map(([, path]) => ({
    from: file,
    to: relative(root, resolve(root, dirname(file), path ?? '')).replaceAll('\\', '/'),
  }));
}

/** Why a dependency breaks the rule, or null when it does not. */
function broken({ from, to }: Dependency): string | null {
  const [above, below] = [folderOf(from), folderOf(to)];
  if (above === below) return null;
  if (above === 'bin') return null;
  if (OUTSIDE[above]) return OUTSIDE[above].includes(below) ? null : `${above} may import only ${OUTSIDE[above]}`;
  if (layerOf(below) < 0) return `${below} is not a layer`;
  if (above === 'ingest' && below === 'projector')
    return /[/-]queries\.ts$/.test(to) ? null : 'ingest may import only the queries of read models from projector';
  return layerOf(above) < layerOf(below) ? null : `${above} is not above ${below}`;
}

describe('the layers', () => {
  it('given all source files, then every import points to a lower layer', () => {
    const wrong = files
      .flatMap(dependenciesOf)
      .flatMap((dependency) =>
        broken(dependency) ? [`${dependency.from} -> ${dependency.to}: ${broken(dependency)}`] : [],
      );
    expect(files.length).toBeGreaterThan(20);
    expect(wrong).toEqual([]);
  });

  it('given imports that point up or sideways, then each is reported', () => {
    expect(broken({ from: 'log/topic.ts', to: 'ingest/poll/run.ts' })).toMatch('log is not above ingest');
    expect(broken({ from: 'projector/engine.ts', to: 'ingest/match/match-story.ts' })).toMatch(
      'projector is not above',
    );
    expect(broken({ from: 'ingest/poll/run.ts', to: 'projector/engine.ts' })).toMatch('only the queries');
    expect(broken({ from: 'demo/newsroom.ts', to: 'log/topic.ts' })).toMatch('may import only schemas');
    expect(broken({ from: 'mcp/tool-list.ts', to: 'web/layout.ts' })).toMatch('mcp is not above web');
    expect(broken({ from: 'answer/ask.ts', to: 'access/access.ts' })).toMatch('answer is not above access');
    expect(broken({ from: 'access/access.ts', to: 'presentation/text.ts' })).toMatch('access is not above');
  });

  it('given the folders that serve readers, then only query files contain SQL', () => {
    const SQL = /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\s+[\w*"(]/;
    const readers = files.filter(
      (file) => /^(api|web|mcp|presentation|answer)\//.test(file) && !/[/-]queries\.ts$/.test(file),
    );
    expect(readers.filter((file) => SQL.test(readFileSync(join(root, file), 'utf8')))).toEqual([]);
  });
});
