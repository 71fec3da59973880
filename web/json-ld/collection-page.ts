/** What a page that lists signals says to machines: schema.org's CollectionPage, the way to it, and its list. */
import type { SignalReference } from '../../schemas/reference.ts';
import type { Markup } from '../markup.ts';
import { clip, neutralise } from '../text.ts';
import { linkedData } from './data-block.ts';

/** The newest say enough, and keep the page light. */
const MOST_LISTED = 10;

/** What a page is about, as schema.org has it. */
export type About =
  | { readonly '@type': 'Organization' | 'Thing' | 'Country'; readonly name: string }
  | {
      readonly '@type': 'City' | 'ShoppingCenter' | 'Airport' | 'Place';
      readonly name: string;
      readonly containedInPlace: object;
    };

export interface Collection {
  readonly about?: About;
  /** Name and path of each page on the way to this one, the home page left out, this one the last. */
  readonly trail: readonly { readonly name: string; readonly path: string }[];
  /** What it lists, in its order. */
  readonly entries: readonly Pick<SignalReference, 'url' | 'headline' | 'published_at'>[];
}

/** The step to a page that the index lists. */
export const underIndex = { name: 'Index', path: '/index' } as const;

/** A city in its state; one that the catalogue lacks is at least in India. */
export const cityAbout = (name: string, state: string | null): About => {
  const india = { '@type': 'Country', name: 'India' };
  const containedInPlace =
    state === null ? india : { '@type': 'AdministrativeArea', name: state, containedInPlace: india };
  return { '@type': 'City', name, containedInPlace };
};

const MALL_TYPES = { mall: 'ShoppingCenter', high_street: 'Place', airport: 'Airport', other: 'Place' } as const;

/** A mall, a street of shops or an airport in its city. */
export const mallAbout = (
  { name, city, kind }: { readonly name: string; readonly city: string; readonly kind: keyof typeof MALL_TYPES },
  state: string | null,
): About => ({
  '@type': MALL_TYPES[kind],
  name,
  containedInPlace: cityAbout(city, state),
});

const article = ({ url, headline, published_at }: Collection['entries'][number]) => ({
  '@type': 'NewsArticle',
  '@id': url,
  url,
  headline: clip(neutralise(headline), 110),
  datePublished: published_at,
});

/** @param page its title, description and path under the address of the service */
export function collectionPage(
  baseUrl: string,
  page: { readonly title: string; readonly description: string; readonly path: string },
  { about, trail, entries }: Collection,
): Markup {
  const url = `${baseUrl}${page.path}`;
  // Two openings of one report are one entry.
  const listed = [...new Map(entries.map((entry) => [entry.url, entry])).values()].slice(0, MOST_LISTED);
  const way = [{ name: 'Clarity', path: '/' }, ...trail];
  return linkedData({
    '@type': 'CollectionPage',
    '@id': url,
    url,
    name: page.title,
    description: page.description,
    inLanguage: 'en-IN',
    isPartOf: { '@type': 'WebSite', name: 'Clarity', url: `${baseUrl}/` },
    ...(about ? { about } : {}),
    breadcrumb: {
      '@type': 'BreadcrumbList',
      itemListElement: way.map(({ name, path }, n) => ({
        '@type': 'ListItem',
        position: n + 1,
        name,
        item: `${baseUrl}${path}`,
      })),
    },
    mainEntity: {
      '@type': 'ItemList',
      numberOfItems: listed.length,
      itemListElement: listed.map((entry, n) => ({ '@type': 'ListItem', position: n + 1, item: article(entry) })),
    },
  });
}
