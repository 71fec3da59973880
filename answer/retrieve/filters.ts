/** From a question to what is searched for. */
import type { PreparedCatalogue } from '../../ingest/understand/catalogue.ts';
import type { SearchFilter } from '../../projector/models/search/queries.ts';
import { DAY } from '../question/days.ts';
import type { Question } from '../question/read.ts';

/** Results of a quarter are told within so many days after its end. */
const SEASON_DAYS = 270;

/** The slugs under which stories of a brand stand. */
const slugsOf = (slug: string, catalogue: PreparedCatalogue): string[] => [
  slug,
  ...(catalogue.brandBySlug.get(slug)?.retired_slugs ?? []),
];

/** Brands of the kinds of shop that a question names, by slug. */
export const brandsOfCategories = ({ categories }: Question, { catalogue }: PreparedCatalogue): string[] =>
  catalogue.brands
    .filter(({ category }) => categories.some((one) => one.category === category))
    .map(({ slug }) => slug);

export type Filters = Omit<SearchFilter, 'limit' | 'text' | 'any'>;

/** Whether the period of a question is that of a result, which is told only after it. */
export const asksForResults = ({ period, intent, moves }: Question): boolean =>
  period?.fiscal !== null && period?.fiscal !== undefined && (intent.metric !== null || moves.includes('results'));

/** The searches that a question stands for: mostly one; a kind of shop is searched by its brands and by its theme. */
export function filtersOf(question: Question, catalogue: PreparedCatalogue): Filters[] {
  const { brands, cities, themes, categories, period, moves } = question;
  const results = asksForResults(question);
  const shared: Filters = {
    cities: cities.map(({ name }) => name),
    moves,
    ...(period ? { since: period.since, until: results ? lateTold(period.until) : period.until } : {}),
  };
  if (brands.length > 0)
    return [{ ...shared, brands: brands.flatMap(({ slug }) => slugsOf(slug, catalogue)), themes: [] }];
  const searches: Filters[] = [];
  if (categories.length > 0) {
    searches.push({ ...shared, brands: brandsOfCategories(question, catalogue) });
    const slugs = categories.map(({ category }) => category.replaceAll('_', '-'));
    const same = catalogue.catalogue.themes.map(({ slug }) => slug).filter((slug) => slugs.includes(slug));
    if (same.length > 0) searches.push({ ...shared, themes: same });
  }
  if (themes.length > 0) searches.push({ ...shared, themes: themes.map(({ slug }) => slug) });
  return searches.length > 0 ? searches : [shared];
}

/** When the last results of a quarter that ends at a moment are told. */
export const lateTold = (moment: Date): Date => new Date(moment.getTime() + SEASON_DAYS * DAY);

/** Whether anything narrows a search. */
export const isNarrow = ({ brands, cities, themes, moves, since }: Filters): boolean =>
  [brands, cities, themes, moves].some((values) => values !== undefined && values.length > 0) || since !== undefined;
