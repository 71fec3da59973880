/** The decisions about a report: a new signal, a further report, an edit, a page that another source lists. Pure: the same story, state and time give the same events. */
import { isDeepStrictEqual } from 'node:util';
import { type DataOf, type EventType, type KnownEvent, newEvent } from '../schemas/events.ts';
import { addressKey, eventId, type SignalId, signalId } from '../schemas/scalar.ts';
import { factsOf, isSameItem, type Report, type ReportedFacts, type ReportRef } from '../schemas/signal.ts';
import type { Story, Understanding } from '../schemas/story.ts';
import { afterEvents, type SignalState } from './signal.ts';
import { improve, isBetter, isTrueToSlug, ranksAbove, tellingOf, withCorrection } from './signal-reports.ts';
import { initialStatus, isLate, isOldNews, lacking } from './signal-status.ts';

export type StoryEvent = KnownEvent<'StoryUnderstood'>;

/** A story's item as a report of a signal. */
export const reportOf = ({
  data: { item, vector, meaning, understanding, certainty },
  time,
}: Pick<StoryEvent, 'data' | 'time'>): Report => ({
  item_key: item.item_key,
  source_id: item.source_id,
  outlet: item.outlet,
  authority: item.authority,
  url: item.url,
  title: item.title,
  summary: item.summary,
  published_at: item.published_at,
  first_seen_at: item.first_seen_at,
  fingerprint: item.fingerprint,
  // A story has the time of the poll that found its item.
  found_at: time,
  ...(item.edits !== undefined && { edits: item.edits }),
  ...(item.on_own_site !== undefined && { on_own_site: item.on_own_site }),
  ...(vector && { vector }),
  ...(meaning && { meaning }),
  ...(certainty && { certainty }),
  understood: {
    move: understanding.move,
    brands: understanding.brands,
    cities: understanding.cities,
    mall: understanding.mall,
  },
  telling: tellingOf(understanding),
});

/** The id that a signal has when this story is the first to report it. */
export const idOf = (story: Story): SignalId => signalId(story.item.url);

/** An event that follows from a story, decided at a time; `parts` make it the same event when decided again. */
const after = <Type extends EventType>(
  story: StoryEvent,
  time: string,
  type: Type,
  parts: readonly (string | number)[],
  data: DataOf<Type>,
): KnownEvent<Type> =>
  newEvent(type, data, {
    id: eventId(type, ...parts),
    time,
    causation_id: story.id,
    correlation_id: story.correlation_id,
  });

/** What makes a wording of an item in a signal the same: an edit that brings back an earlier wording is another one. */
export const wordingId = (id: SignalId, { source_id, item_key, fingerprint, edits }: Report): (string | number)[] => [
  id,
  source_id,
  item_key,
  fingerprint,
  ...(edits ? [edits] : []),
];

/**
 * An item of the first poll of a source that counts as seen on its own date (`backlog_days`), more than a week before
 * that poll: it fills in the record's history and is no news.
 */
const isHistory = ({ time, data: { item } }: StoryEvent): boolean =>
  item.published_at !== null &&
  Date.parse(item.published_at) === Date.parse(item.first_seen_at) &&
  isLate(time, item.first_seen_at);

/**
 * A story that no signal reports yet. It is published at the time at which this is decided; history keeps its own date.
 * @param given.slug reserved for this signal
 * @param now RFC 3339
 */
export function decideNewSignal(
  story: StoryEvent,
  given: { slug: string; follows: SignalId | null; resurfaced: boolean },
  now: string,
): KnownEvent<'SignalDetected'> {
  const { item, understanding, understood_by } = story.data;
  const report = reportOf(story);
  const id = idOf(story.data);
  return after(story, now, 'SignalDetected', wordingId(id, report), {
    signal_id: id,
    slug: given.slug,
    ...initialStatus(item, understanding, given.resurfaced),
    published_at: isHistory(story) ? item.first_seen_at : now,
    understanding,
    understood_by,
    report,
    follows: given.follows,
  });
}

/**
 * The link of a signal to an earlier one that it takes a step further. It replaces the link that it had: the last one counts.
 * @param story the report that shows it, of either of the two
 * @param now RFC 3339
 */
