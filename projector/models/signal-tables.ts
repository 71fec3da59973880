/**
 * The tables of the feed, as they are filled from the row of a signal: the signal with its document, its brands, its
 * facets, and the targets of follows.
 */
import { betterSummary, isExcerpt } from '../../facts/text/key-sentences.ts';
import type { SignalItem } from '../../schemas/resources.ts';
import { earlierOf, laterOf } from '../../schemas/scalar.ts';
import type { FacetTag } from '../../schemas/signal-filter.ts';
import { targetKey } from '../../schemas/subscriptions.ts';
import { salienceOfReports } from '../../signal/salience.ts';
import { bestReport, countedOutlets, firstReportedAt } from '../../signal/signal-reports.ts';
import type { Table } from '../read-model.ts';
import { namedIn } from './signal-model.ts';
import type { SignalRow } from './signals-read-model.ts';

/** The summary that a text has from its report. */
const ownSummary = ({ summary, summary_by }: SignalRow['text']): string | null => (summary_by ? null : summary);

/** The summary: an operator's, else the best of all reports, else the sentence of facts, else a cut one. */
function summaryOf({ text, lent, corrections = [] }: SignalRow): Pick<SignalItem, 'summary' | 'summary_by'> {
  if (corrections.some(({ fields }) => fields.includes('summary'))) return { summary: ownSummary(text) };
  const summary = betterSummary(text.headline, ownSummary(text), lent?.summary ?? null);
  if (summary !== null && !(text.summary_by && isExcerpt(summary))) return { summary };
  return { summary: text.summary, ...(text.summary_by && { summary_by: text.summary_by }) };
}

/** The document that lists serve. @param baseUrl address that readers use, without a slash at the end */
function itemDocument(row: SignalRow, baseUrl: string): SignalItem {
  const { text } = row;
  const best = bestReport(row.reports, row.text_from);
  return {
    id: row.id,
    slug: row.slug,
    url: `${baseUrl}/signal/${row.slug}`,
    headline: text.headline,
    delta: text.delta,
    ...summaryOf(row),
    move: text.move,
    kind: text.kind,
    theme: text.theme && {
      slug: text.theme.slug,
      name: text.theme.name,
      url: `${baseUrl}/theme/${text.theme.slug}`,
    },
    brands: text.brands.map(({ name, slug, role }) => ({ name, slug, url: `${baseUrl}/brand/${slug}`, role })),
    cities: text.cities,
    published_at: row.published_at,
    reported_at: firstReportedAt(row.reports, row.published_at),
    event_at: text.event_at,
    source: { outlet: best?.outlet ?? null, url: best?.url ?? null },
    outlets: Math.max(1, countedOutlets(row.reports).length),
  };
}

const salienceOf = ({ text, reports, standing }: SignalRow): number =>
  salienceOfReports(text, reports, standing ?? null);

const signalsTable = (baseUrl: string): Table<SignalRow> => ({
  name: 'signals',
  columns: [
    'slug',
    'status',
    'published_at',
    'move',
    'theme',
    'cities',
    'outlets',
    'salience',
    'merged_into',
    'follows',
    'item_document',
  ],
  records: (row) => [
    {
      slug: row.slug,
      status: row.status,
      published_at: row.published_at,
      move: row.text.move,
      theme: row.text.theme?.slug ?? null,
      cities: row.text.cities,
      outlets: countedOutlets(row.reports).length,
      salience: salienceOf(row),
      merged_into: row.merged_into,
      follows: row.follows,
      item_document: JSON.stringify(itemDocument(row, baseUrl)),
    },
  ],
});

/** One record for each brand that a public signal names. */
const brandsTable: Table<SignalRow> = {
  name: 'signal_brands',
  columns: [
    'brand',
    'name',
    'is_primary',
    'is_provisional',
    'published_at',
    'reported_at',
    'move',
    'theme',
    'theme_name',
    'cities',
    'outlets',
  ],
  records({ status, published_at, text, reports }) {
    if (status !== 'public') return [];
    const { move, theme, provisional } = text;
    const { about, cities } = namedIn(text);
    const names = new Map(text.brands.map(({ slug, name }) => [slug, name]));
    return [...names].map(([brand, name]) => ({
      brand,
      name,
      is_primary: about.includes(brand),
      is_provisional: provisional?.includes(brand) ?? false,
      published_at,
      reported_at: firstReportedAt(reports, published_at),
      move,
      theme: theme?.slug ?? null,
      theme_name: theme?.name ?? null,
      cities,
      outlets: countedOutlets(reports),
    }));
  },
};

/** The tags of a signal: each of its values once. */
function tagsOf({ text, reports }: SignalRow): FacetTag[] {
  const { brands, about, cities } = namedIn(text);
  return [
    `kind:${text.move}`,
    ...(text.theme === null ? [] : [`theme:${text.theme.slug}` as const]),
    ...brands.map((slug) => `brand:${slug}` as const),
    ...about.map((slug) => `about:${slug}` as const),
    ...cities.map((city) => `city:${city}` as const),
    ...countedOutlets(reports).map((outlet) => `outlet:${outlet}` as const),
  ];
}

/** What public signals are filtered, counted and sorted by: lists with several filters, and the counts next to them. */
const facetsTable: Table<SignalRow> = {
  name: 'signal_facets',
  columns: ['published_at', 'reported_at', 'outlets', 'salience', 'tags'],
  records: (row) =>
    row.status !== 'public'
      ? []
      : [
          {
            published_at: row.published_at,
            reported_at: firstReportedAt(row.reports, row.published_at),
            outlets: Math.max(1, countedOutlets(row.reports).length),
            salience: salienceOf(row),
            tags: tagsOf(row),
          },
        ],
};

/** When each source first reported it: of a report that came too late, never. */
function sourcesOf({ reports }: SignalRow): ReadonlyMap<string, string> {
  const first = new Map<string, string>();
  for (const { source_id, first_seen_at, resurfaced } of reports)
    if (!resurfaced) first.set(source_id, earlierOf(first.get(source_id) ?? first_seen_at, first_seen_at));
  return first;
}

/** What a follow waits for. Nothing is delivered before it is published. */
const targetsTable: Table<SignalRow> = {
  name: 'signal_targets',
  columns: ['target', 'at'],
  records(row) {
    const { status, published_at, text, follows, followed = [] } = row;
    if (status !== 'public') return [];
    const earlier = new Set([...followed, ...(follows ? [follows] : [])]);
    const targets = [
      ...namedIn(text).about.map((brand) => targetKey('brand', brand)),
      ...(text.theme ? [targetKey('theme', text.theme.slug)] : []),
      ...[...earlier].map((id) => targetKey('signal', id)),
    ];
    return [
      ...targets.map((target) => ({ target, at: published_at })),
      ...[...sourcesOf(row)].map(([source, at]) => ({
        target: targetKey('source', source),
        at: laterOf(at, published_at),
      })),
    ];
  },
};

/** All of them, the main one first. @param baseUrl address that readers use, without a slash at the end */
export const signalTables = (baseUrl: string): readonly Table<SignalRow>[] => [
  signalsTable(baseUrl),
  brandsTable,
  facetsTable,
  targetsTable,
];
