/**
 * What the column `row` keeps of a signal: only what its documents and columns do not say. A row is half as long so,
 * and writing rows is most of the time of a rebuild.
 */
import { type ItemName, isSameItem, type SignalStatus } from '../../../schemas/signal.ts';
import { bestReport, type detailBeside, detailFrom, type itemParts } from './documents.ts';
import type { KeptReport, Revision, SignalRow } from './row.ts';

/** A report in the order of KeptReport; null where it says what the item's document says, or the key its address. */
type Report = readonly [
  item_key: string | null,
  source_id: string,
  outlet: string | null,
  url: string | null,
  title: string | null,
  published_at: string | null,
  first_seen_at: string | 0,
  resurfaced: 0 | 1,
];

type Rest = readonly [
  status_reason: string | null,
  /** Its place among the reports; its name where none of them has it. */
  told_by: number | ItemName,
  follows: string | null,
  reports: readonly Report[],
  revisions: readonly Revision[],
];

export const keptColumns = ['key', 'slug', 'status', 'merged_into', 'item_parts', 'detail'] as const;

/** The rest of a row, as JSON text. */
export function keptBeside(row: SignalRow): string {
  const { text, reports, published_at, told_by } = row;
  const best = bestReport(row);
  const teller = best && isSameItem(best, told_by) ? reports.indexOf(best) : told_by;
  const kept = reports.map(
    (report): Report => [
      report.item_key === report.url ? null : report.item_key,
      report.source_id,
      report.outlet === best?.outlet ? null : report.outlet,
      report.url === best?.url ? null : report.url,
      report.title === text.headline ? null : report.title,
      report.published_at,
      report.first_seen_at === published_at ? 0 : report.first_seen_at,
      report.resurfaced ? 1 : 0,
    ],
  );
  const rest: Rest = [row.status_reason, teller, row.follows, kept, row.revisions];
  return JSON.stringify(rest);
}

type Item = ReturnType<typeof itemParts>;

const reportOf = (kept: Report, item: Item): KeptReport => {
  const [item_key, source_id, outlet, url, title, published_at, first_seen_at, resurfaced] = kept;
  const address = url ?? item.source.url ?? '';
  return {
    item_key: item_key ?? address,
    source_id,
    outlet: outlet ?? item.source.outlet ?? '',
    url: address,
    title: title ?? item.headline,
    published_at,
    first_seen_at: first_seen_at === 0 ? item.published_at : first_seen_at,
    resurfaced: resurfaced === 1,
  };
};

const tellerAt = (reports: readonly KeptReport[], place: number): ItemName => {
  const { source_id = '', item_key = '' } = reports[place] ?? {};
  return { source_id, item_key };
};

/**
 * The row as it was, from `row` and the columns of `keptColumns`. The engine wrote all of them from one row of the same
 * version of the model.
 */
export function restore(kept: Readonly<Record<string, unknown>>): SignalRow {
  const item = JSON.parse(`{${kept.item_parts}`) as Item;
  const beside = JSON.parse(typeof kept.detail === 'string' ? kept.detail : 'null') as ReturnType<typeof detailBeside>;
  const [status_reason, teller, follows, kept_reports, revisions] = JSON.parse(String(kept.row)) as Rest;
  const { headline, summary, delta, move, kind, theme, event_at, cities } = item;
  const { deck, key_facts, why_it_matters, what_to_watch } = detailFrom(beside, item.summary);
  const reports = kept_reports.map((report) => reportOf(report, item));
  return {
    id: String(kept.key),
    slug: String(kept.slug),
    status: kept.status as SignalStatus,
    status_reason,
    published_at: item.published_at,
    text: {
      ...{ headline, deck, summary, key_facts, delta, move, kind, event_at, cities },
      theme: theme && { slug: theme.slug, name: theme.name },
      brands: item.brands.map(({ name, slug, role }) => ({ name, slug, role })),
    },
    told_by: typeof teller === 'number' ? tellerAt(reports, teller) : teller,
    reports,
    revisions,
    why_it_matters,
    what_to_watch,
    follows,
    merged_into: typeof kept.merged_into === 'string' ? kept.merged_into : null,
  };
}
