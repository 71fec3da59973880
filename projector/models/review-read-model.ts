/** Review: each signal with its doubt and an operator's decision, and the public log of corrections. */

import { istDay } from '../../language/days.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { factWords } from '../../schemas/facts.ts';
import type { SignalId } from '../../schemas/scalar.ts';
import {
  type Aspect,
  CORRECTABLE,
  type Correctable,
  fieldsOf,
  MISTAKE_PREFIX,
  type Mistake,
  type ReportRef,
  SIGNAL_PREFIX,
  type SignalStatus,
} from '../../schemas/signal.ts';
import type { Certainty, Understanding } from '../../schemas/story.ts';
import { countedOutlets, withMissingReports, withoutReport, withReport } from '../../signal/signal-reports.ts';
import { foldSignalsBy, isSignalEvent, SIGNAL_TYPES, touchedSignals } from '../../signal/signal-status.ts';
import { type Before, defineModel, type Model } from '../read-model.ts';

export const VERDICTS = ['confirmed', 'corrected', 'split', 'held', 'released', 'retracted'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** A report as far as the desk counts it. */
interface ReviewReport extends ReportRef {
  readonly outlet: string;
  readonly first_seen_at: string;
  readonly resurfaced: boolean;
  readonly certainty?: Certainty;
}

/** When the report that made a signal was published, found by a poll, and public. RFC 3339. */
interface Steps {
  readonly outlet_at: string;
  readonly found_at: string;
  readonly public_at: string;
}

interface ReportedMistake {
  readonly at: string;
  readonly what: Mistake;
  readonly note: string | null;
}

/** A reader who wants to hear the outcome of a report. The address is in the stream of the signal alone. */
interface Asked {
  readonly mistake_id: string;
  /** The signal that was reported, which may have been merged since. */
  readonly signal_id: SignalId;
  readonly what: Mistake;
}

/** What became of the report of a reader who wants to hear it. */
interface Outcome extends Asked {
  readonly at: string;
  readonly outcome: Verdict | 'merged';
  /** As in the public log; null for a decision whose reason only operators see. */
  readonly why: string | null;
}

/** Open reports that are kept of a signal, the newest ones. */
const MAXIMUM_MISTAKES = 20;

export interface ReviewRow {
  readonly status: SignalStatus;
  readonly published_at: string;
  readonly sampled_on: string | null;
  readonly reports: readonly ReviewReport[];
  /** The report whose text it has. */
  readonly text_from: ReportRef;
  readonly verdict: Verdict | null;
  readonly decided_at: string | null;
  /** What its text says now, and which of that is the word of an operator. */
  readonly says: readonly Correctable[];
  readonly corrected: readonly Correctable[];
  /** Unset until an operator judged it. */
  readonly judged?: readonly Aspect[];
  readonly wrong?: readonly Aspect[];
  readonly steps: Steps | null;
  /** Open reports of readers, oldest first; unset for none. */
  readonly mistakes?: readonly ReportedMistake[];
  /** Of readers who left an address: who waits for a decision, and outcomes that are to be mailed; unset for none. */
  readonly asked?: readonly Asked[];
  readonly outcomes?: readonly Outcome[];
  /** Corrections shown to readers, oldest first; unset for most signals. */
  readonly log?: readonly LoggedEntry[];
}

/** Who decides by rules; every other name is an operator's. */
const RULES: ReadonlySet<string> = new Set(['match', 'replay']);

// The public log of corrections: an entry for each decision of an operator that took something back.

/** A field that was wrong, in plain words. */
export interface CorrectedField {
  readonly field: Correctable;
  readonly before: string | null;
  readonly after: string | null;
}

export interface LoggedEntry {
  readonly at: string;
  readonly what: 'corrected' | 'retracted' | 'split' | 'merged';
  readonly why: string;
  readonly fields: readonly CorrectedField[];
  /** Of a report that was split off, its headline; of a merged signal null. */
  readonly about: string | null;
  /** The slug of the signal that has the report, or the story, now. */
  readonly into: string | null;
}

/** What a text says in a field, as the log words it; null for nothing. */
function inWords(text: Understanding, field: Correctable): string | null {
  switch (field) {
    case 'headline':
      return text.headline;
    case 'summary':
      return text.summary;
    case 'move':
      return text.kind ? `${text.move} (${text.kind})` : text.move;
    case 'brands':
      return text.brands.map(({ name, role }) => (role === 'primary' ? name : `${name} (mention)`)).join('; ') || null;
    case 'cities':
      return text.cities.join('; ') || null;
    case 'delta':
      return text.delta;
    default:
      return factWords(text, field);
  }
}

function loggedEntry(event: KnownEvent): LoggedEntry | null {
  const none = { fields: [], about: null, into: null };
  switch (event.type) {
    case 'SignalCorrected': {
      const { before, after, corrected, why, taken_from } = event.data;
      if (taken_from) return null;
      const fields = fieldsOf(corrected).map((field) => ({
        field,
        before: inWords(before, field),
        after: inWords(after, field),
      }));
      return { ...none, at: event.time, what: 'corrected', why, fields };
    }
    case 'SignalRetracted':
      return { ...none, at: event.time, what: 'retracted', why: event.data.why };
    case 'SignalSplit': {
      const { report, into_slug, why } = event.data;
      return { ...none, at: event.time, what: 'split', why, about: report.title, into: into_slug };
    }
    case 'SignalMerged': {
      const { into_slug, by, why } = event.data;
      if (RULES.has(by)) return null;
      return { ...none, at: event.time, what: 'merged', why, into: into_slug };
    }
    default:
      return null;
  }
}

// The fold of a signal.

const reviewReport = (report: KnownEvent<'SignalReported'>['data']['report'], resurfaced: boolean): ReviewReport => {
  const { source_id, item_key, outlet, first_seen_at, certainty } = report;
  return { source_id, item_key, outlet, first_seen_at, resurfaced, ...(certainty && { certainty }) };
};

/** Verdicts whose reason readers see. */
const PUBLIC: ReadonlySet<Outcome['outcome']> = new Set(['corrected', 'split', 'retracted', 'merged']);

/** The row after those who waited for a decision have it. */
function withOutcome(
  { asked: answerWaits = [], outcomes = [], ...row }: ReviewRow,
  outcome: Outcome['outcome'],
  { time, data }: { time: string; data: { why: string | null } },
  isConcerned: (one: Asked) => boolean = () => true,
): ReviewRow {
  const why = PUBLIC.has(outcome) ? data.why : null;
  const left = answerWaits.filter((one) => !isConcerned(one));
  const all = [...outcomes, ...answerWaits.filter(isConcerned).map((one) => ({ ...one, at: time, outcome, why }))];
  return { ...row, ...(left.length > 0 && { asked: left }), ...(all.length > 0 && { outcomes: all }) };
}

const decided = (
  row: ReviewRow,
  verdict: Verdict,
  event: { time: string; data: { by: string; why: string | null } },
): ReviewRow =>
  RULES.has(event.data.by)
    ? row
    : { ...withOutcome(withMistakes(row, []), verdict, event), verdict, decided_at: event.time };

/** The row with these open reports. */
function withMistakes({ mistakes: _, ...row }: ReviewRow, open: readonly ReportedMistake[]): ReviewRow {
  return open.length === 0 ? row : { ...row, mistakes: open.slice(-MAXIMUM_MISTAKES) };
}

/** The open reports of the signal that remains: where rules merge it gets those of the other, of which an operator has read all. */
function absorbedMistakes(row: ReviewRow, event: KnownEvent<'SignalMerged'>, before: Before<ReviewRow>): ReviewRow {
  const { mistakes = [], asked: answerWaits = [] } = row;
  const isOfDuplicate = ({ what }: { what: Mistake }): boolean => what === 'duplicate';
  if (!RULES.has(event.data.by))
    return withOutcome(
      withMistakes(
        row,
        mistakes.filter((one) => !isOfDuplicate(one)),
      ),
      'merged',
      event,
      isOfDuplicate,
    );
  const merged = before(event.data.signal_id);
  const moved = merged?.mistakes ?? [];
  const all = [...mistakes, ...moved].toSorted((one, other) => (one.at < other.at ? -1 : 1));
  const waiting = [...answerWaits, ...(merged?.asked ?? [])];
  return {
    ...(moved.length === 0 ? row : withMistakes(row, all)),
    ...(waiting.length > 0 && { asked: waiting }),
  };
}

/** The fields in which a text says something. */
const saidIn = (text: Understanding): Correctable[] => CORRECTABLE.filter((field) => inWords(text, field) !== null);

const joined = <One>(some: readonly One[] = [], more: readonly One[] = []): One[] => [...new Set([...some, ...more])];

/**
 * The row after an operator judged some aspects. What was wrong once stays wrong, however it is judged after it was put right.
 * @param wrong those of them that were published wrongly
 */
const judge = (
  row: ReviewRow,
  { data }: { data: { by: string } },
  judged: readonly Aspect[],
  wrong: readonly Aspect[] = [],
): ReviewRow =>
  RULES.has(data.by) ? row : { ...row, judged: joined(row.judged, judged), wrong: joined(row.wrong, wrong) };

/** True for a date without a time of day: midnight in India, or by UTC. */
const isWholeDay = (time: string): boolean => [0, 18.5 * 3_600_000].includes(Date.parse(time) % 86_400_000);

/**
 * The recorded times of a detection. Null without all of them: a date without a time of day, a time after the poll that found it,
 * and an entry of the first poll of a source, which was published before the source was read.
 */
export function stepsOf({
  time,
  data: { status, report },
}: Pick<KnownEvent<'SignalDetected'>, 'time' | 'data'>): Steps | null {
  const { published_at: outlet_at, first_seen_at, found_at } = report;
  if (status !== 'public' || outlet_at === null || found_at === undefined || isWholeDay(outlet_at)) return null;
  const isBacklog = Date.parse(first_seen_at) === Date.parse(outlet_at);
  return isBacklog || Date.parse(outlet_at) > Date.parse(found_at) ? null : { outlet_at, found_at, public_at: time };
}

function corrected(row: ReviewRow, event: KnownEvent<'SignalCorrected'>): ReviewRow {
  const { before, after, corrected: fields, taken_from } = event.data;
  const of = joined(row.corrected, fieldsOf(fields));
  const next = { ...row, says: saidIn(after), corrected: of };
  if (taken_from) return next;
  const stated = saidIn(before).filter((field) => !row.corrected.includes(field));
  const wrong = fieldsOf(fields).filter((field) => stated.includes(field));
  return judge(decided(next, 'corrected', event), event, ['signal', 'one_event', ...stated], wrong);
}

const evolveOfSignals = foldSignalsBy<ReviewRow>({
  SignalDetected: (event) => {
    const { status, published_at, report, understanding } = event.data;
    return {
      status,
      published_at,
      sampled_on: status === 'public' ? istDay(Date.parse(event.time)) : null,
      reports: [reviewReport(report, status === 'resurfaced')],
      text_from: { source_id: report.source_id, item_key: report.item_key },
      verdict: null,
      decided_at: null,
      says: saidIn(understanding),
      corrected: [],
      steps: stepsOf(event),
    };
  },
  SignalReported: (row, { data: { report, resurfaced } }) => ({
    ...row,
    reports: withReport(row.reports, reviewReport(report, resurfaced)),
  }),
  SignalRevised: (row, { data: { item_key, source_id, after } }) => ({
    ...row,
    says: saidIn(after),
    ...(source_id !== undefined && { text_from: { source_id, item_key } }),
  }),
  SignalCorrected: corrected,
  SignalSplit: (row, event) =>
    judge(
      decided({ ...row, reports: withoutReport(row.reports, event.data.report) }, 'split', event),
      ...([event, ['signal', 'one_event'], ['one_event']] as const),
    ),
  SignalHeld: (row, event) => decided(row, 'held', event),
  SignalReleased: (row, event) => {
    const next = decided(row, 'released', event);
    // An operator who releases a retracted signal takes back that it is no move.
    return RULES.has(event.data.by) || !row.wrong?.includes('signal')
      ? next
      : { ...next, wrong: row.wrong.filter((aspect) => aspect !== 'signal') };
  },
  SignalRetracted: (row, event) => judge(decided(row, 'retracted', event), event, ['signal'], ['signal']),
  SignalMerged(row, event) {
    const { asked: _, ...rest } = withMistakes(row, []);
    const next = RULES.has(event.data.by) ? rest : withOutcome(withMistakes(row, []), 'merged', event);
    return judge(next, event, ['signal', 'one_event'], ['one_event']);
  },
  absorbed: (row, merged) => ({ ...row, reports: withMissingReports(row.reports, merged?.reports ?? []) }),
});

const confirmed = (row: ReviewRow, event: KnownEvent<'SignalConfirmed'>): ReviewRow =>
  judge(decided(row, 'confirmed', event), event, [
    ...(['signal', 'one_event'] as const),
    ...row.says.filter((field) => !row.corrected.includes(field)),
  ]);

/** The row after a reader asked for the outcome of a report, or got it. */
function withAnswer(
  row: ReviewRow,
  { type, data }: KnownEvent<'MistakeAnswerAsked'> | KnownEvent<'MistakeAnswered'>,
): ReviewRow {
  const { asked: answerWaits = [], outcomes = [], ...rest } = row;
  if (type === 'MistakeAnswered') {
    const open = outcomes.filter(({ mistake_id }) => mistake_id !== data.mistake_id);
    return {
      ...rest,
      ...(answerWaits.length > 0 && { asked: answerWaits }),
      ...(open.length > 0 && { outcomes: open }),
    };
  }
  const { mistake_id, signal_id, what } = data;
  const isKnown = answerWaits.some((one) => one.mistake_id === mistake_id);
  return isKnown ? row : { ...row, asked: [...answerWaits, { mistake_id, signal_id, what }] };
}

/** Applies an event to the row of one of the signals that it touches. */
function evolveReview(row: ReviewRow | null, event: KnownEvent, key: string, before: Before<ReviewRow>) {
  if (event.type === 'SignalConfirmed') return row && confirmed(row, event);
  if (event.type === 'MistakeReported') {
    const { what, note } = event.data;
    return row && withMistakes(row, [...(row.mistakes ?? []), { at: event.time, what, note }]);
  }
  if (event.type === 'MistakeAnswerAsked' || event.type === 'MistakeAnswered') return row && withAnswer(row, event);
  const evolved = evolveOfSignals(row, event, key, before);
  const next =
    evolved && event.type === 'SignalMerged' && event.data.signal_id !== key
      ? absorbedMistakes(evolved, event, before)
      : evolved;
  const entry = isSignalEvent(event) && event.data.signal_id === key ? loggedEntry(event) : null;
  return next && entry ? { ...next, log: [...(next.log ?? []), entry] } : next;
}

function signalOf(event: KnownEvent): readonly string[] {
  switch (event.type) {
    case 'SignalConfirmed':
    case 'MistakeReported':
    case 'MistakeAnswerAsked':
      return [event.data.signal_id];
    case 'MistakeAnswered':
      return [event.data.decided];
    default:
      return touchedSignals(event);
  }
}

/** How much less sure something is that the models disagree about. */
const DISAGREEMENT = 0.3;
/** The doubt of a signal of an earlier release, whose certainty is not known. */
const UNKNOWN = 0.5;

/** How doubtful a signal is, from 0 to 1: by relevance, kind, and disagreement of models and rules. */
export function doubtOf(certainty: Certainty | undefined): number {
  if (!certainty) return UNKNOWN;
  const { relevance, move, agreed } = certainty;
  return Math.min(1, 1 - Math.min(relevance, move) + (agreed ? 0 : DISAGREEMENT));
}

const certaintyOf = ({ reports, text_from }: ReviewRow): Certainty | undefined =>
  reports.find(({ item_key, source_id }) => item_key === text_from.item_key && source_id === text_from.source_id)
    ?.certainty;

const INDEXES = [
  `CREATE INDEX review_signals_open ON review_signals (published_at, key)
    WHERE status = 'public' AND verdict IS NULL`,
  'CREATE INDEX review_signals_public ON review_signals (public_at) WHERE public_at IS NOT NULL',
  'CREATE INDEX review_signals_sampled ON review_signals (sampled_on, key) WHERE sampled_on IS NOT NULL',
  'CREATE INDEX review_signals_reported ON review_signals (key) WHERE mistakes > 0',
  'ALTER TABLE corrections ADD PRIMARY KEY (key, number)',
  'ALTER TABLE review_mistakes ADD PRIMARY KEY (key, number)',
  'ALTER TABLE review_outcomes ADD PRIMARY KEY (key, number)',
  'CREATE INDEX corrections_newest ON corrections (at, key, number)',
  'CREATE INDEX review_signals_decided ON review_signals (decided_at, key) WHERE verdict IS NOT NULL',
] as const;

const COLUMNS = [
  'status',
  'published_at',
  'sampled_on',
  'doubt',
  'outlets',
  'verdict',
  'decided_at',
  'judged',
  'wrong',
  'outlet_at',
  'found_at',
  'public_at',
  'mistakes',
] as const;

/** What is filtered and sorted by, of a signal under review. */
function recordOf(row: ReviewRow) {
  const { status, published_at, sampled_on, verdict, decided_at, judged = null, wrong = null } = row;
  const { outlet_at = null, found_at = null, public_at = null } = row.steps ?? {};
  return {
    status,
    published_at,
    sampled_on,
    doubt: doubtOf(certaintyOf(row)),
    outlets: countedOutlets(row.reports).length,
    verdict,
    decided_at,
    judged,
    wrong,
    outlet_at,
    found_at,
    public_at,
    mistakes: row.mistakes?.length ?? 0,
  };
}

/** The model of the review desk and of the log, one row for each signal. */
export function reviewModel(): Model<ReviewRow> {
  return defineModel(import.meta.url, {
    name: 'review',
    types: [...SIGNAL_TYPES, 'SignalConfirmed', 'MistakeReported', 'MistakeAnswerAsked', 'MistakeAnswered'],
    prefixes: [SIGNAL_PREFIX, MISTAKE_PREFIX],
    indexes: INDEXES,
    keys: signalOf,
    evolve: evolveReview,
    tables: [
      { name: 'review_signals', columns: COLUMNS, records: (row) => [recordOf(row)] },
      {
        name: 'corrections',
        columns: ['number', 'at', 'entry'],
        records: ({ log = [] }) => log.map((entry, number) => ({ number, at: entry.at, entry: JSON.stringify(entry) })),
      },
      {
        name: 'review_mistakes',
        columns: ['number', 'at', 'what', 'note'],
        records: ({ mistakes = [] }) => mistakes.map((one, number) => ({ number, ...one })),
      },
      {
        name: 'review_outcomes',
        columns: ['number', 'mistake_id', 'signal_id', 'at', 'outcome', 'why'],
        records: ({ outcomes = [] }) => outcomes.map(({ what: _, ...one }, number) => ({ number, ...one })),
      },
    ],
  });
}
