/** The catalogue as the rules use it: read from YAML, validated, and indexed so that every name is found in one pass. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AhoCorasick } from '@monyone/aho-corasick';
import { load } from 'js-yaml';
import { LineCounter, parseDocument } from 'yaml';
import { nameKey } from '../../language/tokens.ts';
import {
  type Catalogue,
  type CatalogueBrand,
  type CatalogueCity,
  CatalogueFile,
  type CatalogueInvestor,
  type CatalogueMall,
  type CatalogueOutlet,
} from '../../schemas/catalogue.ts';
import type { BrandSlug } from '../../schemas/scalar.ts';

/** The slug of the brand that owns another; null where none does, or a conglomerate: two of its brands have little in common. */
export function ownerOf({ brandBySlug }: Pick<PreparedCatalogue, 'brandBySlug'>, slug: BrandSlug): BrandSlug | null {
  const parent = brandBySlug.get(slug)?.parent;
  return parent && brandBySlug.get(parent)?.category !== 'conglomerate' ? parent : null;
}

/** An invalid catalogue file; the message names the file, the line or field, and what is allowed. */
export class CatalogueError extends Error {
  override name = 'CatalogueError';
}

/**
 * Parses and validates one catalogue file.
 * @param file its name, for messages
 * @throws CatalogueError
 */
export function readCatalogueFile(file: string, text: string): CatalogueFile {
  // Six times as fast as a document with the place of every value, which only a message about an error needs.
  const parsed = CatalogueFile.safeParse(parseValue(text));
  return parsed.success ? parsed.data : failWithPlace(file, text);
}

/** The value of a YAML text; undefined where it is not YAML. */
function parseValue(text: string): unknown {
  try {
    return load(text);
  } catch {
    // The message comes from the parser that knows the line.
    return undefined;
  }
}

/** @throws CatalogueError that names the line of the first error of a file */
function failWithPlace(file: string, text: string): never {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const broken = document.errors[0];
  if (broken) throw new CatalogueError(`${file}, line ${lines.linePos(broken.pos[0]).line}: ${broken.message}`);
  let content: unknown;
  try {
    content = document.toJS();
  } catch (error) {
    // The parser counts what aliases unfold to, and names an alias that is not defined, by this error alone.
    if (!(error instanceof ReferenceError)) throw error;
    throw new CatalogueError(`${file}: aliases cannot be unfolded: ${error.message}`);
  }
  const issue = CatalogueFile.safeParse(content).error?.issues[0];
  const path = issue?.path.map((part) => (typeof part === 'symbol' ? String(part) : part)) ?? [];
  const range = (document.getIn(path, true) as { range?: [number, number, number] } | undefined)?.range;
  const line = range ? `, line ${lines.linePos(range[0]).line}` : '';
  throw new CatalogueError(
    `${file}${line}: ${path.join('.') || 'the file'} = ${JSON.stringify(document.getIn(path) ?? null)?.slice(0, 80)}: ${issue?.message ?? 'not valid'}`,
  );
}

/**
 * Reads every `*.yaml` of a folder and merges them.
 * @throws CatalogueError when a file is invalid or two brands share a slug
 */
export async function loadCatalogue(folder: string): Promise<Catalogue> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort();
  if (names.length === 0) throw new CatalogueError(`${folder}: no *.yaml file found`);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  const files = texts.map((text, index) => readCatalogueFile(names[index] ?? '', text));
  const slugs = new Map<BrandSlug, string>();
  for (const [index, file] of files.entries())
    for (const brand of file.brands)
      for (const slug of [brand.slug, ...(brand.retired_slugs ?? [])]) {
        const other = slugs.get(slug);
        if (other) throw new CatalogueError(`${names[index]}: brands.slug = "${slug}" is in ${other} already`);
        slugs.set(slug, names[index] ?? '');
      }
  const version = createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 12);
  return { ...addUp(files), version };
}

const addUp = (files: readonly CatalogueFile[]): Omit<Catalogue, 'version'> => ({
  brands: files.flatMap((file) => file.brands),
  themes: files.flatMap((file) => file.themes),
  groups: files.flatMap((file) => file.groups),
  cities: files.flatMap((file) => file.cities),
  malls: files.flatMap((file) => file.malls),
  outlets: files.flatMap((file) => file.outlets),
  investors: files.flatMap((file) => file.investors),
  other_years: files.flatMap((file) => file.other_years),
  indian_years: files.flatMap((file) => file.indian_years),
});

/** What a name means. */
export interface Entry {
  readonly brand?: CatalogueBrand;
  readonly city?: CatalogueCity;
  readonly mall?: CatalogueMall;
  readonly investor?: CatalogueInvestor;
}

