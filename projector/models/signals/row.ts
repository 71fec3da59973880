/** One signal as the service tells it. */
import type { ItemName, Report, SignalStatus } from '../../../schemas/signal.ts';
import type { BrandMention, Understanding } from '../../../schemas/story.ts';

/** What the pages and documents tell of an understanding. */
export interface Text
  extends Pick<
    Understanding,
    'headline' | 'deck' | 'summary' | 'key_facts' | 'delta' | 'move' | 'kind' | 'theme' | 'event_at' | 'cities'
  > {
  readonly brands: readonly Pick<BrandMention, 'name' | 'slug' | 'role'>[];
}

export interface KeptReport extends Pick<Report, 'item_key' | 'source_id' | 'outlet' | 'url' | 'title'> {
  readonly published_at: string | null;
  readonly first_seen_at: string;
  /** Kept with the signal, but told too late to count as a report of it. */
  readonly resurfaced: boolean;
}

/** A text that was replaced, when and why. */
export interface Revision {
  readonly revision: number;
  readonly at: string;
  readonly reason: string;
  readonly headline: string;
  readonly summary: string | null;
  readonly delta: string | null;
}

export interface SignalRow {
  readonly id: string;
  readonly slug: string;
  readonly status: SignalStatus;
  readonly status_reason: string | null;
  readonly published_at: string;
  readonly text: Text;
  /** The report whose text this is. */
  readonly told_by: ItemName;
  readonly reports: readonly KeptReport[];
  readonly revisions: readonly Revision[];
  readonly why_it_matters: string | null;
  readonly what_to_watch: string | null;
  readonly follows: string | null;
  readonly merged_into: string | null;
}
