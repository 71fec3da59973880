/** Money raised and companies bought. The small companies are made up, the investors are real. */
import { type Drafter, roundly } from './drafts.ts';

export const funding: Drafter = (lots) => {
  const brand = lots.startup();
  const amount =
    lots.number('currency', 0, 1) === 0
      ? `[₹${roundly(lots.number('amount', 3, 240))}cr]`
      : `[$${lots.number('amount', 1, 45)}${lots.number('half', 0, 1) ? '.5' : ''}m]`;
  const facts = {
    brand,
    amount,
    investor: lots.word('investors'),
    stage: lots.word('stages'),
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
