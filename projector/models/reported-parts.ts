/**
 * Read models of one part of what reports state, such as openings. A row stores the part that the signal's own text
 * states, and the parts of every other report that counts; the table of the model has them combined, for public signals.
 */
import { readFileSync } from 'node:fs';
import type { KnownEvent } from '../../schemas/events.ts';
import type { BrandSlug } from '../../schemas/scalar.ts';
import {
  type Correctable,
  itemName,
  type Report,
  type ReportedFacts,
  SIGNAL_PREFIX,
  type SignalStatus,
} from '../../schemas/signal.ts';
import type { Understanding } from '../../schemas/story.ts';
import { factsAfterRevision } from '../../signal/signal-reports.ts';
import { foldSignalsBy, SIGNAL_TYPES, touchedSignals } from '../../signal/signal-status.ts';
import { modelVersion } from '../model-version.ts';
import type { Model, TableRecord } from '../read-model.ts';

/** The report that states a part; null where version 1.0 did not store which one it is. */
export interface Origin {
  readonly outlet: string | null;
  readonly source_url: string | null;
}

/** A report that states parts. */
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
  readonly parts: readonly Part[];
  /** The report whose text the signal has; unset where the text has no part. */
  readonly by?: Reporter;
  /** Reports that state a part, in the order in which they came; unset where only the text states any. */
  readonly reports?: readonly ReportParts<Part>[];
  /** True where an operator corrected the parts: those of the text are all there are. Unset otherwise. */
  readonly corrected?: true;
}

/** How a model reads one part of what reports state. */
interface PartReading<Part> {
  /** The field of a text that has the parts. */
  readonly field: Correctable;
  /** @param text of a signal; of a further report only its facts */
  partsOf(text: ReportedFacts & Partial<Understanding>): readonly Part[];
  /**
   * The parts known so far completed by those of a further report of the same event: a part that is known already gets
   * what it lacks and is not added again. Default: the parts of the first report that states any.
   */
  combine?(known: readonly (Part & Origin)[], more: readonly (Part & Origin)[]): readonly (Part & Origin)[];
}

const reporter = (report: Pick<Report, 'source_id' | 'item_key' | 'outlet' | 'url'>): Reporter => ({
  item: itemName(report),
  outlet: report.outlet,
  source_url: report.url,
});

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
  const known = row.reports ?? [];
  const at = known.findIndex(({ item }) => item === one.item);
  if (at < 0) return one.parts.length > 0 ? withReports(row, [...known, one]) : row;
  return withReports(row, one.parts.length > 0 ? known.with(at, one) : known.toSpliced(at, 1));
}

/**
 * A fold of what `partsOf` reads from the text and from every report. One event counts once: a merged signal does not
 * count, and the signal that it was merged into takes over what its reports state.
 */
const evolveReportedParts = <Part>({ partsOf, field }: Pick<PartReading<Part>, 'partsOf' | 'field'>) =>
  foldSignalsBy<ReportedParts<Part>>({
    SignalDetected: ({ data: { status, slug, published_at, understanding, report } }) => {
      const empty = { status, slug, published_at, headline: '', parts: [] };
      return withText(empty, understanding.headline, partsOf(understanding), reporter(report));
    },
    SignalReported: (row, { data: { report, facts, resurfaced } }) =>
      resurfaced || row.corrected ? row : withReport(row, { ...reporter(report), parts: facts ? partsOf(facts) : [] }),
    SignalRevised: (row, event) => revised(row, event, partsOf(event.data.after)),
    SignalCorrected: (row, { data: { corrected, after, report } }) => {
      const next = withText(row, after.headline, partsOf(after), reporter(report));
      return corrected[field] === undefined ? next : { ...withReports(next, []), corrected: true };
    },
    SignalSplit: (row, { data: { report } }) => withReport(row, { ...reporter(report), parts: [] }),
    absorbed: withMerged,
  });

/** The reports of a public signal count for the one that it is merged into; those of a held signal do not. */
function withMerged<Part>(row: ReportedParts<Part>, merged: ReportedParts<Part> | null): ReportedParts<Part> {
  if (merged?.status !== 'public' || row.corrected) return row;
  const known = new Set([row.by?.item, ...(row.reports ?? []).map(({ item }) => item)]);
  return reportsOf(merged)
    .filter(({ item }) => !known.has(item))
    .reduce(withReport, row);
}

const reportsOf = <Part>({ parts, by, reports = [] }: ReportedParts<Part>): readonly ReportParts<Part>[] =>
  by && !reports.some(({ item }) => item === by.item) ? [{ ...by, parts }, ...reports] : reports;

