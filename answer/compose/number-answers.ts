/**
 * Answers that are numbers: counts, sums, rankings and comparisons. Every number is added up from rows of the signals that
 * are cited with it, and the addition is shown. Stores that opened are counted apart from planned and closed ones, and money
 * that companies raised apart from what their holders sold.
 */

import type { PreparedCatalogue } from '../../facts/text/catalogue.ts';
import { monthInWords } from '../../language/days.ts';
import { formatMoney, RUPEES } from '../../language/money.ts';
import { capitalised, formatCount, joinNames } from '../../language/prose.ts';
import { type Draft, escapeMarkdown, type Sentence } from '../draft.ts';
import { type Evidence, hasWord } from '../evidence.ts';
import { citiesOf, isWanted, ofTrade } from '../evidence-fit.ts';
import {
  actionRows,
  actionsIn,
  BECAME,
  dealStatusOf,
  evidenceIn,
  isTalk,
  moneyIn,
  moneyOf,
  moneyRows,
  networkLine,
  peopleRows,
  type Row,
  regulatorsOf,
  type StoreStatus,
  signalRows,
  sizeOf,
  storeRows,
  storesIn,
  sumInRupees,
  sumsOf,
  totalOf,
  written,
} from '../figures.ts';
import type { Found } from '../find-evidence.ts';
import { ACTIONS, type TypedQuery } from '../question/typed-query.ts';
import { disagreements } from './disagreement.ts';
import { happened, list, nearest, refuse, thingsOf, unmetNote } from './list-answers.ts';
import {
  bullet,
  counted,
  differenceOf,
  idsOf,
  quoted,
  recordOf,
  scopeOf,
  subjectOf,
  youngRecord,
} from './sentences.ts';

/** Maximum of bullets below a number; the other signals that were counted are cited without a quotation. */
const MAX_BULLETS = 15;
/** Groups of a ranking that does not say how many. */
const MAX_GROUPS = 5;
/** Terms of a sum that are written out. */
const MAX_TERMS = 12;

type Measure = NonNullable<TypedQuery['measure']>;

/** What a query measures: stores where it asks for stores, else signals. */
const measureOf = ({ measure, kinds }: TypedQuery): Measure =>
  measure ?? (kinds.length === 1 && kinds[0] === 'stores' ? 'stores' : 'signals');

const statusOf = ({ store_status }: TypedQuery): StoreStatus =>
  store_status === null || store_status === 'openings' ? 'opened' : store_status;
/** Whether the money of a query is what holders of shares sold them for: "the sum of all block deals". */
const isOfSales = ({ intent, deal }: TypedQuery): boolean => intent === 'sum' && deal?.types.join() === 'stake_sale';

/** The rows that a query counts. A brand that it names counts only its own. */
export function rowsOf(query: TypedQuery, evidence: readonly Evidence[]): Row[] {
  const measure = measureOf(query);
  if (query.action) return actionRows(evidence, query.action, regulatorsOf(query), measure === 'fined');
  if (measure === 'stores')
    return storeRows(evidence, statusOf(query), citiesOf(query), query.by === 'city' || query.places.length > 0);
  if (measure === 'raised' || measure === 'spent') return moneyRows(evidence, isOfSales(query) ? 'sold' : measure);
  return measure === 'people'
    ? peopleRows(evidence, (person, one) => isWanted(person, query.person, one))
    : signalRows(evidence);
}

/** `7 stores opened`, `₹230 crore raised`, `3 deals`. */
function amountOf(query: TypedQuery, rows: readonly Row[]): string {
  const measure = measureOf(query);
  if (measure === 'stores') return storesIn(rows, statusOf(query));
  if (measure === 'raised' || measure === 'spent')
    return `${moneyOf(rows)} ${isOfSales(query) ? 'of shares sold' : measure}`;
  if (measure === 'fined') return `${moneyOf(rows)} of penalties`;
  if (measure === 'people') return formatCount(totalOf(rows), 'person', 'people');
  if (query.action) return actionsIn(rows, query.action);
  return thingsOf(query, idsOf(rows.map(({ evidence }) => evidence)).length);
}

