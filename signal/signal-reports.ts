/**
 * The reports of a signal: which are one, which count, which one the text is from, which of two describes an event
 * better, and what text both give. Pure.
 */
import type { KnownEvent } from '../schemas/events.ts';
import { completedFacts, factDetails, factFieldsOf, noFacts, withoutCorrected } from '../schemas/facts.ts';
import { addressKey, type SignalId, slugify } from '../schemas/scalar.ts';
import {
  type Correction,
  factsOf,
  isSameItem,
  type Report,
  type ReportedFacts,
  type ReportRef,
} from '../schemas/signal.ts';
import type { Understanding } from '../schemas/story.ts';

/** A report with what its events say of it; each item of each source once, in its latest wording. */
export interface KnownReport extends Report {
  /** True for old news that was reported again: the report is in the signal and does not count. */
  readonly resurfaced: boolean;
  /** The facts of its newest event; unset where that has none, as in version 1.0. */
  readonly facts?: ReportedFacts;
}

/** What every row stores of a report. */
type StoredReport = ReportRef & Pick<KnownReport, 'first_seen_at' | 'resurfaced'>;

/** The evidence of a report that is stored again, since other rules understand its wording otherwise. */
export const UNDERSTOOD_AGAIN = 'understood again';
const CAME_WITH = /^came with (sig_[0-9a-f]{16})/;

/** The evidence of a report that a signal takes over from another one, which is merged into it. */
export const evidenceOfMerge = (merged: SignalId): string => `came with ${merged}, merged into this signal`;

/** The ids of the merged signals that a report came from, by its evidence; at most one in what the service writes. */
export const signalsMergedBy = ({ match }: KnownEvent<'SignalReported'>['data']): SignalId[] =>
  match.reasons.flatMap((reason) => (CAME_WITH.exec(reason)?.[1] as SignalId | undefined) ?? []);

const SPLIT_OFF = /^split off from sig_[0-9a-f]{16}/;

/** The evidence of a report that an operator moved from another signal. */
export const evidenceOfSplit = (from: SignalId): string => `split off from ${from} by an operator`;

/** True for a report whose event has the time of a decision, not that of a poll. */
const isNotPolled = (reason: string): boolean =>
  reason === UNDERSTOOD_AGAIN || CAME_WITH.test(reason) || SPLIT_OFF.test(reason);

/** The report that an event brings. */
export function reportIn(event: KnownEvent<'SignalDetected'> | KnownEvent<'SignalReported'>): KnownReport {
  if (event.type === 'SignalDetected') {
    const { report, status, understanding } = event.data;
    const first = { ...report, found_at: report.found_at ?? event.time, resurfaced: status === 'resurfaced' };
    return withFacts(first, factsOf(understanding));
  }
  const { report, match, resurfaced, facts } = event.data;
  const polled = match.reasons.some(isNotPolled) ? undefined : event.time;
  return withFacts({ ...report, found_at: report.found_at ?? polled, resurfaced }, facts);
}

/** The report with other facts. */
function withFacts({ facts: _, ...report }: KnownReport, facts: ReportedFacts | undefined): KnownReport {
  return facts ? { ...report, facts } : report;
}

/** A report as an event stores it, without what other fields of the event say. */
export const storedReport = ({ resurfaced: _, facts: __, ...report }: KnownReport): Report => report;

/**
 * Adds a report. One of an item that is known already replaces its wording: it keeps the time at which the item was first
 * seen, and an item that counted before still counts.
 */
export function withReport<Row extends StoredReport>(reports: readonly Row[], report: Row): readonly Row[] {
  const place = reports.findIndex((one) => isSameItem(one, report));
  const earlier = reports[place];
  if (!earlier) return [...reports, report];
  const { first_seen_at } = earlier;
  return reports.with(place, { ...report, first_seen_at, resurfaced: earlier.resurfaced && report.resurfaced });
}

/** The reports with those of a merged signal that they lack. */
export function withMissingReports<Row extends ReportRef>(
  reports: readonly Row[],
  merged: readonly Row[],
): readonly Row[] {
  const missing = merged.filter((report) => !reports.some((one) => isSameItem(one, report)));
  return missing.length > 0 ? [...reports, ...missing] : reports;
}

/** The report whose text the signal has, else its first; undefined where it has none. */
export const bestReport = <Row extends ReportRef>(reports: readonly Row[], text: ReportRef): Row | undefined =>
  reports.find((report) => isSameItem(report, text)) ?? reports[0];

/**
 * The date of a signal that people read: the earliest that an outlet gives to a report that counts.
 * @param published_at of the signal, which is its date where no report has one
 */
