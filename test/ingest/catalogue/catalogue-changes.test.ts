import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { prepareCatalogue, readCatalogueFile } from '../../../facts/text/catalogue.ts';
import {
  type CatalogueCommand,
  type CatalogueHistory,
  CatalogueRefused,
  historyOf,
  historyWith,
  planCatalogue,
} from '../../../ingest/catalogue/catalogue-commands.ts';
import { describeImport, exportCatalogue, planImport } from '../../../ingest/catalogue/catalogue-file.ts';
import { compact, entriesOf, isCatalogueChange } from '../../../ingest/catalogue/effective-catalogue.ts';
import { createUnderstander } from '../../../ingest/understand/understander.ts';
import { CATALOGUE_KINDS, type Catalogue, CatalogueFile, type CatalogueKind } from '../../../schemas/catalogue.ts';
import { directoryOf } from '../../../schemas/directory.ts';
import { newEvent, readEvent } from '../../../schemas/events.ts';
import { brandSlug } from '../../harness/ids.ts';

/** Whether two catalogues say the same, in whatever order of their entries. */
function isSameCatalogue(one: Catalogue, other: Catalogue): boolean {
  const sorted = (catalogue: Catalogue, kind: CatalogueKind): object[] =>
    entriesOf(catalogue, kind)
      .map((entry) => compact(entry))
      .toSorted((a, b) => (a.slug < b.slug ? -1 : 1));
  return CATALOGUE_KINDS.every((kind) => isDeepStrictEqual(sorted(one, kind), sorted(other, kind)));
}

const file = (changes: object = {}): CatalogueFile =>
  CatalogueFile.parse({
    sources: ['made up'],
    brands: [
      { slug: 'kiri-foods', name: 'Kiri Foods', aliases: ['Kiri'], category: 'fmcg' },
      { slug: 'kiri-snacks', name: 'Kiri Snacks', category: 'fmcg', parent: 'kiri-foods' },
      { slug: 'nordhem', name: 'Nordhem', category: 'home_and_furniture', operators: ['kiri-foods'] },
      { slug: 'lampara', name: 'Lampara', legal_names: ['Lampara Lighting Private Limited'], category: 'luxury' },
    ],
    groups: [{ slug: 'snacks', name: 'Snack makers', members: ['kiri-snacks'] }],
    themes: [
      { slug: 'late-hours', name: 'Late hours', words: ['midnight delivery'] },
      { slug: 'night-trade', name: 'Night trade', words: ['after dark'] },
    ],
    cities: [{ name: 'Surat', state: 'Gujarat', latitude: 21.2, longitude: 72.8 }],
    other_years: ['lampara'],
    ...changes,
  });
const shippedOf = ({ sources: _, ...lists }: CatalogueFile): Catalogue => ({ ...lists, version: 'shipped' });
const shipped = shippedOf(file());
const olga = { by: 'olga', why: 'in the news' };
const empty = historyOf(shipped, []);

/** As the store would give the facts back. */
const stored = (history: CatalogueHistory, from = shipped): CatalogueHistory =>
  historyOf(
    from,
    history.changes
      .map((change, index) =>
        readEvent(
          JSON.parse(
            JSON.stringify(
              newEvent(change.type, change.data, {
                id: `00000000-0000-5000-8000-${String(index).padStart(12, '0')}`,
                time: `2026-11-21T04:${String(index % 60).padStart(2, '0')}:00Z`,
              }),
            ),
          ),
        ),
      )
      .filter(isCatalogueChange),
  );
const given = (...commands: readonly CatalogueCommand[]): CatalogueHistory =>
  stored(commands.reduce((at, command) => historyWith(at, planCatalogue(at, command, olga).facts), empty));
const when = (history: CatalogueHistory, command: CatalogueCommand, expected?: number) =>
  planCatalogue(history, command, olga, expected);
const refusal = (history: CatalogueHistory, command: CatalogueCommand, expected?: number): string => {
  try {
    when(history, command, expected);
  } catch (error) {
    if (error instanceof CatalogueRefused) return error.message;
    throw error;
  }
  throw new Error('it was not refused');
};
const add = (name: string, fields: object = {}): CatalogueCommand => ({
  do: 'add',
  kind: 'brand',
  fields: { name, category: 'fmcg', ...fields },
});
const edit = (slug: string, fields: Record<string, unknown>): CatalogueCommand => ({
  do: 'edit',
  kind: 'brand',
  slug,
  fields,
});
const merge = (slug: string, into: string): CatalogueCommand => ({ do: 'merge', kind: 'brand', slug, into });
const brand = ({ state }: Pick<CatalogueHistory, 'state'>, slug: string) =>
  state.catalogue.brands.find((one) => one.slug === slug);