/** ` (3 + 2 + 2 = 7)`: the addition behind a number, where it has several terms. */
function arithmetic(rows: readonly Row[]): string {
  const [sum, ...others] = sumsOf(rows);
  if (!sum || others.length > 0 || rows.length < 2 || rows.length > MAX_TERMS) return '';
  if (rows.every(({ value }) => value === 1)) return '';
  const terms = rows.map(({ currency, value }) => formatMoney(currency, value));
  return ` (${terms.join(' + ')} = ${formatMoney(sum.currency, sum.value)})`;
}

/** Up to so many deals of a sum are described, with those who put up the money. */
const MAX_DETAILED = 3;

/** Who put up the money of a deal, as far as the stored text names them. */
const investorsIn = ({ facts: { deal }, stored }: Evidence): string[] =>
  (deal?.buyers ?? []).filter((name) => stored.includes(name));

function bulletsOf(query: TypedQuery, rows: readonly Row[]): Sentence[] {
  const all = evidenceIn(rows);
  const figureOf = (evidence: Evidence): string | null => {
    const own = rows.filter((row) => row.evidence === evidence);
    const measure = measureOf(query);
    if (measure === 'signals') return null;
    if (measure === 'people') return joinNames(own.map(({ written }) => written));
    const amounts = moneyOf(own);
    const investors = measure === 'raised' && all.length <= MAX_DETAILED ? investorsIn(evidence) : [];
    return investors.length > 0 ? `${amounts} from ${joinNames(investors)}` : amounts;
  };
  const isMoney = measureOf(query) === 'raised' || measureOf(query) === 'spent';
  const isDetailed = isMoney && all.length <= MAX_DETAILED;
  const bullets = all.slice(0, MAX_BULLETS).map((one) => bullet(one, figureOf(one), isDetailed));
  const rest = all.slice(MAX_BULLETS);
  return rest.length > 0 ? [...bullets, counted(`Also counted: ${formatCount(rest.length, 'signal')}`, rest)] : bullets;
}

const MIXED = `Amounts in several currencies are compared at ₹${RUPEES.USD} a dollar, ₹${RUPEES.EUR} a euro and ₹${RUPEES.GBP} a pound.`;

function notesOf(query: TypedQuery, rows: readonly Row[], retrieval: Found): string[] {
  return [
    ...(rows.some(({ isStated }) => !isStated)
      ? [
          query.action
            ? `A report without a number of ${ACTIONS[query.action][1]} counts as one.`
            : 'A report without a number of stores counts as one store.',
        ]
      : []),
    ...(sumsOf(rows).length > 1 && query.intent !== 'sum' ? [MIXED] : []),
    ...youngRecord(query, retrieval),
  ];
}

/** What was counted apart: planned and closed stores, holders' sales. */
function apart(query: TypedQuery, evidence: readonly Evidence[]): Sentence[] {
  const measure = measureOf(query);
  if (measure === 'raised' && !isOfSales(query)) {
    const sold = moneyRows(evidence, 'sold');
    if (sold.length === 0) return [];
    return [counted(`Not counted, since existing holders sold them: stakes for ${moneyOf(sold)}.`, evidenceIn(sold))];
  }
  if (measure !== 'stores' || query.store_status !== null) return [];
  return (['planned', 'closed'] as const).flatMap((status) => {
    const rows = storeRows(evidence, status, citiesOf(query));
    if (rows.length === 0) return [];
    const number = formatCount(totalOf(rows), 'store');
    return [counted(`Counted apart: ${number} ${BECAME[status]}.`, evidenceIn(rows))];
  });
}

