/** The feed: one row per signal, and the documents that the API serves. */
import { readFileSync } from 'node:fs';
import type { KnownEvent } from '../../schemas/events.ts';
import type { BrandRef, SignalDetail, SignalItem } from '../../schemas/resources.ts';
import { isSameItem, type Report, type ReportRef, SIGNAL_PREFIX, type SignalStatus } from '../../schemas/signal.ts';
import type { BrandMention, Understanding } from '../../schemas/story.ts';
import { isSignalEvent, SIGNAL_TYPES, type SignalEvent, touchedSignals } from '../../signal/signal-events.ts';
import { revisedReport } from '../../signal/signal-reports.ts';
import { withStatus } from '../../signal/signal-status.ts';
import { modelVersion } from '../model-version.ts';
import type { Before, Model, Table } from '../read-model.ts';

// One signal as the service tells it.

/** What the pages and documents tell of an understanding. */
interface Text
  extends Pick<
    Understanding,
    'headline' | 'deck' | 'summary' | 'key_facts' | 'delta' | 'move' | 'kind' | 'theme' | 'event_at' | 'cities'
  > {
  readonly brands: readonly Pick<BrandMention, 'name' | 'slug' | 'role'>[];
}

export interface KeptReport extends Pick<Report, 'item_key' | 'source_id' | 'outlet' | 'url' | 'title'> {
  readonly published_at: string | null;
  readonly first_seen_at: string;
  /** Kept with the signal, but told too late to count as a report of it. */
  readonly resurfaced: boolean;
}

/** A text that was replaced, when and why. */
export interface Revision {
  readonly revision: number;
  readonly at: string;
  readonly reason: string;
  readonly headline: string;
  readonly summary: string | null;
  readonly delta: string | null;
}

export interface SignalRow {
  readonly id: string;
  readonly slug: string;
  readonly status: SignalStatus;
  readonly status_reason: string | null;
  readonly published_at: string;
  readonly text: Text;
  /** The report whose text this is. */
  readonly told_by: ReportRef;
  readonly reports: readonly KeptReport[];
  readonly revisions: readonly Revision[];
  readonly why_it_matters: string | null;
  readonly what_to_watch: string | null;
  readonly follows: string | null;
  readonly merged_into: string | null;
}

// What each event of a signal does to its row.

/** An event of a signal that was never detected. */
const undetected = (event: KnownEvent, key: string): Error =>
  new Error(`${event.type} speaks of ${key}, of which no SignalDetected is known`);

/** Applies an event to the row of one of the signals that it touches. */
export function evolveSignal(
  row: SignalRow | null,
  event: KnownEvent,
  key: string,
  before: Before<SignalRow>,
): SignalRow | null {
  if (!isSignalEvent(event)) return row;
  if (event.type === 'SignalDetected') return row ?? detected(event.data);
  if (!row) throw undetected(event, key);
  if (event.type === 'SignalMerged' && key !== event.data.signal_id) {
    // The reports that it takes over came by events of their own, which say whether they count.
    const isNew = (report: KeptReport): boolean => !row.reports.some((known) => isSameItem(known, report));
    const taken = before(event.data.signal_id)?.reports.filter(isNew) ?? [];
    return taken.length === 0 ? row : { ...row, reports: [...row.reports, ...taken] };
  }
  return withStatus(told(row, event), event);
}

/** What the event says besides the status. */
function told(row: SignalRow, event: SignalEvent): SignalRow {
  switch (event.type) {
    case 'SignalReported':
      return { ...row, reports: withReport(row.reports, kept(event.data.report, event.data.resurfaced)) };
    case 'SignalRevised': {
      const { revision, reason, before, after, item_key, source_id } = event.data;
      if (row.revisions.some((known) => known.revision === revision)) return row;
      const teller = revisedReport(event.data, row.reports, row.told_by);
      const toldBy = nameOf(teller ?? { source_id: source_id ?? row.told_by.source_id, item_key });
      const { headline, summary, delta } = before;
      const replaced = { revision, at: event.time, reason, headline, summary, delta };
      return { ...row, text: textOf(after), told_by: toldBy, revisions: [...row.revisions, replaced] };
    }
    case 'SignalAnalysed': {
      const { why_it_matters, what_to_watch } = event.data;
      return { ...row, why_it_matters, what_to_watch };
    }
    case 'SignalHeld':
      return { ...row, status_reason: event.data.why };
    case 'SignalReleased':
      return { ...row, status_reason: null };
    case 'SignalMerged':
      return { ...row, merged_into: event.data.into };
    default:
      return row;
  }
}

const detected = (data: Extract<SignalEvent, { type: 'SignalDetected' }>['data']): SignalRow => ({
  id: data.signal_id,
  slug: data.slug,
  status: data.status,
  status_reason: data.status_reason,
  published_at: data.published_at,
  text: textOf(data.understanding),
  told_by: nameOf(data.report),
  reports: [kept(data.report, data.status === 'resurfaced')],
  revisions: [],
  why_it_matters: null,
  what_to_watch: null,
  follows: data.follows,
  merged_into: null,
});

const nameOf = ({ source_id, item_key }: ReportRef): ReportRef => ({ source_id, item_key });