export const firstReportedAt = (
  reports: readonly Pick<KnownReport, 'published_at' | 'resurfaced'>[],
  published_at: string,
): string =>
  reports
    .flatMap((report) => (report.resurfaced ? [] : (report.published_at ?? [])))
    .reduce<string | null>((first, at) => (first !== null && Date.parse(first) <= Date.parse(at) ? first : at), null) ??
  published_at;

/** The distinct outlets of the reports that count. */
export const countedOutlets = (reports: readonly Pick<KnownReport, 'outlet' | 'resurfaced'>[]): string[] => [
  ...new Set(reports.filter(({ resurfaced }) => !resurfaced).map(({ outlet }) => outlet)),
];

/**
 * The report whose text a revision gave the signal. Version 1.0 stored its item key alone: then it is the report whose
 * text was revised, where it has that key, except that a better report was another one, the last with that key.
 * @param reports the reports before the revision
 * @param text the report whose text the signal had
 */
export function revisedReport<Row extends ReportRef>(
  { reason, item_key, source_id }: KnownEvent<'SignalRevised'>['data'],
  reports: readonly Row[],
  text: ReportRef | undefined,
): Row | undefined {
  const named = (ref: ReportRef): Row | undefined => reports.findLast((report) => isSameItem(report, ref));
  if (source_id !== undefined) return named({ source_id, item_key });
  const same = reason !== 'better_report' && text?.item_key === item_key ? named(text) : undefined;
  return same ?? reports.findLast((report) => report.item_key === item_key);
}

/**
 * What a revision does to the facts of a report: an operator's text is final, so no other report states any from then on;
 * a better report leaves what the reports state; every other revision is a new reading of its own report.
 * @param isText true for the report whose text the revision gives the signal
 */
export function factsAfterRevision(
  reason: KnownEvent<'SignalRevised'>['data']['reason'],
  isText: boolean,
): 'unchanged' | 'from text' | 'none' {
  if (reason === 'better_report') return 'unchanged';
  if (isText) return 'from text';
  return reason === 'operator' ? 'none' : 'unchanged';
}

/** The reports after a revision, see `factsAfterRevision`. */
export function withRevisedFacts(
  reports: readonly KnownReport[],
  { reason, after }: KnownEvent<'SignalRevised'>['data'],
  text: ReportRef,
): readonly KnownReport[] {
  return reports.map((report) => {
    const next = factsAfterRevision(reason, isSameItem(report, text));
    return next === 'unchanged' ? report : withFacts(report, next === 'none' ? undefined : factsOf(after));
  });
}

/** The text with the fields that an operator corrected. */
export const withCorrection = (text: Understanding, corrected: Correction): Understanding => ({
  ...text,
  ...corrected,
});

/**
 * The facts of a report of a corrected signal: a fact of a corrected field counts as the operator said, in the report whose
 * text the signal has, and in no other.
 * @param text what the signal says, for the report that it has its text from; null for any other
 */
export function correctedFacts(
  facts: ReportedFacts | undefined,
  corrected: Correction,
  text: ReportedFacts | null,
): ReportedFacts | undefined {
  return factsOf({
    brands: text?.brands ?? [],
    ...noFacts(),
    ...facts,
    ...withoutCorrected(corrected),
    ...(text && factFieldsOf(corrected)),
  });
}

/**
 * The reports with the facts that a correction leaves them, see `correctedFacts`.
 * @param from the report whose text the signal has
 */
export const withCorrectedFacts = (
  reports: readonly KnownReport[],
  corrected: Correction,
  from: ReportRef,
  text: ReportedFacts,
): readonly KnownReport[] =>
  reports.map((report) =>
    withFacts(report, correctedFacts(report.facts, corrected, isSameItem(report, from) ? text : null)),
  );

/** The reports without one that was split off. */
export const withoutReport = <Row extends ReportRef>(reports: readonly Row[], gone: ReportRef): readonly Row[] =>
  reports.filter((report) => !isSameItem(report, gone));

/** Authorities closer than this count as equal. */
const AUTHORITY_STEP = 0.1;
/** So much authority is worth one more detail: a report of a step more authority may have two details fewer. */
const DETAIL_WORTH = 0.045;

/** The number of filled fields of an understanding. */
export const detail = (understanding: Understanding): number =>
  [
    understanding.summary,
    understanding.deck,
    understanding.delta,
    understanding.event_at,
    understanding.mall,
    understanding.cities[0],
    understanding.key_facts[0],
    understanding.key_facts[2],
  ].filter(Boolean).length + factDetails(understanding);