/** The number of what a query is about. */
export function count(query: TypedQuery, retrieval: Found, catalogue: PreparedCatalogue): Draft {
  // "How many pressure cookers": a number of something that is no row is in the words of a report.
  // Without a kind of move, what is counted is not moves: "how many cities will it cover".
  const enough = query.kinds.length > 0 ? 0.34 : Number.EPSILON;
  if ((query.measure ?? 'signals') === 'signals' && query.words.length > 0 && retrieval.coverage >= enough)
    return list({ ...query, order: 'relevance' }, retrieval);
  const all = ofNamed(query, rowsOf(query, retrieval.evidence), catalogue);
  // A deal that is talked about is none yet, unless talks are asked for.
  const isDeals = query.kinds.join() === 'deals' && measureOf(query) === 'signals' && query.deal?.status !== 'rumoured';
  const rows =
    isDeals && query.deal?.types[0] !== 'ipo'
      ? all.filter(({ evidence }) => dealStatusOf(evidence) !== 'rumoured')
      : all;
  const talks = all.length - rows.length;
  // None of its words is in what was found: the number would be that of another question.
  if (query.words.length > 0 && retrieval.coverage === 0)
    return query.intent === 'sum' && query.brands.length > 0
      ? { ...list({ ...query, order: 'relevance' }, retrieval), basis: 'loosely' }
      : refuse(query, { ...retrieval, near: retrieval.evidence.slice(0, 3) });
  if (rows.length === 0) return nothingCounted(query, retrieval);
  const [about, scope] = [subjectOf(query), scopeOf(query)];
  const where = [about && `by or about ${about}`, scope || recordOf(retrieval)].filter(Boolean).join(' ');
  const counting = evidenceIn(rows);
  const lead = counted(
    `${capitalised(amountOf(query, rows))} ${where}, by ${formatCount(counting.length, 'signal')}${arithmetic(rows)}.`,
    counting,
  );
  return {
    lead: [lead, ...apart(query, retrieval.evidence), ...(rows.length === 1 ? disagreements(counting) : [])],
    items: bulletsOf(query, rows),
    notes: [
      ...unmetNote(retrieval),
      ...(talks > 0
        ? [`${formatCount(talks, 'deal')} only planned or in talks ${talks === 1 ? 'is' : 'are'} not counted.`]
        : []),
      ...notesOf(query, rows, retrieval),
    ],
    basis: retrieval.unmet.length > 0 && retrieval.coverage < 0.5 ? 'loosely' : 'counted',
  };
}

/** Rows of the brands or of the trade that a query names. Stores and money of others do not count. */
function ofNamed(query: TypedQuery, all: readonly Row[], catalogue: PreparedCatalogue): Row[] {
  const isMoney = query.measure === 'raised' || query.measure === 'spent';
  const isOfTrade = ofTrade(query, catalogue);
  const rows = isMoney ? all.filter(({ evidence }) => isOfTrade(evidence)) : all;
  const slugs = new Set<string>(query.brands.map(({ slug }) => slug));
  const own = rows.filter(({ brand }) => slugs.size === 0 || (brand !== null && slugs.has(brand)));
  // A brand's signals are counted once, also where several of the brands are in them.
  if (measureOf(query) !== 'signals') return own;
  const seen = new Set<string>();
  return (own.length > 0 ? own : rows).filter(
    ({ evidence }) => !seen.has(evidence.signal.id) && seen.add(evidence.signal.id),
  );
}

/** Most amounts that are stated one by one where they cannot be added up. */
const MAX_AMOUNTS = 5;

/** Amounts of deals that are no sum of money raised or paid: talked about, or for shares that holders sold. Null for none. */
function statedAmounts(query: TypedQuery, retrieval: Found): Draft | null {
  const label = query.measure === 'raised' ? 'Funding' : 'Acquisition';
  const amountIn = ({ facts: { deal }, stored, headline, signal: { kind } }: Evidence): string | null => {
    // A fact that is held back is in the headline all the same.
    const text = deal ? deal.amount : kind === label ? headline : null;
    const amount = text === null ? undefined : moneyIn(text);
    return amount ? written(stored, amount) : null;
  };
  const stated = retrieval.evidence.flatMap((one) => {
    const amount = amountIn(one);
    return amount ? [{ one, amount }] : [];
  });
  const shown = stated.slice(0, query.limit ?? MAX_AMOUNTS);
  const [first] = shown;
  if (!first) return null;
  const areTalks = shown.some(({ one }) => dealStatusOf(one) === 'rumoured');
  return {
    lead: [quoted(first.one, [first.one.headline], escapeMarkdown(first.amount))],
    items: shown.slice(1).map(({ one, amount }) => bullet(one, amount)),
    notes: [
      ...unmetNote(retrieval),
      `These amounts are stated, and not added up${areTalks ? ': some are only planned or in talks' : ''}.`,
    ],
    basis: 'fact',
  };
}

