/**
 * Signals: one event each, with every report of it. Stream `signal-<id>` in the event store. Mistakes that readers
 * report of a signal are in a stream for each signal, apart from the decisions about it, and open until an operator
 * decides about the signal. An address is kept only of a reader who wants to hear the outcome.
 */
import { z } from 'zod';
import { CORRECTABLE_FACTS, FACT_FIELDS, type Facts, factFieldsOf, statesFacts } from './facts.ts';
import { ERASED, ERASED_EMAIL, openEvents, personal } from './personal.ts';
import { Instant, prefixedId, SignalId, Slug, StoredWebAddress, trimmedText } from './scalar.ts';
import { StoredSourceId } from './source.ts';
import { Certainty, ItemVector, Understanding } from './story.ts';

/** What a report was understood as, apart from its facts. */
const UnderstoodAs = Understanding.pick({ move: true, brands: true, cities: true, mall: true });

/** One item that reports the event. Within a signal `source_id` and `item_key` together name a report, neither alone. */
export const Report = z.object({
  item_key: z.string().brand<'ItemKey'>(),
  source_id: StoredSourceId,
  outlet: z.string(),
  authority: z.number(),
  url: StoredWebAddress,
  title: z.string(),
  summary: z.string().nullable(),
  published_at: Instant.nullable(),
  first_seen_at: Instant,
  fingerprint: z.string(),
  /** Start of the poll that found this wording. Unset in reports of version 1.0, as are the two that follow. */
  found_at: Instant.optional(),
  /** As of the item: they distinguish a later wording from an earlier one that is delivered again. */
  edits: z.int().nonnegative().optional(),
  on_own_site: z.boolean().optional(),
  /** Of this wording; see `Story`. */
  vector: ItemVector.optional(),
  /** Of this wording; see `Story`. */
  meaning: ItemVector.optional(),
  /** Of this wording; see `Story`. */
  certainty: Certainty.optional(),
  /** Of this wording. Later reports are matched with it; unset in version 1.0, where that of the signal counts. */
  understood: UnderstoodAs.optional(),
  /** How plainly this wording says the fact (0 to 3), and how many details were understood; unset in version 1.0. */
  telling: z.object({ plain: z.int(), detail: z.int() }).optional(),
});
export type Report = z.infer<typeof Report>;

/** The identity of a report in a signal, and of an item of any source. */
export type ReportRef = Pick<Report, 'source_id' | 'item_key'>;

/** A report's identity as one text; no id of a source contains a line break. */
export const itemName = ({ source_id, item_key }: ReportRef): string => `${source_id}\n${item_key}`;

/** True for one item: the same key in the same source. */
export const isSameItem = (one: ReportRef, other: ReportRef): boolean =>
  one.item_key === other.item_key && one.source_id === other.source_id;

export const SIGNAL_STATUSES = ['public', 'held', 'resurfaced', 'retracted', 'merged'] as const;
export const SignalStatus = z.enum(SIGNAL_STATUSES);
export type SignalStatus = z.infer<typeof SignalStatus>;

const Detected = z.object({
  signal_id: SignalId,
  slug: Slug,
  status: z.enum(['public', 'held', 'resurfaced']),
  /** Why it is not public; null when it is. */
  status_reason: z.string().nullable(),
  /** When the service made it public; for one that is not, when it was detected. In version 1.0 when it was first seen. */
  published_at: Instant,
  understanding: Understanding,
  understood_by: z.string(),
  report: Report,
  /** An earlier signal that this one follows up with a decisive new fact. */
  follows: SignalId.nullable(),
});

/** Why an item was taken for a report of this signal: the score and the evidence. */
export const MatchEvidence = z.object({ score: z.number(), reasons: z.array(z.string()) });

/** The facts that a report states, with the brands that resolve its company names. */
export const ReportedFacts = z.object({ brands: Understanding.shape.brands, ...FACT_FIELDS });
export type ReportedFacts = z.infer<typeof ReportedFacts>;

/** What matching compares of an understood report. */
export type ReportUnderstood = Pick<Understanding, 'move' | 'brands' | 'cities' | 'mall' | keyof Facts>;

/** The facts of an understood report; undefined where it states none. */
export const factsOf = (text: ReportedFacts): ReportedFacts | undefined =>
  statesFacts(text) ? { brands: text.brands, ...factFieldsOf(text) } : undefined;

/** What a sentence of an analysis is for: `background` names earlier signals, which explain nothing by themselves. */
export const ANALYSIS_FIELDS = ['why_it_matters', 'what_to_watch', 'background'] as const;
export type AnalysisField = (typeof ANALYSIS_FIELDS)[number];

