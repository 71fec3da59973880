/** Figures that signals state, as rows that can be added up: stores, money, people and results. */

import { isExpected, type Result } from '../facts/results/fields.ts';
import { type Figure, findFigures } from '../language/figures.ts';
import { formatMoney, inRupees } from '../language/money.ts';
import { formatCount, joinNames } from '../language/prose.ts';
import { statedFacts } from '../schemas/facts.ts';
import type { BrandSlug } from '../schemas/scalar.ts';
import type { Evidence } from './evidence.ts';
import { ACTIONS, type TypedQuery } from './question/typed-query.ts';

/** One figure of one signal. */
export interface Row {
  readonly evidence: Evidence;
  /** Slug of the brand whose figure it is; null where the signal names none for it. */
  readonly brand: BrandSlug | null;
  readonly city: string | null;
  /** Stores, people or signals; for money, in units of the currency. */
  readonly value: number;
  /** `INR`, `USD`, …; empty for what is not money. */
  readonly currency: string;
  /** As the signal writes it, or the number. */
  readonly written: string;
  /** False for a report of a store without a number, which counts as one. */
  readonly isStated: boolean;
}

/** The signals of rows, each once. */
export const evidenceIn = (rows: readonly Row[]): Evidence[] => [...new Set(rows.map(({ evidence }) => evidence))];

/** The first amount of money that a text states. */
export const moneyIn = (text: string): Figure | undefined => findFigures(text).find(({ kind }) => kind === 'money');

/** A row of a signal that counts as one, with what is said otherwise; its brand is the one of that name, else the first it is about. */
function rowOf(evidence: Evidence, name: string | null, own: Partial<Row> = {}): Row {
  const { brands, cities } = evidence.signal;
  const named = brands.find((brand) => brand.name === name)?.slug ?? evidence.about[0] ?? null;
  const one = { value: 1, currency: '', written: String(own.value ?? 1), isStated: true };
  return { evidence, brand: named, city: cities[0] ?? null, ...one, ...own };
}

/** A lower amount is the price of a share or a product, not what a company raised. */
const MIN_DEAL = 1e6;

/** The figure of an amount where the stored text writes it, so that it can be quoted. */
export function written(stored: string, amount: Figure): string | null {
  for (const text of stored.split('\n')) {
    const figure = findFigures(text).find(
      ({ kind, value, unit }) =>
        kind === 'money' && unit === amount.unit && Math.abs(value - amount.value) < amount.value / 1e6,
    );
    if (figure) return text.slice(figure.start, figure.end);
  }
  return null;
}

/** Money raised by a company, sold by its holders, or spent on an acquisition. */
export type Money = 'raised' | 'sold' | 'spent';
const TYPES: Readonly<Record<Money, string>> = { raised: 'funding', sold: 'stake_sale', spent: 'acquisition' };
/** Words of a headline whose deal is wanted or talked about, and not agreed. */
const SOUGHT =
  /\b(?:(?:to|may|could) (?:raise|buy|sell|acquire|invest)|seek(?:s|ing)?|eyes|plans?|talks?|looks? to|in sight|ahead of|files|proposes?|said to|weighs?|mulls?|considers?|explor(?:es|ing)|likely|reportedly|front-?runner|courts?|nears?|picks \w+ for|up for grabs|race (?:for|to)|bid(?:s|ding|ders)? for|vies? for|suitors?|shortlist\w*)\b/i;

/** Words of a headline whose deal is done, whatever its company wants next: "raises ₹90 crore, eyes expansion". */
const DONE =
  /\b(?:raises|raised|bags|bagged|nets|netted|secures|secured|lands|landed|garners|snags|gets|mops up|mopped up|acquires|acquired|buys|bought|completes|completed|sells|sold|offloads|offloaded)\b/i;

/** What a company wants next, and words of a report that is not sure. */
const NEXT = /\b(?:eyes|targets?|targeting|aims?|plans?|seeks?|looks? to|wants|explor\w+|may|likely)\b/i;
const HEARD = /\b(?:talks|reportedly|sources|report)\b/i;

/** Whether a headline says that a deal is wanted or talked about before it says that anything is done. */
function isSought(headline: string): boolean {
  const [sought, done] = [SOUGHT.exec(headline), DONE.exec(headline)];
  return sought !== null && (done === null || sought.index < done.index);
}

/** Whether a deal is only planned or talked about. */
export const isTalk = (one: Evidence): boolean => dealStatusOf(one) === 'rumoured' || isSought(one.signal.headline);

