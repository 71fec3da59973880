/**
 * Facets: what public signals are filtered, counted and sorted by. Lists with several filters, and the counts next to the
 * filters of a page, are read from it.
 */
import type { BrandSlug, Move } from '../../schemas/scalar.ts';
import type { Report, SignalStatus, Standing } from '../../schemas/signal.ts';
import type { FacetTag } from '../../schemas/signal-filter.ts';
import type { Understanding } from '../../schemas/story.ts';
import { salienceOfReports } from '../../signal/salience.ts';
import {
  countedOutlets,
  firstReportedAt,
  withMissingReports,
  withoutReport,
  withReport,
} from '../../signal/signal-reports.ts';
import { foldSignalsBy } from '../../signal/signal-status.ts';
import type { Model } from '../read-model.ts';
import { defineSignalModel, namedIn } from './signal-model.ts';

type FacetReport = Pick<
  Report,
  'item_key' | 'source_id' | 'outlet' | 'authority' | 'published_at' | 'first_seen_at'
> & {
  readonly resurfaced: boolean;
};

interface FacetsRow {
  readonly status: SignalStatus;
  readonly published_at: string;
  readonly move: Move;
  readonly kind: string | null;
  readonly theme: string | null;
  readonly brands: readonly BrandSlug[];
  readonly about: readonly BrandSlug[];
  readonly cities: readonly string[];
  readonly reports: readonly FacetReport[];
  /** What its salience is scored by, apart from its reports; null before its analysis. */
  readonly standing: Standing | null;
}

/** Applies an event to the row of one of the signals that it touches. */
const evolveFacets = foldSignalsBy<FacetsRow>({
  SignalDetected: ({ data: { status, published_at, understanding, report } }) => ({
    status,
    published_at,
    ...facetsOf(understanding),
    reports: [facetReport(report, status === 'resurfaced')],
    standing: null,
  }),
  SignalReported: (row, { data }) => ({
    ...row,
    reports: withReport(row.reports, facetReport(data.report, data.resurfaced)),
  }),
  SignalRevised: (row, { data }) => ({ ...row, ...facetsOf(data.after) }),
  SignalCorrected: (row, { data }) => ({ ...row, ...facetsOf(data.after) }),
  SignalSplit: (row, { data }) => ({ ...row, reports: withoutReport(row.reports, data.report) }),
  SignalAnalysed: (row, { data }) => ({ ...row, standing: data.standing ?? null }),
  absorbed: (row, merged) => ({ ...row, reports: withMissingReports(row.reports, merged?.reports ?? []) }),
});

const facetReport = (
  { item_key, source_id, outlet, authority, published_at, first_seen_at }: Report,
  resurfaced: boolean,
): FacetReport => ({ item_key, source_id, outlet, authority, published_at, first_seen_at, resurfaced });

function facetsOf({ move, kind, theme, brands, cities }: Understanding) {
  return {
    move,
    kind,
    theme: theme?.slug ?? null,
    ...namedIn({ brands, cities }),
  };
}

/** The tags of a signal: each of its values once. */
function tagsOf({ move, theme, brands, about, cities, reports }: FacetsRow): FacetTag[] {
  return [
    `kind:${move}`,
    ...(theme === null ? [] : [`theme:${theme}` as const]),
    ...brands.map((slug) => `brand:${slug}` as const),
    ...about.map((slug) => `about:${slug}` as const),
    ...cities.map((city) => `city:${city}` as const),
    ...countedOutlets(reports).map((outlet) => `outlet:${outlet}` as const),
  ];
}

/** The model of facets. */
export function facetsModel(): Model<FacetsRow> {
  return defineSignalModel(import.meta.url, {
    name: 'facets',
    indexes: [
      'ALTER TABLE signal_facets ADD PRIMARY KEY (key)',
      'CREATE INDEX signal_facets_newest ON signal_facets (published_at, key)',
      'CREATE INDEX signal_facets_reported ON signal_facets (reported_at, key)',
      'CREATE INDEX signal_facets_salient ON signal_facets (salience, published_at, key)',
      'CREATE INDEX signal_facets_tags ON signal_facets USING gin (tags)',
    ],
    evolve: evolveFacets,
    tables: [
      { name: 'facet_rows', columns: [], records: () => [{}] },
      {
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
                  salience: salienceOfReports(row, row.reports, row.standing),
                  tags: tagsOf(row),
                },
              ],
      },
    ],
  });
}
