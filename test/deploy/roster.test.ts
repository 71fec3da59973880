import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readRoster } from '../../ingest/roster/roster-file.ts';
import { loadCatalogue } from '../../ingest/understand/catalogue.ts';

const deploy = resolve(import.meta.dirname, '../../deploy');
const file = resolve(deploy, 'roster.india.yaml');

describe('the shipped roster', async () => {
  const sources = await readRoster(file);

  it('has enough of each kind of outlet, and each address once', () => {
    const news = sources.filter(({ role }) => role === 'news');
    expect(news.length).toBeGreaterThanOrEqual(100);
    expect(new Set(news.map(({ outlet }) => outlet)).size).toBeGreaterThanOrEqual(70);
    expect(new Set(sources.map(({ url }) => url)).size).toBe(sources.length);
    expect(sources.filter(({ role }) => role === 'oracle').length).toBeGreaterThanOrEqual(5);
    for (const kind of ['rss', 'html', 'news_sitemap'])
      expect(sources.some((source) => source.kind === kind)).toBe(true);
    expect(sources.some(({ language }) => language === 'hi')).toBe(true);
  });

  it('describes every source completely', () => {
    const written = parse(readFileSync(file, 'utf8')) as { sources: Record<string, unknown>[] };
    for (const entry of written.sources)
      expect(Object.keys(entry)).toEqual(
        expect.arrayContaining(['id', 'outlet', 'url', 'kind', 'role', 'authority', 'language', 'themes']),
      );
  });

  it('names only themes of the catalogue, and ranks no reference source above an outlet', async () => {
    const themes = new Set((await loadCatalogue(resolve(deploy, 'catalogue'))).themes.map(({ slug }) => slug));
    for (const { id, themes: named, role, authority } of sources) {
      expect({ id, unknown: named.filter((theme) => !themes.has(theme)) }).toEqual({ id, unknown: [] });
      if (role === 'oracle') expect(authority).toBeLessThan(0.35);
    }
  });
});
