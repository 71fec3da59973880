/** Something that happened at a certain time, and what outlets publish about it. */
import type { Move } from '../../schemas/scalar.ts';

/** What an item of an outlet is to the event. */
export type EntryRole = 'report' | 'correction' | 'resurfaced' | 'oracle' | 'noise';

/** One item of one outlet. Its guid and its path never change, whatever becomes of its headline. */
export interface Entry {
  readonly outlet: string;
  readonly key: string;
  readonly guid: string;
  readonly path: string;
  readonly role: EntryRole;
  readonly headline: string;
  readonly summary: string | null;
  readonly publishedAt: Date;
  /** The headline from a later moment on. */
  readonly edit?: { readonly at: Date; readonly headline: string; readonly summary: string | null };
}

/** The facts that all reports of an event agree on. */
export interface Facts {
  readonly move: Move;
  readonly brands: readonly string[];
  readonly also: readonly string[];
  readonly cities: readonly string[];
  readonly mall: string | null;
  /** In neutral form such as `[₹230cr]` or `4 stores`. */
  readonly figure: string | null;
  readonly person: string | null;
}

export interface Happening {
  /** Of the event in this cycle, `zudio-surat-trio-c20`; `live-21234567` from the live desk. */
  readonly key: string;
  readonly event: string;
  /** Null for noise. */
  readonly facts: Facts | null;
  /** The kind of noise, such as `opinion`. */
  readonly noise: string | null;
  readonly occurredAt: Date;
  readonly entries: readonly Entry[];
}

/** An entry as it reads at a moment: after its edit where that moment has come. */
export const asOf = (entry: Entry, now: Date): Entry & { readonly updatedAt: Date } =>
  entry.edit && entry.edit.at <= now
    ? { ...entry, headline: entry.edit.headline, summary: entry.edit.summary, updatedAt: entry.edit.at }
    : { ...entry, updatedAt: entry.publishedAt };
