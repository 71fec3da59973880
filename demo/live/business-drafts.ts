/** Launches, prices, partnerships, plans, penalties and surveys. */
import { type Drafter, roundly } from './drafts.ts';

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
  const amount = `[₹${roundly(lots.number('amount', 15, 900))}cr]`;
  const facts = {
    brand: lots.brand,
    amount,
    city: lots.city,
    facility: lots.word('facilities'),
    staff: roundly(lots.number('staff', 60, 1200)),
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
    count: roundly(lots.number('polled', 60, 900)),
  };
  return { form: 'survey', move: 'other', brands: [], cities: [lots.city], figure: growth, facts };
};
