/** The drafts of the live desk: facts of one event, by kind of move, and the form that puts them into words. */
import type { Move } from '../../schemas/scalar.ts';
import { pick } from '../chance.ts';
import type { Draws } from './lots.ts';
import type { WordFacts } from './wording.ts';

export interface Draft {
  readonly form: string;
  readonly move: Move;
  readonly brands: readonly string[];
  readonly also?: readonly string[];
  readonly cities?: readonly string[];
  readonly mall?: string;
  /** In neutral form, such as `[₹230cr]`. */
  readonly figure?: string;
  readonly person?: string;
  readonly facts: WordFacts;
}

/** Creates a draft of its kind from the draws of a tick. */
export type Drafter = (lots: Draws) => Draft;

/** Rounds to tens above 50, to fives above 20. */
const roundNumber = (value: number): number => {
  const step = value > 50 ? 10 : value > 20 ? 5 : 1;
  return Math.round(value / step) * step;
};

const common = (lots: Draws): Omit<Draft, 'form'> => {
  const area = lots.inRange('areas') * 100;
  const facts = {
    brand: lots.brand,
    city: lots.city,
    mall: lots.mall,
    area: area.toLocaleString('en-IN'),
    'bigger area': (area * 2).toLocaleString('en-IN'),
    staff: roundNumber(lots.number('staff', 12, 90)),
  };
  return { move: 'stores', brands: [lots.brand], cities: [lots.city], facts };
};

const counted =
  (form: string, low: number, high: number): Drafter =>
  (lots) => {
    const count = roundNumber(lots.number('count', low, high));
    const base = common(lots);
    return { ...base, form, figure: `${count} stores`, facts: { ...base.facts, count } };
  };

export const opening: Drafter = (lots) => ({ ...common(lots), form: 'opening', mall: lots.mall });
export const closure: Drafter = (lots) => ({ ...common(lots), form: 'closure', mall: lots.mall });
export const openings = counted('openings', 2, 9);
export const target = counted('target', 20, 300);
export const milestone = counted('milestone', 25, 900);

const move =
  (form: string): Drafter =>
  (lots: Draws): Draft => {
    const person = lots.person();
    const former = lots.otherBrand();
    return {
      form,
      move: 'people',
      brands: [lots.brand],
      also: form === 'appointment' ? [former] : [],
      person,
      facts: {
        brand: lots.brand,
        person,
        former,
        role: lots.word('roles'),
        years: lots.number('years', 2, 19),
        city: lots.city,
      },
    };
  };

export const appointment = move('appointment');
export const exit = move('exit');
export const promotion = move('promotion');

// Funding and acquisitions. The start-ups are invented, the investors are real.

/** Usual sizes by stage: crores of rupees from and to, millions of dollars from and to. */
const SIZES = {
  seed: [3, 20, 1, 4],
  'pre-Series A': [8, 40, 2, 6],
  'Series A': [40, 110, 6, 14],
  'Series B': [100, 250, 15, 34],
  'Series C': [200, 500, 30, 75],
} as const;
const STAGES = Object.entries(SIZES);

export const funding: Drafter = (lots) => {
  const brand = lots.startup();
  const [stage, [leastCrore, mostCrore, leastMillion, mostMillion]] = pick(STAGES, 'stage', lots.tick);
  const amount =
    lots.number('currency', 0, 1) === 0
      ? `[₹${roundNumber(lots.number('amount', leastCrore, mostCrore))}cr]`
      : `[$${lots.number('amount', leastMillion, mostMillion)}${lots.number('half', 0, 1) ? '.5' : ''}m]`;
  const facts = {
    brand,
    amount,
    investor: lots.word('investors'),
    stage,
    segment: lots.word('segments'),
    city: lots.city,
  };
  return { form: 'funding', move: 'deals', brands: [brand], figure: amount, cities: [], facts };
};

export const acquisition: Drafter = (lots) => {
  const target = lots.startup();
  const amount = `[₹${roundNumber(lots.number('amount', 8, 400))}cr]`;
  const stake = `[${lots.number('stake', 51, 100)}%]`;
  const facts = { brand: lots.brand, target, amount, stake, segment: lots.word('segments'), city: lots.city };
  return { form: 'acquisition', move: 'deals', brands: [lots.brand, target], figure: amount, cities: [], facts };
};

export const product: Drafter = (lots) => {
  const price = `[₹${(lots.inRange('prices') * 100 - 1).toLocaleString('en-IN')}]`;
  const share = `[${lots.number('share', 3, 20)}%]`;
  const facts = { brand: lots.brand, product: lots.product(), price, share, city: lots.city };
  return { form: 'product', move: 'launches', brands: [lots.brand], figure: price, facts };
};

export const ambassador: Drafter = (lots) => {
  const person = lots.person();
  return {
    form: 'ambassador',
    move: 'launches',
    brands: [lots.brand],
    person,
    facts: { brand: lots.brand, person, city: lots.city },
  };
};

export const price: Drafter = (lots) => {
  const share = `[${lots.number('share', 2, 12)}%]`;
  const facts = { brand: lots.brand, share, city: lots.city };
  return { form: 'price', move: 'launches', brands: [lots.brand], figure: share, facts };
};

export const partnership: Drafter = (lots) => {
  const { name: partner, word: purpose } = lots.pair('purposes');
  const count = lots.number('cities', 3, 40);
  const facts = { brand: lots.brand, partner, purpose, city: lots.city, count };
  return { form: 'partnership', move: 'strategy', brands: [lots.brand, partner], facts };
};

export const capex: Drafter = (lots) => {
  const amount = `[₹${roundNumber(lots.number('amount', 15, 900))}cr]`;
  const facts = {
    brand: lots.brand,
    amount,
    city: lots.city,
    facility: lots.word('facilities'),
    staff: roundNumber(lots.number('staff', 60, 1200)),
  };
  return { form: 'capex', move: 'strategy', brands: [lots.brand], cities: [lots.city], figure: amount, facts };
};

export const order: Drafter = (lots) => {
  const amount = `[₹${lots.number('amount', 1, 90)}L]`;
  const { name: authority, word: matter } = lots.pair('matters');
  const facts = { brand: lots.brand, amount, authority, matter };
  return { form: 'order', move: 'rules', brands: [lots.brand], figure: amount, facts };
};

export const survey: Drafter = (lots) => {
  const growth = `[${lots.number('growth', 3, 28)}%]`;
  const facts = {
    city: lots.city,
    growth,
    segment: lots.word('segments'),
    body: lots.word('bodies'),
    count: roundNumber(lots.number('polled', 60, 900)),
  };
  return { form: 'survey', move: 'other', brands: [], cities: [lots.city], figure: growth, facts };
};
