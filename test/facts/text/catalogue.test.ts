import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CatalogueError, loadCatalogue, prepareCatalogue, readCatalogueFile } from '../../../facts/text/catalogue.ts';

test('given an invalid file, then the message names file, line and error', () => {
  const text = 'sources: [made up]\nbrands:\n  - slug: a\n    name: A\n    category: spaceships\n';
  expect(() => readCatalogueFile('brands.yaml', text)).toThrow(
    /brands\.yaml, line 5: brands\.0\.category = "spaceships"/,
  );
  expect(() => readCatalogueFile('brands.yaml', 'brands: [')).toThrow(CatalogueError);
});

test('given aliases that unfold without end, then the file is refused in one line', () => {
  const levels = Array.from({ length: 12 }, (_, level) => `l${level + 1}: &l${level + 1} [*l${level}, *l${level}]`);
  expect(() => readCatalogueFile('brands.yaml', `l0: &l0 [a, a]\n${levels.join('\n')}\n`)).toThrow(CatalogueError);
});

test('given two brands with one slug, then both files are named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'catalogue-'));
  const text = 'sources: [made up]\nbrands:\n  - { slug: a, name: A, category: other }\n';
  await writeFile(join(folder, 'one.yaml'), text);
  await writeFile(join(folder, 'two.yaml'), text);
  await expect(loadCatalogue(folder)).rejects.toThrow('two.yaml: brands.slug = "a" is in one.yaml already');
});

test('given the shipped catalogue, then it loads and finds names in other spellings', async () => {
  const catalogue = prepareCatalogue(await loadCatalogue('deploy/catalogue'));
  expect(catalogue.names.get(' mcdonalds ')?.brand?.slug).toBe(catalogue.names.get(' mcdonald s ')?.brand?.slug);
  expect(catalogue.names.get(' bangalore ')?.city?.name).toBe('Bengaluru');
});