/** A headline that comments on a fact, asks, quotes or lists several, and does not say the fact itself. */
const COMMENT =
  /^(?:who|why|how|what|inside|can|could|will|meet|is|are|does|should|explained|explainer|interview|opinion)\b|\?|\bexplain(?:s|ed|er)\b|\bdeep ?dive\b|\bhere(?:'|’)?s\b|\bwhat it means\b|^["'‘“]|;\s+[A-Z]|(?:&|and) more\s*$|\bround-?up\b|\bthis week\b/i;

/** How plainly a text says its fact, and how many details it has. 3 says it of a primary brand by name, 1 comments on it, 0 has no kind. */
export function tellingOf(understanding: Understanding): NonNullable<Report['telling']> {
  const { headline, brands, move } = understanding;
  const title = headline.toLowerCase();
  const isNamed = brands.some(({ role, name }) => role === 'primary' && title.includes(name.toLowerCase()));
  const plain = move === 'other' ? 0 : COMMENT.test(headline) ? 1 : isNamed ? 3 : 2;
  return { plain, detail: detail(understanding) };
}

interface ReportText {
  readonly report: Report;
  /** The text with this report's headline; counts where the report has no `telling`. */
  readonly understanding: Understanding;
}

/**
 * True when the second text is better: the plainer headline, then more authority and detail together, then the earlier
 * report. The order is total, so that it does not matter which of many reports comes first.
 */
export function isBetter(now: ReportText, next: ReportText): boolean {
  const [one, other] = [now, next].map(({ report, understanding }) => ({
    report,
    ...(report.telling ?? tellingOf(understanding)),
  })) as [RankedText, RankedText];
  const worth = ({ report, detail }: RankedText): number => report.authority + DETAIL_WORTH * detail;
  return (
    (other.plain - one.plain ||
      worth(other) - worth(one) ||
      Date.parse(one.report.first_seen_at) - Date.parse(other.report.first_seen_at) ||
      (other.report.url < one.report.url ? 1 : -1)) > 0
  );
}
type RankedText = NonNullable<Report['telling']> & { readonly report: Report };

const wordsIn = (text: string): string[] => text.split(/\s+/).flatMap((word) => slugify(word).split('-'));

/**
 * True when a text can be that of a signal with this slug: its headline has a word of a primary brand, or a figure, in common with
 * it. A slug that has neither is compared by its long words. Otherwise a shared link would seem to lead elsewhere.
 * @param before the text that the signal has
 */
export function isTrueToSlug(slug: string, before: Understanding, next: Understanding): boolean {
  const brands = [...before.brands, ...next.brands].filter(({ role }) => role === 'primary');
  const names = new Set(brands.flatMap(({ name }) => wordsIn(name)));
  const words = slug.split('-');
  const main = words.filter((word) => names.has(word) || /\d/.test(word));
  const said = new Set(wordsIn(next.headline));
  return (main.length > 0 ? main : words.filter(({ length }) => length > 4)).some((word) => said.has(word));
}

/**
 * Whether the source of one report of a page knows that page better than the source of another: the outlet whose page it
 * is before one that only lists it, else the one of clearly more authority.
 */
export function ranksAbove(
  report: Pick<Report, 'authority' | 'on_own_site'>,
  other: Pick<Report, 'authority' | 'on_own_site'>,
): boolean {
  const [own, othersOwn] = [report.on_own_site ?? false, other.on_own_site ?? false];
  return own === othersOwn ? report.authority - other.authority >= AUTHORITY_STEP : own;
}

/**
 * The text that a better report gives a signal: both together, except for the page that the signal's text is of, where
 * the source that knows it better replaces what the other said of it.
 */
export const textWith = (
  current: { readonly report: Report; readonly understanding: Understanding },
  better: { readonly report: Report; readonly understanding: Understanding },
): Understanding =>
  addressKey(current.report.url) === addressKey(better.report.url) && ranksAbove(better.report, current.report)
    ? better.understanding
    : improve(current.understanding, better.understanding);

const full = <Entry>(list: readonly Entry[], other: readonly Entry[]): Entry[] => [...(list.length ? list : other)];

/** The better text, with what only the other one knew. A kind of move that is `other` says nothing. */
export function improve(before: Understanding, better: Understanding): Understanding {
  return {
    ...better,
    move: better.move === 'other' ? before.move : better.move,
    kind: better.kind ?? before.kind,
    deck: better.deck ?? before.deck,
    summary: better.summary ?? before.summary,
    key_facts: full(better.key_facts, before.key_facts),
    delta: better.delta ?? before.delta,
    event_at: better.event_at ?? before.event_at,
    theme: better.theme ?? before.theme,
    brands: full(better.brands, before.brands),
    cities: full(better.cities, before.cities),
    mall: better.mall ?? before.mall,
    ...completedFacts(better, before),
  };
}