/** How far a deal has come, as its report states it or its headline words it; null where neither does. */
export function dealStatusOf({ facts: { deal }, signal: { headline } }: Evidence) {
  if (isSought(headline)) return deal?.status ?? 'rumoured';
  const done = DONE.exec(headline);
  const isNext = done !== null && NEXT.test(headline.slice(done.index)) && !HEARD.test(headline);
  return deal?.status === 'rumoured' && isNext ? 'agreed' : (deal?.status ?? null);
}

/** Amounts that signals state, one each: raised by the company whose deal it is, sold by its holders, or spent by its buyer. */
export const moneyRows = (evidence: readonly Evidence[], what: Money): Row[] =>
  evidence.flatMap((one) => {
    const { deal } = one.facts;
    if (!deal || deal.amount === null || deal.type !== TYPES[what]) return [];
    if (isTalk(one)) return [];
    const amount = moneyIn(deal.amount);
    const text = amount && written(one.stored, amount);
    if (!amount || !text || amount.value < MIN_DEAL) return [];
    const names = what === 'spent' ? deal.buyers : [deal.target];
    const party = one.signal.brands.find(({ name }) => names.includes(name))?.name ?? null;
    return [rowOf(one, party, { value: amount.value, currency: amount.unit, written: text })];
  });

export type StoreStatus = 'opened' | 'closed' | 'planned';
/** The stages of a store that a status of a question means; `openings` are those opened or to come. */
export const STATUSES: Readonly<Record<StoreStatus | 'openings', readonly string[]>> = {
  openings: ['opened', 'announced', 'planned'],
  opened: ['opened'],
  planned: ['announced', 'planned'],
  closed: ['closed'],
};

/**
 * The number that a headline states of stores in several cities together: "shuts 12 cafes in Delhi and Mumbai". Null where each
 * city has its own number, the stores are of several brands, or the headline states how many stores there are.
 */
function totalStated({ signal: { headline } }: Evidence, openings: Evidence['facts']['openings']): number | null {
  if (openings.some(({ stores, brand }) => stores !== null || brand !== openings[0]?.brand)) return null;
  if (STATES_NETWORK.test(headline) || NTH.test(headline)) return null;
  const [stated, ...others] = findFigures(headline).filter(({ kind, unit }) => kind === 'count' && NETWORK.test(unit));
  return stated && others.length === 0 && stated.value >= openings.length ? stated.value : null;
}

type Opening = Evidence['facts']['openings'][number];

/** The number that another report of the signal states of the same opening; null where none does. */
const storesReported = ({ reports }: Evidence, { brand, city, status }: Opening): number | null =>
  reports
    .flatMap(({ facts }) => (facts ? statedFacts(facts, 'openings') : []))
    .find((other) => other.stores !== null && other.brand === brand && other.city === city && other.status === status)
    ?.stores ?? null;

/** A headline that states how many stores there are, and names no store that opened. */
const STATES_NETWORK =
  /\bnow (?:has|have|operates?|runs?|counts?)\b|\bexpand(?:s|ed)? (?:\w+ ){0,3}to [\d,]+ (?:\w+ )?(?:stores?|outlets?|showrooms?|restaurants?|caf[eé]s?|shops?)/i;

/**
 * Stores of one status, opening by opening.
 * @param cities counted are only stores in these, when there are any
 * @param isByCity whether stores of several cities, of which a headline states the sum alone, are rows of their own
 */
export const storeRows = (
  evidence: readonly Evidence[],
  status: StoreStatus,
  cities: readonly string[] = [],
  isByCity = cities.length > 0,
): Row[] =>
  evidence.flatMap((one) => {
    const own = one.facts.openings
      .filter((opening) => STATUSES[status].includes(opening.status))
      .map((opening) => ({ ...opening, stores: opening.stores ?? storesReported(one, opening) }));
    const total = !isByCity && own.length > 1 ? totalStated(one, own) : null;
    const [first] = own;
    if (first && total !== null) return [rowOf(one, first.brand, { city: null, value: total })];
    return own
      .filter(({ city }) => cities.length === 0 || city === null || cities.includes(city))
      .filter(({ stores }) => stores !== null || status !== 'opened' || !STATES_NETWORK.test(one.signal.headline))
      .map(({ brand, city, stores }) => rowOf(one, brand, { city, value: stores ?? 1, isStated: stores !== null }));
  });

/** One row a signal for each brand that it is about; one without a brand where it is about none. */
export const signalRows = (evidence: readonly Evidence[]): Row[] =>
  evidence.flatMap((one) => (one.about.length > 0 ? one.about : [null]).map((brand) => rowOf(one, null, { brand })));

/** One row for each person who took or left a seat, of those that are wanted. */
export const peopleRows = (
  evidence: readonly Evidence[],
  isWanted: (person: Evidence['facts']['people'][number], one: Evidence) => boolean,
): Row[] =>
  evidence.flatMap((one) =>
    one.facts.people
      .filter((person) => isWanted(person, one))
      .map(({ company, person }) => rowOf(one, company, { city: null, written: person })),
  );

