/** Structured data of pages for machines, in terms of schema.org, as JSON-LD. */
import { html, raw } from 'hono/html';
import { type Markup, safeLink } from '../presentation/markup.ts';
import { clip, neutralise } from '../presentation/text.ts';
import type { KeptReport } from '../projector/models/signals-queries.ts';
import type { SignalDetail, SignalReference } from '../schemas/resources.ts';

// A data block of JSON-LD in a page: it runs nothing, and nothing in it ends it.

/** JSON that cannot end the element it stands in, nor open a comment: every `<`, `>` and `&` is written as an escape. */
export const dataBlock = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** The element. @param block in terms of schema.org */
const linkedData = (block: Readonly<Record<string, unknown>>): Markup =>
  html`<script type="application/ld+json">${raw(dataBlock({ '@context': 'https://schema.org', ...block }))}</script>`;

// What a page that lists signals says to machines: schema.org's CollectionPage, the way to it, and its list.

/** The newest say enough, and keep the page light. */
const MAXIMUM_LISTED = 10;

/** What a page is about, as schema.org has it. */
type About =
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
  const listed = [...new Map(entries.map((entry) => [entry.url, entry])).values()].slice(0, MAXIMUM_LISTED);
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

// What the page of a signal says to machines: schema.org's NewsArticle.

const MAXIMUM_CITED = 20;
/** What search engines show of a headline at most. */
const HEADLINE = 110;

/**
 * @param picture address of the picture that stands for it
 * @param changed RFC 3339, when its text last changed
 */
export function newsArticle(
  signal: SignalDetail,
  { picture, changed, reports }: { picture: string; changed: string; reports: readonly KeptReport[] },
): Markup {
  const cited = reports.flatMap(({ url }) => safeLink(url) ?? []).slice(0, MAXIMUM_CITED);
  return linkedData({
    '@type': 'NewsArticle',
    '@id': signal.url,
    identifier: signal.id,
    headline: clip(signal.headline, HEADLINE),
    description: clip(signal.summary ?? signal.headline, 300),
    url: signal.url,
    image: [picture],
    mainEntityOfPage: signal.url,
    datePublished: signal.published_at,
    dateModified: changed,
    inLanguage: 'en-IN',
    publisher: { '@type': 'Organization', name: 'Clarity' },
    author: { '@type': 'Organization', name: signal.source.outlet ?? 'Clarity' },
    isBasedOn: cited,
    about: signal.brands.map(({ name, url }) => ({ '@type': 'Brand', name, url })),
    contentLocation: signal.cities.map((name) => ({ '@type': 'City', name })),
  });
}