/** A sentence of an analysis, with the signals that it was computed from apart from its own. */
export const AnalysisSentence = z.object({
  field: z.enum(ANALYSIS_FIELDS),
  text: z.string(),
  signals: z.array(SignalId),
});
export type AnalysisSentence = z.infer<typeof AnalysisSentence>;

/** What text, catalogue and record say of the weight of a signal; see `signal/salience.ts`. */
export const Standing = z.object({
  /** It is about a listed company or a brand of one. */
  listed: z.boolean(),
  /** It is the first or largest of its kind on record. */
  first: z.boolean(),
  /** The sum of its deal, investment, penalty or results in crores of rupees; dollars at the rate of `language/money.ts`. */
  sum_crore: z.number().nullable(),
  /** The sum by the yearly revenue of the company, as far as the record knows that. */
  revenue_share: z.number().nullable(),
  /** Stores that it opens or closes, and half of those that it plans. */
  stores: z.number().nullable(),
  /** Whether a chief of a listed company comes or goes. Unset in version 1.0. */
  chief: z.boolean().optional(),
  /** How much is written of the company: 1 for one signal in the 90 days before, 2 for three, 3 for seven. Unset in version 1.0. */
  prominence: z.int().optional(),
  /** What its headline does: it may only comment, or advertise an event. Unset in version 1.0. */
  says: z.enum(['event', 'comment', 'advertisement']).optional(),
});
export type Standing = z.infer<typeof Standing>;

const Reported = z.object({
  signal_id: SignalId,
  report: Report,
  match: MatchEvidence,
  /** Unset where the report states none, and in version 1.0. The signal's own text has those of one report alone. */
  facts: ReportedFacts.optional(),
  /** True when the item resurfaced: it is kept with the signal, but is no new report of it. */
  resurfaced: z.boolean(),
});

const Revised = z.object({
  signal_id: SignalId,
  /** Counts from 1, the first text being revision 0. */
  revision: z.int().positive(),
  reason: z.enum(['edited', 'better_report', 'understood_again', 'operator', 'split']),
  /** The text it replaces, so that a fold needs no look back. */
  before: Understanding,
  after: Understanding,
  understood_by: z.string(),
  /** The report whose text this now is. The source is unset in version 1.0; see `revisedReport` in `signal/signal-reports.ts`. */
  item_key: z.string().brand<'ItemKey'>(),
  source_id: StoredSourceId.optional(),
});

/** What an operator can correct of a signal. The label of a kind goes with its move, further results with the result. */
export const CORRECTABLE = ['headline', 'summary', 'move', 'brands', 'cities', 'delta', ...CORRECTABLE_FACTS] as const;
export type Correctable = (typeof CORRECTABLE)[number];

/** What an operator can judge: that it is a move, that its reports are of one event that no other signal has, each field. */
export const ASPECTS = ['signal', 'one_event', ...CORRECTABLE] as const;
export type Aspect = (typeof ASPECTS)[number];

/** Corrected fields with their values. A field that is here is final: no later report or edit changes it. */
export const Correction = z
  .object({
    ...Understanding.pick({
      headline: true,
      summary: true,
      move: true,
      kind: true,
      brands: true,
      cities: true,
      delta: true,
    }).shape,
    ...FACT_FIELDS,
  })
  .partial();
export type Correction = z.infer<typeof Correction>;

/** The fields of a correction, as operators and readers name them. */
export const fieldsOf = (correction: Correction): Correctable[] =>
  CORRECTABLE.filter((field) => correction[field] !== undefined);

const decided = { by: z.string(), why: z.string() };

const Corrected = z.object({
  signal_id: SignalId,
  /** Counts the texts of the signal, as in `SignalRevised`. */
  revision: z.int().positive(),
  corrected: Correction,
  before: Understanding,
  after: Understanding,
  /** The report whose text the signal has. */
  report: Report.pick({ source_id: true, item_key: true, outlet: true, url: true }),
  /** The signal that was corrected, where that was merged into this one and its correction is taken over. */
  taken_from: SignalId.optional(),
  ...decided,
});

const Split = z.object({
  signal_id: SignalId,
  /** The report that is about another event. */
  report: Report,
  /** The signal that has it now. */
  into: SignalId,
  into_slug: Slug,
  /** The outlets whose reports still count. */
  outlets: z.array(z.string()),
  ...decided,
});

