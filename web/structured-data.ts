/** Structured data of pages for machines, in terms of schema.org, as JSON-LD. */
import { html, raw } from 'hono/html';
import { type Markup, safeLink } from '../presentation/markup.ts';
import { clip } from '../presentation/text.ts';
import type { StoredReport } from '../projector/models/signals-queries.ts';
import { reportedAt, type SignalDetail, type SignalReference } from '../schemas/resources.ts';
import { excerpt } from './parts.ts';

/** JSON that can neither end its script element nor open a comment: every `<`, `>` and `&` is escaped. */
export const dataBlock = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** A script element with JSON-LD. @param block in terms of schema.org */
const linkedData = (block: Readonly<Record<string, unknown>>): Markup =>
  html`<script type="application/ld+json">${raw(dataBlock({ '@context': 'https://schema.org', ...block }))}</script>`;

/** More entries would only make the page heavier. */
const MAXIMUM_LISTED = 10;

/** The subject of a page in schema.org terms. */
type About =
  | { readonly '@type': 'Organization' | 'Thing' | 'Country'; readonly name: string }
  | {
      readonly '@type': 'City' | 'ShoppingCenter' | 'Airport' | 'Place';
      readonly name: string;
      readonly containedInPlace: object;
    };

export interface Collection {
  readonly about?: About;
  /** Breadcrumbs: name and path of each page from below the home page to this one. */
  readonly trail: readonly { readonly name: string; readonly path: string }[];
  /** The listed signals, in order. */
  readonly entries: readonly Pick<SignalReference, 'url' | 'headline' | 'published_at' | 'reported_at'>[];
}

/** The breadcrumb of pages that the index lists. */
export const underIndex = { name: 'Index', path: '/index' } as const;

/** A city in its state; a city that the catalogue lacks is in India. */
export const cityAbout = (name: string, state: string | null): About => {
  const india = { '@type': 'Country', name: 'India' };
  const containedInPlace =
    state === null ? india : { '@type': 'AdministrativeArea', name: state, containedInPlace: india };
  return { '@type': 'City', name, containedInPlace };
};

const MALL_TYPES = { mall: 'ShoppingCenter', high_street: 'Place', airport: 'Airport', other: 'Place' } as const;

/** A mall, high street or airport in its city. */
export const mallAbout = (
  { name, city, kind }: { readonly name: string; readonly city: string; readonly kind: keyof typeof MALL_TYPES },
  state: string | null,
): About => ({
  '@type': MALL_TYPES[kind],
  name,
  containedInPlace: cityAbout(city, state),
});

const article = ({ url, headline, ...dates }: Collection['entries'][number]) => ({
  '@type': 'NewsArticle',
  '@id': url,
  url,
  headline: excerpt(headline, 110),
  datePublished: reportedAt(dates),
});

/** A CollectionPage with its breadcrumbs and its list. @param page title, description and path */
export function collectionPage(
  baseUrl: string,
  page: { readonly title: string; readonly description: string; readonly path: string },
  { about, trail, entries }: Collection,
): Markup {
  const url = `${baseUrl}${page.path}`;
  // Two openings of one report are one entry.
  const listed = [...new Map(entries.map((entry) => [entry.url, entry])).values()].slice(0, MAXIMUM_LISTED);
  const crumbs = [{ name: 'Clarity', path: '/' }, ...trail];
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
      itemListElement: crumbs.map(({ name, path }, n) => ({
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

const MAXIMUM_CITED = 20;
/** The length of a headline that search engines show. */
const HEADLINE = 110;

/**
 * A NewsArticle for the page of a signal.
 * @param picture address of its picture
 * @param changed RFC 3339, when its text last changed
 */
export function newsArticle(
  signal: SignalDetail,
  { picture, changed, reports }: { picture: string; changed: string; reports: readonly StoredReport[] },
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
    datePublished: reportedAt(signal),
    dateModified: changed,
    inLanguage: 'en-IN',
    publisher: { '@type': 'Organization', name: 'Clarity' },
    author: { '@type': 'Organization', name: signal.source.outlet ?? 'Clarity' },
    isBasedOn: cited,
    about: signal.brands.map(({ name, url }) => ({ '@type': 'Brand', name, ...(url && { url }) })),
    contentLocation: signal.cities.map((name) => ({ '@type': 'City', name })),
  });
}
