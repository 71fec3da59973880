/** Stories: items that were understood. They travel on the topic `stories`, keyed by family of brands. */
import { z } from 'zod';
import { Item } from './poll.ts';
import { BrandRole, Instant, IstDay, Move, StoredBrandSlug } from './scalar.ts';

export const BrandMention = z.object({
  slug: StoredBrandSlug,
  name: z.string(),
  role: BrandRole,
  /** True for a name that the catalogue lacks, found because the headline makes it the subject. */
  provisional: z.boolean().default(false),
});
export type BrandMention = z.infer<typeof BrandMention>;

export const Appointment = z.object({
  person: z.string(),
  company: z.string().nullable(),
  role: z.string().nullable(),
  direction: z.enum(['joined', 'left', 'promoted']),
  from: z.string().nullable(),
  to: z.string().nullable(),
  effective: IstDay.nullable(),
});
export type Appointment = z.infer<typeof Appointment>;

export const Opening = z.object({
  brand: z.string(),
  city: z.string().nullable(),
  mall: z.string().nullable(),
  locality: z.string().nullable(),
  stores: z.int().nullable(),
  status: z.enum(['opened', 'announced', 'planned', 'closed']),
  date: IstDay.nullable(),
});
export type Opening = z.infer<typeof Opening>;

export const Deal = z.object({
  type: z.enum(['funding', 'acquisition', 'stake_sale', 'ipo', 'jv', 'merger']),
  amount: z.string().nullable(),
  target: z.string().nullable(),
  buyers: z.array(z.string()),
  /** How far it is by the words of the headline; unset or null where they do not say. */
  status: z.enum(['rumoured', 'agreed', 'completed']).nullable().optional(),
});
export type Deal = z.infer<typeof Deal>;

export const Result = z.object({
  company: z.string(),
  /** `Q1 FY27`, `FY26`, `H1 FY27`; the Indian fiscal year starts on 1 April. */
  period: z.string().nullable(),
  /** `revenue`; `fmcg revenue` of a part of the company; `expected revenue` of a target or forecast. */
  metric: z.string(),
  value: z.string().nullable(),
  growth_pct: z.number().nullable(),
});
export type Result = z.infer<typeof Result>;

/** Whether a metric is of figures that are still to come, a target or forecast: `expected revenue`, `outlook`. */
export const isExpected = (metric: string): boolean => metric === 'outlook' || metric.startsWith('expected ');

/** What understanding says of a relevant item. Names are as the catalogue writes them, figures as the source does. */
export const Understanding = z.object({
  move: Move,
  kind: z.string().nullable(),
  headline: z.string().min(1),
  deck: z.string().nullable(),
  summary: z.string().nullable(),
  key_facts: z.array(z.string()),
  delta: z.string().nullable(),
  event_at: Instant.nullable(),
  theme: z.object({ slug: z.string(), name: z.string() }).nullable(),
  brands: z.array(BrandMention),
  cities: z.array(z.string()),
  mall: z.string().nullable(),
  people: z.array(Appointment),
  openings: z.array(Opening),
  deal: Deal.nullable(),
  result: Result.nullable(),
  /** Further figures of the same company and period, each of another metric; unset where there are none. */
  other_results: z.array(Result).optional(),
});
export type Understanding = z.infer<typeof Understanding>;

/** Why a field has its value: the rule that set it and the words it stood on. */
export const Reason = z.object({ field: z.string(), rule: z.string(), words: z.string() });
export type Reason = z.infer<typeof Reason>;

/** An item as a point among all items: the nearer two points, the likelier do both report one event. */
export const ItemVector = z.object({
  /** The weights that computed it: vectors of other weights are not comparable. */
  by: z.string(),
  /** Whole numbers from -127 to 127, one byte each, as base64: 128 of a vector, 384 of a meaning. */
  values: z.string().max(600),
});
export type ItemVector = z.infer<typeof ItemVector>;

/** What a question says, to be compared with what items say; null where the encoder is unavailable. */
export type MeaningOf = (text: string) => Promise<ItemVector | null>;

/** How sure understanding was of an item, from 0 to 1: operators review the doubtful ones first. */
export const Certainty = z.object({
  /** Probability that the item is a move. */
  relevance: z.number(),
  /** Probability of the kind that was chosen. */
  move: z.number(),
  /** False where the model of words and rules says otherwise than the encoder, or a rule overruled both. */
  agreed: z.boolean(),
});
export type Certainty = z.infer<typeof Certainty>;

export const Story = z.object({
  item: Item,
  understanding: Understanding,
  /** Version of the rules and catalogue that understood it. */
  understood_by: z.string(),
  /** Computed once, kept for matching; unset where no encoder ran, and in version 1.0. */
  vector: ItemVector.optional(),
  /**
   * What its title and summary say, whatever the words: the nearer that of a question, the likelier does the item answer it.
   * Computed once, kept for search; unset where no encoder ran, and in stories of earlier releases.
   */
  meaning: ItemVector.optional(),
  /** Unset in stories of earlier releases. */
  certainty: Certainty.optional(),
});
export type Story = z.infer<typeof Story>;

export const StoryEvents = { StoryUnderstood: { 1: Story } } as const;
export const STORIES = 'stories';
