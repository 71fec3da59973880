/** What the pages of the project point to is there. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const pages = globSync('{*.md,{docs,deploy,bench,demo,eval}/**/*.md}', { cwd: root }).toSorted();
const read = (page: string): string => readFileSync(resolve(root, page), 'utf8');

/** As GitHub makes them of headings. */
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

  it('leads only to pages and chapters that there are', () => {
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)) {
      const [file = '', chapter] = target.split('#');
      const path = file === '' ? resolve(root, page) : resolve(root, dirname(page), file);
      expect(existsSync(path), target).toBe(true);
      if (chapter) expect(anchorsOf(readFileSync(path, 'utf8')), target).toContain(chapter);
    }
  });

  it('names only tests that there are', () => {
    for (const [path] of text.matchAll(/\btest\/[\w/-]+(?:\.[\w.]+\.ts|\/)/g))
      expect(existsSync(resolve(root, path)), path).toBe(true);
  });
});
