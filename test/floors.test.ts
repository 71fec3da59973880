/** The house of the design, drawn from the code: what may import what, and where SQL may stand. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');

/** Top to bottom; a folder imports from itself and from floors below its own. */
const FLOORS = [['bin'], ['api', 'mcp', 'web'], ['answer', 'access'], ['ingest', 'projector'], ['log'], ['schemas']];
/** These stand beside the house. */
const BESIDE: Record<string, readonly string[]> = { demo: ['schemas'] };
/** Folders of one floor that may know each other: pages are served by the server of the API. */
const NEIGHBOURS = new Set(['api web', 'web api', 'mcp api', 'mcp web', 'answer access']);

const floorOf = (folder: string): number => FLOORS.findIndex((floor) => floor.includes(folder));
const folders = [...FLOORS.flat(), ...Object.keys(BESIDE)];
const files = globSync(`{${folders.join(',')}}/**/*.ts`, { cwd: root }).sort();

interface Arrow {
  readonly from: string;
  readonly to: string;
}

function arrowsOf(file: string): Arrow[] {
  const text = readFileSync(join(root, file), 'utf8');
  const imports = text.matchAll(/(?:from\s+|import\s*\(?\s*)'(\.{1,2}\/[^']+)'/g);
  return [...imports].map(([, path]) => ({
    from: file,
    to: relative(root, resolve(root, dirname(file), path ?? '')).replaceAll('\\', '/'),
  }));
}

/** Why an arrow breaks the floors, or null when it does not. */
function broken({ from, to }: Arrow): string | null {
  const [above = '', below = ''] = [from.split('/')[0], to.split('/')[0]];
  if (above === below) return null;
  if (above === 'bin') return null;
  if (BESIDE[above]) return BESIDE[above].includes(below) ? null : `${above} may import only ${BESIDE[above]}`;
  if (floorOf(below) < 0) return `${below} is no floor of the house`;
  if (NEIGHBOURS.has(`${above} ${below}`)) return null;
  if (above === 'ingest' && below === 'projector')
    return to.endsWith('queries.ts') ? null : 'ingest may know of the projector only the queries of its models';
  return floorOf(above) < floorOf(below) ? null : `${above} does not stand above ${below}`;
}

describe('the floors of the house', () => {
  it('given all source files, when their imports are drawn, then every arrow points down', () => {
    const wrong = files
      .flatMap(arrowsOf)
      .flatMap((arrow) => (broken(arrow) ? [`${arrow.from} -> ${arrow.to}: ${broken(arrow)}`] : []));
    expect(files.length).toBeGreaterThan(20);
    expect(wrong).toEqual([]);
  });

  it('given arrows that point up or sideways, then each is told', () => {
    expect(broken({ from: 'log/topic.ts', to: 'ingest/poll/poller.ts' })).toMatch('log does not stand above ingest');
    expect(broken({ from: 'projector/engine.ts', to: 'ingest/match/match.ts' })).toMatch(
      'projector does not stand above',
    );
    expect(broken({ from: 'ingest/poll/poller.ts', to: 'projector/engine.ts' })).toMatch('only the queries');
    expect(broken({ from: 'demo/newsroom.ts', to: 'log/topic.ts' })).toMatch('may import only schemas');
  });

  it('given the folders that answer readers, then their SQL stands in queries.ts alone', () => {
    const SQL = /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\s+[\w*"(]/;
    const readers = files.filter((file) => /^(api|web|mcp|answer)\//.test(file) && !file.endsWith('queries.ts'));
    expect(readers.filter((file) => SQL.test(readFileSync(join(root, file), 'utf8')))).toEqual([]);
  });
});
