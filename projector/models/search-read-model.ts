/** Search: one row per signal with its weighted words. Questions and the search box are answered from it. */
import { readFileSync } from 'node:fs';
import { withEnforcement } from '../../facts/before-2.ts';
import { type Facts, factFieldsOf } from '../../schemas/facts.ts';
import { type BrandSlug, earlierOf } from '../../schemas/scalar.ts';
import { SIGNAL_PREFIX, type SignalStatus } from '../../schemas/signal.ts';
import type { Understanding } from '../../schemas/story.ts';
import { foldSignalsBy, SIGNAL_TYPES, touchedSignals } from '../../signal/signal-status.ts';
import { modelVersion } from '../model-version.ts';
import type { Model } from '../read-model.ts';

interface SearchRow {
  readonly status: SignalStatus;
  readonly published_at: string;
  /** When the first item that reported it was first seen. */
  readonly first_seen_at: string;
  readonly event_at: string | null;
  readonly move: string;
  readonly theme: string | null;
  /** Slugs of all brands that it names. */
  readonly brands: readonly BrandSlug[];
  /** Slugs of the brands that it is about. */
  readonly about: readonly BrandSlug[];
  readonly cities: readonly string[];
  /** The three texts without accents, as they are searched. */
  readonly headline: string;
  readonly names: string;
  readonly body: string;
  /** Titles of its first reports, as the outlets wrote them. */
  readonly titles: readonly string[];
  /** What answers count, as it was understood. */
  readonly facts: Facts;
}

/** Maximum of stored titles: more would only repeat the same words. */
const MAX_TITLES = 12;

const withTitles = (row: SearchRow, titles: readonly string[]): SearchRow => {
  const all = [...new Set([...row.titles, ...titles])].slice(0, MAX_TITLES);
  return all.length === row.titles.length ? row : { ...row, titles: all };
};

/** Applies an event to the row of one of the signals that it touches. */
const evolveSearch = foldSignalsBy<SearchRow>({
  SignalDetected: ({ data: { status, published_at, understanding, report } }) => {
    const { first_seen_at, title } = report;
    return { status, published_at, first_seen_at, titles: [title], ...wordsOf(understanding) };
  },
  SignalReported: (row, { data }) => (data.resurfaced ? row : withTitles(row, [data.report.title])),
  SignalRevised: (row, { data }) => ({ ...row, ...wordsOf(data.after) }),
  SignalCorrected: (row, { data }) => ({ ...row, ...wordsOf(data.after) }),
  SignalSplit: (row, { data }) => ({ ...row, titles: row.titles.filter((title) => title !== data.report.title) }),
  absorbed: (row, merged) => withTitles(row, merged?.titles ?? []),
});

/** Text as it is searched: without accents, so that "cafe" finds "café". */
export const withoutAccents = (text: string): string => text.normalize('NFKD').replace(/[\u0300-\u036f]/g, '');

const joined = (texts: readonly (string | null | undefined)[]): string =>
  withoutAccents([...new Set(texts.filter(Boolean))].join(' . '));

function wordsOf(
  understanding: Understanding,
): Omit<SearchRow, 'status' | 'published_at' | 'first_seen_at' | 'titles'> {
  const { headline, deck, summary, key_facts, delta, kind, theme, brands, cities, mall, people } = understanding;
  const { deal, openings, move, event_at } = understanding;
  const slugs = (role?: 'primary'): BrandSlug[] => [
    ...new Set(brands.filter((brand) => !role || brand.role === role).map(({ slug }) => slug)),
  ];
  return {
    event_at,
    move,
    theme: theme?.slug ?? null,
    brands: slugs(),
    about: slugs('primary'),
    cities: [...new Set(cities)],
    headline: withoutAccents(headline),
    names: joined([
      ...brands.map(({ name }) => name),
      ...cities,
      mall,
      ...people.flatMap(({ person, role, company }) => [person, role, company]),
      ...openings.map(({ mall: place }) => place),
      deal?.target,
      ...(deal?.buyers ?? []),
    ]),
    body: joined([summary, deck, ...key_facts, delta, kind, theme?.name]),
    facts: factFieldsOf(withEnforcement(understanding)),
  };
}

const schema = readFileSync(new URL('./search.sql', import.meta.url), 'utf8');

/** Created after the rows. */
const indexes = [
  'CREATE INDEX search_signals_words ON search_signals USING gin (words) WHERE is_public',
  'CREATE INDEX search_signals_newest ON search_signals (moved_at, key) WHERE is_public',
  'CREATE INDEX search_signals_brands ON search_signals USING gin (brands) WHERE is_public',
  'CREATE INDEX search_signals_cities ON search_signals USING gin (cities) WHERE is_public',
  'CREATE INDEX search_signals_of_theme ON search_signals (theme, moved_at, key) WHERE is_public AND theme IS NOT NULL',
  'CREATE INDEX search_signals_of_move ON search_signals (move, moved_at, key) WHERE is_public',
];

/** When it happened, as far as that is known: a signal that was released late, or came by a first poll, is older news. */
export const movedAt = ({
  event_at,
  first_seen_at,
  published_at,
}: Pick<SearchRow, 'event_at' | 'first_seen_at' | 'published_at'>): string =>
  [event_at ?? first_seen_at, first_seen_at].reduce(earlierOf, published_at);

/** The model of search. */
export function searchModel(): Model<SearchRow> {
  return {
    name: 'search',
    types: SIGNAL_TYPES,
    prefixes: [SIGNAL_PREFIX],
    topics: [],
    schema,
    indexes,
    version: modelVersion(import.meta.url, { schema }),
    keys: touchedSignals,
    evolve: evolveSearch,
    tables: [
      {
        name: 'search_signals',
        columns: [
          'is_public',
          'moved_at',
          'move',
          'theme',
          'brands',
          'about',
          'cities',
          'headline',
          'names',
          'body',
          'titles',
        ],
        records: (row) => {
          const { move, theme, brands, about, cities, headline, names, body } = row;
          const filters = { is_public: row.status === 'public', moved_at: movedAt(row), move, theme };
          const titles = withoutAccents(row.titles.join(' . '));
          return [{ ...filters, brands, about, cities, headline, names, body, titles }];
        },
      },
    ],
  };
}
