/** What counting needs of a signal: less than its whole row, so that counts are cheap to keep. */
import type { KnownEvent } from '../../schemas/events.ts';
import type { Move } from '../../schemas/scalar.ts';
import type { Report, SignalStatus } from '../../schemas/signal.ts';
import type { Understanding } from '../../schemas/story.ts';
import type { Before } from '../model.ts';
import { isSignalEvent, nextStatus } from './status.ts';

export interface SignalFacts {
  readonly status: SignalStatus;
  readonly published_at: string;
  readonly move: Move;
  readonly theme: { readonly slug: string; readonly name: string } | null;
  readonly brands: readonly { readonly slug: string; readonly name: string; readonly primary: boolean }[];
  readonly cities: readonly string[];
  /** Distinct outlets whose reports count. */
  readonly outlets: readonly string[];
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
    return { status, published_at, ...factsOf(understanding), outlets: outletsWith([], report) };
  }
  if (!row) throw new Error(`${event.type} speaks of ${key}, of which no SignalDetected is known`);
  if (event.type === 'SignalMerged' && key !== event.data.signal_id) {
    const outlets = [...new Set([...row.outlets, ...(before(event.data.signal_id)?.outlets ?? [])])];
    return outlets.length === row.outlets.length ? row : { ...row, outlets };
  }
  if (event.type === 'SignalRevised') return { ...row, ...factsOf(event.data.after) };
  if (event.type === 'SignalReported') {
    const { report, resurfaced } = event.data;
    return resurfaced || row.outlets.includes(report.outlet)
      ? row
      : { ...row, outlets: outletsWith(row.outlets, report) };
  }
  const status = nextStatus(row.status, event);
  return status === row.status ? row : { ...row, status };
}

const outletsWith = (outlets: readonly string[], { outlet }: Report): readonly string[] => [...outlets, outlet];

/** A brand that is named twice counts once, as primary if it is so anywhere. */
function factsOf(understanding: Understanding): Pick<SignalFacts, 'move' | 'theme' | 'brands' | 'cities'> {
  const { move, theme, cities } = understanding;
  const brands = new Map<string, SignalFacts['brands'][number]>();
  for (const { slug, name, role } of understanding.brands)
    brands.set(slug, { slug, name, primary: role === 'primary' || brands.get(slug)?.primary === true });
  return { move, theme, cities: [...new Set(cities)], brands: [...brands.values()] };
}
