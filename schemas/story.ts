/** Stories: items that were understood. They travel on the topic `stories`, keyed by primary brand. */
import { z } from 'zod';
import { FACT_FIELDS } from './facts.ts';
import { openEvents } from './personal.ts';
import { Item } from './poll.ts';
import { BrandRole, Instant, Move, StoredBrandSlug } from './scalar.ts';

export const BrandMention = z.object({
  slug: StoredBrandSlug,
  name: z.string(),
  role: BrandRole,
  /** True for a name that the catalogue lacks, found because the headline makes it the subject. */
  provisional: z.boolean().default(false),
  /** Set where two readers agree that the story is about a provisional name. */
  agreed: z.literal(true).optional(),
});
export type BrandMention = z.infer<typeof BrandMention>;

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
  ...FACT_FIELDS,
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

export const StoryEvents = openEvents({ StoryUnderstood: { 1: Story } } as const);
export const STORIES = 'stories';
