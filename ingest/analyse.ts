/**
 * The analyser writes why a public signal matters and what to watch, from the read models alone: it follows the
 * event store, waits until they have caught up, gathers the facts of a signal, and stores the event that `signal/`
 * decides on. A changed sentence is stored as a new analysis of recent signals. Start with `runAnalyse`.
 */
import type { Logger } from 'pino';
import { backoff, pause } from '../log/backoff.ts';
import { kindOf, logError } from '../log/errors.ts';
import type { EventStore, Position } from '../log/event-store.ts';
import type { Database, Queryable } from '../log/postgres/database.ts';
import { type BrandHistory, brandHistory } from '../projector/models/brands-queries.ts';
import { publicSince } from '../projector/models/signals-queries.ts';
import { type KnownEvent, readEvent } from '../schemas/events.ts';
import { eventHandled } from '../schemas/observation.ts';
import type { Move, SignalId } from '../schemas/scalar.ts';
import { SIGNAL_PREFIX, signalOfStream, signalStream } from '../schemas/signal.ts';
import type { Understanding } from '../schemas/story.ts';
import { decideAnalysis } from '../signal/review-decisions.ts';
import { foldSignal, type SignalState } from '../signal/signal.ts';

/** An earlier story of the same brand and kind of move, with its current text. */
interface EarlierStory {
  /** RFC 3339, when the service published it. */
  readonly published_at: string;
  readonly understanding: Understanding;
}

export interface SignalFacts {
  /** Name of the brand that the signal is about. */
  readonly brand: string;
  readonly understanding: Understanding;
  readonly history: BrandHistory;
  /** The newest first. */
  readonly earlier: readonly EarlierStory[];
  /** The signal that this one continues; null for none. */
  readonly follows: EarlierStory | null;
}

const DAY_FORMAT = new Intl.DateTimeFormat('en-IN', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'Asia/Kolkata',
});

/** `9 March 2026`, the day in IST. @param time RFC 3339, an ISO day, or a date */
const formatDay = (time: string | Date): string => DAY_FORMAT.format(new Date(time));

const WORDS = ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

/** Small numbers in words. */
const countInWords = (number: number): string => WORDS[number] ?? String(number);

const ORDINALS = ['zeroth', 'first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth'];

/** `third`, `12th`. */
function ordinalInWords(number: number): string {
  const ending = number % 100 >= 11 && number % 100 <= 13 ? 'th' : ({ 1: 'st', 2: 'nd', 3: 'rd' }[number % 10] ?? 'th');
  return ORDINALS[number] ?? `${number}${ending}`;
}

/** The name of one move of a kind. */
const MOVE_NAMES: Readonly<Record<Move, string>> = {
  stores: 'store move',
  deals: 'deal',
  people: 'leadership move',
  results: 'results report',
  launches: 'launch',
  strategy: 'strategic move',
  rules: 'regulatory or legal matter',
  other: 'story',
};