function nothingCounted(query: TypedQuery, retrieval: Found): Draft {
  const { evidence, near, givenUp } = retrieval;
  const measure = measureOf(query);
  // The number may be in the words of a report without being a row.
  const isMoney = measure === 'raised' || measure === 'spent';
  const isStated =
    measure !== 'stores' || query.store_status === 'closed' || evidence.some((one) => networkLine(one) !== null);
  const isNamed = query.brands.length > 0 || query.unknown_names.length > 0 || query.words.length > 0;
  if (evidence.length > 0 && isStated && query.action === null && (isNamed || isMoney)) {
    // Of companies side by side, the amount of one says nothing of the other.
    const amounts = isMoney && query.brands.length < 2 ? statedAmounts(query, retrieval) : null;
    if (amounts) return amounts;
    const own = list({ ...query, order: 'relevance' }, retrieval);
    const basis = own.basis === 'none' ? 'none' : retrieval.coverage >= 0.5 ? 'likely' : 'loosely';
    return {
      ...own,
      notes: ['The record has no figure that can be added up for this; these reports come nearest.', ...own.notes],
      basis,
    };
  }
  const what =
    measure === 'stores'
      ? `stores ${BECAME[statusOf(query)]}`
      : measure === 'raised' || measure === 'spent'
        ? `amounts ${measure}`
        : measure === 'people'
          ? 'people'
          : query.action
            ? ACTIONS[query.action][1]
            : 'signals';
  const [about, scope] = [subjectOf(query), scopeOf(query)];
  const close = (evidence.length > 0 ? evidence : near).slice(0, 3);
  const how = evidence.length > 0 ? '' : differenceOf(givenUp);
  return nearest(`${['No', what, 'found', about && `for ${about}`, scope].filter(Boolean).join(' ')}.`, close, how);
}

interface Group {
  readonly name: string;
  readonly rows: readonly Row[];
  readonly value: number;
}

const nameOf = (rows: readonly Row[], slug: string): string =>
  rows.flatMap(({ evidence }) => evidence.signal.brands).find((brand) => brand.slug === slug)?.name ?? slug;

/** The groups of a row: its brand, its city, and so on. */
function keysOf(
  by: NonNullable<TypedQuery['by']>,
  { brand, city, evidence }: Row,
  catalogue: PreparedCatalogue,
): string[] {
  const { signal } = evidence;
  if (by === 'brand') return brand === null ? [] : [brand];
  if (by === 'city') return city === null ? signal.cities.slice(0, 1) : [city];
  if (by === 'category') return brand === null ? [] : [catalogue.brandBySlug.get(brand)?.category ?? []].flat();
  if (by === 'kind') return [signal.move];
  if (by === 'theme') return signal.theme ? [signal.theme.name] : [];
  if (by === 'investor') return investorsIn(evidence);
  if (by === 'outlet') return [...new Set(evidence.reports.map(({ outlet }) => outlet))];
  return [monthInWords(evidence.day)];
}

function groupsOf(query: TypedQuery, rows: readonly Row[], catalogue: PreparedCatalogue): Group[] {
  const by = query.by ?? 'brand';
  const groups = new Map<string, Row[]>();
  for (const row of rows)
    for (const key of keysOf(by, row, catalogue)) groups.set(key, [...(groups.get(key) ?? []), row]);
  const direction = query.order === 'smallest' ? -1 : 1;
  return [...groups]
    .map(([key, own]) => ({
      name: by === 'brand' ? nameOf(own, key) : key.replaceAll('_', ' '),
      rows: own,
      value: sumInRupees(sumsOf(own)),
    }))
    .sort((one, other) => direction * (other.value - one.value) || (one.name < other.name ? -1 : 1));
}