/** The regulators and courts that a question names. */
export const regulatorsOf = ({ mentions }: Pick<TypedQuery, 'mentions'>): string[] =>
  mentions.flatMap(({ type, name }) => (type === 'regulator' ? [name] : []));

/** A case that is appealed, stayed, set aside or settled was counted when it was brought or decided. */
const LATER: ReadonlySet<string | null> = new Set(['appealed', 'stayed', 'set aside', 'settled']);

/** "Fined Kiri Foods and sixteen dealers ₹14 crore": the sum is not that of the firm. */
const WITH_OTHERS =
  /\band (?:(?!for\b)\w+ ){0,2}(?:others|more|(?:re)?sellers|dealers|distributors|companies|firms|entities|persons|individuals|officials)\b/i;
const isShared = ({ stored }: Evidence): boolean =>
  stored.split('\n').some((line) => /\b(?:fine[ds]?|penal\w+)\b/i.test(line) && WITH_OTHERS.test(line));

/**
 * What regulators and courts did, one row a signal: its number where the headline states one ("nine notices"; several without a
 * number count as one), or the sum of a penalty.
 * @param regulators counted is only what these did, when there are any
 * @param areSums whether the sums of penalties are added up; a penalty without one is no row then
 */
export const actionRows = (
  evidence: readonly Evidence[],
  action: NonNullable<TypedQuery['action']>,
  regulators: readonly string[],
  areSums: boolean,
): Row[] =>
  evidence.flatMap((one) => {
    const facts = [one.facts, ...one.reports.flatMap((report) => report.facts ?? [])];
    const [own] = facts
      .flatMap((fact) => statedFacts(fact, 'enforcement'))
      .filter(
        ({ action: done, status, regulator }) =>
          done === action &&
          !LATER.has(status) &&
          (regulators.length === 0 || regulator === null || regulators.includes(regulator)),
      );
    if (!own) return [];
    const figures = findFigures(one.headline);
    const sum = isShared(one) ? undefined : figures.find(({ kind }) => kind === 'money');
    if (areSums && !sum) return [];
    const [, several] = ACTIONS[action];
    const number = figures.find(({ kind, unit }) => kind === 'count' && unit.includes(several))?.value;
    const isOne = number === undefined && !new RegExp(`\\b${several}\\b`, 'i').test(one.headline);
    const value = areSums && sum ? { value: sum.value, currency: sum.unit } : { value: number ?? 1 };
    const words = sum ? one.headline.slice(sum.start, sum.end) : String(number ?? 1);
    return [rowOf(one, own.firm, { ...value, written: words, isStated: areSums || isOne || number !== undefined })];
  });

/** The amount of each currency, the largest in rupees first. */
export function sumsOf(rows: readonly Row[]): readonly { readonly currency: string; readonly value: number }[] {
  const by = new Map<string, number>();
  for (const { currency, value } of rows) by.set(currency, (by.get(currency) ?? 0) + value);
  return [...by]
    .map(([currency, value]) => ({ currency, value }))
    .sort((one, other) => inRupees(other.value, other.currency) - inRupees(one.value, one.currency));
}

/** The sums of rows in words, one for each currency: `₹230 crore and $5 million`. */
export const moneyOf = (rows: readonly Row[]): string =>
  joinNames(sumsOf(rows).map(({ currency, value }) => formatMoney(currency, value)));

/** What the values of rows add up to, where they are no money. */
export const totalOf = (rows: readonly Row[]): number => rows.reduce((sum, { value }) => sum + value, 0);

/** `at least `, where a report counts as one since it states no number. */
const leastOf = (rows: readonly Row[]): string => (rows.every(({ isStated }) => isStated) ? '' : 'at least ');

/** What became of stores, in the words of answers. */
export const BECAME: Readonly<Record<StoreStatus, string>> = {
  opened: 'opened',
  planned: 'announced or planned',
  closed: 'closed',
};

/** `at least 7 stores opened`. */
export const storesIn = (rows: readonly Row[], status: StoreStatus): string =>
  `${leastOf(rows)}${formatCount(totalOf(rows), 'store')} ${BECAME[status]}`;

/** `at least 3 notices`. */
export const actionsIn = (rows: readonly Row[], action: NonNullable<TypedQuery['action']>): string =>
  `${leastOf(rows)}${formatCount(totalOf(rows), ACTIONS[action][0], ACTIONS[action][1])}`;

/** Sums of several currencies in rupees; of what is not money, the plain sum. */
export const sumInRupees = (amounts: readonly { readonly currency: string; readonly value: number }[]): number =>
  amounts.reduce((sum, { currency, value }) => sum + inRupees(value, currency), 0);

