/** Brands, cities, themes and categories that a question names: by the catalogue, and by the names of the record. */
import type { PreparedCatalogue } from '../../ingest/understand/catalogue.ts';
import { isCommon } from '../../ingest/understand/model/words.ts';
import { nameKey, type Text, tokenise } from '../../ingest/understand/tokens.ts';
import type { Queryable } from '../../log/postgres/database.ts';
import { findNames, namesWritten } from '../../projector/models/names-queries.ts';
import type { Category } from '../../schemas/catalogue.ts';
import { type BrandSlug, StoredBrandSlug } from '../../schemas/scalar.ts';

export interface Named {
  readonly slug: string;
  readonly name: string;
  /** Place of the words in the question. */
  readonly start: number;
  readonly end: number;
}

export interface NamedBrand extends Named {
  readonly slug: BrandSlug;
}

export interface Subject {
  readonly brands: readonly NamedBrand[];
  readonly cities: readonly Named[];
  readonly themes: readonly Named[];
  readonly categories: readonly (Named & { readonly category: Category })[];
}

/** Words for the shops of a category. */
const CATEGORY_WORDS: Readonly<Partial<Record<Category, string>>> = {
  jewellery: 'jewellery|jewelry|jewellers|jewelers|jewellery brands',
  footwear: 'footwear|shoe brands|shoes|sneakers',
  beauty: 'beauty|cosmetics|makeup',
  quick_service_restaurants: 'qsr|qsrs|quick service restaurants|fast food',
  restaurants_and_cafes: 'cafes|restaurants|coffee chains|cafe chains|restaurant chains',
  quick_commerce: 'quick commerce|q commerce|qcommerce|instant delivery',
  eyewear: 'eyewear|opticians|glasses',
  electronics: 'electronics|electronics retailers|gadgets',
  luggage: 'luggage|travel bags',
  home_and_furniture: 'furniture|home and furniture|home decor|mattresses',
  pet_care: 'pet care|pet brands|petcare',
  pharmacy_and_health: 'pharmacy|pharmacies|chemists',
  baby_and_kids: 'kidswear|baby care|kids',
  department_stores: 'department stores',
  hypermarkets_and_grocery: 'grocery|supermarkets|hypermarkets|grocers',
  value_fashion: 'value fashion|value retail|value retailers|value fashion retailers',
  fashion: 'fashion|apparel|clothing',
  fmcg: 'fmcg|packaged goods',
  watches_and_accessories: 'watches|watch brands',
  malls_and_real_estate: 'mall operators|mall developers',
  alcohol: 'liquor|alcohol|spirits|alcobev|whisky|beer',
  paints: 'paints|paint makers',
  ecommerce: 'ecommerce|e commerce|online marketplaces',
};

const categoryOf = new Map(
  Object.entries(CATEGORY_WORDS).flatMap(([category, words]) =>
    words.split('|').map((word) => [nameKey(word), category as Category] as const),
  ),
);

interface Span extends Named {
  readonly type: 'brand' | 'city' | 'theme' | 'category';
  readonly first: number;
  readonly last: number;
  readonly category?: Category;
}

const themesByName = new WeakMap<PreparedCatalogue, ReadonlyMap<string, { slug: string; name: string }>>();
function themesOf(catalogue: PreparedCatalogue): ReadonlyMap<string, { slug: string; name: string }> {
  const known = themesByName.get(catalogue);
  if (known) return known;
  const themes = new Map(
    catalogue.catalogue.themes.flatMap(({ slug, name }) =>
      [nameKey(name), nameKey(slug)].map((key) => [key, { slug, name }] as const),
    ),
  );
  themesByName.set(catalogue, themes);
  return themes;
}

/** A name that is an ordinary word too is one only when its writer began it with a capital, not at the start. */
function isName(text: Text, first: number, last: number, commonWord: boolean): boolean {
  const words = text.tokens.slice(first, last + 1);
  const written = words.every(({ capital }) => capital);
  if (!commonWord && !words.every(({ fold }) => isCommon(fold))) return true;
  return written && (first > 0 || last > first || !words.every(({ fold }) => isCommon(fold)));
}

const MAX_NAME_WORDS = 6;

/** A name whose slug the catalogue or a story has for a brand. */
export const toNamedBrand = (name: Named): NamedBrand => ({ ...name, slug: StoredBrandSlug.parse(name.slug) });

