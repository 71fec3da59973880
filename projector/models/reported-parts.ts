/** The read models of facts, one for each kind: the facts of a signal's text and of its counted reports, combined. */
import type { ColumnType, FactTable, Origin } from '../../facts/rows.ts';
import { istDay } from '../../language/days.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import type { FactField } from '../../schemas/facts.ts';
import { itemName, type Report, type SignalStatus } from '../../schemas/signal.ts';
import { factsAfterRevision, firstReportedAt } from '../../signal/signal-reports.ts';
import { foldSignalsBy } from '../../signal/signal-status.ts';
import { modelVersion } from '../model-version.ts';
import type { Model, TableRecord } from '../read-model.ts';
import { defineSignalModel } from './signal-model.ts';

interface Reporter extends Origin {
  /** `itemName` of the report. */
  readonly item: string;
}

interface ReportParts<Part> extends Reporter {
  readonly parts: readonly Part[];
}

/** Parts of the text, which `by` states, and of the reports, with what the signal is cited by. */
export interface ReportedParts<Part> {
  readonly status: SignalStatus;
  readonly slug: string;
  readonly published_at: string;
  readonly headline: string;
  /** The dates that outlets give to the reports that count, by `itemName`. */
  readonly dates: Readonly<Record<string, string>>;
  readonly parts: readonly Part[];
  /** The report whose text the signal has; unset where the text has no part. */
  readonly by?: Reporter;
  /** Reports that state a part, in the order in which they came; unset where only the text states any. */
  readonly reports?: readonly ReportParts<Part>[];
  /** True where an operator corrected the parts: those of the text are all there are. Unset otherwise. */
  readonly corrected?: true;
}

const reporter = (report: Pick<Report, 'source_id' | 'item_key' | 'outlet' | 'url'>): Reporter => ({
  item: itemName(report),
  outlet: report.outlet,
  source_url: report.url,
});

/** The row with the date of a report; a report that came too late has none. */
function withDate<Part>(
  row: ReportedParts<Part>,
  report: Pick<Report, 'source_id' | 'item_key' | 'published_at'>,
  counts: boolean,
): ReportedParts<Part> {
  const { [itemName(report)]: _, ...dates } = row.dates;
  const own = counts && report.published_at ? { [itemName(report)]: report.published_at } : {};
  return { ...row, dates: { ...dates, ...own } };
}

/** The row with a text and its report; optional fields are omitted where they would be empty. */
function withText<Part>(
  row: ReportedParts<Part>,
  headline: string,
  parts: readonly Part[],
  by: Reporter,
): ReportedParts<Part> {
  const { by: _, ...rest } = row;
  return { ...rest, headline, parts, ...(parts.length > 0 && { by }) };
}

function withReports<Part>(row: ReportedParts<Part>, reports: readonly ReportParts<Part>[]): ReportedParts<Part> {
  const { reports: _, ...rest } = row;
  return reports.length > 0 ? { ...rest, reports } : rest;
}

/** The reports with one of them replaced, or added at the end; without it where it states no part. */
function withReport<Part>(row: ReportedParts<Part>, one: ReportParts<Part>): ReportedParts<Part> {
  const reports = row.reports ?? [];
  const at = reports.findIndex(({ item }) => item === one.item);
  if (at < 0) return one.parts.length > 0 ? withReports(row, [...reports, one]) : row;
  return withReports(row, one.parts.length > 0 ? reports.with(at, one) : reports.toSpliced(at, 1));
}

/**
 * A fold of the rows of the text and of every report. One event counts once: a merged signal does not
 * count, and the signal that it was merged into takes over what its reports state.
 */
const evolveReportedParts = <Part>({ rowsOf: partsOf }: FactTable<Part>, field: FactField) =>
  foldSignalsBy<ReportedParts<Part>>({
    SignalDetected: ({ data: { status, slug, published_at, understanding, report } }) => {
      const empty = { status, slug, published_at, headline: '', dates: {}, parts: [] };
      const dated = withDate<Part>(empty, report, status !== 'resurfaced');
      return withText(dated, understanding.headline, partsOf(understanding), reporter(report));
    },
    SignalReported(row, { data: { report, facts, resurfaced } }) {
      // An item that counted before still counts.
      const dated = withDate(row, report, !resurfaced || itemName(report) in row.dates);
      if (resurfaced || row.corrected) return dated;
      return withReport(dated, { ...reporter(report), parts: facts ? partsOf(facts) : [] });
    },
    SignalRevised: (row, event) => revised(row, event, partsOf(event.data.after)),
    SignalCorrected: (row, { data: { corrected, after, report } }) => {
      const next = withText(row, after.headline, partsOf(after), reporter(report));
      return corrected[field] === undefined ? next : { ...withReports(next, []), corrected: true };
    },
    SignalSplit: (row, { data: { report } }) =>
      withReport(withDate(row, { ...report, published_at: null }, false), { ...reporter(report), parts: [] }),
    absorbed: withMerged,
  });

/** The reports of a public signal count for the one that it is merged into; those of a held signal do not. */
function withMerged<Part>(row: ReportedParts<Part>, merged: ReportedParts<Part> | null): ReportedParts<Part> {
  const dated = merged ? { ...row, dates: { ...merged.dates, ...row.dates } } : row;
  if (merged?.status !== 'public' || row.corrected) return dated;
  const items = new Set([row.by?.item, ...(row.reports ?? []).map(({ item }) => item)]);
  return reportsOf(merged)
    .filter(({ item }) => !items.has(item))
    .reduce(withReport, dated);
}

