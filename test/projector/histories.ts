/** Random valid histories of a handful of signals. */
import fc from 'fast-check';
import type { KnownEvent } from '../../schemas/events.ts';
import { brandSlug, sourceId } from '../harness/ids.ts';
import { storedEvent } from './given-when-then.ts';
import { detected, held, idOf, merged, released, report, reported, revised, understanding } from './signal-events.ts';

const NAMES = ['one', 'two', 'three', 'four', 'five'] as const;
const BRANDS = ['kiri-foods', 'maya-stores', 'tilak-shoes'] as const;
const OUTLETS = ['Daily Trade', 'Second', 'Third'] as const;

const day = fc.constantFrom(null, '2026-11-01');
const openings = fc.array(
  fc.record({
    brand: fc.constantFrom(...BRANDS.map((slug) => slug.toUpperCase())),
    city: fc.constantFrom(null, 'Pune', 'Say "hi", {Goa}'),
    mall: fc.constantFrom(null, 'Phoenix\tMall'),
    locality: fc.constant(null),
    stores: fc.option(fc.maxSafeNat()),
    status: fc.constantFrom('opened' as const, 'planned' as const, 'closed' as const),
    date: day,
  }),
  { maxLength: 3 },
);
const people = fc.array(
  fc.record({
    person: fc.constantFrom('Asha Rao', 'O\\N'),
    company: fc.constantFrom(null, ...BRANDS.map((slug) => slug.toUpperCase())),
    role: fc.constantFrom(null, 'MD & CEO', '{"head",of}'),
    direction: fc.constantFrom('joined' as const, 'left' as const),
    from: fc.constant(null),
    to: fc.constant(null),
    effective: day,
  }),
  { maxLength: 2 },
);
const result = fc.option(
  fc.record({
    company: fc.constantFrom(...BRANDS.map((slug) => slug.toUpperCase())),
    period: fc.constantFrom(null, 'Q2 FY27'),
    metric: fc.constant('revenue'),
    value: fc.constantFrom(null, '₹230 Cr'),
    growth_pct: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
  }),
);

const text = fc.record({
  openings,
  people,
  result,
  headline: fc.string({ minLength: 1, unit: 'binary', maxLength: 20 }),
  cities: fc.subarray(['Pune', 'Delhi', 'Say "hi", {Goa}']),
  move: fc.constantFrom('stores' as const, 'deals' as const),
  theme: fc.constantFrom(null, { slug: 'expansion', name: 'Expansion' }, { slug: 'funding', name: 'Funding' }),
  brands: fc.subarray([...BRANDS]).chain((slugs) =>
    fc.tuple(
      ...slugs.map((slug) =>
        fc.record({
          slug: fc.constant(brandSlug(slug)),
          name: fc.constant(slug.toUpperCase()),
          role: fc.constantFrom('primary' as const, 'secondary' as const),
          provisional: fc.constant(false),
        }),
      ),
    ),
  ),
});

const step = fc.record({
  what: fc.constantFrom('report', 'report', 'revise', 'hold', 'release', 'analyse', 'merge', 'detect'),
  name: fc.constantFrom(...NAMES),
  other: fc.constantFrom(...NAMES),
  outlet: fc.constantFrom(...OUTLETS),
  text,
  resurfaced: fc.boolean(),
});

/**
 * Histories that the matcher could have written: a signal is detected before anything else happens to it, nothing
 * happens to one that is merged, and a merge goes into one that is not.
 */
export const anyHistory: fc.Arbitrary<KnownEvent[]> = fc.array(step, { minLength: 5, maxLength: 40 }).map((steps) => {
  const events: KnownEvent[] = [];
  const alive = new Set<string>();
  const merges = new Set<string>();
  steps.forEach(({ what, name, other, outlet, text: changes, resurfaced }, number) => {
    const by = report(`${name}-${number}`, { outlet, source_id: sourceId(`source-${OUTLETS.indexOf(outlet)}`) });
    if (merges.has(name)) return;
    if (!alive.has(name)) {
      alive.add(name);
      const status = resurfaced ? 'held' : 'public';
      events.push(detected(name, { understanding: understanding(changes), status, report: by }));
    } else if (what === 'report') events.push(reported(name, by, resurfaced));
    else if (what === 'revise') events.push(revised(name, number + 1, changes));
    else if (what === 'hold') events.push(held(name));
    else if (what === 'release') events.push(released(name));
    else if (what === 'analyse')
      events.push(
        storedEvent('SignalAnalysed', {
          signal_id: idOf(name),
          why_it_matters: 'why',
          what_to_watch: null,
          by: 'rules',
        }),
      );
    else if (what === 'merge' && other !== name && alive.has(other) && !merges.has(other)) {
      merges.add(name);
      events.push(merged(name, other));
    }
  });
  return events;
});