/** The longest names win, and of one length the first of: brand, city, theme, kind of shop. */
export function readSubject(question: string, catalogue: PreparedCatalogue): Subject {
  const text = tokenise(question);
  const spans: Span[] = [];
  for (let first = 0; first < text.tokens.length; first++)
    for (let last = Math.min(text.tokens.length, first + MAX_NAME_WORDS) - 1; last >= first; last--) {
      const key = ` ${text.tokens
        .slice(first, last + 1)
        .map(({ fold }) => fold)
        .join(' ')} `;
      const place = { first, last, start: text.tokens[first]?.start ?? 0, end: text.tokens[last]?.end ?? 0 };
      const entry = catalogue.names.get(key);
      const { brand, city } = entry ?? {};
      if (brand && isName(text, first, last, brand.common_word))
        spans.push({ type: 'brand', slug: brand.slug, name: brand.name, ...place });
      else if (city && isName(text, first, last, city.common_word))
        spans.push({ type: 'city', slug: city.name, name: city.name, ...place });
      const theme = themesOf(catalogue).get(key);
      if (theme) spans.push({ type: 'theme', ...theme, ...place });
      const category = categoryOf.get(key);
      if (category) spans.push({ type: 'category', slug: category, name: key.trim(), category, ...place });
    }
  const order = ['brand', 'city', 'category', 'theme'];
  spans.sort(
    (one, other) =>
      other.last - other.first - (one.last - one.first) || order.indexOf(one.type) - order.indexOf(other.type),
  );
  const kept: Span[] = [];
  for (const span of spans)
    if (!kept.some((other) => span.first <= other.last && other.first <= span.last)) kept.push(span);
  kept.sort((one, other) => one.first - other.first);
  const of = (type: Span['type']): Span[] =>
    kept.filter((span, index) => span.type === type && kept.findIndex(({ slug }) => slug === span.slug) === index);
  return {
    brands: of('brand').map(toNamedBrand),
    cities: of('city'),
    themes: of('theme'),
    categories: of('category').flatMap(({ category, ...span }) => (category ? [{ ...span, category }] : [])),
  };
}

// Names in the record that the catalogue lacks, also when the question spells them differently.

export type RecordName = Named & {
  readonly type: 'brand' | 'city' | 'theme';
  /** As the question spells it, where that is not the name itself. */
  readonly spelled: string | null;
};

/** Maps each slug that a brand of the catalogue had before to the one it has; any other slug to itself. */
export function presentSlugs({ catalogue }: PreparedCatalogue): (slug: BrandSlug) => BrandSlug {
  const present = new Map(
    catalogue.brands.flatMap(({ slug, retired_slugs = [] }) =>
      retired_slugs.map((retired) => [retired, slug] as const),
    ),
  );
  return (slug) => present.get(slug) ?? slug;
}

const MAX_RECORD_NAME_WORDS = 5;
/** Maximum of names that are looked up by similarity, since each costs a search. */
const MAX_GUESSED = 3;

/** Names of the record that are written in the question; the longest win. */
export async function namesInRecord(database: Queryable, question: string): Promise<RecordName[]> {
  const { tokens } = tokenise(question);
  const places = new Map<string, { start: number; end: number }>();
  for (let first = 0; first < tokens.length; first++)
    for (let last = first; last < Math.min(tokens.length, first + MAX_RECORD_NAME_WORDS); last++) {
      const words = tokens.slice(first, last + 1);
      if (words.every(({ fold }) => isCommon(fold)) && !(words.every(({ capital }) => capital) && words.length > 1))
        continue;
      const [start, end] = [words[0]?.start ?? 0, words.at(-1)?.end ?? 0];
      const written = question
        .slice(start, end)
        .normalize('NFKD')
        .replace(/[\u0300-\u036f]/g, '')
        .toLowerCase();
      places.set(written, { start, end });
    }
  if (places.size === 0) return [];
  const found = await namesWritten(database, [...places.keys()]);
  return found
    .flatMap(({ folded, ...name }) => {
      const place = places.get(folded);
      return place ? [{ ...name, ...place, spelled: null }] : [];
    })
    .sort((one, other) => other.end - other.start - (one.end - one.start))
    .filter(
      (name, index, all) => !all.slice(0, index).some((other) => name.start < other.end && other.start < name.end),
    );
}

/** Brands and cities that unknown words may mean. */
export async function namesAlike(database: Queryable, unknown: readonly Named[]): Promise<RecordName[]> {
  const guessed = unknown
    .filter(({ name }) => name.length >= 4 && name.split(/\s+/).some((word) => !isCommon(word.toLowerCase())))
    .slice(0, MAX_GUESSED);
  const found = await Promise.all(guessed.map(({ name }) => findNames(database, name, { limit: 5 })));
  return guessed.flatMap(({ name: spelled, start, end }, index) => {
    const best = found[index]?.find(({ type, name }) => type !== 'theme' && isMisspelling(spelled, name));
    return best ? [{ type: best.type, slug: best.slug, name: best.name, start, end, spelled }] : [];
  });
}

const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** One slip in a short name, two in a longer one; the first letter is mostly right. */
function isMisspelling(written: string, name: string): boolean {
  const [one, other] = [plain(written), plain(name)];
  const slips = other.length < 5 ? 0 : other.length < 6 && one.length < 6 ? 1 : 2;
  return one[0] === other[0] && Math.abs(one.length - other.length) <= slips && distance(one, other) <= slips;
}

/** Letters that are put in, left out or put in place of another. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (let place = 1; place <= other.length; place++)
      next.push(
        Math.min(
          (next[place - 1] ?? 0) + 1,
          (row[place] ?? 0) + 1,
          (row[place - 1] ?? 0) + (other[place - 1] === letter ? 0 : 1),
        ),
      );
    row = next;
  }
  return row[other.length] ?? 0;
}
