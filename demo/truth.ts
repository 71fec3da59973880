/** What really happened in the invented news: for tests that measure understanding and matching. */
import type { Move } from '../schemas/scalar.ts';
import { createDesk, type Desk } from './desk.ts';
import type { Entry, Occurrence } from './publishing.ts';

interface TruthItem {
  readonly source_id: string;
  readonly outlet_id: string;
  readonly guid: string;
  /** Canonical: without the tracking parameters that a feed may add. */
  readonly url: string;
  readonly published_at: string;
}

interface TruthEvent {
  readonly id: string;
  readonly move: Move;
  /**
   * Primary brands as the texts mostly write them. A headline may name the owner in `also` instead (Avenue Supermarts
   * for DMart); compare by the catalogue's aliases.
   */
  readonly brands: readonly string[];
  readonly also: readonly string[];
  readonly cities: readonly string[];
  readonly mall: string | null;
  /** The figure that sums up the move, in neutral form: `[₹230cr]`, `[$12m]`, `[18%]`, `4 stores`. */
  readonly figure: string | null;
  readonly person: string | null;
  readonly occurred_at: string;
  readonly live: boolean;
  /** Reports by news outlets, first to last. */
  readonly reports: readonly TruthItem[];
  /** Later items that correct a figure of the event. */
  readonly corrections: readonly TruthItem[];
  /** The event reported again weeks later. */
  readonly resurfaced: readonly TruthItem[];
  /** Items of the reference list. */
  readonly oracle: readonly TruthItem[];
}

export interface Truth {
  readonly events: readonly TruthEvent[];
  /** Items that report no event, with the kind of noise. */
  readonly noise: readonly (TruthItem & { readonly kind: string })[];
}

const toTruthItem = (entry: Entry, url: string): TruthItem => ({
  source_id: `demo-${entry.outlet}`,
  outlet_id: entry.outlet,
  guid: entry.guid,
  url: url + entry.path,
  published_at: entry.publishedAt.toISOString(),
});

function toTruthEvent(
  { key, facts, occurredAt }: Occurrence,
  entries: readonly Entry[],
  url: string,
): TruthEvent | null {
  if (!facts) return null;
  const items = (role: Entry['role']): TruthItem[] =>
    entries
      .filter((entry) => entry.role === role)
      .sort((a, b) => a.publishedAt.getTime() - b.publishedAt.getTime())
      .map((entry) => toTruthItem(entry, url));
  return {
    id: key,
    ...facts,
    occurred_at: occurredAt.toISOString(),
    live: key.startsWith('live-'),
    reports: items('report'),
    corrections: items('correction'),
    resurfaced: items('resurfaced'),
    oracle: items('oracle'),
  };
}

/**
 * Lists the events and the noise with an item that is listed at the moment of the clock.
 * @param url URL of the newsroom, without a trailing slash
 */
export function listTruth(clock: () => Date, url = 'http://127.0.0.1:8090', desk: Desk = createDesk()): Truth {
  const events: TruthEvent[] = [];
  const noise: (TruthItem & { kind: string })[] = [];
  for (const occurrence of desk.published(clock())) {
    const event = toTruthEvent(occurrence, occurrence.entries, url);
    if (event) events.push(event);
    else
      noise.push(
        ...occurrence.entries.map((entry) => ({ ...toTruthItem(entry, url), kind: occurrence.noise ?? 'other' })),
      );
  }
  return { events, noise };
}