export function decideLink(story: StoryEvent, state: SignalState, follows: SignalId, now: string): KnownEvent[] {
  if (state.status === 'merged' || state.follows === follows || state.id === follows) return [];
  const parts = [state.id, follows, state.follows ?? ''];
  return onlyNew(state, [after(story, now, 'SignalLinked', parts, { signal_id: state.id, follows })]);
}

/** The revision that gives a signal the text of a story's item, as far as no operator corrected it; none where the text is that already. */
function revise(
  story: StoryEvent,
  state: SignalState,
  now: string,
  reason: DataOf<'SignalRevised'>['reason'],
  read: Understanding,
): KnownEvent[] {
  const { item, understood_by } = story.data;
  const text = withCorrection(read, state.corrected);
  const revision = state.revisions + 1;
  const parts = [...wordingId(state.id, reportOf(story)), understood_by, revision];
  if (isDeepStrictEqual(text, state.understanding)) return [];
  return [
    after(story, now, 'SignalRevised', parts, {
      signal_id: state.id,
      revision,
      reason,
      before: state.understanding,
      after: text,
      understood_by,
      item_key: item.item_key,
      source_id: item.source_id,
    }),
  ];
}

/** True for an item that an operator moved to another signal: it does not come back by itself. */
export const isSplitOff = ({ splitOff }: SignalState, item: ReportRef): boolean =>
  splitOff.some((gone) => isSameItem(gone, item));

/** The report of an item. One source and one address are one report, whatever id the source gives it. */
const knownReport = ({ reports }: SignalState, report: Report): SignalState['reports'][number] | undefined =>
  reports.find((one) => isSameItem(one, report)) ??
  reports.find(({ source_id, url }) => source_id === report.source_id && addressKey(url) === addressKey(report.url));

/** Events that are in the stream already are not written again. */
export const onlyNew = (state: SignalState, events: readonly KnownEvent[]): KnownEvent[] =>
  events.filter((event) => !state.handled.has(event.id));

/** What the story's report says of people, stores and figures, as its event carries it. */
function statedFacts({ data: { understanding } }: StoryEvent): { facts?: ReportedFacts } {
  const facts = factsOf(understanding);
  return facts ? { facts } : {};
}

/** The release of a signal that was held by the rules and now has what it lacked. */
export function releaseWhenComplete(
  state: SignalState,
  release: (why: string) => KnownEvent<'SignalReleased'>,
  outlet: string,
): KnownEvent[] {
  const isComplete =
    state.status === 'held' && state.heldByRules && lacking(state.reports, state.understanding) === null;
  return isComplete ? [release(`${outlet} reports it with what was missing`)] : [];
}

const releaseAfter =
  (story: StoryEvent, state: SignalState, now: string) =>
  (why: string): KnownEvent<'SignalReleased'> =>
    after(story, now, 'SignalReleased', wordingId(state.id, reportOf(story)), {
      signal_id: state.id,
      by: 'match',
      why,
    });

/** The revision that a report brings when it has the better text, and one that fits the slug. */
function improveText(story: StoryEvent, state: SignalState, now: string): KnownEvent[] {
  const { understanding } = story.data;
  const current = { report: state.text, understanding: state.understanding };
  return isTrueToSlug(state.slug, state.understanding, understanding) &&
    isBetter(current, { report: reportOf(story), understanding })
    ? revise(story, state, now, 'better_report', improve(state.understanding, understanding))
    : [];
}

/**
 * A further report of a signal, stored with its evidence. It can improve the text, or give a held signal its date.
 * @throws for a merged signal: the report belongs to the signal that it was merged into
 * @param now RFC 3339
 */
export function decideReport(
  story: StoryEvent,
  state: SignalState,
  evidence: { readonly score: number; readonly reasons: readonly string[]; readonly resurfaced: boolean },
  now: string,
): KnownEvent[] {
  if (state.status === 'merged')
    throw new Error(`${state.id} is merged into ${state.mergedInto}, which takes its reports`);
  const report = reportOf(story);
  if (isSplitOff(state, report)) return [];
  if (knownReport(state, report)) return decideKnownItem(story, state, now);
  const resurfaced = evidence.resurfaced || state.status === 'resurfaced';
  const events: KnownEvent[] = [
    after(story, now, 'SignalReported', wordingId(state.id, report), {
      signal_id: state.id,
      report,
      match: { score: Math.round(evidence.score * 1000) / 1000, reasons: [...evidence.reasons] },
      resurfaced,
      ...statedFacts(story),
    }),
  ];
  if (!resurfaced) {
    events.push(...improveText(story, state, now));
    const next = afterEvents(state, events);
    events.push(...releaseWhenComplete(next, releaseAfter(story, state, now), report.outlet));
  }
  return onlyNew(state, events);
}

