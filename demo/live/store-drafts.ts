/** Openings, plans and closures. */
import { type Draft, type Drafter, roundly } from './drafts.ts';
import type { Lots } from './lots.ts';

const common = (lots: Lots): Omit<Draft, 'form'> => {
  const area = lots.inRange('areas') * 100;
  const facts = {
    brand: lots.brand,
    city: lots.city,
    mall: lots.mall,
    area: area.toLocaleString('en-IN'),
    'bigger area': (area * 2).toLocaleString('en-IN'),
    staff: roundly(lots.number('staff', 12, 90)),
  };
  return { move: 'stores', brands: [lots.brand], cities: [lots.city], facts };
};

const counted =
  (form: string, low: number, high: number): Drafter =>
  (lots) => {
    const count = roundly(lots.number('count', low, high));
    const base = common(lots);
    return { ...base, form, figure: `${count} stores`, facts: { ...base.facts, count } };
  };

export const opening: Drafter = (lots) => ({ ...common(lots), form: 'opening', mall: lots.mall });
export const closure: Drafter = (lots) => ({ ...common(lots), form: 'closure', mall: lots.mall });
export const openings = counted('openings', 2, 9);
export const target = counted('target', 20, 300);
export const milestone = counted('milestone', 25, 900);
