/** The invented outlets. None exists; "(demo)" in every name keeps a reader from taking one for a real publisher. */
import type { Move } from '../schemas/scalar.ts';
import type { Selectors, SourceKind } from '../schemas/source.ts';

/** How an outlet writes figures and headlines. Authored texts hold neutral figures such as `[₹230cr]`. */
export interface Voice {
  readonly case: 'title' | 'sentence';
  readonly rupee: '₹ Cr' | '₹ crore' | 'Rs crore' | 'Rs. crore' | 'Rs Cr' | 'INR Cr';
  readonly dollar: '$ Mn' | '$ million' | 'USD mn' | '$M';
  readonly percent: '%' | ' per cent' | ' percent' | ' pc';
  /** Prefixes of headlines by kind; `funding` is a deal in which money is raised. */
  readonly prefixes: Partial<Record<Move | 'funding' | 'correction' | 'edited', string>>;
  /** `cut` truncates the text, as many feeds do. */
  readonly summary: 'full' | 'none' | 'cut';
}

export interface Outlet {
  /** First part of its URLs and of its items' guids. */
  readonly id: string;
  readonly name: string;
  /** Its description of itself on its pages. */
  readonly about: string;
  readonly format: 'rss' | 'atom' | 'rdf' | 'json_feed' | 'listing' | 'sitemap';
  /** Last part of the URL that is polled. */
  readonly file: string;
  readonly kind: SourceKind;
  readonly role: 'news' | 'oracle';
  readonly authority: number;
  readonly cadence: number;
  readonly selectors?: Selectors;
  readonly voice: Voice;
  /** Common faults of real feeds. */
  readonly habits?: {
    readonly dates?: 'no zone' | 'IST';
    readonly encodesTwice?: boolean;
    readonly latin1?: boolean;
    readonly tracking?: string;
    readonly htmlSummary?: boolean;
    readonly relativeLinks?: boolean;
  };
}

