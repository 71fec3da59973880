/** Brands, cities, themes and kinds of shop that a question names, as the catalogue knows them. */
import type { PreparedCatalogue } from '../../ingest/understand/catalogue.ts';
import { isCommon } from '../../ingest/understand/model/common.ts';
import { nameKey, type Text, tokenise } from '../../ingest/understand/tokens.ts';
import type { Category } from '../../schemas/catalogue.ts';

export interface Named {
  readonly slug: string;
  readonly name: string;
  /** Place of the words in the question. */
  readonly start: number;
  readonly end: number;
}

export interface Subject {
  readonly brands: readonly Named[];
  readonly cities: readonly Named[];
  readonly themes: readonly Named[];
  readonly categories: readonly (Named & { readonly category: Category })[];
}

/** What people call the shops of a category. */
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

const LONGEST_NAME = 6;

/** The longest names win, and of one length the first of: brand, city, theme, kind of shop. */
export function readSubject(question: string, catalogue: PreparedCatalogue): Subject {
  const text = tokenise(question);
  const spans: Span[] = [];
  for (let first = 0; first < text.tokens.length; first++)
    for (let last = Math.min(text.tokens.length, first + LONGEST_NAME) - 1; last >= first; last--) {
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
    brands: of('brand'),
    cities: of('city'),
    themes: of('theme'),
    categories: of('category').flatMap(({ category, ...span }) => (category ? [{ ...span, category }] : [])),
  };
}