/** A figure of a company's results, with the signal that states it. */
export interface ResultRow {
  readonly evidence: Evidence;
  readonly result: Result;
}

/** Sales are revenue in other words. */
const metricOf = (metric: string): string => metric.replace(/^(?:net )?(?:sales|turnover)$/i, 'revenue').toLowerCase();

/** Figures of one company, metric and period are one row: what a report leaves out is completed by another. */
function completed(all: readonly Result[]): Result[] {
  const rows: Result[] = [];
  for (const result of all) {
    const at = rows.findIndex(
      ({ company, metric, period }) =>
        company === result.company &&
        metricOf(metric) === metricOf(result.metric) &&
        (period === result.period || period === null || result.period === null),
    );
    const kept = rows[at];
    if (!kept) rows.push(result);
    else
      rows[at] = {
        ...kept,
        period: kept.period ?? result.period,
        value: kept.value ?? result.value,
        growth_pct: kept.growth_pct ?? result.growth_pct,
      };
  }
  return rows;
}

/** Reported figures of all reports; or targets and forecasts, which are apart from them. */
export const resultRows = (evidence: readonly Evidence[], areExpected = false): ResultRow[] =>
  evidence.flatMap((one) =>
    completed([
      ...one.facts.results,
      ...one.reports.flatMap(({ facts }) => (facts ? statedFacts(facts, 'results') : [])),
    ])
      .filter(
        ({ metric, value, growth_pct }) =>
          isExpected(metric) === areExpected && (value !== null || growth_pct !== null),
      )
      .map((result) => ({ evidence: one, result })),
  );

/** The words for a metric: `profit` includes `net profit` and `profit after tax`. */
const METRICS: Readonly<Record<string, RegExp>> = {
  revenue: /revenue|sales|turnover|income|business|gmv/i,
  profit: /profit|pat\b|earnings|net income/i,
  loss: /loss/i,
  ebitda: /ebitda/i,
  margin: /margin/i,
  'same-store sales': /same.store|like.for.like|sssg/i,
  gmv: /gmv|merchandise/i,
};

/** Whether a metric as a signal names it is the one that a question asks for. */
export const isMetric = (wanted: string, metric: string): boolean =>
  wanted === 'any' || (METRICS[wanted]?.test(metric) ?? false);

const INVESTS = /\b(?:invest\w*|capex|plants?|factor(?:y|ies)|units?|facilit(?:y|ies)|outlay|bets?)\b/i;

/**
 * The size of what a signal reports, for ordering deals, openings and results by it: an amount in rupees, a number of stores,
 * a growth in per cent. Null where it states none.
 */
export function sizeOf({ facts, signal }: Evidence): number | null {
  // What goes into a plant is no deal: the figure of the move is its size; as is that of a penalty, or what a case is about.
  const outlay = signal.move === 'strategy' && INVESTS.test(signal.headline) ? signal.headline : null;
  const stated = [facts.deal?.amount, outlay, signal.move === 'rules' ? signal.delta : null];
  const [amount] = stated.flatMap((text) => (text ? (moneyIn(text) ?? []) : []));
  if (amount) return inRupees(amount.value, amount.unit);
  const stores = facts.openings.map((opening) => opening.stores ?? 1);
  if (stores.length > 0) return stores.reduce((sum, value) => sum + value, 0);
  const growth = facts.results.flatMap(({ growth_pct }) => growth_pct ?? []);
  if (growth.length > 0) return Math.max(...growth);
  return null;
}

const NETWORK = /\b(?:stores?|outlets?|showrooms?|restaurants?|caf[eé]s?|shops?|doors|boutiques?)\b/i;
const TOTAL =
  /\b(?:total|now|network|footprint|count|tally|has|have|operates?|runs?|across|portfolio|expand(?:s|ed)? (?:\w+ ){0,3}to|reach\w*|cross\w*|end(?:ed|s) \S+ with|takes .* to|currently)\b/i;

/** "Opens 125th store": it has so many then. */
const NTH =
  /\b\d{2,5}(?:st|nd|rd|th) (?:\w+ ){0,3}(?:stores?|outlets?|showrooms?|restaurants?|caf[eé]s?|shops?|boutiques?)\b/i;

/** The line of a stored text that says how many stores a company has; null where none does. */
export function networkLine({ stored }: Evidence): string | null {
  return (
    stored
      .split('\n')
      .find(
        (line) =>
          NTH.test(line) ||
          (TOTAL.test(line) &&
            findFigures(line).some(({ kind, unit, value }) => kind === 'count' && NETWORK.test(unit) && value >= 10)),
      ) ?? null
  );
}
