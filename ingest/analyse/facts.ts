/** What is known of a signal and of what went before it. Sentences are made of these facts alone. */
import type { BrandHistory } from '../../projector/models/brands-queries.ts';
import type { Understanding } from '../../schemas/story.ts';

/** An earlier story of the same brand and kind of move, with its text as it stands. */
export interface Earlier {
  /** RFC 3339, when the service published it. */
  readonly published_at: string;
  readonly understanding: Understanding;
}

export interface Facts {
  /** Name of the brand that the signal is about. */
  readonly brand: string;
  readonly understanding: Understanding;
  readonly history: BrandHistory;
  /** The newest first. */
  readonly earlier: readonly Earlier[];
  /** The signal that this one takes a step further; null for none. */
  readonly follows: Earlier | null;
}
