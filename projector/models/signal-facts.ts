/** The facts of a signal that brands and themes are counted from: less than its whole row, so that they are cheap to store. */
import type { Move } from '../../schemas/scalar.ts';
import type { Report, SignalStatus } from '../../schemas/signal.ts';
import type { Understanding } from '../../schemas/story.ts';
import { foldSignalsBy } from '../../signal/signal-events.ts';

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
export const evolveFacts = foldSignalsBy<SignalFacts>({
  SignalDetected: ({ data: { status, published_at, understanding, report } }) => ({
    status,
    published_at,
    ...factsOf(understanding),
    outlets: status === 'resurfaced' ? [] : [report.outlet],
  }),
  SignalReported: (row, { data: { report, resurfaced } }) =>
    resurfaced ? withLate(row, report) : withOutlet(row, report.outlet),
  SignalRevised: (row, { data }) => ({ ...row, ...factsOf(data.after) }),
  absorbed: (row, merged) =>
    (merged?.outlets ?? []).filter((outlet) => !row.late?.includes(outlet)).reduce(withOutlet, row),
});

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