/** Groups by a measure, the highest (or lowest) first. */
export function rank(query: TypedQuery, retrieval: Found, catalogue: PreparedCatalogue): Draft {
  const groups = groupsOf(query, rowsOf(query, retrieval.evidence), catalogue);
  const [first] = groups;
  if (!first) return nothingCounted(query, retrieval);
  const shown = groups.slice(0, query.limit ?? MAX_GROUPS);
  const equal = groups.filter(({ value }) => value === first.value);
  const tied = shown.filter((group) => equal.includes(group));
  const scope = scopeOf(query) || recordOf(retrieval);
  const extreme = query.order === 'smallest' ? 'the fewest' : 'the most';
  const names = joinNames(tied.map(({ name }) => escapeMarkdown(name)));
  const each = `${amountOf(query, first.rows)} each ${scope}`;
  const lead =
    equal.length > tied.length
      ? `${formatCount(equal.length, 'name')} with ${each}, among them ${names}`
      : tied.length > 1
        ? `${names}: ${each}, ${extreme} of ${formatCount(groups.length, 'name')}`
        : `${escapeMarkdown(first.name)}: ${amountOf(query, first.rows)} ${scope}, ${extreme} of ${formatCount(groups.length, 'name')}${arithmetic(first.rows)}`;
  const others = shown.filter((group) => !tied.includes(group) || tied.length === 1).filter((group) => group !== first);
  const from = shown.flatMap(({ rows }) => rows);
  return {
    lead: [
      counted(
        `${lead}.`,
        tied.flatMap(({ rows }) => evidenceIn(rows)),
      ),
      ...others.map(({ name, rows }) =>
        counted(`${escapeMarkdown(name)}: ${amountOf(query, rows)}.`, evidenceIn(rows)),
      ),
    ],
    items: bulletsOf(query, from),
    notes: [
      ...(groups.length > shown.length ? [`${shown.length} of ${groups.length} names are shown.`] : []),
      ...notesOf(query, from, retrieval),
    ],
    basis: 'counted',
  };
}

const byPeriod = ({ by, against }: TypedQuery): boolean => by === 'period' || against !== null;

/** Brands, or places, side by side: by the measure, and by what the record has of each. */
export function compare(query: TypedQuery, retrieval: Found, catalogue: PreparedCatalogue): Draft {
  // Without what is measured, reports that name all of them answer it, and no number of signals does.
  if (query.measure === null && query.kinds.length === 0 && !byPeriod(query)) return happened(query, retrieval);
  const byPlace = query.brands.length < 2 && query.places.length > 1;
  const names = byPlace ? query.places.map(({ name }) => name) : query.brands.map(({ name }) => name);
  if (names.length < 2) return rank(query, retrieval, catalogue);
  const rows = rowsOf(query, retrieval.evidence);
  const sides = names.map((name, index) => {
    const own = byPlace
      ? rows.filter(({ city, evidence }) => {
          const cities = query.places[index]?.cities ?? [];
          return city === null ? evidence.signal.cities.some((one) => cities.includes(one)) : cities.includes(city);
        })
      : rows.filter(({ brand }) => brand === query.brands[index]?.slug);
    return { name: escapeMarkdown(name), rows: own, value: sumInRupees(sumsOf(own)) };
  });
  const present = sides.filter(({ rows: own }) => own.length > 0).sort((one, other) => other.value - one.value);
  const absent = sides.filter(({ rows: own }) => own.length === 0).map(({ name }) => name);
  const [first, second] = present;
  if (!first) return nothingCounted(query, retrieval);
  const scope = scopeOf({ ...query, places: byPlace ? [] : query.places }) || recordOf(retrieval);
  const verdict = second && first.value > second.value ? ', the most' : second ? ', as much as the next' : '';
  const from = present.flatMap(({ rows: own }) => own);
  return {
    lead: [
      counted(`${first.name}: ${amountOf(query, first.rows)} ${scope}${verdict}.`, evidenceIn(first.rows)),
      ...present.slice(1).map(({ name, rows: own }) => counted(`${name}: ${amountOf(query, own)}.`, evidenceIn(own))),
    ],
    items: bulletsOf(query, from),
    notes: [
      ...(absent.length > 0 ? [`Nothing of the kind found for ${joinNames(absent)} ${scope}.`] : []),
      'The record holds what outlets reported: fewer signals may mean less reporting.',
      ...notesOf(query, from, retrieval),
    ],
    basis: 'counted',
  };
}