/** Whether one wording of an item is later than another: by the time of its poll, or, had a clock been set, by its number. */
export const isLaterWording = (next: Report, earlier: Report): boolean =>
  next.found_at === undefined ||
  earlier.found_at === undefined ||
  Date.parse(next.found_at) >= Date.parse(earlier.found_at) ||
  (next.edits ?? 0) > (earlier.edits ?? 0);

/**
 * A story of an item that a signal contains, or of a page that it contains. An edit is kept as what the report now says,
 * also one that brings back an earlier wording; where its text is the signal's, that is revised, also when newer rules
 * understand it otherwise. An earlier wording that is delivered again changes nothing.
 * @param now RFC 3339
 */
export function decideKnownItem(given: StoryEvent, state: SignalState, now: string): KnownEvent[] {
  const own = reportOf(given);
  if (state.status === 'merged' || isSplitOff(state, own)) return [];
  const earlier = knownReport(state, own);
  if (!earlier) return decideSamePage(given, state, now);
  const { item_key } = earlier;
  const story = { ...given, data: { ...given.data, item: { ...given.data.item, item_key } } };
  const report = reportOf(story);
  const { understanding, understood_by } = story.data;
  const isText = isSameItem(state.text, report);
  const isSameWording = earlier.fingerprint === report.fingerprint;
  const isFoundAgain = isSameWording && (report.edits ?? 0) <= (earlier.edits ?? 0);
  if (isFoundAgain)
    return isText && state.understood_by !== understood_by
      ? onlyNew(state, revise(story, state, now, 'understood_again', understanding))
      : [];
  if (!isLaterWording(report, earlier)) return [];
  const events: KnownEvent[] = [
    after(story, now, 'SignalReported', [...wordingId(state.id, report), story.id], {
      signal_id: state.id,
      report,
      match: { score: 1, reasons: ['the same item, edited'] },
      resurfaced: earlier.resurfaced,
      ...statedFacts(story),
    }),
  ];
  if (isText) events.push(...revise(story, state, now, 'edited', understanding));
  else if (!earlier.resurfaced) events.push(...improveText(story, state, now));
  const next = afterEvents(state, events);
  events.push(...releaseWhenComplete(next, releaseAfter(story, state, now), report.outlet));
  return onlyNew(state, events);
}

/**
 * Another source lists a page that a signal contains: a report of that source. It gives the signal its text only where
 * its source knows the page better than the one whose text it is, and then all of it: what the other said of the page
 * may be wrong. So it also overrules one that passed the page off as old news.
 */
function decideSamePage(story: StoryEvent, state: SignalState, now: string): KnownEvent[] {
  const { item, understanding } = story.data;
  const report = reportOf(story);
  const knowsBetter = ranksAbove(report, state.text);
  const overrules = state.status !== 'resurfaced' || (knowsBetter && item.published_at !== null);
  const resurfaced = !overrules || isOldNews(item) || isLate(item.first_seen_at, state.first_seen_at);
  const events: KnownEvent[] = [
    after(story, now, 'SignalReported', wordingId(state.id, report), {
      signal_id: state.id,
      report,
      match: { score: 1, reasons: ['the same page, listed by another source'] },
      resurfaced,
      // A source that only lists the page may be wrong about it, so its facts count as little as its text does.
      ...(knowsBetter || report.outlet === state.text.outlet ? statedFacts(story) : {}),
    }),
  ];
  if (!resurfaced) {
    if (knowsBetter) events.push(...revise(story, state, now, 'better_report', understanding));
    else if (report.outlet === state.text.outlet) events.push(...improveText(story, state, now));
    const next = afterEvents(state, events);
    const release = releaseAfter(story, state, now);
    if (next.status === 'resurfaced') events.push(release(`${item.outlet} dates its page ${item.published_at}`));
    else events.push(...releaseWhenComplete(next, release, report.outlet));
  }
  return onlyNew(state, events);
}
