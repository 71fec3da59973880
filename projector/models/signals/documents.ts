/** The documents that the API sends, made once when a signal changes. */
import type { BrandRef, SignalDetail, SignalItem } from '../../../schemas/resources.ts';
import type { KeptReport, SignalRow } from './row.ts';

/** Distinct outlets whose reports count. */
export const outletsOf = (row: SignalRow): string[] => [
  ...new Set(row.reports.filter((report) => !report.resurfaced).map((report) => report.outlet)),
];

/** The report whose text the signal has, else the first. */
export const bestReport = (row: SignalRow): KeptReport | undefined =>
  row.reports.find((report) => report.item_key === row.told_by) ?? row.reports[0];

/** The signal as lists show it. */
export function signalItem(row: SignalRow, baseUrl: string): SignalItem {
  const { text } = row;
  const best = bestReport(row);
  return {
    id: row.id,
    slug: row.slug,
    url: `${baseUrl}/signal/${row.slug}`,
    headline: text.headline,
    delta: text.delta,
    summary: text.summary,
    move: text.move,
    kind: text.kind,
    theme: text.theme && { ...text.theme, url: `${baseUrl}/theme/${text.theme.slug}` },
    brands: text.brands.map(
      ({ name, slug, role }): BrandRef => ({ name, slug, url: `${baseUrl}/brand/${slug}`, role }),
    ),
    cities: text.cities,
    published_at: row.published_at,
    event_at: text.event_at,
    source: { outlet: best?.outlet ?? null, url: best?.url ?? null },
    outlets: Math.max(1, outletsOf(row).length),
  };
}

/** What the detail adds to the item. */
export const signalDetailParts = (row: SignalRow): Omit<SignalDetail, keyof SignalItem> => ({
  deck: row.text.deck,
  why_it_matters: row.why_it_matters,
  what_to_watch: row.what_to_watch,
  key_facts: row.text.key_facts,
});