/** Single signals by the size of what they report: the biggest deal, the largest round. */
export function rankSignals(query: TypedQuery, retrieval: Found): Draft {
  const sized = query.action
    ? rowsOf(query, retrieval.evidence).map((row) => ({ evidence: row.evidence, size: sumInRupees([row]) }))
    : retrieval.evidence.flatMap((evidence) => {
        const size = sizeOf(evidence);
        return size === null ? [] : [{ evidence, size }];
      });
  // "The highest return" is of what has the word; where nothing has it, an amount would answer another question.
  const worded = sized.filter(({ evidence: { stems } }) => query.words.some((word) => hasWord(stems, word)));
  if (query.words.length > 0 && worded.length === 0 && sized.length > 0)
    return refuse(query, { ...retrieval, near: retrieval.evidence.slice(0, 3) });
  const ranked = worded.length > 0 ? worded : sized;
  const direction = query.order === 'smallest' ? -1 : 1;
  // Money that is talked about is not money raised or paid: it comes after what was agreed.
  const isMoney = query.measure === 'raised' || query.measure === 'spent';
  const isLater = ({ evidence }: { evidence: Evidence }): boolean =>
    isMoney &&
    query.deal?.status !== 'rumoured' &&
    // A listing is planned until it has taken place.
    (isTalk(evidence) || (evidence.facts.deal?.type === 'ipo' && evidence.facts.deal.status !== 'completed'));
  const ordered = ranked
    .toSorted((one, other) => Number(isLater(one)) - Number(isLater(other)) || direction * (other.size - one.size))
    .map(({ evidence }) => evidence);
  const talks = ranked.filter(isLater).length;
  if (ordered.length === 0) return happened({ ...query, order: 'salience' }, retrieval);
  const without = query.action ? 0 : retrieval.evidence.length - sized.length;
  const own = list(
    { ...query, order: 'largest', limit: query.limit ?? MAX_GROUPS },
    { ...retrieval, evidence: ordered },
  );
  const note = `Ordered by the amount or number that the reports state${without > 0 ? `; ${formatCount(without, 'signal')} without one ${without === 1 ? 'is' : 'are'} left out` : ''}.`;
  const apart = `${formatCount(talks, 'deal')} that ${talks === 1 ? 'is' : 'are'} only planned or in talks ${talks === 1 ? 'comes' : 'come'} last.`;
  return { ...own, notes: [...own.notes, note, ...(talks > 0 ? [apart] : [])], basis: 'fact' };
}

/** How many stores a company says that it has: the newest report of a total, or the one nearest to the end of a period. */
export function network(query: TypedQuery, retrieval: Found): Draft {
  const end = query.period ? Date.parse(query.period.until) : Number.POSITIVE_INFINITY;
  const distance = ({ moved_at }: Evidence): number =>
    Math.abs(Math.min(end, Number.MAX_SAFE_INTEGER) - Date.parse(moved_at));
  const byDistance = retrieval.evidence.toSorted((one, other) => distance(one) - distance(other));
  const names = query.intent === 'compare' ? query.brands : [];
  const sides = names.flatMap(({ slug }) => {
    const own = byDistance.find((one) => one.about.includes(slug) && networkLine(one) !== null);
    const line = own && networkLine(own);
    return line ? [quoted(own, [line])] : [];
  });
  if (sides.length > 1 && sides.length === names.length)
    return {
      lead: sides,
      items: [],
      notes: ['These are the totals that were reported, not counts of openings.'],
      basis: 'fact',
    };
  const [first, ...others] = byDistance.flatMap((one) => {
    const line = networkLine(one);
    return line ? [quoted(one, [line])] : [];
  });
  if (!first) return nothingCounted({ ...query, measure: 'stores' }, retrieval);
  return {
    lead: [first],
    items: others.slice(0, 3),
    notes: [
      ...(names.length > 1 ? ['Not all of them have a total on record.'] : []),
      'This is the total that was reported, not a count of openings.',
    ],
    basis: 'fact',
  };
}

/** One measure in two periods: "this month against last month". */
export function comparePeriods(query: TypedQuery, retrieval: Found, before: Found): Draft {
  const [own, other] = [rowsOf(query, retrieval.evidence), rowsOf(query, before.evidence)];
  if (own.length + other.length === 0) return nothingCounted(query, retrieval);
  const about = subjectOf(query);
  const side = (label: string, rows: readonly Row[]): Sentence =>
    counted(
      `${capitalised(label)}${about && `, ${about}`}: ${rows.length > 0 ? amountOf(query, rows) : 'none on record'}.`,
      evidenceIn(rows),
    );
  const sides = [side(query.period?.label ?? 'now', own), side(query.against?.label ?? 'before', other)];
  return {
    lead: sides.filter(({ ids }) => ids.length > 0),
    items: bulletsOf(query, own),
    notes: [
      ...sides.filter(({ ids }) => ids.length === 0).map(({ markdown }) => markdown),
      ...youngRecord({ ...query, period: query.against }, retrieval),
      ...notesOf(query, [...own, ...other], retrieval),
    ],
    basis: 'counted',
  };
}
