/** The facts of a signal that brands and themes are counted from: less than its whole row, so that they are cheap to store. */
import type { KnownEvent } from '../../schemas/events.ts';
import type { Move } from '../../schemas/scalar.ts';
import type { Report, SignalStatus } from '../../schemas/signal.ts';
import type { Understanding } from '../../schemas/story.ts';
import { isSignalEvent } from '../../signal/signal-events.ts';
import { withStatus } from '../../signal/signal-status.ts';
import type { Before } from '../read-model.ts';

export interface SignalFacts {
  readonly status: SignalStatus;
  readonly published_at: string;
  readonly move: Move;
  readonly theme: { readonly slug: string; readonly name: string } | null;
  readonly brands: readonly { readonly slug: string; readonly name: string; readonly primary: boolean }[];
  readonly cities: readonly string[];
  /** Distinct outlets whose reports count. */
  readonly outlets: readonly string[];
  /** Outlets whose reports all came too late to count, where there are any. */
  readonly late?: readonly string[];
}

/** Applies an event to the facts of one of the signals that it touches. */
export function evolveFacts(
  row: SignalFacts | null,
  event: KnownEvent,
  key: string,
  before: Before<SignalFacts>,
): SignalFacts | null {
  if (!isSignalEvent(event)) return row;
  if (event.type === 'SignalDetected') {
    if (row) return row;
    const { status, published_at, understanding, report } = event.data;
    return {
      status,
      published_at,
      ...factsOf(understanding),
      outlets: status === 'resurfaced' ? [] : [report.outlet],
    };
  }
  if (!row) throw new Error(`${event.type} of ${key} has no SignalDetected before it`);
  if (event.type === 'SignalMerged' && key !== event.data.signal_id) {
    const taken = before(event.data.signal_id)?.outlets.filter((outlet) => !row.late?.includes(outlet)) ?? [];
    return taken.reduce(withOutlet, row);
  }
  if (event.type === 'SignalRevised') return { ...row, ...factsOf(event.data.after) };
  if (event.type === 'SignalReported') {
    const { report, resurfaced } = event.data;
    return resurfaced ? withLate(row, report) : withOutlet(row, report.outlet);
  }
  return withStatus(row, event);
}

const withOutlet = (row: SignalFacts, outlet: string): SignalFacts =>
  row.outlets.includes(outlet) ? row : { ...row, outlets: [...row.outlets, outlet] };

const withLate = (row: SignalFacts, { outlet }: Report): SignalFacts =>
  row.outlets.includes(outlet) || row.late?.includes(outlet) ? row : { ...row, late: [...(row.late ?? []), outlet] };

/** A brand that is named twice counts once, as primary if it is so anywhere. */
function factsOf(understanding: Understanding): Pick<SignalFacts, 'move' | 'theme' | 'brands' | 'cities'> {
  const { move, theme, cities } = understanding;
  const brands = new Map<string, SignalFacts['brands'][number]>();
  for (const { slug, name, role } of understanding.brands)
    brands.set(slug, { slug, name, primary: role === 'primary' || brands.get(slug)?.primary === true });
  return { move, theme, cities: [...new Set(cities)], brands: [...brands.values()] };
}
