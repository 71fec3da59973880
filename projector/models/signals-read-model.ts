/**
 * The feed: one row per signal, from which lists are filtered and sorted, and its brands and themes counted. The document
 * that lists serve, a SignalItem, is written when the signal changes and sent as it is stored. The column `row` contains
 * the rest as a JSON object, from which the detail is completed when it is read. No text is stored twice: rows twice as
 * long made a rebuild slower by a half.
 */
import { stateFacts } from '../../facts/fact-sentences.ts';
import { betterSummary, isExcerpt, isSureSummary, readKeySentences } from '../../facts/text/key-sentences.ts';
import { plainText } from '../../language/tokens.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import type { SignalText as SignalDocument, SignalItem } from '../../schemas/resources.ts';
import type { BrandSlug } from '../../schemas/scalar.ts';
import {
  type AnalysisSentence,
  type Correctable,
  fieldsOf,
  isSameItem,
  type Report,
  type ReportRef,
  type SignalStatus,
  type Standing,
} from '../../schemas/signal.ts';
import type { BrandMention, Understanding } from '../../schemas/story.ts';
import { revisedReport, withMissingReports, withoutReport, withReport } from '../../signal/signal-reports.ts';
import { foldSignalsBy } from '../../signal/signal-status.ts';
import type { Model, Storage } from '../read-model.ts';
import { defineSignalModel } from './signal-model.ts';
import { signalTables } from './signal-tables.ts';

/** The fields of an understanding that pages and documents show. */
interface SignalText
  extends Pick<
    Understanding,
    'headline' | 'deck' | 'summary' | 'key_facts' | 'delta' | 'move' | 'kind' | 'theme' | 'event_at' | 'cities'
  > {
  readonly brands: readonly Pick<BrandMention, 'name' | 'slug' | 'role'>[];
  /** Slugs of brands that are names from headlines, which the catalogue lacks; unset without any. */
  readonly provisional?: readonly BrandSlug[];
  /** Set where no report has a summary, and it states the facts. */
  readonly summary_by?: 'clarity';
}