export const OUTLETS: readonly Outlet[] = [
  {
    id: 'patrika',
    name: 'Retail Patrika (demo)',
    about: 'Store counts, leases and launches, in capitals.',
    format: 'rss',
    file: 'feed.xml',
    kind: 'feed',
    role: 'news',
    authority: 0.7,
    cadence: 10,
    voice: {
      case: 'title',
      rupee: '₹ Cr',
      dollar: '$ Mn',
      percent: '%',
      prefixes: { funding: '{Funding Alert}', edited: '[Update]', people: 'People Move:' },
      summary: 'none',
    },
  },
  {
    id: 'dukaan',
    name: 'Dukaan Daily (demo)',
    about: 'News for the shopkeeper, twice encoded for good measure.',
    format: 'rss',
    file: 'rss',
    kind: 'feed',
    role: 'news',
    authority: 0.6,
    cadence: 12,
    voice: {
      case: 'sentence',
      rupee: 'Rs crore',
      dollar: '$ million',
      percent: ' per cent',
      prefixes: { correction: 'Correction:' },
      summary: 'full',
    },
    habits: { encodesTwice: true },
  },
  {
    id: 'brandwala',
    name: 'Brandwala Business (demo)',
    about: 'Brands, owners and the money between them.',
    format: 'atom',
    file: 'atom.xml',
    kind: 'feed',
    role: 'news',
    authority: 0.8,
    cadence: 12,
    voice: {
      case: 'sentence',
      rupee: '₹ crore',
      dollar: '$ million',
      percent: '%',
      prefixes: { correction: 'Correction:', edited: 'Updated:' },
      summary: 'full',
    },
  },
  {
    id: 'kirana',
    name: 'Kirana Chronicle (demo)',
    about: 'Grocery, packaged goods and ten-minute deliveries.',
    format: 'rdf',
    file: 'index.rdf',
    kind: 'feed',
    role: 'news',
    authority: 0.6,
    cadence: 15,
    voice: {
      case: 'sentence',
      rupee: 'Rs. crore',
      dollar: '$ million',
      percent: ' per cent',
      prefixes: {},
      summary: 'full',
    },
  },
  {
    id: 'mallroad',
    name: 'Mall Road Monitor (demo)',
    about: 'Who opens where, floor by floor.',
    format: 'listing',
    file: 'latest',
    kind: 'html',
    role: 'news',
    authority: 0.6,
    cadence: 15,
    selectors: { item: 'article.teaser', title: 'h3', link: 'h3 a', summary: 'p.standfirst', date: 'span.when' },
    voice: { case: 'title', rupee: 'Rs Cr', dollar: '$ Mn', percent: '%', prefixes: {}, summary: 'full' },
    habits: { dates: 'no zone', relativeLinks: true },
  },
  {
    id: 'sutra',
    name: 'Startup Sutra (demo)',
    about: 'Founders, rounds and burn.',
    format: 'rss',
    file: 'feed',
    kind: 'feed',
    role: 'news',
    authority: 0.7,
    cadence: 12,
    voice: {
      case: 'title',
      rupee: '₹ Cr',
      dollar: '$ Mn',
      percent: '%',
      prefixes: { funding: 'Exclusive:' },
      summary: 'cut',
    },
    habits: { tracking: 'utm_source=feed&utm_medium=rss&utm_campaign=sutra' },
  },
  {
    id: 'vyapar',
    name: 'Vyapar Varta Wire (demo)',
    about: 'The wire: short, early, without adjectives.',
    format: 'sitemap',
    file: 'news-sitemap.xml',
    kind: 'news_sitemap',
    role: 'news',
    authority: 0.8,
    cadence: 10,
    voice: {
      case: 'sentence',
      rupee: 'Rs crore',
      dollar: '$ million',
      percent: ' pc',
      prefixes: {},
      summary: 'none',
    },
  },
  {
    id: 'counter',
    name: 'The Counter (demo)',
    about: 'What the till says.',
    format: 'json_feed',
    file: 'feed.json',
    kind: 'feed',
    role: 'news',
    authority: 0.7,
    cadence: 12,
    voice: { case: 'sentence', rupee: '₹ crore', dollar: '$M', percent: '%', prefixes: {}, summary: 'full' },
  },
  {
    id: 'bazaar',
    name: 'Bazaar Business Review (demo)',
    about: 'Long views of short margins.',
    format: 'atom',
    file: 'entries.atom',
    kind: 'feed',
    role: 'news',
    authority: 0.8,
    cadence: 15,
    voice: {
      case: 'sentence',
      rupee: 'Rs. crore',
      dollar: '$ million',
      percent: ' percent',
      prefixes: { edited: 'Updated:' },
      summary: 'full',
    },
    habits: { htmlSummary: true },
  },
  {
    id: 'highstreet',
    name: 'High Street Herald (demo)',
    about: 'Pavement, rent and footfall.',
    format: 'listing',
    file: 'news',
    kind: 'html',
    role: 'news',
    authority: 0.5,
    cadence: 15,
    selectors: { item: 'li.story', title: 'a.headline', link: 'a.headline', date: 'time' },
    voice: { case: 'title', rupee: 'INR Cr', dollar: 'USD mn', percent: '%', prefixes: {}, summary: 'none' },
  },
  {
    id: 'rupee',
    name: 'Rupee & Retail (demo)',
    about: 'Listed retail, quarter by quarter.',
    format: 'rss',
    file: 'markets.rss',
    kind: 'feed',
    role: 'news',
    authority: 0.8,
    cadence: 12,
    voice: {
      case: 'sentence',
      rupee: 'Rs crore',
      dollar: '$ million',
      percent: '%',
      prefixes: { results: 'Earnings:' },
      summary: 'full',
    },
    habits: { dates: 'IST' },
  },
  {
    id: 'corner',
    name: 'Corner Office India (demo)',
    about: 'Who sits in it now.',
    format: 'rss',
    file: 'appointments.xml',
    kind: 'feed',
    role: 'news',
    authority: 0.7,
    cadence: 15,
    voice: { case: 'title', rupee: '₹ crore', dollar: '$ million', percent: '%', prefixes: {}, summary: 'full' },
    habits: { dates: 'no zone' },
  },
  {
    id: 'thali',
    name: 'Thali & Trolley (demo)',
    about: 'Food, drink and those who sell them.',
    format: 'rss',
    file: 'feed.rss',
    kind: 'feed',
    role: 'news',
    authority: 0.6,
    cadence: 15,
    voice: { case: 'sentence', rupee: '₹ Cr', dollar: '$ Mn', percent: '%', prefixes: {}, summary: 'full' },
    habits: { htmlSummary: true },
  },
  {
    id: 'sona',
    name: 'Sona & Silk Samachar (demo)',
    about: 'Jewellery, fashion and beauty, on an old web server.',
    format: 'rss',
    file: 'samachar.xml',
    kind: 'feed',
    role: 'news',
    authority: 0.5,
    cadence: 15,
    voice: {
      case: 'title',
      rupee: 'Rs. crore',
      dollar: '$ million',
      percent: ' percent',
      prefixes: { launches: 'In Store:' },
      summary: 'cut',
    },
    habits: { latin1: true },
  },
  {
    id: 'tradewatch',
    name: 'Tradewatch Reference (demo)',
    about: 'The reference list that the Oracle checks coverage by; it makes no signals.',
    format: 'rss',
    file: 'reference.xml',
    kind: 'feed',
    role: 'oracle',
    authority: 0.5,
    cadence: 20,
    voice: { case: 'sentence', rupee: 'Rs crore', dollar: '$ million', percent: '%', prefixes: {}, summary: 'none' },
  },
];

export const outletById = new Map(OUTLETS.map((outlet) => [outlet.id, outlet]));