describe('the decider of the catalogue', () => {
  it('given no such brand, when it is added, then it has the slug of its name, and who and why are stored', () => {
    const { facts, entry } = when(empty, add('Zarina Tea', { aliases: ['Zarina'] }));
    expect(facts).toMatchObject([
      { type: 'CatalogueEntryAdded', data: { number: 1, by: 'olga', why: 'in the news', kind: 'brand' } },
    ]);
    expect(entry).toMatchObject({ slug: 'zarina-tea', aliases: ['Zarina'], kind: 'brand' });
  });

  it('given a brand, when its slug is changed, then the old one leads to it, and its brands and groups name the new one', () => {
    const history = given(edit('kiri-foods', { slug: 'kiri', name: 'Kiri' }), edit('kiri-snacks', { slug: 'crunch' }));
    const directory = directoryOf(history.state.catalogue);
    expect(directory.currentSlug(brandSlug('kiri-foods'))).toBe('kiri');
    expect(brand(history, 'crunch')).toMatchObject({ parent: 'kiri', retired_slugs: ['kiri-snacks'] });
    expect(brand(history, 'nordhem')).toMatchObject({ operators: ['kiri'] });
    expect(history.state.catalogue.groups[0]?.members).toEqual(['crunch']);
  });

  it('given two brands, when one is merged into the other, then its slug and names are those of the other', () => {
    const history = given(merge('lampara', 'nordhem'), merge('kiri-foods', 'kiri-snacks'));
    expect(brand(history, 'nordhem')).toMatchObject({
      retired_slugs: ['lampara'],
      aliases: ['Lampara'],
      legal_names: ['Lampara Lighting Private Limited'],
      operators: ['kiri-snacks'],
    });
    expect(brand(history, 'kiri-snacks')?.parent).toBeUndefined();
    expect(history.state.catalogue.other_years).toEqual(['nordhem']);
    expect(brand(history, 'lampara')).toBeUndefined();
  });

  it('given themes, when one is merged into another, then its words and its slug go there', () => {
    const history = given({ do: 'merge', kind: 'theme', slug: 'night-trade', into: 'late-hours' });
    expect(history.state.catalogue.themes).toMatchObject([
      { slug: 'late-hours', words: ['midnight delivery', 'after dark'], retired_slugs: ['night-trade'] },
    ]);
  });

  it('given a retired brand, when it is retired again, then nothing is stored; when it is restored, then it is as before', () => {
    const retired = given({ do: 'retire', kind: 'brand', slug: 'nordhem' });
    expect(brand(retired, 'nordhem')?.retired_at).toBe('2026-11-21T04:00:00Z');
    expect(when(retired, { do: 'retire', kind: 'brand', slug: 'nordhem' }).facts).toEqual([]);
    const restored = given(
      { do: 'retire', kind: 'brand', slug: 'nordhem' },
      { do: 'restore', kind: 'brand', slug: 'nordhem' },
    );
    expect(isSameCatalogue(restored.state.catalogue, shipped)).toBe(true);
  });

  it.each<[string, CatalogueCommand, RegExp]>([
    [
      'an alias of another brand',
      edit('nordhem', { aliases: ['KIRI'] }),
      /^aliases: "KIRI" belongs to kiri-foods\. Allowed/,
    ],
    [
      'a name of another brand',
      add('kiri snacks', { slug: 'other' }),
      /^name: "kiri snacks" is the name of kiri-snacks/,
    ],
    ['a slug that is taken', add('Kiri Foods', {}), /^slug: "kiri-foods" is taken by Kiri Foods\. Allowed/],
    [
      'a parent that it owns',
      edit('kiri-foods', { parent: 'kiri-snacks' }),
      /^parent: "kiri-snacks" belongs to kiri-foods itself/,
    ],
    ['a parent that is no brand', add('Zarina', { parent: 'nobody' }), /^parent: "nobody" is no brand\. Allowed/],
    ['a phrase', edit('nordhem', { aliases: ['show me'] }), /^aliases: "show me" is an ordinary word or phrase/],
    ['a word', edit('nordhem', { aliases: ['more'] }), /^aliases: "more" is an ordinary word/],
    ['two letters', edit('nordhem', { aliases: ['ME'] }), /^aliases: "ME" is an ordinary word/],
    ['a city', edit('nordhem', { aliases: ['Surat'] }), /^aliases: "Surat" is the place Surat/],
    ['no context', edit('nordhem', { common_word: true }), /^context: missing/],
    [
      'a category that there is none of',
      add('Zarina', { category: 'spaceships' }),
      /^category: "spaceships" cannot be used\. Allowed/,
    ],
    ['a field that there is none of', edit('nordhem', { colour: 'red' }), /colour/],
    ['a group that is none', edit('nordhem', { group: 'lamps' }), /^group: "lamps" is no group\. Allowed: snacks/],
    ['a brand that is none', merge('nobody', 'nordhem'), /^slug: no brand has the slug "nobody"/],
    ['itself', merge('nordhem', 'nordhem'), /^into: "nordhem" is the entry itself/],
    [
      'members that are none',
      { do: 'edit', kind: 'group', slug: 'snacks', fields: { members: ['x'] } },
      /^members: "x" is no brand/,
    ],
  ])('given %s, then it is refused with field, value and what is allowed', (_, command, message) => {
    expect(refusal(empty, command)).toMatch(message);
  });

  it('given a brand for ordinary words in their context, then such a name is taken', () => {
    const fields = { common_word: true, context: ['furniture'], aliases: ['ME'] };
    expect(when(empty, edit('nordhem', fields)).facts).toHaveLength(1);
  });

  it('given a slug that a merged brand had, when a brand is added with it, then it is refused by its present name', () => {
    expect(refusal(given(merge('lampara', 'nordhem')), add('Lampara'))).toMatch(
      /^slug: "lampara" is taken by Nordhem, which had it before and is nordhem now/,
    );
  });

  it('given a change since the page was opened, when another is sent, then it says who changed what, and stores nothing', () => {
    const history = given(edit('nordhem', { aliases: ['Nordhem Home'] }));
    expect(refusal(history, edit('nordhem', { aliases: [] }), 0)).toMatch(
      /^Nordhem was changed in the meantime by olga, at 2026-11-21T04:00:00Z: in the news\. Nothing was stored/,
    );
    expect(when(history, edit('nordhem', { aliases: [] }), 1).facts).toHaveLength(1);
    // Changes of other entries do not matter.
    expect(when(history, edit('lampara', { aliases: ['Lampara Lights'] }), 0).facts).toHaveLength(1);
  });
});