const textOf = (understanding: Understanding): Text => {
  const { headline, deck, summary, key_facts, delta, move, kind, theme, event_at, cities } = understanding;
  const brands = understanding.brands.map(({ name, slug, role }) => ({ name, slug, role }));
  return { headline, deck, summary, key_facts, delta, move, kind, theme, event_at, brands, cities };
};

const kept = (report: Report, resurfaced: boolean): KeptReport => {
  const { item_key, source_id, outlet, url, title, published_at, first_seen_at } = report;
  return { item_key, source_id, outlet, url, title, published_at, first_seen_at, resurfaced };
};

/** Adds a report; one item told twice stays one report, in the words it was told last. */
function withReport(reports: readonly KeptReport[], report: KeptReport): readonly KeptReport[] {
  const same = (known: KeptReport): boolean => isSameItem(known, report);
  const known = reports.find(same);
  if (!known) return [...reports, report];
  // An item that counted before goes on counting.
  const told = { ...report, first_seen_at: known.first_seen_at, resurfaced: known.resurfaced && report.resurfaced };
  return reports.map((other) => (same(other) ? told : other));
}

// The documents that the API sends. What does not stand in columns is written once, when a signal changes; the readers'
// view puts the rest around it, which is most addresses and the detail of most signals.

/** Distinct outlets whose reports count. */
export const outletsOf = (row: SignalRow): string[] => [
  ...new Set(row.reports.filter((report) => !report.resurfaced).map((report) => report.outlet)),
];

/** The report whose text the signal has, else the first. */
export const bestReport = (row: SignalRow): KeptReport | undefined =>
  row.reports.find((report) => isSameItem(report, row.told_by)) ?? row.reports[0];

/** The item besides `id`, `slug` and `url`, with addresses of this service that begin with a slash. */
function itemParts(row: SignalRow): Omit<SignalItem, 'id' | 'slug' | 'url'> {
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
function detailBeside({ text, why_it_matters, what_to_watch }: SignalRow): Detail | null {
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
const detailFrom = (detail: Detail | null, summary: string | null): Detail => detail ?? usualDetail(summary);

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

// What the column `row` keeps of a signal: only what its documents and columns do not say. A row is half as long so,
// and writing rows is most of the time of a rebuild.

/** A report in the order of KeptReport; null where it says what the item's document says, or the key its address. */
type StoredReport = readonly [
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
  told_by: number | ReportRef,
  follows: string | null,
  reports: readonly StoredReport[],
  revisions: readonly Revision[],
];

export const keptColumns = ['key', 'slug', 'status', 'merged_into', 'item_parts', 'detail'] as const;

/** The rest of a row, as JSON text. */
export function keptBeside(row: SignalRow): string {
  const { text, reports, published_at, told_by } = row;
  const best = bestReport(row);
  const teller = best && isSameItem(best, told_by) ? reports.indexOf(best) : told_by;
  const kept = reports.map(
    (report): StoredReport => [
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

const reportOf = (kept: StoredReport, item: Item): KeptReport => {
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

const tellerAt = (reports: readonly KeptReport[], place: number): ReportRef => {
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

// The feed: one row a signal, with its documents ready to send.

const schema = readFileSync(new URL('./signals.sql', import.meta.url), 'utf8');

const brandsOf = (row: SignalRow, only?: 'primary'): string[] => [
  ...new Set(row.text.brands.filter(({ role }) => !only || role === only).map(({ slug }) => slug)),
];

const brandsTable: Table<SignalRow> = {
  name: 'signal_brands',
  columns: ['brand', 'is_primary', 'published_at', 'move', 'theme'],
  records(row) {
    if (row.status !== 'public') return [];
    const about = brandsOf(row, 'primary');
    const { published_at, text } = row;
    const { move, theme } = text;
    return brandsOf(row).map((brand) => ({
      brand,
      is_primary: about.includes(brand),
      published_at,
      move,
      theme: theme?.slug ?? null,
    }));
  },
};

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
    'merged_into',
    'item_parts',
    'detail',
  ],
  json: ['item_parts', 'detail'],
  computed: documentsSql(baseUrl),
  records(row) {
    const [item, detail] = [itemParts(row), detailBeside(row)];
    return [
      {
        slug: row.slug,
        status: row.status,
        published_at: row.published_at,
        move: row.text.move,
        theme: row.text.theme?.slug ?? null,
        cities: row.text.cities,
        outlets: outletsOf(row).length,
        merged_into: row.merged_into,
        // Without the brace that opens it: the view begins with what stands in columns.
        item_parts: JSON.stringify(item).slice(1),
        detail: detail && JSON.stringify(detail),
      },
    ];
  },
});

/** @param options.baseUrl address that readers use, without a slash at the end; documents carry it */
export function signalsModel({ baseUrl }: { baseUrl: string }): Model<SignalRow> {
  return {
    name: 'signals',
    types: SIGNAL_TYPES,
    prefixes: [SIGNAL_PREFIX],
    topics: [],
    schema,
    version: modelVersion(import.meta.url, { schema, parameters: { baseUrl } }),
    tables: [signalsTable(baseUrl), brandsTable],
    keys: touchedSignals,
    evolve: evolveSignal,
    storage: { columns: keptColumns, keep: keptBeside, restore },
  };
}
