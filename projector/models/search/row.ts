/** What searching needs of a signal: the words it is found by, what it is filtered by, and its counted facts. */
import type { SignalStatus } from '../../../schemas/signal.ts';
import type { Appointment, Deal, Opening, Result } from '../../../schemas/story.ts';

export interface SearchRow {
  readonly status: SignalStatus;
  readonly published_at: string;
  /** When the first item that reported it was first seen. */
  readonly first_seen_at: string;
  readonly event_at: string | null;
  readonly move: string;
  readonly theme: string | null;
  /** Slugs of all brands that it names. */
  readonly brands: readonly string[];
  /** Slugs of the brands that it is about. */
  readonly about: readonly string[];
  readonly cities: readonly string[];
  /** The three texts without accents, as they are searched. */
  readonly headline: string;
  readonly names: string;
  readonly body: string;
  /** Titles of its reports, as they were told, the first ones; the headline itself left out of what is searched. */
  readonly titles: readonly string[];
  readonly facts: Facts;
}

/** What answers count, as it was understood. */
export interface Facts {
  readonly deal: Deal | null;
  readonly result: Result | null;
  readonly openings: readonly Opening[];
  readonly people: readonly Appointment[];
}