export const SignalEvents = openEvents({
  SignalDetected: { 1: Detected },
  /** An item can have several in one stream: with other words when it is edited, with other facts when it is understood again. */
  SignalReported: { 1: Reported },
  SignalRevised: { 1: Revised },
  SignalAnalysed: {
    1: z.object({
      signal_id: SignalId,
      why_it_matters: z.string().nullable(),
      what_to_watch: z.string().nullable(),
      /** The sentences of both fields one by one. Unset in version 1.0. */
      sentences: z.array(AnalysisSentence).optional(),
      /** Unset in version 1.0, and where there is nothing to say. */
      standing: Standing.optional(),
      /** `rules` or the name of the model that wrote it. */
      by: z.string(),
    }),
  },
  SignalHeld: { 1: z.object({ signal_id: SignalId, ...decided }) },
  SignalReleased: { 1: z.object({ signal_id: SignalId, ...decided }) },
  /** An operator found fields to be wrong. */
  SignalCorrected: { 1: Corrected },
  /** An operator found it to be no move at all. */
  SignalRetracted: { 1: z.object({ signal_id: SignalId, ...decided }) },
  /** An earlier signal was found that it takes a step further: detected later, or nearer to it than the one that it followed. */
  SignalLinked: { 1: z.object({ signal_id: SignalId, follows: SignalId }) },
  /** An operator found one of its reports to be about another event. */
  SignalSplit: { 1: Split },
  /** An operator read it and found nothing wrong. It changes nothing that readers see. */
  SignalConfirmed: { 1: z.object({ signal_id: SignalId, by: z.string(), why: z.string().nullable() }) },
  /** Another signal is about to be merged into this one; see `decideMerge`. */
  SignalJoined: { 1: z.object({ signal_id: SignalId, joined: SignalId, by: z.string(), why: z.string() }) },
  SignalMerged: {
    1: z.object({ signal_id: SignalId, into: SignalId, into_slug: Slug, by: z.string(), why: z.string() }),
  },
} as const);

export const signalStream = (id: SignalId): string => `signal-${id}`;
export const SIGNAL_PREFIX = 'signal-';

/** The signal of a stream, by the name of the stream. */
export const signalOfStream = (stream: string): SignalId => stream.slice(SIGNAL_PREFIX.length) as SignalId;

/** A slug belongs to the signal that wrote first to its stream; appends expect no stream, so one writer wins. */
export const SlugEvents = openEvents({ SlugReserved: { 1: z.object({ slug: Slug, signal_id: SignalId }) } } as const);
export const slugStream = (slug: string): string => `slug-${slug}`;

/** What can be wrong. */
export const MISTAKES = ['not_a_move', 'kind', 'brand', 'figure', 'place', 'duplicate', 'other'] as const;
export type Mistake = (typeof MISTAKES)[number];

export const MAXIMUM_NOTE = 500;

export const MistakeId = z.string().regex(/^mis_[0-9a-f]{16}$/, 'must be mis_ and 16 hexadecimal characters');

export const MistakeEvents = {
  MistakeReported: {
    1: z.object({
      mistake_id: MistakeId,
      signal_id: SignalId,
      what: z.enum(MISTAKES),
      /** In the words of the reader. */
      note: personal(z.string().max(MAXIMUM_NOTE).nullable(), 'address', ERASED),
    }),
  },
  /** The reader left an address at which the outcome is mailed. */
  MistakeAnswerAsked: {
    1: z.object({
      mistake_id: MistakeId,
      signal_id: SignalId,
      what: z.enum(MISTAKES),
      email: personal(z.email().max(320), 'email', ERASED_EMAIL),
    }),
  },
  /** The outcome was mailed to all who asked for it, or could not be. */
  MistakeAnswered: {
    1: z.object({
      mistake_id: MistakeId,
      signal_id: SignalId,
      /** The signal that the decision was about: that which the reported one was merged into, or itself. */
      decided: SignalId,
    }),
  },
} as const;

/** The form of a reader. */
export const MistakeBody = z.strictObject({
  what: z.enum(MISTAKES).describe(`${MISTAKES.join(', ')}: what is wrong`),
  note: trimmedText(1, MAXIMUM_NOTE).optional().describe('1 to 500 characters that say what would be right'),
  email: z.email().max(320).optional().describe('an e-mail address at which the outcome is mailed'),
});
export type MistakeBody = z.infer<typeof MistakeBody>;

/** The same words about the same signal on one day are one report. @param day in India, YYYY-MM-DD */
export const mistakeId = (signal: SignalId, { what, note = '' }: MistakeBody, day: string): string =>
  prefixedId('mis', JSON.stringify([signal, what, note, day]));

export const MISTAKE_PREFIX = 'mistake-';
export const mistakeStream = (signal: SignalId): string => `${MISTAKE_PREFIX}${signal}`;