describe('a later release', () => {
  const history = given(
    edit('nordhem', { aliases: ['Nordhem Home'] }),
    add('Zarina Tea'),
    edit('lampara', { name: 'Lampara Lights' }),
  );
  it('given other fields shipped, then both count', () => {
    const later = shippedOf(
      file({
        brands: [
          ...file().brands.filter(({ slug }) => slug !== 'nordhem' && slug !== 'lampara'),
          { slug: 'nordhem', name: 'Nordhem', aliases: ['Nordhem Bazaar'], category: 'home_and_furniture' },
        ],
      }),
    );
    const { state } = stored(history, later);
    expect(brand({ state }, 'nordhem')?.aliases).toEqual(['Nordhem Bazaar', 'Nordhem Home']);
    expect(state.conflicts).toEqual([
      { kind: 'brand', slug: 'lampara', text: 'was changed here, and is not shipped any more' },
    ]);
  });

  it('given a name shipped with another brand, then it stays where it was given, and the desk says so', () => {
    const later = shippedOf(
      file({
        brands: [...file().brands, { slug: 'home', name: 'Hometown', aliases: ['Nordhem Home'], category: 'luxury' }],
      }),
    );
    const { state } = stored(history, later);
    expect(brand({ state }, 'home')?.aliases).toEqual([]);
    expect(state.conflicts).toMatchObject([{ slug: 'home', text: expect.stringContaining('given to nordhem here') }]);
  });
});

const words = fc.constantFrom('Zarina', 'Ombra Tea', 'Veloso', 'Kiri', 'more', 'Lampara', 'Quillon', 'Nordhem Kids');
const slugs = fc.constantFrom(
  'kiri-foods',
  'kiri-snacks',
  'nordhem',
  'lampara',
  'zarina',
  'veloso',
  'ombra-tea',
  'quillon',
);
const commands = fc.oneof(
  fc.record({
    do: fc.constant('add' as const),
    kind: fc.constant('brand' as const),
    fields: fc.record({ name: words, category: fc.constant('luxury') }),
  }),
  fc.record({
    do: fc.constant('edit' as const),
    kind: fc.constant('brand' as const),
    slug: slugs,
    fields: fc.record(
      { slug: slugs, name: words, aliases: fc.uniqueArray(words, { maxLength: 2 }), parent: slugs },
      { requiredKeys: [] },
    ),
  }),
  fc.record({ do: fc.constant('merge' as const), kind: fc.constant('brand' as const), slug: slugs, into: slugs }),
  fc.record({
    do: fc.constantFrom('retire' as const, 'restore' as const),
    kind: fc.constant('brand' as const),
    slug: slugs,
  }),
  fc.record({
    do: fc.constant('merge' as const),
    kind: fc.constant('theme' as const),
    slug: fc.constant('night-trade'),
    into: fc.constant('late-hours'),
  }),
  fc.record({
    do: fc.constant('edit' as const),
    kind: fc.constant('group' as const),
    slug: fc.constant('snacks'),
    fields: fc.record({ slug: fc.constantFrom('snacks', 'crisps'), members: fc.uniqueArray(slugs, { maxLength: 3 }) }),
  }),
) as fc.Arbitrary<CatalogueCommand>;

