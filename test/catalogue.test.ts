/** The shipped catalogue is consistent: every reference exists, and no name means two brands. */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadCatalogue } from '../facts/text/catalogue.ts';
import type { Catalogue } from '../schemas/catalogue.ts';
import { brandSlug } from './harness/ids.ts';

const folder = new URL('../deploy/catalogue', import.meta.url).pathname;
const fold = (name: string): string => name.toLowerCase();
const twice = (names: readonly string[]): string[] => names.filter((name, index) => names.indexOf(name) !== index);

let catalogue: Catalogue;
beforeAll(async () => {
  catalogue = await loadCatalogue(folder);
});

/** Each name of an entry once, folded. */
const namesOf = (entry: { name: string; aliases: readonly string[] }): string[] => [
  ...new Set([entry.name, ...entry.aliases].map(fold)),
];

describe('the brands', () => {
  it('use each slug once', () => {
    expect(twice(catalogue.brands.map((brand) => brand.slug))).toEqual([]);
  });

  it('use each NSE symbol once', () => {
    expect(twice(catalogue.brands.flatMap((brand) => brand.nse ?? []))).toEqual([]);
  });

  it('share no name or alias', () => {
    expect(twice(catalogue.brands.flatMap(namesOf))).toEqual([]);
  });

  it('do not share a name with a city or one of its localities', () => {
    const places = new Set(catalogue.cities.flatMap(namesOf));
    expect(catalogue.brands.flatMap(namesOf).filter((name) => places.has(name))).toEqual([]);
  });

  it('name an existing parent, without cycles', () => {
    const parents = new Map(catalogue.brands.map((brand) => [brand.slug, brand.parent]));
    for (const brand of catalogue.brands) {
      const above = [brand.slug];
      for (let parent = brand.parent; parent; parent = parents.get(parent)) {
        expect(parents.has(parent), `${brand.slug} has the unknown parent ${parent}`).toBe(true);
        expect(above, `${brand.slug} is its own ancestor`).not.toContain(parent);
        above.push(parent);
      }
    }
  });

  it('name existing operators, and never themselves', () => {
    const slugs = new Set(catalogue.brands.map((brand) => brand.slug));
    const odd = catalogue.brands.flatMap(({ slug, operators = [] }) =>
      operators.filter((each) => !slugs.has(each) || each === slug).map((each) => `${slug}: ${each}`),
    );
    expect(odd).toEqual([]);
  });

  it('know who runs the stores of a foreign chain', () => {
    const operators = new Map(catalogue.brands.map((brand) => [brand.slug, brand.operators]));
    expect(operators.get(brandSlug('kfc'))).toContain('devyani-international');
    expect(operators.get(brandSlug('mcdonalds'))).toContain('westlife-foodworld');
  });

  it('are known where their fiscal year is another one', () => {
    const slugs = new Set(catalogue.brands.map(({ slug }) => slug));
    expect(catalogue.other_years.filter((slug) => !slugs.has(slug))).toEqual([]);
    expect(twice(catalogue.other_years)).toEqual([]);
  });

  it('name an existing group', () => {
    const groups = new Set(catalogue.groups.map((group) => group.slug));
    expect(catalogue.brands.filter((brand) => brand.group && !groups.has(brand.group))).toEqual([]);
  });

  it('carry context words when their name is a common word', () => {
    expect(catalogue.brands.filter((brand) => brand.common_word && brand.context.length === 0)).toEqual([]);
  });
});

describe('the groups and themes', () => {
  it('use each slug once', () => {
    expect(twice(catalogue.groups.map((group) => group.slug))).toEqual([]);
    expect(twice(catalogue.themes.map((theme) => theme.slug))).toEqual([]);
  });

  it('count only listed companies', () => {
    const brands = new Map(catalogue.brands.map((brand) => [brand.slug, brand]));
    for (const group of catalogue.groups)
      for (const member of group.members) expect(brands.get(member)?.nse, `${member} of ${group.slug}`).toBeDefined();
  });

  it('include every listed company that names the group', () => {
    const members = new Map(catalogue.groups.map((group) => [group.slug, group.members]));
    const listed = catalogue.brands.filter((brand) => brand.nse);
    const left = listed.filter((brand) => brand.group && !members.get(brand.group)?.includes(brand.slug));
    expect(left.map((brand) => brand.slug)).toEqual([]);
  });

  it('give every theme words that identify it', () => {
    expect(catalogue.themes.filter((theme) => theme.words.length === 0)).toEqual([]);
  });
});

describe('the places', () => {
  it('have each city, alias and locality once', () => {
    expect(twice(catalogue.cities.flatMap(namesOf))).toEqual([]);
  });

  it('have each mall once, in a city that is there', () => {
    const cities = new Set(catalogue.cities.map((city) => city.name));
    expect(catalogue.malls.filter((mall) => !cities.has(mall.city))).toEqual([]);
    expect(twice(catalogue.malls.flatMap(namesOf))).toEqual([]);
  });

  it.each([
    ['Bangalore', 'Bengaluru'],
    ['Gurgaon', 'Gurugram'],
    ['Bombay', 'Mumbai'],
    ['Calcutta', 'Kolkata'],
    ['Trivandrum', 'Thiruvananthapuram'],
    ['Cochin', 'Kochi'],
    ['Vizag', 'Visakhapatnam'],
    ['Pondicherry', 'Puducherry'],
    ['Allahabad', 'Prayagraj'],
  ])('know %s as %s', (alias, name) => {
    expect(catalogue.cities.find((city) => namesOf(city).includes(fold(alias)))?.name).toBe(name);
  });
});

describe('the publishers and investors', () => {
  it('have each domain once', () => {
    expect(twice(catalogue.outlets.flatMap((outlet) => outlet.domains))).toEqual([]);
  });

  it('have each investor once', () => {
    expect(twice(catalogue.investors.flatMap(namesOf))).toEqual([]);
  });
});
