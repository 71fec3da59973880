/** Signals: one event each, with every report of it. Stream `signal-<id>` in the event store. */
import { z } from 'zod';
import { Instant, SignalId, Slug, WebAddress } from './scalar.ts';
import { Understanding } from './story.ts';

/** One item that tells the event. */
export const Report = z.object({
  item_key: z.string(),
  source_id: z.string(),
  outlet: z.string(),
  authority: z.number(),
  url: WebAddress,
  title: z.string(),
  summary: z.string().nullable(),
  published_at: Instant.nullable(),
  first_seen_at: Instant,
  fingerprint: z.string(),
});
export type Report = z.infer<typeof Report>;

export const SIGNAL_STATUSES = ['public', 'held', 'resurfaced', 'merged'] as const;
export const SignalStatus = z.enum(SIGNAL_STATUSES);
export type SignalStatus = z.infer<typeof SignalStatus>;

const Detected = z.object({
  signal_id: SignalId,
  slug: Slug,
  status: z.enum(['public', 'held', 'resurfaced']),
  /** Why it is not public; null when it is. */
  status_reason: z.string().nullable(),
  /** When the service first saw it. */
  published_at: Instant,
  understanding: Understanding,
  understood_by: z.string(),
  report: Report,
  /** An earlier signal that this one follows up with a decisive new fact. */
  follows: SignalId.nullable(),
});

/** Why an item was taken for a report of this signal: the score and the evidence. */
export const MatchEvidence = z.object({ score: z.number(), reasons: z.array(z.string()) });

const Reported = z.object({
  signal_id: SignalId,
  report: Report,
  match: MatchEvidence,
  /** True when the item resurfaced: it is kept with the signal, but is no new report of it. */
  resurfaced: z.boolean(),
});

const Revised = z.object({
  signal_id: SignalId,
  /** Counts from 1, the first text being revision 0. */
  revision: z.int().positive(),
  reason: z.enum(['edited', 'better_report', 'understood_again', 'operator']),
  /** The text it replaces, so that a fold needs no look back. */
  before: Understanding,
  after: Understanding,
  understood_by: z.string(),
  /** The report whose text this now is. */
  item_key: z.string(),
});

export const SignalEvents = {
  SignalDetected: { 1: Detected },
  SignalReported: { 1: Reported },
  SignalRevised: { 1: Revised },
  SignalAnalysed: {
    1: z.object({
      signal_id: SignalId,
      why_it_matters: z.string().nullable(),
      what_to_watch: z.string().nullable(),
      /** `rules` or the name of the model that wrote it. */
      by: z.string(),
    }),
  },
  SignalHeld: { 1: z.object({ signal_id: SignalId, by: z.string(), why: z.string() }) },
  SignalReleased: { 1: z.object({ signal_id: SignalId, by: z.string(), why: z.string() }) },
  SignalMerged: {
    1: z.object({ signal_id: SignalId, into: SignalId, into_slug: Slug, by: z.string(), why: z.string() }),
  },
} as const;

export const signalStream = (id: string): string => `signal-${id}`;
export const SIGNAL_PREFIX = 'signal-';

/** A slug belongs to the signal that wrote first to its stream; appends expect no stream, so one writer wins. */
export const SlugEvents = { SlugReserved: { 1: z.object({ slug: Slug, signal_id: SignalId }) } } as const;
export const slugStream = (slug: string): string => `slug-${slug}`;
