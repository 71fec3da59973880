import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadCatalogue } from '../../facts/text/catalogue.ts';
import { readRoster } from '../../ingest/roster/roster-file.ts';

const deploy = resolve(import.meta.dirname, '../../deploy');
const file = resolve(deploy, 'roster.india.yaml');

describe('the shipped roster', async () => {
  const sources = await readRoster(file);

  it('has each address once', () => {
    expect(new Set(sources.map(({ url }) => url)).size).toBe(sources.length);
  });

  it('describes every source completely', () => {
    const written = parse(readFileSync(file, 'utf8')) as { sources: Record<string, unknown>[] };
    for (const entry of written.sources)
      expect(Object.keys(entry)).toEqual(
        expect.arrayContaining(['id', 'outlet', 'url', 'kind', 'role', 'authority', 'language', 'themes']),
      );
  });

  it('says where each outlet publishes, as the catalogue does', async () => {
    const { outlets } = await loadCatalogue(resolve(deploy, 'catalogue'));
    const foreign = new Set(outlets.flatMap(({ domains, country }) => (country ? domains : [])));
    for (const { id, url, country } of sources) {
      const { hostname } = new URL(url);
      const abroad = [...foreign].some((domain) => hostname === domain || hostname.endsWith(`.${domain}`));
      expect({ id, country: country ?? null, abroad }).toEqual({
        id,
        country: expect.stringMatching(/^[A-Z]{2}$/),
        abroad: country !== 'IN',
      });
    }
  });

  it('names only themes of the catalogue, and ranks no reference source above an outlet', async () => {
    const themes = new Set((await loadCatalogue(resolve(deploy, 'catalogue'))).themes.map(({ slug }) => slug));
    for (const { id, themes: named, role, authority } of sources) {
      expect({ id, unknown: named.filter((theme) => !themes.has(theme)) }).toEqual({ id, unknown: [] });
      if (role === 'oracle') expect(authority).toBeLessThan(0.35);
    }
  });
});
