/** The walks of docs/adding.md name the files of an existing instance and those that name it, and no other. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const page = read('docs/adding.md');
const service = globSync(
  '{bin,api,mcp,web,presentation,operations,answer,access,ingest,projector,signal,facts}/**/*.ts',
  {
    cwd: root,
  },
).concat(globSync('{log,language,schemas}/**/*.ts', { cwd: root }));

/** Files that a walk names, by `New, like` and by `Change`. */
function walkOf(heading: string): { readonly added: string[]; readonly changed: string[] } {
  const chapter = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const named = (word: string): string[] =>
    [...chapter.matchAll(new RegExp(`^- ${word} \`([^\`]+)\``, 'gm'))].map(([, file = '']) => file);
  return { added: named('New, like'), changed: named('Change') };
}

const importsOf = (file: string): string[] =>
  [...read(file).matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) => join(dirname(file), path));

/** Files that import one of these, and are none of them. */
const importersOf = (files: readonly string[]): string[] =>
  service.filter((file) => !files.includes(file) && importsOf(file).some((path) => files.includes(path)));

describe('the walks of docs/adding.md', () => {
  it('given a fact, then the walk has all files of its folder and those that import them', () => {
    const { added, changed } = walkOf('A fact');
    expect(added.toSorted()).toEqual(globSync(`${dirname(added[0] ?? '')}/**/*.ts`, { cwd: root }).toSorted());
    expect(changed.toSorted()).toEqual(importersOf(added).toSorted());
  });

  it('given a read model, a page, a route and a tool, then the walk has the files that import them', () => {
    const { added, changed } = walkOf('A read model with page, route and tool');
    expect(added).toHaveLength(4);
    expect(changed.toSorted()).toEqual(importersOf(added).toSorted());
  });

  it('given a source kind, then the walk has all files that name it', () => {
    const { added, changed } = walkOf('A source kind');
    const naming = service.filter((file) => /news_sitemap|readNewsSitemap/.test(read(file)));
    expect([...added, ...changed].toSorted()).toEqual(naming.toSorted());
  });
});
