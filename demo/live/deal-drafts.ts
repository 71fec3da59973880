/** Money raised and companies bought. The small companies are made up, the investors are real. */
import { pick } from '../chance.ts';
import { type Drafter, roundly } from './drafts.ts';

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
      ? `[₹${roundly(lots.number('amount', leastCrore, mostCrore))}cr]`
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
  const amount = `[₹${roundly(lots.number('amount', 8, 400))}cr]`;
  const stake = `[${lots.number('stake', 51, 100)}%]`;
  const facts = { brand: lots.brand, target, amount, stake, segment: lots.word('segments'), city: lots.city };
  return { form: 'acquisition', move: 'deals', brands: [lots.brand, target], figure: amount, cities: [], facts };
};