const attempt = <Result>(work: () => Result): Result | null => {
  try {
    return work();
  } catch (error) {
    if (error instanceof CatalogueRefused) return null;
    throw error;
  }
};

describe('export and import', () => {
  it('given any changes, then the file imports without a change here, and into a fresh service as the same catalogue', () => {
    fc.assert(
      fc.property(fc.array(commands, { maxLength: 12 }), (list) => {
        const planned = list.reduce((at, command) => {
          const plan = attempt(() => planCatalogue(at, command, olga));
          return plan ? historyWith(at, plan.facts) : at;
        }, empty);
        const history = stored(planned);
        // A replay gives the same.
        expect(stored(history).state.catalogue).toEqual(history.state.catalogue);
        const { catalogue } = history.state;
        const text = exportCatalogue(catalogue, '2026-11-21T04:30:00Z');
        const read = readCatalogueFile('export.yaml', text);
        expect(isSameCatalogue(shippedOf(read), catalogue)).toBe(true);
        expect(planImport(history, read, olga).facts).toEqual([]);
        const elsewhere = planImport(empty, read, olga);
        expect(elsewhere.entries.filter(({ outcome }) => outcome === 'conflict')).toEqual([]);
        expect(isSameCatalogue(elsewhere.after.catalogue, catalogue)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it('given edits, when the shipped files are imported, then the edits are kept', () => {
    const history = given(
      edit('nordhem', { aliases: ['Nordhem Home'] }),
      merge('lampara', 'kiri-foods'),
      add('Zarina'),
    );
    const plan = planImport(history, file(), olga);
    expect(plan.facts).toEqual([]);
    expect(plan.entries.map(({ slug, outcome }) => [slug, outcome])).toEqual([
      ['kiri-foods', 'kept'],
      ['nordhem', 'kept'],
      ['lampara', 'kept'],
    ]);
    expect(describeImport(plan)).toBe('3 kept; 4 as they were');
  });

  it('given an edit, when a file says something else, then it is a conflict with both, and the edit stays unless the file is to count', () => {
    const history = given(edit('nordhem', { aliases: ['Nordhem Home'] }));
    const other = file({
      brands: [{ slug: 'nordhem', name: 'Nordhem Retail', category: 'home_and_furniture', operators: ['kiri-foods'] }],
    });
    const plan = planImport(history, other, olga);
    expect(plan.facts).toEqual([]);
    expect(plan.entries).toMatchObject([
      { outcome: 'conflict', text: expect.stringContaining('the file has "Nordhem Retail", here it is "Nordhem"') },
    ]);
    expect(brand({ state: planImport(history, other, olga, { theirs: true }).after }, 'nordhem')?.name).toBe(
      'Nordhem Retail',
    );
  });

  it('given a file that takes the name of another brand, then nothing of it is imported', () => {
    const bad = file({ brands: [{ slug: 'zarina', name: 'Zarina', aliases: ['Kiri'], category: 'fmcg' }] });
    expect(() => planImport(empty, bad, olga)).toThrow(/^zarina: aliases: "Kiri" belongs to kiri-foods/);
  });

  it('leaves out what reading adds', () => {
    const { brands } = parse(exportCatalogue(shipped, '2026-11-21T04:30:00Z')) as { brands: object[] };
    expect(brands[0]).toEqual({ slug: 'kiri-foods', name: 'Kiri Foods', aliases: ['Kiri'], category: 'fmcg' });
  });
});

describe('understanding by changed names', () => {
  const understand = async (history: CatalogueHistory, title: string, first_seen_at = '2026-11-22T04:00:00Z') => {
    const prepared = prepareCatalogue(history.state.catalogue);
    const { understanding } = await createUnderstander(prepared, null).understand({
      title,
      summary: null,
      url: 'https://shopnews.example/a',
      outlet: 'Shop News',
      published_at: first_seen_at,
      first_seen_at,
    });
    return understanding.brands.map(({ slug }) => slug);
  };
  const title = 'Nordhem opens its first store in Surat';

  it('given an alias, then it is found, and a name that was removed is not found', async () => {
    const history = given(edit('nordhem', { aliases: ['Veloso Home'] }), edit('kiri-foods', { aliases: [] }));
    expect(await understand(history, 'Veloso Home opens its first store in Surat')).toEqual(['nordhem']);
    expect(await understand(history, 'Kiri opens its first store in Surat')).not.toContain('kiri-foods');
  });

  it('given a retired brand, then stories of before have it and new ones do not', async () => {
    const history = given({ do: 'retire', kind: 'brand', slug: 'nordhem' });
    expect(await understand(history, title)).toEqual([]);
    expect(await understand(history, title, '2026-11-20T04:00:00Z')).toEqual(['nordhem']);
  });
});