export interface PreparedCatalogue {
  readonly catalogue: Catalogue;
  /** By folded name with spaces around it. */
  readonly names: ReadonlyMap<string, Entry>;
  readonly automaton: AhoCorasick;
  readonly brandBySlug: ReadonlyMap<BrandSlug, CatalogueBrand>;
  readonly outletByDomain: ReadonlyMap<string, CatalogueOutlet>;
  /** Finds the words of all themes. */
  readonly themeWords: AhoCorasick;
  /** The folded words of themes that are phrases: each alone is a sign enough. */
  readonly themePhrases: ReadonlySet<string>;
  /** Words for what is sold, of which one in a headline is enough. */
  readonly themeGoods: ReadonlySet<string>;
  /** The themes that a folded word belongs to, by slug. */
  readonly themesOf: ReadonlyMap<string, readonly string[]>;
  /** By slug, folded words that confirm (`near`) or exclude (`against`) a brand whose name is a common word. */
  readonly contexts: ReadonlyMap<BrandSlug, { near: readonly string[]; against: readonly string[] }>;
  /** Companies and brands whose fiscal year does not start in April: of their quarters none is a `Q1 FY27`. */
  readonly otherYears: ReadonlySet<BrandSlug>;
}

/** Whether an entry takes no new stories at the time of an item; one without a time is new. */
export const isRetired = (
  entry: { readonly retired_at?: string | undefined } | undefined,
  {
    first_seen_at,
    published_at,
  }: { readonly first_seen_at?: string | undefined; readonly published_at: string | null },
): boolean =>
  entry?.retired_at !== undefined && !(Date.parse(first_seen_at ?? published_at ?? '') < Date.parse(entry.retired_at));

/** A name and its other spellings: without apostrophes, `and` for `&`, `HomeStop` as `Home Stop` and back. */
export function formsOf(name: string): Set<string> {
  const forms = new Set([name, name.replace(/['’`]/g, ''), name.replace(/\s?&\s?/g, ' and ')]);
  const split = name.replace(/(\p{Ll}{2})(\p{Lu}\p{Ll})/gu, '$1 $2');
  if (split !== name) forms.add(split);
  const words = name.split(' ');
  if (words.length === 2 && name.length >= 8 && /^[\p{L} ]+$/u.test(name)) forms.add(words.join(''));
  return forms;
}

/** The companies with another fiscal year, and the brands below them up to a company that reports by Indian years. */
function otherYears({ brands, other_years, indian_years }: Catalogue): Set<BrandSlug> {
  const indian = new Set(indian_years);
  const parents = new Map(brands.map(({ slug, parent, nse }) => [slug, nse || indian.has(slug) ? undefined : parent]));
  const given = new Set(other_years);
  const isOther = (slug: BrandSlug | undefined): boolean =>
    slug !== undefined && (given.has(slug) || isOther(parents.get(slug)));
  return new Set(brands.flatMap(({ slug }) => (isOther(slug) ? [slug] : [])));
}

/** Indexes a catalogue for `understandItem`. Of two entries with the same name, a brand comes before a mall, a city, an investor. */
export function prepareCatalogue(catalogue: Catalogue): PreparedCatalogue {
  const names = new Map<string, Entry>();
  const put = (name: string, entry: Entry): void => {
    for (const form of formsOf(name)) {
      const key = nameKey(form);
      if (key.trim()) names.set(key, { ...entry, ...names.get(key) });
    }
  };
  for (const brand of catalogue.brands)
    for (const name of [brand.name, ...brand.aliases, ...brand.legal_names]) put(name, { brand });
  for (const mall of catalogue.malls) for (const name of [mall.name, ...mall.aliases]) put(name, { mall });
  for (const city of catalogue.cities) for (const name of [city.name, ...city.aliases]) put(name, { city });
  for (const investor of catalogue.investors)
    for (const name of [investor.name, ...investor.aliases]) put(name, { investor });
  const themesOf = new Map<string, string[]>();
  for (const theme of catalogue.themes)
    for (const word of [...theme.words, ...(theme.goods ?? [])])
      themesOf.set(nameKey(word), [...(themesOf.get(nameKey(word)) ?? []), theme.slug]);
  return {
    catalogue,
    names,
    automaton: new AhoCorasick([...names.keys()]),
    brandBySlug: new Map(catalogue.brands.map((brand) => [brand.slug, brand])),
    outletByDomain: new Map(catalogue.outlets.flatMap((outlet) => outlet.domains.map((domain) => [domain, outlet]))),
    themeWords: new AhoCorasick([...themesOf.keys()]),
    themePhrases: new Set(
      catalogue.themes.flatMap(({ words }) => words.filter((word) => word.includes(' ')).map(nameKey)),
    ),
    themeGoods: new Set(catalogue.themes.flatMap(({ goods = [] }) => goods.map(nameKey))),
    themesOf,
    contexts: new Map(
      catalogue.brands
        .filter((brand) => brand.common_word || brand.not_context.length > 0)
        .map((brand) => [brand.slug, { near: brand.context.map(nameKey), against: brand.not_context.map(nameKey) }]),
    ),
    otherYears: otherYears(catalogue),
  };
}
