/** Names of the real catalogue, as readers type them. */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../facts/text/catalogue.ts';
import { createNameLookup, resolveFinding } from '../../mcp/tool.ts';
import { nameIndex } from '../../schemas/name-search.ts';

let lookup: ReturnType<typeof createNameLookup>;
beforeAll(async () => {
  lookup = createNameLookup(
    (await loadCatalogue(new URL('../../deploy/catalogue', import.meta.url).pathname)) as never,
  );
});

describe('names of brands', () => {
  it.each([
    ['zudo', 'zudio'],
    ['zuido', 'zudio'],
    ['westsde', 'westside'],
    ['tanisq', 'tanishq'],
  ])('given the misspelling %j, then %s is found', (name, slug) => {
    expect(lookup.gazetteer.findCompany(name).found?.slug).toBe(slug);
  });

  it('given the exact name of a brand, then it is not read as a misspelt theme or group', () => {
    expect(lookup.gazetteer.exactly('zudio').company).toBe('Zudio');
    for (const what of ['theme', 'group', 'category'] as const)
      expect(() => resolveFinding(lookup, what, 'Zudio', { found: 'audio' })).toThrow(/Zudio is a brand/);
    expect(resolveFinding(lookup, 'theme', 'quick comerce', lookup.themes.find('quick comerce'))).toMatchObject({
      slug: 'quick-commerce',
    });
  });
});

describe('regions', () => {
  it.each(['Delhi NCR', 'delhi-ncr', 'NCR'])('given %j, then its cities are those of the catalogue', (name) => {
    const region = lookup.gazetteer.region(name);
    expect(region?.cities).toContain('Gurugram');
    for (const city of region?.cities ?? []) expect(lookup.gazetteer.city(city)?.name).toBe(city);
  });

  it('given Greater Mumbai, then each of its cities is in the catalogue too', () => {
    for (const city of lookup.gazetteer.region('MMR')?.cities ?? []) expect(lookup.gazetteer.city(city)).not.toBeNull();
  });
});

describe('states', () => {
  it.each([
    ['Kerala', 'Kerala'],
    ['tamil nadu', 'Tamil Nadu'],
    ['Maharastra', 'Maharashtra'],
  ])('given %j, then %s is its cities of the catalogue', (name, state) => {
    const region = lookup.gazetteer.region(name);
    expect(region?.name).toBe(state);
    expect(region?.cities).not.toEqual([]);
    for (const city of region?.cities ?? []) expect(lookup.gazetteer.city(city)?.state).toBe(state);
  });

  it.each(['Delhi', 'Chandigarh', 'Punne'])('given the city %j, then no state is meant', (name) => {
    expect(lookup.gazetteer.region(name)).toBeNull();
  });
});

describe('an index of names', () => {
  const index = nameIndex([
    { thing: 'kiron', names: ['Kiron'] },
    { thing: 'biron', names: ['Biron'] },
  ]);

  it('given a name of four letters, then one letter may be missing, except the first', () => {
    expect(index.find('Kirn').found).toBe('kiron');
    expect(index.find('iron').found).toBeNull();
    expect(index.exact('kirn')).toBeNull();
    expect(index.exact('KIRON')).toBe('kiron');
  });
});
