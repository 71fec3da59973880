/** Links, chapters, files and folders that the documentation names exist. */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const folders = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
  .map(({ name }) => name);
const pages = globSync(`{*.md,{${folders.join(',')}}/**/*.md}`, {
  cwd: root,
  exclude: ['**/node_modules/**'],
}).toSorted();
const read = (page: string): string => readFileSync(resolve(root, page), 'utf8');

/** A path from the root of the tree, such as `signal/signal.ts`, in code quotes; tests are also named without quotes. */
const PATH_IN_TREE = new RegExp(
  `(?:\`|\\b(?=test/))((?:${folders.join('|')})/[\\w/.-]*(?:\\.(?:ts|sql|md|yaml|html|css)|/))(?=\`|\\b|$)`,
  'g',
);

/** As GitHub derives them from headings. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );

describe.each(pages)('%s', (page) => {
  const text = read(page).replace(/```[\s\S]*?```/g, '');

  it('links only to existing pages and chapters', () => {
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)) {
      const [file = '', chapter] = target.split('#');
      const path = file === '' ? resolve(root, page) : resolve(root, dirname(page), file);
      expect(existsSync(path), target).toBe(true);
      if (chapter) expect(anchorsOf(readFileSync(path, 'utf8')), target).toContain(chapter);
    }
  });

  it('names only files and folders of the tree that exist', () => {
    for (const [, path = ''] of text.matchAll(PATH_IN_TREE)) {
      const isInTree = existsSync(resolve(root, path)) || existsSync(resolve(root, dirname(page), path));
      expect(isInTree, path).toBe(true);
    }
  });
});
