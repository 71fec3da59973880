/**
 * The documents that the API sends. What does not stand in columns is written once, when a signal changes; the readers'
 * view puts the rest around it, which is most addresses and the detail of most signals.
 */
import type { BrandRef, SignalDetail, SignalItem } from '../../../schemas/resources.ts';
import { isSameItem } from '../../../schemas/signal.ts';
import type { KeptReport, SignalRow } from './row.ts';

/** Distinct outlets whose reports count. */
export const outletsOf = (row: SignalRow): string[] => [
  ...new Set(row.reports.filter((report) => !report.resurfaced).map((report) => report.outlet)),
];

/** The report whose text the signal has, else the first. */
export const bestReport = (row: SignalRow): KeptReport | undefined =>
  row.reports.find((report) => isSameItem(report, row.told_by)) ?? row.reports[0];

/** The item besides `id`, `slug` and `url`, with addresses of this service that begin with a slash. */
export function itemParts(row: SignalRow): Omit<SignalItem, 'id' | 'slug' | 'url'> {
  const { text } = row;
  const best = bestReport(row);
  return {
    headline: text.headline,
    delta: text.delta,
    summary: text.summary,
    move: text.move,
    kind: text.kind,
    theme: text.theme && { slug: text.theme.slug, name: text.theme.name, url: `/theme/${text.theme.slug}` },
    brands: text.brands.map(({ name, slug, role }): BrandRef => ({ name, slug, url: `/brand/${slug}`, role })),
    cities: text.cities,
    published_at: row.published_at,
    event_at: text.event_at,
    source: { outlet: best?.outlet ?? null, url: best?.url ?? null },
    outlets: Math.max(1, outletsOf(row).length),
  };
}

/** The reports are made of what the row keeps of them. */
type Detail = Omit<SignalDetail, keyof SignalItem | 'reports'>;

/** What the detail adds to the item of a signal that was not analysed and whose summary says all. */
const usualDetail = (summary: string | null): Detail => ({
  deck: summary,
  why_it_matters: null,
  what_to_watch: null,
  key_facts: summary === null ? [] : [summary],
});

/** What the detail adds to the item; null where it is what the summary makes one expect. */
export function detailBeside({ text, why_it_matters, what_to_watch }: SignalRow): Detail | null {
  const { deck, summary, key_facts } = text;
  const expected =
    deck === summary &&
    why_it_matters === null &&
    what_to_watch === null &&
    key_facts.length === (summary === null ? 0 : 1) &&
    (summary === null || key_facts[0] === summary);
  return expected ? null : { deck, why_it_matters, what_to_watch, key_facts };
}

/** The detail's part from what `detailBeside` gave. */
export const detailFrom = (detail: Detail | null, summary: string | null): Detail => detail ?? usualDetail(summary);

/** The JSON of a part of a report that is left out of the row where the item says the same. */
const partOf = (place: number, inItem: string): string =>
  `(CASE (report -> ${place})::text WHEN 'null' THEN ('{' || item_parts)::json #> '{${inItem}}' ELSE report -> ${place} END)::text`;

/** SQL of the counted reports as JSON, first to last, over `row` in the form of keep.ts: an undated one by when it was seen. */
const reportsSql = `(SELECT '[' || coalesce(string_agg('{"outlet":' || ${partOf(2, 'source,outlet')} ||
      ',"url":' || ${partOf(3, 'source,url')} || ',"headline":' || ${partOf(4, 'headline')} ||
      ',"published_at":' || (report -> 5)::text || '}', ',' ORDER BY coalesce(report ->> 5,
        CASE report ->> 6 WHEN '0' THEN ('{' || item_parts)::json ->> 'published_at' ELSE report ->> 6 END)::timestamptz,
        place), '') || ']'
    FROM json_array_elements("row"::json -> 3) WITH ORDINALITY AS kept(report, place) WHERE report ->> 7 = '0')`;

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * SQL of the documents over the columns of a signal: `item_document`, a SignalItem, and `detail_parts`, what a
 * SignalDetail has besides. Addresses are completed by looking for `"url":"/`: that is the key and nothing else, since a
 * quote within a JSON string has a backslash before it.
 * @param baseUrl address that readers use, without a slash at the end
 */
export function documentsSql(baseUrl: string): string {
  const [url, base] = [`"url":"/`, JSON.stringify(baseUrl).slice(1, -1)];
  const summary = `(('{' || item_parts)::json -> 'summary')::text`;
  return `'{"id":"' || key || '","slug":"' || slug || ${literal(`","url":"${base}/signal/`)} || slug || '",' ||
      replace(item_parts, '${url}', ${literal(`"url":"${base}/`)}) AS item_document,
    left(coalesce(detail, '{"deck":' || ${summary} || ',"why_it_matters":null,"what_to_watch":null,"key_facts":' ||
      CASE ${summary} WHEN 'null' THEN '[]' ELSE '[' || ${summary} || ']' END || '}'), -1) || ',"reports":' || ${reportsSql} || '}' AS detail_parts`;
}