function revised<Part>(
  row: ReportedParts<Part>,
  event: KnownEvent<'SignalRevised'>,
  parts: readonly Part[],
): ReportedParts<Part> {
  const { reason, item_key, source_id, after } = event.data;
  const known = reportsOf(row);
  const item = source_id === undefined ? undefined : itemName({ source_id, item_key });
  const named = known.find((one) => (item === undefined ? one.item.endsWith(`\n${item_key}`) : one.item === item));
  const by = named ?? { item: item ?? `\n${item_key}`, outlet: null, source_url: null };
  const reporterOf = { item: by.item, outlet: by.outlet, source_url: by.source_url };
  const next = withText(row, after.headline, parts, reporterOf);
  if (row.corrected) return next;
  const reports = reason === 'better_report' ? known : (row.reports ?? []);
  const isKept = (one: Reporter): boolean => factsAfterRevision(reason, one.item === by.item) === 'unchanged';
  return withReports(next, reports.filter(isKept));
}

/**
 * What readers may see: the parts of a public signal, numbered from 0, each with what cites it.
 * @param combine as in `PartReading`
 */
function publicParts<Part>(row: ReportedParts<Part>, combine: PartReading<Part>['combine']) {
  if (row.status !== 'public') return [];
  const { slug, published_at, headline } = row;
  return combined(row, combine).map((part, number) => ({ part, cited: { number, slug, headline, published_at } }));
}

function combined<Part>(
  row: ReportedParts<Part>,
  combine: PartReading<Part>['combine'] = (known, more) => (known.length > 0 ? known : more),
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
    (known, one) => (one.item === by?.item ? known : combine(known, from(one, one.parts))),
    text,
  );
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Columns of `cited` and of the origin, which every table of such parts has. */
const CITED = ['number', 'slug', 'headline', 'published_at', 'outlet', 'source_url'] as const;

/** The slug under which a text names a company; null for a company that is not among its brands. */
export const slugIn = (text: Pick<ReportedFacts, 'brands'>, company: string | null): BrandSlug | null =>
  text.brands.find(({ name }) => name === company)?.slug ?? null;

/** The slugs of the brands that a text is about. */
export const aboutIn = (text: Pick<ReportedFacts, 'brands'>): BrandSlug[] => [
  ...new Set(text.brands.flatMap(({ slug, role }) => (role === 'primary' ? [slug] : []))),
];

/** The first of two parts with what only the other knows, cited by the report that states more of it. */
export function completed<Part extends Origin>(known: Part, other: Part, fields: readonly (keyof Part)[]): Part {
  const stated = (part: Part): number => fields.filter((field) => part[field] !== null).length;
  const missing = fields.filter((field) => known[field] === null && other[field] !== null);
  if (missing.length === 0) return known;
  const filled = { ...known, ...Object.fromEntries(missing.map((field) => [field, other[field]])) };
  const { outlet, source_url } = stated(other) > stated(known) ? other : known;
  return { ...filled, outlet, source_url };
}

interface PartsModel<Part> extends PartReading<Part> {
  /** Of the model and of its table of parts; the main table has the same name with `_reported`. */
  readonly name: string;
  /** The `import.meta.url` of the model's file: its SQL is next to it, in a file called after the model. */
  readonly file: string;
  /** As of a model. */
  readonly indexes: readonly string[];
  /** Columns of the table of parts in addition to those that cite the signal. */
  readonly columns: readonly string[];
  record(part: Part & Origin, publishedAt: string): TableRecord;
}

/** Makes a read model of parts. Its SQL is next to its file. */
export const reportedPartsModel = <Part>({
  name,
  file,
  indexes,
  columns,
  field,
  partsOf,
  combine,
  record,
}: PartsModel<Part>): Model<ReportedParts<Part>> => {
  const schema = readFileSync(new URL(`./${name}.sql`, file), 'utf8');
  return {
    name,
    types: SIGNAL_TYPES,
    prefixes: [SIGNAL_PREFIX],
    topics: [],
    schema,
    indexes,
    version: modelVersion(file, { schema }),
    keys: touchedSignals,
    evolve: evolveReportedParts({ partsOf, field }),
    tables: [
      { name: `${name}_reported`, columns: [], records: () => [{}] },
      {
        name,
        columns: [...CITED, ...columns],
        records: (row) =>
          publicParts(row, combine).map(({ part, cited }) => ({ ...cited, ...record(part, cited.published_at) })),
      },
    ],
  };
};
