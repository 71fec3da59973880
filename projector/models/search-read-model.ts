/** Search: one row per signal with its weighted words. Questions and the search box are answered from it. */
import { withEnforcement } from '../../facts/before-2.ts';
import { cleanHeadline } from '../../facts/text/item-reading.ts';
import { plainText } from '../../language/tokens.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { type Facts, factFieldsOf, statesFacts, withoutCorrected } from '../../schemas/facts.ts';
import { type BrandSlug, earlierOf } from '../../schemas/scalar.ts';
import { isSameItem, type Report, type ReportRef, type SignalStatus } from '../../schemas/signal.ts';
import type { Understanding } from '../../schemas/story.ts';
import { factsAfterRevision, withMissingReports, withoutReport, withReport } from '../../signal/signal-reports.ts';
import { foldSignalsBy } from '../../signal/signal-status.ts';
import type { Model } from '../read-model.ts';
import { defineSignalModel, namedIn } from './signal-model.ts';

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
  /** Its reports, each in its latest wording. */
  readonly reports: readonly StoredReport[];
  /** What answers count, as the text of the signal was understood. */
  readonly facts: Facts;
}

/** A report with the words that may be quoted of it. */
interface StoredReport extends ReportRef, Pick<Report, 'outlet' | 'url' | 'published_at' | 'first_seen_at'> {
  /** Plain text, without what the outlet adds to a headline. */
  readonly title: string;
  readonly summary: string | null;
  /** It came too late to count as a report of the signal. */
  readonly resurfaced: boolean;
  /** What it states itself; unset where it states nothing. */
  readonly facts?: Partial<Facts>;
}

/** Maximum of reports whose words are stored: more repeat the same ones. */
const MAX_REPORTS = 60;
/** Characters of a summary that are stored. */
const LONGEST_SUMMARY = 2_000;

/** The facts of a text as a report has them; none for a text that states none. */
const factsIn = (text: Partial<Facts> | undefined): Pick<StoredReport, 'facts'> =>
  text && statesFacts(text) ? { facts: factFieldsOf(text) } : {};

const storedReport = (report: Report, resurfaced: boolean, text: Partial<Facts> | undefined): StoredReport => {
  const { source_id, item_key, outlet, url, title, summary, published_at, first_seen_at } = report;
  return {
    source_id,
    item_key,
    outlet,
    url,
    title: cleanHeadline(title),
    summary: plainText(summary ?? '', LONGEST_SUMMARY) || null,
    published_at,
    first_seen_at,
    resurfaced,
    ...factsIn(text),
  };
};

/** The reports after a revision, which may read one of them anew. */
const revisedReports = (
  reports: readonly StoredReport[],
  { reason, item_key, source_id, after }: KnownEvent<'SignalRevised'>['data'],
): readonly StoredReport[] =>
  reports.map(({ facts, ...report }) => {
    const isText = isSameItem(report, { item_key, source_id: source_id ?? report.source_id });
    const next = factsAfterRevision(reason, isText);
    if (next === 'unchanged') return facts ? { ...report, facts } : report;
    return next === 'none' ? report : { ...report, ...factsIn(withEnforcement(after)) };
  });

const withReports = (row: SearchRow, reports: readonly StoredReport[]): SearchRow => ({
  ...row,
  reports: reports.slice(0, MAX_REPORTS),
});

/** Applies an event to the row of one of the signals that it touches. */
const evolveSearch = foldSignalsBy<SearchRow>({
  SignalDetected: ({ data: { status, published_at, understanding, report } }) => {
    const reports = [storedReport(report, status === 'resurfaced', withEnforcement(understanding))];
    return { status, published_at, first_seen_at: report.first_seen_at, reports, ...wordsOf(understanding) };
  },
  SignalReported: (row, { data: { report, resurfaced, facts } }) =>
    withReports(row, withReport(row.reports, storedReport(report, resurfaced, facts))),
  SignalRevised: (row, { data }) => ({ ...row, ...wordsOf(data.after), reports: revisedReports(row.reports, data) }),
  // What an operator corrected, no other report states otherwise.
  SignalCorrected: (row, { data: { after, corrected } }) => ({
    ...row,
    ...wordsOf(after),
    reports: row.reports.map((one) =>
      one.facts ? { ...one, facts: { ...one.facts, ...withoutCorrected(corrected) } } : one,
    ),
  }),
  SignalSplit: (row, { data }) => withReports(row, withoutReport(row.reports, data.report)),
  absorbed: (row, merged) => withReports(row, withMissingReports(row.reports, merged?.reports ?? [])),
});

/** Text as it is searched: without accents, so that "cafe" finds "café". */
export const withoutAccents = (text: string): string => text.normalize('NFKD').replace(/[\u0300-\u036f]/g, '');

const joined = (texts: readonly (string | null | undefined)[]): string =>
  withoutAccents([...new Set(texts.filter(Boolean))].join(' . '));

function wordsOf(
  understanding: Understanding,
): Omit<SearchRow, 'status' | 'published_at' | 'first_seen_at' | 'reports'> {
  const { headline, deck, summary, key_facts, delta, kind, theme, brands, cities, mall, people } = understanding;
  const { deal, openings, move, event_at } = understanding;
  return {
    event_at,
    move,
    theme: theme?.slug ?? null,
    ...namedIn({ brands, cities }),
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

/** When it happened, as far as that is known: a signal that was released late, or came by a first poll, is older news. */
export const movedAt = ({
  event_at,
  first_seen_at,
  published_at,
}: Pick<SearchRow, 'event_at' | 'first_seen_at' | 'published_at'>): string =>
  [event_at ?? first_seen_at, first_seen_at].reduce(earlierOf, published_at);

/** The model of search. */
export function searchModel(): Model<SearchRow> {
  return defineSignalModel(import.meta.url, {
    name: 'search',
    indexes: [
      'CREATE INDEX search_signals_words ON search_signals USING gin (words) WHERE is_public',
      'CREATE INDEX search_signals_newest ON search_signals (moved_at, key) WHERE is_public',
      'CREATE INDEX search_signals_brands ON search_signals USING gin (brands) WHERE is_public',
      'CREATE INDEX search_signals_cities ON search_signals USING gin (cities) WHERE is_public',
      'CREATE INDEX search_signals_of_theme ON search_signals (theme, moved_at, key) WHERE is_public AND theme IS NOT NULL',
      'CREATE INDEX search_signals_of_move ON search_signals (move, moved_at, key) WHERE is_public',
    ],
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
          'reports',
        ],
        records: (row) => {
          const { move, theme, brands, about, cities, headline, names, body } = row;
          const filters = { is_public: row.status === 'public', moved_at: movedAt(row), move, theme };
          const counted = row.reports.filter(({ resurfaced }) => !resurfaced);
          const reports = joined(counted.flatMap(({ title, summary }) => [title, summary]));
          return [{ ...filters, brands, about, cities, headline, names, body, reports }];
        },
      },
    ],
  });
}