/** A report as the row stores it. */
export interface StoredReport extends Pick<Report, 'item_key' | 'source_id' | 'outlet' | 'url' | 'title'> {
  readonly published_at: string | null;
  readonly authority: number;
  readonly first_seen_at: string;
  /** Stored with the signal, but it came too late to count as a report of it. */
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

/** What an operator corrected, when and why. */
export interface StoredCorrection {
  readonly at: string;
  readonly fields: readonly Correctable[];
  readonly by: string;
  readonly why: string;
}

/** A summary that another report has. */
interface Loan extends ReportRef {
  readonly summary: string | null;
}

export interface SignalRow {
  readonly id: string;
  readonly slug: string;
  readonly status: SignalStatus;
  readonly status_reason: string | null;
  readonly published_at: string;
  readonly text: SignalText;
  /** The report whose text this is. */
  readonly text_from: ReportRef;
  readonly reports: readonly StoredReport[];
  /** The summary of a report other than that of the text, the best one; unset without any. */
  readonly lent?: Loan | undefined;
  readonly revisions: readonly Revision[];
  /** Unset without any. */
  readonly corrections?: readonly StoredCorrection[];
  readonly why_it_matters: string | null;
  readonly what_to_watch: string | null;
  /** The sentences of both; unset in rows of signals without any. */
  readonly sentences?: readonly AnalysisSentence[];
  /** What its salience is scored by, apart from its reports; unset before its analysis. */
  readonly standing?: Standing;
  /** The id of the earlier signal that it follows up. */
  readonly follows: string | null;
  /** What it followed before that was linked; unset without any. */
  readonly followed?: readonly string[];
  readonly merged_into: string | null;
}

/** Applies an event to the row of one of the signals that it touches. */
const evolveSignalRow = foldSignalsBy<SignalRow>({
  SignalDetected: ({ data }) => detectedSignal(data),
  SignalReported: (row, { data }) => ({
    ...lendSummary(row, data),
    reports: withReport(row.reports, storedReport(data.report, data.resurfaced)),
  }),
  SignalRevised: (row, { data, time }) => {
    const { revision, reason, before, after, item_key, source_id } = data;
    if (row.revisions.some((one) => one.revision === revision)) return row;
    const report = revisedReport(data, row.reports, row.text_from);
    const text_from = reportRefOf(report ?? { source_id: source_id ?? row.text_from.source_id, item_key });
    const { headline, summary, delta } = before;
    const replaced = { revision, at: time, reason, headline, summary, delta };
    return { ...row, text: textOf(after), text_from, revisions: [...row.revisions, replaced] };
  },
  SignalCorrected: (row, { data, time }) => {
    const { revision, before, after, corrected, by, why } = data;
    if (row.revisions.some((one) => one.revision === revision)) return row;
    const { headline, summary, delta } = before;
    const replaced = { revision, at: time, reason: 'operator', headline, summary, delta };
    const corrections = [...(row.corrections ?? []), { at: time, fields: fieldsOf(corrected), by, why }];
    return { ...row, text: textOf(after), revisions: [...row.revisions, replaced], corrections };
  },
  SignalLinked: (row, { data }) => ({
    ...row,
    follows: data.follows,
    ...(row.follows && { followed: [...(row.followed ?? []), row.follows] }),
  }),
  SignalSplit: (row, { data }) => ({
    ...withoutLoan(row, data.report),
    reports: withoutReport(row.reports, data.report),
  }),
  SignalAnalysed: ({ sentences: _, standing: __, ...row }, { data }) => ({
    ...row,
    why_it_matters: data.why_it_matters,
    what_to_watch: data.what_to_watch,
    ...(data.sentences && data.sentences.length > 0 && { sentences: data.sentences }),
    ...(data.standing && { standing: data.standing }),
  }),
  SignalHeld: (row, { data }) => ({ ...row, status_reason: data.why }),
  SignalReleased: (row) => ({ ...row, status_reason: null }),
  SignalRetracted: (row, { data }) => ({ ...row, status_reason: data.why }),
  SignalMerged: (row, { data }) => ({ ...row, merged_into: data.into }),
  // The reports that it takes over came by events of their own, which say whether they count.
  absorbed: (row, merged) => ({ ...row, reports: withMissingReports(row.reports, merged?.reports ?? []) }),
});

const detectedSignal = (data: KnownEvent<'SignalDetected'>['data']): SignalRow => ({
  id: data.signal_id,
  slug: data.slug,
  status: data.status,
  status_reason: data.status_reason,
  published_at: data.published_at,
  text: textOf(data.understanding),
  text_from: reportRefOf(data.report),
  reports: [storedReport(data.report, data.status === 'resurfaced')],
  revisions: [],
  why_it_matters: null,
  what_to_watch: null,
  follows: data.follows,
  merged_into: null,
});

const reportRefOf = ({ source_id, item_key }: ReportRef): ReportRef => ({ source_id, item_key });

const textOf = (understanding: Understanding): SignalText => {
  const { headline, deck, summary, key_facts, delta, move, kind, theme, event_at, cities } = understanding;
  const brands = understanding.brands.map(({ name, slug, role }) => ({ name, slug, role }));
  const provisional = provisionalIn(understanding);
  const text = {
    headline,
    deck,
    summary,
    key_facts,
    delta,
    move,
    kind,
    theme,
    event_at,
    brands,
    ...(provisional.length > 0 && { provisional }),
    cities,
  };
  // The start of a sentence says more of a case than its columns do.
  const isBetter = summary === null || (isExcerpt(summary) && move !== 'rules');
  const stated = isBetter ? stateFacts(understanding) : null;
  return stated === null ? text : { ...text, summary: stated, summary_by: 'clarity' };
};

/** A name on which two readers agree counts like one of the catalogue. */
function provisionalIn({ brands }: Understanding): BrandSlug[] {
  const listed = new Set(brands.flatMap(({ slug, provisional, agreed }) => (provisional && !agreed ? [] : [slug])));
  return [...new Set(brands.flatMap(({ slug }) => (listed.has(slug) ? [] : [slug])))];
}

/** The better of the summary that a row has from another report, and one more. */
function betterLoan({ lent, text }: SignalRow, other: Loan): Loan | undefined {
  const summary = betterSummary(text.headline, lent?.summary ?? null, other.summary);
  return summary === null || summary === lent?.summary ? lent : { ...other, summary };
}

const withoutLoan = ({ lent, ...row }: SignalRow, gone: ReportRef): SignalRow =>
  lent && !isSameItem(lent, gone) ? { ...row, lent } : row;

/** So much of a report's summary is read, in characters. */
const MAXIMUM_SUMMARY = 2_000;

/** What a further report, or an edit of one, lends of a summary. */
function lendSummary(row: SignalRow, { report, resurfaced }: KnownEvent<'SignalReported'>['data']): SignalRow {
  const kept = withoutLoan(row, report);
  const { summary } = readKeySentences(report.title, plainText(report.summary ?? '', MAXIMUM_SUMMARY));
  const isSure = summary !== null && isSureSummary(row.text.headline, summary);
  const lent = resurfaced || !isSure ? kept.lent : betterLoan(kept, { ...reportRefOf(report), summary });
  return lent ? { ...kept, lent } : kept;
}

const storedReport = (report: Report, resurfaced: boolean): StoredReport => {
  const { item_key, source_id, outlet, authority, url, title, published_at, first_seen_at } = report;
  return { item_key, source_id, outlet, authority, url, title, published_at, first_seen_at, resurfaced };
};

/** What the row of a signal contains in addition to its columns and its item document. */
export type SignalRest = Pick<SignalRow, 'status_reason' | 'text_from' | 'reports' | 'revisions' | 'corrections'> &
  Pick<SignalRow['text'], 'deck' | 'key_facts' | 'provisional'> & {
    /** With the summary of the text itself, which the item document lacks then. */
    readonly lent?: Loan & { readonly own: Pick<SignalItem, 'summary' | 'summary_by'> };
  } & Pick<SignalRow, 'followed' | 'why_it_matters' | 'what_to_watch' | 'sentences' | 'standing'>;

/** The reports of a signal as its detail lists them: those that count, in the order of their dates. */
export function reportsInDetail(reports: readonly StoredReport[]): SignalDocument['reports'] {
  // A report without a date of its own is placed by when a poll first found it.
  const placeOf = ({ published_at, first_seen_at }: StoredReport): number => Date.parse(published_at ?? first_seen_at);
  return reports
    .filter(({ resurfaced }) => !resurfaced)
    .sort((one, other) => placeOf(one) - placeOf(other))
    .map(({ outlet, url, title, published_at }) => ({ outlet, url, headline: title, published_at }));
}

/** The corrections of a signal as its detail lists them. Who an operator is, only operators are shown. */
export const correctionsInDetail = (corrections: readonly StoredCorrection[]): SignalDocument['corrections'] =>
  corrections.map(({ at, fields, why }) => ({ at, fields: [...fields], by: 'operator', why }));

/** How the row of a signal is stored: the columns and the item document, and the rest in the column `row`. */
const storage: Storage<SignalRow> = {
  columns: ['key', 'slug', 'status', 'merged_into', 'follows', 'item_document'],
  keep({ status_reason, text_from, reports, revisions, corrections, followed, lent, text, ...row }) {
    const { deck, key_facts, provisional, summary, summary_by } = text;
    const loan = lent && { ...lent, own: { summary, ...(summary_by && { summary_by }) } };
    const own = {
      status_reason,
      text_from,
      reports,
      revisions,
      ...(corrections && { corrections }),
      ...(followed && { followed }),
      ...(loan && { lent: loan }),
    };
    const { why_it_matters, what_to_watch, sentences, standing } = row;
    const analysis = { why_it_matters, what_to_watch, ...(sentences && { sentences }), ...(standing && { standing }) };
    const rest: SignalRest = { ...own, deck, key_facts, ...(provisional && { provisional }), ...analysis };
    return JSON.stringify(rest);
  },
  // The engine wrote all of these columns from one row of the same version of the model.
  restore({ row, key, slug, status, merged_into, follows, item_document }) {
    const item = JSON.parse(String(item_document)) as SignalItem;
    const { deck, key_facts, provisional, lent: loan, ...rest } = JSON.parse(String(row)) as SignalRest;
    const { own = item, ...lent } = loan ?? {};
    const { headline, delta, move, kind, theme, brands, event_at, cities, published_at } = item;
    return {
      ...rest,
      ...(loan && { lent: lent as Loan }),
      id: String(key),
      slug: String(slug),
      status: status as SignalStatus,
      published_at,
      text: {
        headline,
        deck,
        summary: own.summary,
        ...(own.summary_by && { summary_by: own.summary_by }),
        key_facts,
        delta,
        move,
        kind,
        event_at,
        cities,
        theme: theme && { slug: theme.slug, name: theme.name },
        brands: brands.map((brand) => ({ name: brand.name, slug: brand.slug, role: brand.role })),
        ...(provisional && { provisional }),
      },
      merged_into: merged_into ?? null,
      follows: follows ?? null,
    };
  },
};

/** @param options.baseUrl address that readers use, without a slash at the end; documents carry it */
export function signalsModel({ baseUrl }: { baseUrl: string }): Model<SignalRow> {
  return defineSignalModel(import.meta.url, {
    name: 'signals',
    indexes: [
      // Apart from the table, so that a rebuild makes it after the rows.
      'ALTER TABLE signal_brands ADD PRIMARY KEY (key, brand)',
      'CREATE INDEX signals_slug ON signals (slug)',
      `CREATE INDEX signals_newest ON signals (published_at, key) WHERE status = 'public'`,
      `CREATE INDEX signals_of_move ON signals (move, published_at, key) WHERE status = 'public'`,
      `CREATE INDEX signals_of_theme ON signals (theme, published_at, key) INCLUDE (move)
        WHERE status = 'public' AND theme IS NOT NULL`,
      // By these a thread is followed to what comes later, and to what was merged.
      'CREATE INDEX signals_following ON signals (follows) WHERE follows IS NOT NULL',
      'CREATE INDEX signals_merged_into ON signals (merged_into) WHERE merged_into IS NOT NULL',
      // Few signals have more than one outlet, and tables are filtered by them.
      `CREATE INDEX signals_of_outlets ON signals (outlets, key) WHERE status = 'public' AND outlets > 1`,
      'CREATE INDEX signal_brands_newest ON signal_brands (brand, published_at, key) INCLUDE (is_primary, move, theme, name)',
      'CREATE INDEX signal_brands_about ON signal_brands (brand, published_at, key) INCLUDE (move, theme) WHERE is_primary',
      'CREATE INDEX signal_brands_reported ON signal_brands (brand, reported_at, key) INCLUDE (published_at) WHERE is_primary',
      // Competitor Watch counts off these two alone, however many stories a brand has.
      'CREATE INDEX signal_brands_moves ON signal_brands (brand, move, published_at) WHERE is_primary',
      `CREATE INDEX signal_brands_cities ON signal_brands (brand, published_at) INCLUDE (cities)
        WHERE is_primary AND cities <> '{}'`,
      'ALTER TABLE signal_facets ADD PRIMARY KEY (key)',
      'CREATE INDEX signal_facets_newest ON signal_facets (published_at, key)',
      'CREATE INDEX signal_facets_reported ON signal_facets (reported_at, key)',
      'CREATE INDEX signal_facets_salient ON signal_facets (salience, published_at, key)',
      'ALTER TABLE signal_targets ADD PRIMARY KEY (key, target)',
      'CREATE INDEX signal_targets_newest ON signal_targets (target, at, key)',
      'CREATE INDEX signal_facets_tags ON signal_facets USING gin (tags)',
    ],
    parameters: { baseUrl },
    replaces: ['facets', 'inbox', 'themes'],
    tables: signalTables(baseUrl),
    evolve: evolveSignalRow,
    storage,
  });
}
