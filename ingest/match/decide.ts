/** What is to be written for a story, once it is matched. Pure: the same story and state give the same events. */
import { isDeepStrictEqual } from 'node:util';
import { type DataOf, type EventType, type KnownEvent, newEvent } from '../../schemas/events.ts';
import { eventId, signalId } from '../../schemas/identity.ts';
import type { Report } from '../../schemas/signal.ts';
import type { Story, Understanding } from '../../schemas/story.ts';
import { improve, isBetter } from './better.ts';
import { isLate, type Match } from './match.ts';
import type { SignalState } from './state.ts';
import { missing, statusOf } from './status.ts';

export type StoryEvent = KnownEvent<'StoryUnderstood'>;

/** A story's item as a report of a signal. */
export const reportOf = ({ item }: Story): Report => ({
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
});

/** The id that a signal has when this story is the first to tell it. */
export const idOf = (story: Story): string => signalId(story.item.url);

/** An event that follows from a story: at its time, caused by it; `parts` make it the same event when decided again. */
const after = <Type extends EventType>(
  story: StoryEvent,
  type: Type,
  parts: readonly (string | number)[],
  data: DataOf<Type>,
): KnownEvent<Type> =>
  newEvent(type, data, {
    id: eventId(type, ...parts),
    time: story.time,
    causation_id: story.id,
    correlation_id: story.correlation_id,
  });

const itemParts = (id: string, { source_id, item_key, fingerprint }: Report): string[] => [
  id,
  source_id,
  item_key,
  fingerprint,
];

/**
 * A story that no signal tells yet.
 * @param slug reserved for this signal
 */
export function decideNew(
  story: StoryEvent,
  given: { slug: string; follows: string | null; resurfaced: boolean },
): KnownEvent<'SignalDetected'> {
  const { item, understanding, understood_by } = story.data;
  const report = reportOf(story.data);
  const id = idOf(story.data);
  return after(story, 'SignalDetected', itemParts(id, report), {
    signal_id: id,
    slug: given.slug,
    ...statusOf(item, understanding, given.resurfaced),
    published_at: item.first_seen_at,
    understanding,
    understood_by,
    report,
    follows: given.follows,
  });
}

function revise(
  story: StoryEvent,
  state: SignalState,
  reason: DataOf<'SignalRevised'>['reason'],
  text: Understanding,
): KnownEvent[] {
  const parts = [...itemParts(state.id, reportOf(story.data)), story.data.understood_by];
  if (isDeepStrictEqual(text, state.understanding)) return [];
  return [
    after(story, 'SignalRevised', parts, {
      signal_id: state.id,
      revision: state.revisions + 1,
      reason,
      before: state.understanding,
      after: text,
      understood_by: story.data.understood_by,
      item_key: story.data.item.item_key,
    }),
  ];
}

/** Events that stand in the stream already are not written again. */
const onlyNew = (state: SignalState, events: readonly KnownEvent[]): KnownEvent[] =>
  events.filter((event) => !state.handled.has(event.id));

/** A further report of a signal: kept with its evidence; it may better the text, or give a held signal its date. */
export function decideReport(
  story: StoryEvent,
  state: SignalState,
  evidence: Match & { resurfaced: boolean },
): KnownEvent[] {
  const report = reportOf(story.data);
  const resurfaced = evidence.resurfaced || state.status === 'resurfaced';
  const events: KnownEvent[] = [
    after(story, 'SignalReported', itemParts(state.id, report), {
      signal_id: state.id,
      report,
      match: { score: Math.round(evidence.score * 1000) / 1000, reasons: [...evidence.reasons] },
      resurfaced,
    }),
  ];
  if (!resurfaced) {
    const { understanding, item } = story.data;
    const now = { authority: state.text.authority, understanding: state.understanding };
    if (isBetter(now, { authority: item.authority, understanding }))
      events.push(...revise(story, state, 'better_report', improve(state.understanding, understanding)));
    if (state.status === 'held' && state.heldByRules && !missing(item, understanding))
      events.push(
        after(story, 'SignalReleased', itemParts(state.id, report), {
          signal_id: state.id,
          by: 'match',
          why: `${item.outlet} reports it with what was missing`,
        }),
      );
  }
  return onlyNew(state, events);
}

/**
 * An item that a signal holds already. An edit is kept as what the report now says; where its text stands, that is
 * revised, also when newer rules understand it otherwise.
 */
export function decideKnown(story: StoryEvent, state: SignalState): KnownEvent[] {
  const { item, understanding, understood_by } = story.data;
  if (state.status === 'merged') return [];
  const own = state.reports.filter(
    ({ item_key, source_id }) => item_key === item.item_key && source_id === item.source_id,
  );
  const edited = !own.some(({ fingerprint }) => fingerprint === item.fingerprint);
  const events: KnownEvent[] = [];
  // Without a report of it the signal is known by its address: another source carries the very same page.
  if (edited && own.length > 0) {
    const report = reportOf(story.data);
    events.push(
      after(story, 'SignalReported', itemParts(state.id, report), {
        signal_id: state.id,
        report,
        match: { score: 1, reasons: ['the same item, edited'] },
        resurfaced: state.status === 'resurfaced' || isLate(report.first_seen_at, state.published_at),
      }),
    );
  }
  const isText = state.text.item_key === item.item_key && state.text.source_id === item.source_id;
  if (isText && (edited || state.understood_by !== understood_by))
    events.push(...revise(story, state, edited ? 'edited' : 'understood_again', understanding));
  return onlyNew(state, events);
}

/**
 * Two signals found to be one: the older takes over the reports of the younger, which then points to it.
 * The events for the older are to be written first: should the writer die between, the merge is found again.
 */
export function decideMerge(
  cause: { readonly id: string | null; readonly time: string; readonly correlation_id: string },
  older: SignalState,
  younger: SignalState,
  author: { readonly by: string; readonly why: string } = { by: 'match', why: 'both tell the same event' },
): { older: KnownEvent[]; younger: KnownEvent[] } {
  if (older.id === younger.id || older.status === 'merged' || younger.status === 'merged')
    return { older: [], younger: [] };
  const about = { time: cause.time, causation_id: cause.id, correlation_id: cause.correlation_id };
  const moved = younger.reports.map((report) =>
    newEvent(
      'SignalReported',
      {
        signal_id: older.id,
        report,
        match: { score: 1, reasons: [`came with ${younger.id}, merged into this signal`] },
        resurfaced: isLate(report.first_seen_at, older.published_at),
      },
      { id: eventId('SignalReported', ...itemParts(older.id, report)), ...about },
    ),
  );
  const merged = newEvent(
    'SignalMerged',
    {
      signal_id: younger.id,
      into: older.id,
      into_slug: older.slug,
      ...author,
    },
    { id: eventId('SignalMerged', younger.id, older.id), ...about },
  );
  return { older: onlyNew(older, moved), younger: [merged] };
}