const reportsOf = <Part>({ parts, by, reports = [] }: ReportedParts<Part>): readonly ReportParts<Part>[] =>
  by && !reports.some(({ item }) => item === by.item) ? [{ ...by, parts }, ...reports] : reports;

function revised<Part>(
  row: ReportedParts<Part>,
  event: KnownEvent<'SignalRevised'>,
  parts: readonly Part[],
): ReportedParts<Part> {
  const { reason, item_key, source_id, after } = event.data;
  const stating = reportsOf(row);
  const item = source_id === undefined ? undefined : itemName({ source_id, item_key });
  const named = stating.find((one) => (item === undefined ? one.item.endsWith(`\n${item_key}`) : one.item === item));
  const by = named ?? { item: item ?? `\n${item_key}`, outlet: null, source_url: null };
  const reporterOf = { item: by.item, outlet: by.outlet, source_url: by.source_url };
  const next = withText(row, after.headline, parts, reporterOf);
  if (row.corrected) return next;
  const reports = reason === 'better_report' ? stating : (row.reports ?? []);
  const isKept = (one: Reporter): boolean => factsAfterRevision(reason, one.item === by.item) === 'unchanged';
  return withReports(next, reports.filter(isKept));
}

/** What readers may see: the parts of a public signal, numbered from 0, each with what cites it. */
function publicParts<Part>(row: ReportedParts<Part>, combine: FactTable<Part>['combine']) {
  if (row.status !== 'public') return [];
  const { slug, published_at, headline, dates } = row;
  const reports = Object.values(dates).map((date) => ({ published_at: date, resurfaced: false }));
  const cited = { slug, headline, published_at, reported_at: firstReportedAt(reports, published_at) };
  return combined(row, combine).map((part, number) => ({ part, cited: { number, ...cited } }));
}

function combined<Part>(
  row: ReportedParts<Part>,
  combine: FactTable<Part>['combine'] = (stated, more) => (stated.length > 0 ? stated : more),
): readonly (Part & Origin)[] {
  const { parts, by, reports = [] } = row;
  const from = (one: Origin, of: readonly Part[]): (Part & Origin)[] =>
    of.map((part) => ({ ...part, outlet: one.outlet, source_url: one.source_url }));
  // The text of a better report holds what only the one before it states: that is cited by the report which states it.
  const own = reports.find(({ item }) => item === by?.item);
  const originOf = (part: Part): Origin => {
    const stated = (one: ReportParts<Part>): boolean => one.parts.some((other) => isSame(other, part));
    const unknown = { outlet: null, source_url: null };
    return (own && stated(own) ? own : reports.find(stated)) ?? by ?? unknown;
  };
  const text = parts.flatMap((part) => from(originOf(part), [part]));
  return reports.reduce<readonly (Part & Origin)[]>(
    (rows, one) => (one.item === by?.item ? rows : combine(rows, from(one, one.parts))),
    text,
  );
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Columns of `cited` and of the origin, which every table of such parts has. */
const CITED = ['number', 'slug', 'headline', 'published_at', 'reported_at', 'outlet', 'source_url'] as const;

const SQL: Readonly<Record<ColumnType, string>> = {
  text: 'text',
  name: 'text COLLATE "C"',
  names: 'text[]',
  integer: 'bigint',
  number: 'double precision',
  day: 'text',
};

/** The tables of a kind. `outlet` and `source_url` are null where the report that states a fact is the one that the signal cites. */
const schemaOf = ({ table, columns }: FactTable): string => `
  CREATE TABLE ${table}_reported (key text COLLATE "C" PRIMARY KEY, row text NOT NULL);
  CREATE TABLE ${table} (
    key text COLLATE "C" NOT NULL,
    number integer NOT NULL,
    slug text NOT NULL,
    headline text NOT NULL,
    published_at timestamptz NOT NULL,
    reported_at timestamptz NOT NULL,
    outlet text,
    source_url text,
    ${columns.map(({ name, type, required }) => `${name} ${SQL[type]}${required ? ' NOT NULL' : ''}`).join(',\n    ')}
  );`;

/**
 * The read model of a kind of fact, named as its table.
 * @param field of a text, which holds the facts
 */
export function factModel<Part>(table: FactTable<Part>, field: FactField): Model<ReportedParts<Part>> {
  const { table: name, file, columns, combine, cells } = table;
  const schema = schemaOf(table as FactTable);
  const record = (part: Part & Origin, reportedAt: string): TableRecord =>
    cells ? cells(part, istDay(reportedAt)) : ({ ...part } as unknown as TableRecord);
  return defineSignalModel(file, {
    name,
    schema,
    indexes: [`ALTER TABLE ${name} ADD PRIMARY KEY (key, number)`, ...table.indexes],
    // The rows are decided by the code of the kind and by this file.
    parameters: { fold: modelVersion(import.meta.url, { schema: '' }) },
    evolve: evolveReportedParts(table, field),
    tables: [
      { name: `${name}_reported`, columns: [], records: () => [{}] },
      {
        name,
        columns: [...CITED, ...columns.map((column) => column.name)],
        records: (row) =>
          publicParts(row, combine).map(({ part, cited }) => ({ ...cited, ...record(part, cited.reported_at) })),
      },
    ],
  });
}