/** Ends a sentence with a full stop, unless a name such as `Avenue Supermarts Ltd.` already does. */
const endSentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`);

/** Minimum history of a brand before something is called its first. */
const MIN_DAYS = 30;
const MIN_STORIES = 3;
/** Minimum number of moves of a kind in 30 days, and of periods in a row, to be mentioned. */
const MIN_COUNT = 2;
const MIN_STREAK = 3;
const DAY = 86_400_000;
const MAX_SENTENCES = 2;

const sameName = (a: string | null, b: string | null): boolean => a !== null && a.toLowerCase() === b?.toLowerCase();

/** It continues an earlier story. */
const continues = ({ follows }: SignalFacts): string | null =>
  follows &&
  `It takes further what was reported on ${formatDay(follows.published_at)}: “${follows.understanding.headline}”`;

/** It fills a position that became vacant in an earlier signal. */
function fillsPosition({ understanding, earlier }: SignalFacts): string | null {
  for (const { role, direction, person } of understanding.people) {
    if (direction === 'left' || !role) continue;
    for (const before of earlier) {
      const left = before.understanding.people.find(
        (one) => one.direction === 'left' && sameName(one.role, role) && !sameName(one.person, person),
      );
      if (left)
        return `It fills the seat of ${role} that ${left.person} left, as reported on ${formatDay(before.published_at)}`;
    }
  }
  return null;
}

/** An announced store has opened. */
function keepsPlan({ understanding, earlier, brand }: SignalFacts): string | null {
  const opened = understanding.openings.find(({ status, city }) => status === 'opened' && city);
  if (!opened) return null;
  const planned = earlier.find(({ understanding: { openings } }) =>
    openings.some((one) => (one.status === 'announced' || one.status === 'planned') && sameName(one.city, opened.city)),
  );
  return planned
    ? `${brand} had spoken of a store in ${opened.city} on ${formatDay(planned.published_at)}; this one is open`
    : null;
}

/** Growth compared with an earlier period. */
function growthBefore({ understanding, earlier }: SignalFacts): string | null {
  const now = understanding.result;
  if (!now?.period || now.growth_pct === null) return null;
  for (const { understanding: before } of earlier) {
    const then = before.result;
    if (!then?.period || then.growth_pct === null || then.period === now.period) continue;
    if (!sameName(then.metric, now.metric) || !sameName(then.company, now.company)) continue;
    return `The change in ${now.metric} of ${now.growth_pct}% in ${now.period} compares with ${then.growth_pct}% in ${then.period}`;
  }
  return null;
}

/** The first store move of a brand in a city, where its history is long enough. */
function firstInCity({ understanding, history, brand }: SignalFacts, followedDays: number): string | null {
  if (understanding.move !== 'stores' || history.stories < MIN_STORIES || followedDays < MIN_DAYS) return null;
  const place = understanding.openings.find(({ city, status }) => city && status !== 'closed');
  if (!place?.city || history.known_cities.some((city) => sameName(city, place.city)) || !history.first_seen_at)
    return null;
  return `It is the first store move of ${brand} in ${place.city} among ${history.stories} stories about it since ${formatDay(history.first_seen_at)}`;
}

/** How often the brand makes such moves: the last 30 days compared with the 30 before, else a streak of periods. */
function frequency({ understanding, history, brand }: SignalFacts): string | null {
  const name = MOVE_NAMES[understanding.move];
  const [last = 0, prior = 0] = history.periods;
  if (understanding.move === 'other') return null;
  const gap = history.periods.indexOf(0);
  const streak = gap === -1 ? history.periods.length : gap;
  if (last >= MIN_COUNT)
    return `It is the ${ordinalInWords(last + 1)} ${name} of ${brand} in 30 days, after ${countInWords(prior)} in the 30 days before`;
  if (streak >= MIN_STREAK)
    return `${brand} has had a ${name} in each of the last ${countInWords(streak)} periods of 30 days`;
  return null;
}

/**
 * Writes why a signal matters: at most two sentences, the most important first.
 * @param publishedAt RFC 3339, when the service published the signal
 * @returns null when the data show nothing
 */
export function writeWhyItMatters(facts: SignalFacts, publishedAt: string): string | null {
  const { first_seen_at } = facts.history;
  const followedDays = first_seen_at ? (Date.parse(publishedAt) - first_seen_at.getTime()) / DAY : 0;
  const said = [
    continues(facts),
    fillsPosition(facts),
    keepsPlan(facts),
    growthBefore(facts),
    firstInCity(facts, followedDays),
    frequency(facts),
  ].filter((one) => one !== null);
  return said.length > 0 ? said.slice(0, MAX_SENTENCES).map(endSentence).join(' ') : null;
}

/** A vacant position without a named successor. */
function vacantPosition({ understanding: { people } }: SignalFacts): string | null {
  const left = people.find(({ direction }) => direction === 'left');
  if (!left?.role || people.some(({ direction }) => direction !== 'left')) return null;
  const at = left.company ? ` at ${left.company}` : '';
  const until = left.effective ? `; ${left.person} leaves on ${formatDay(left.effective)}` : '';
  return `Who follows ${left.person} as ${left.role}${at}: the reports name nobody${until}`;
}

/** The day on which an appointment takes effect. */
function takesEffect({ understanding: { people } }: SignalFacts, publishedAt: string): string | null {
  const coming = people.find(({ direction, effective }) => direction !== 'left' && effective);
  return coming?.effective && Date.parse(coming.effective) > Date.parse(publishedAt)
    ? `${coming.person} takes over on ${formatDay(coming.effective)}`
    : null;
}

/** Stores that are announced and not open yet. */
function comingStores({ understanding: { openings } }: SignalFacts): string | null {
  const coming = openings.find(({ status }) => status === 'announced' || status === 'planned');
  if (!coming) return null;
  const place = [coming.mall, coming.city].filter(Boolean).join(', ');
  if (coming.date) return `The opening${place && ` at ${place}`} is announced for ${formatDay(coming.date)}`;
  if (coming.stores && coming.stores > 1) return `How many of the ${coming.stores} announced stores open, and where`;
  return place ? `When the announced store at ${place} opens; no day is given` : null;
}

/** Writes what to watch: one sentence; null when nothing is open. @param publishedAt RFC 3339 */
export function writeWhatToWatch(facts: SignalFacts, publishedAt: string): string | null {
  const said = vacantPosition(facts) ?? takesEffect(facts, publishedAt) ?? comingStores(facts);
  return said === null ? null : endSentence(said);
}

/** The author of these analyses in the events. */
export const RULES = 'rules';

const asEarlier = ({ published_at, understanding }: SignalState): EarlierStory => ({ published_at, understanding });

/**
 * Analyses a public signal. Only what was published before it counts, so that a late analysis has the same result.
 * @returns true when an analysis was stored
 */
export async function analyseSignal(store: EventStore, database: Queryable, signal: SignalId): Promise<boolean> {
  const started = performance.now();
  const read = async (id: SignalId): Promise<KnownEvent[]> =>
    (await store.read(signalStream(id))).map((event) => readEvent(event));
  const events = await read(signal);
  const state = foldSignal(events);
  const [detected] = events;
  if (!detected || state?.status !== 'public') return false;
  const brand = state.understanding.brands.find(({ role }) => role === 'primary');
  if (!brand) return false;

  const { understanding, published_at } = state;
  const history = await brandHistory(database, {
    ...{ signal, brand: brand.slug, move: understanding.move, published_at },
    cities: understanding.openings.flatMap(({ city }) => city ?? []),
  });
  const stateOf = async (id: SignalId): Promise<SignalState | null> => foldSignal(await read(id));
  const earlier = await Promise.all(history.earlier.map((one) => stateOf(one.signal)));
  const followed = detected.type === 'SignalDetected' && detected.data.follows;
  const follows = followed ? await stateOf(followed) : null;
  const facts: SignalFacts = {
    ...{ brand: brand.name, understanding, history },
    earlier: earlier.flatMap((one) => (one ? asEarlier(one) : [])),
    follows: follows && asEarlier(follows),
  };
  const why_it_matters = writeWhyItMatters(facts, published_at);
  const what_to_watch = writeWhatToWatch(facts, published_at);
  const analysis = decideAnalysis(state, { why_it_matters, what_to_watch, by: RULES }, detected);
  if (!analysis) return false;
  await store.append(signalStream(signal), [analysis], 'any');
  eventHandled.emit({ handling: 'analyse', event: detected, started, outcome: 'analysed' });
  return true;
}

/** A start analyses the signals of this period again: what a stop left out is added, and nothing is stored twice. */
const LOOK_BACK = 7 * 86_400_000;
const BACKOFF = { base: 200, maximum: 10_000 };
/** Events that make a signal public, or change its text. */
const WAKES = new Set(['SignalDetected', 'SignalReleased', 'SignalRevised', 'SignalCorrected']);

interface AnalyseOptions {
  readonly store: EventStore;
  readonly database: Database;
  readonly logger: Logger;
  readonly clock: () => Date;
  readonly signal: AbortSignal;
  /** Waits for the read models to reach a position; false when they did not in time. */
  readonly projected: (position: Position) => Promise<boolean>;
}

/** Analyses signals one by one. A defect is logged and the signal remains without an analysis; transient errors are thrown. */
async function analyseAll(options: AnalyseOptions, signals: readonly SignalId[]): Promise<void> {
  for (const id of signals) {
    if (options.signal.aborted) return;
    try {
      await analyseSignal(options.store, options.database, id);
    } catch (error) {
      // One signal without an analysis loses no news, and the next start tries the recent ones again.
      if (kindOf(error) === 'transient') throw error;
      logError(options.logger, error, { signal: id }, 'signal remains without an analysis');
    }
  }
}

const untilProjected = async ({ projected, signal }: AnalyseOptions, position: Position): Promise<void> => {
  while (!signal.aborted && !(await projected(position)));
};

/** Analyses the recent signals, then follows the store from its head at the start. */
async function follow(options: AnalyseOptions): Promise<void> {
  const { store, database, clock, signal } = options;
  const head = await store.head();
  await untilProjected(options, head);
  await analyseAll(options, await publicSince(database, new Date(clock().getTime() - LOOK_BACK)));
  for await (const page of store.subscribe({ after: head, prefixes: [SIGNAL_PREFIX], signal })) {
    const fresh = page.events.filter(({ type }) => WAKES.has(type));
    if (fresh.length === 0) continue;
    await untilProjected(options, page.position);
    await analyseAll(options, [...new Set(fresh.map(({ stream }) => signalOfStream(stream)))]);
  }
}

/** Analyses until the signal aborts; errors are retried with a backoff. An analysis is stored once. */
export async function runAnalyse(options: AnalyseOptions): Promise<void> {
  const { logger, signal } = options;
  for (let failures = 0; !signal.aborted; failures++) {
    const started = performance.now();
    try {
      await follow(options);
    } catch (error) {
      if (signal.aborted) return;
      logError(logger, error, {}, 'analysing signals failed, retrying');
    }
    if (performance.now() - started > BACKOFF.maximum) failures = 0;
    await pause(backoff(failures, BACKOFF, Math.random), signal);
  }
}
