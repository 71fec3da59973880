/** Answers that are one fact of the record: a figure of a company's results, or a person in a seat. */
import { FACTS } from '../../facts/all-facts.ts';
import type { PreparedCatalogue } from '../../facts/text/catalogue.ts';
import { findFigures } from '../../language/figures.ts';
import { inRupees } from '../../language/money.ts';
import { statedFacts } from '../../schemas/facts.ts';
import { type Draft, escapeMarkdown, type Sentence } from '../draft.ts';
import { type Evidence, hasName, hasOwnWord, hasWord, stemsOf } from '../evidence.ts';
import { isWanted, slugsOf } from '../evidence-fit.ts';
import { actionRows, isMetric, moneyIn, type ResultRow, regulatorsOf, resultRows } from '../figures.ts';
import type { Found } from '../find-evidence.ts';
import { ACTIONS, isWithin, type TypedQuery } from '../question/typed-query.ts';
import { disagreements } from './disagreement.ts';
import { list, refuse, unmetNote } from './list-answers.ts';
import { bullet, quoted, scopeOf, summaryOf, youngRecord } from './sentences.ts';

/** Rows of the longest list of results. */
const MAX_ROWS = 15;

const growthOf = (growth: number | null): string =>
  growth === null ? '' : growth === 0 ? 'unchanged' : `${growth > 0 ? 'up' : 'down'} ${Math.abs(growth)}%`;

/** `Trent, revenue in Q1 FY27: ₹5,000 crore, up 20%`. */
function statement({ result: { company, metric, period, value, growth_pct } }: ResultRow): string {
  const figures = [value, growthOf(growth_pct)].filter(Boolean).join(', ');
  return escapeMarkdown(`${company}, ${metric}${period ? ` in ${period}` : ''}: ${figures}`);
}

/** The line of a stored text that has the figures of a result; the headline where none has. */
function lineOf({ evidence, result }: ResultRow): string {
  const digits = result.value === null ? undefined : /\d[\d.,]*/.exec(result.value)?.[0];
  const growth = result.growth_pct === null ? undefined : String(Math.abs(result.growth_pct));
  const lineWith = (figure: string | undefined): string | undefined =>
    figure === undefined ? undefined : evidence.stored.split('\n').find((line) => line.includes(figure));
  return lineWith(digits) ?? lineWith(growth) ?? evidence.headline;
}

const rowSentence = (row: ResultRow): Sentence => quoted(row.evidence, [lineOf(row)], statement(row));

const FALLS =
  'fall|fell|falls|dip|dips|dipped|drop|drops|dropped|decline|declines|declined|slip|slips|slipped|slump|slumps|slumped|plunge|plunges|plunged|shrink|shrinks|shrank|tumble|tumbles|tumbled|down|halve|halves|halved|lower|crash|crashes|crashed|slide|slides|eases|eased|trims?';
const RISES =
  'rise|rises|rose|grow|grows|grew|jump|jumps|jumped|climb|climbs|climbed|surge|surges|surged|up|gain|gains|gained|double|doubles|doubled|triple|triples|tripled|zoom|zooms|zoomed|soar|soars|soared|higher|increase|increases|increased';
const WIDENS = 'widen|widens|widened|deepen|deepens|deepened|mounts|mounted|swell|swells|swelled';
const NARROWS =
  'narrow|narrows|narrowed|trim|trims|trimmed|cut|cuts|reduce|reduces|reduced|pare|pares|pared|shrink|shrinks|shrank|halve|halves|halved';

const wordedAs = (metric: string, verbs: string): RegExp =>
  new RegExp(
    `\\b(?:${metric})\\b[^.;,]{0,25}?\\b(?:${verbs})\\b|\\b(?:${verbs})\\b[^.;,]{0,25}?\\b(?:${metric})\\b`,
    'i',
  );
const LOSS = 'loss|losses';
const PROFIT = 'profit|profits|pat|earnings|net income';
const FORMS: Readonly<Record<string, RegExp>> = {
  'loss up': wordedAs(LOSS, `${WIDENS}|${RISES}`),
  'loss down': wordedAs(LOSS, NARROWS),
  'loss loss': new RegExp(`\\b(?:${LOSS})\\b`, 'i'),
  'profit up': wordedAs(PROFIT, RISES),
  'profit down': wordedAs(PROFIT, FALLS),
  'profit profit':
    /\b(?:turns? profitable|turned profitable|swings? to (?:a )?profit|returns? to profit|back in the black|first (?:\w+ )?profit|posts? (?:a )?(?:maiden )?profit|turnaround)\b/i,
  'revenue up': wordedAs('revenue|revenues|sales|turnover|income', RISES),
  'revenue down': wordedAs('revenue|revenues|sales|turnover|income', FALLS),
};

/** What the headline says of a metric, where no row states it: a loss that widened, a profit that fell. */
function headlineMeets({ condition }: TypedQuery, { signal }: Evidence): boolean {
  if (!condition || condition.value !== null) return false;
  return FORMS[`${condition.metric} ${condition.is}`]?.test(signal.headline) ?? false;
}

/** Whether a result meets the condition of a question: `posted losses`, `grew above 20 %`. */
function meetsCondition({ condition }: TypedQuery, { result }: ResultRow): boolean {
  if (!condition) return true;
  const { metric, growth_pct } = result;
  if (condition.is === 'loss') return /loss/i.test(metric);
  if (condition.is === 'profit') return /profit|pat\b/i.test(metric) && !/loss/i.test(metric);
  if (!isMetric(condition.metric, metric)) return false;
  if (condition.unit !== 'rupees' && growth_pct === null) return false;
  if (condition.unit !== 'rupees') return isWithin(condition, growth_pct ?? 0);
  const amount = result.value === null ? undefined : findFigures(result.value)[0];
  return amount !== undefined && condition.value !== null && isWithin(condition, amount.value);
}

/** Words of a question about what companies want to reach. */
const EXPECTS = /^(?:target|aim|goal|project|guidance|outlook|expect|ey(?:e|es|eing)$|forecast|estimat)/;

/** Reports whose own words are the answer, the newest first. */
const worded = (query: TypedQuery, retrieval: Found, evidence: readonly Evidence[]): Draft => ({
  ...list({ ...query, order: 'newest' }, { ...retrieval, evidence, unmet: [], coverage: 1 }),
  basis: 'fact',
});

/** The rows of results that a question asks for: of its metric or condition, its quarter and its words. */
function rowsFor(query: TypedQuery, { evidence }: Found): ResultRow[] {
  const metric = query.metric ?? 'any';
  const quarter = query.period?.fiscal ?? null;
  const areExpected = query.words.some((word) => EXPECTS.test(word));
  const isOfMetric = ({ result }: ResultRow): boolean =>
    query.condition !== null || isMetric(metric, result.metric) || (metric === 'profit' && /loss/i.test(result.metric));
  // "Sales growth of ACs" is of what the words name; of a company, its figures are asked for whatever else is said.
  const words = query.brands.length > 0 ? [] : query.words;
  const named = words.filter((word) => evidence.some(({ stems }) => hasWord(stems, word)));
  return resultRows(evidence, areExpected)
    .filter(
      (row) =>
        meetsCondition(query, row) &&
        (quarter === null || row.result.period === quarter || row.result.period === null) &&
        isOfMetric(row) &&
        named.every((word) => hasWord(row.evidence.stems, word)),
    )
    .toSorted(
      (one, other) =>
        Number(other.result.value !== null) - Number(one.result.value !== null) ||
        // The revenue of a company comes before that of a part of it.
        one.result.metric.split(' ').length - other.result.metric.split(' ').length,
    );
}

/** Rows in the order that a question wants: by the growth or amount, where one is compared, without those that have none. */
function sortedFor(query: TypedQuery, rows: readonly ResultRow[], isMany: boolean): readonly ResultRow[] {
  // The growth is what is asked for, where the question names one; else the amount.
  // "Who lost most" is asked of the amount.
  const byGrowth = query.metric !== 'loss' && query.condition?.is !== 'loss' && query.condition?.is !== 'profit';
  const sizeOf = ({ result }: ResultRow): number | null => (byGrowth ? result.growth_pct : inRupeesOf(result.value));
  const direction = query.order === 'smallest' || query.condition?.is === 'down' ? 1 : -1;
  const areSized = query.intent === 'compare' && rows.every((row) => sizeOf(row) !== null);
  const isOrdered = query.order === 'largest' || query.order === 'smallest';
  if (!((query.condition !== null && isMany) || ((isMany || areSized) && isOrdered))) return rows;
  const sized = rows.filter((row) => sizeOf(row) !== null);
  return [
    ...sized.toSorted((one, other) => direction * ((sizeOf(one) ?? 0) - (sizeOf(other) ?? 0))),
    ...(isOrdered ? [] : rows.filter((row) => sizeOf(row) === null)),
  ];
}

/** Results without a row: the figure may be in the text of a report. */
function withoutRow(query: TypedQuery, retrieval: Found): Draft {
  const reports = retrieval.evidence.filter(({ signal }) => signal.move === 'results');
  if (reports.length === 0 || (query.condition && query.brands.length === 0))
    return refuse(query, { ...retrieval, near: retrieval.evidence.slice(0, 3) });
  const own = list(query, { ...retrieval, evidence: reports });
  const note = 'The record has no figure of that metric as a row; these reports come nearest.';
  return { ...own, notes: [note, ...own.notes], basis: 'loosely' };
}

/** The results that a question asks for. */
export function results(query: TypedQuery, retrieval: Found): Draft {
  // "Turned profitable" is more than "made a profit": where reports say it, only they answer.
  const turned =
    query.condition?.is === 'profit'
      ? retrieval.evidence.filter(({ stored }) => FORMS['profit profit']?.test(stored))
      : [];
  if (turned.length > 0) return worded(query, retrieval, turned);
  const rows = rowsFor(query, retrieval);
  const [first] = rows;
  const inWords = retrieval.evidence.filter(
    (one) => headlineMeets(query, one) && !rows.some(({ evidence }) => evidence === one),
  );
  if (!first) return inWords.length > 0 ? worded(query, retrieval, inWords) : withoutRow(query, retrieval);
  const isMany = query.condition !== null || query.brands.length === 0;
  const sorted = sortedFor(query, rows, isMany);
  const shown = sorted.slice(0, query.limit ?? (isMany ? MAX_ROWS : 6));
  const others = retrieval.evidence.filter((one) => !shown.some(({ evidence }) => evidence === one)).slice(0, 2);
  const [lead = first, ...items] = shown.length > 0 ? shown : rows.slice(0, MAX_ROWS);
  // The revenue of a company is no certain answer to a question for its export revenue.
  const unmet = query.words.filter((word) => !sorted.some(({ evidence }) => hasWord(evidence.stems, word)));
  const isOther = unmet.length > 0 && unmet.length === query.words.length;
  return {
    lead: [rowSentence(lead), ...disagreements([...new Set(sorted.map(({ evidence }) => evidence))])],
    items: [...items.map(rowSentence), ...(isMany ? inWords : others).map((one) => bullet(one))],
    notes: [
      ...(sorted.length > shown.length ? [`${shown.length} of ${sorted.length} figures are listed.`] : []),
      ...(isOther ? unmetNote({ unmet, coverage: 0, isByChance: false }) : []),
      ...youngRecord(query, retrieval),
    ],
    basis: isOther ? 'loosely' : 'fact',
  };
}

/** An amount of money as a report writes it, in rupees. */
function inRupeesOf(value: string | null): number | null {
  const figure = value === null ? undefined : moneyIn(value);
  return figure ? inRupees(figure.value, figure.unit) : null;
}

/** Words by which a question asks for prices that rise, and for prices that fall. */
const RAISED = stemsOf('raise hike increase rise');
const CUT = stemsOf('cut lower reduce slash cheaper');

/**
 * Changes of prices, from the rows of all reports that fit and have what else the question says; null where the question is
 * about none, or no report states one: "at a competitive price point" asks for none.
 */
export function prices(query: TypedQuery, retrieval: Found): Draft | null {
  const [prices] = FACTS.filter(({ kind }) => kind === 'prices');
  const isPrice = (word: string): boolean => hasWord(stemsOf('price'), word);
  if (!prices || query.brands.length > 0 || query.kinds.join() !== prices.ask.move || !query.words.some(isPrice))
    return null;
  // Whether prices rise or fall is a word of the question.
  const isRaised = query.words.some((word) => hasOwnWord(RAISED, word));
  const isCut = query.words.some((word) => hasOwnWord(CUT, word));
  const subject = query.words.filter((word) => !isPrice(word) && !hasOwnWord(RAISED, word) && !hasOwnWord(CUT, word));
  const [lead, ...items] = retrieval.evidence
    .filter(({ stems }) => subject.every((word) => hasWord(stems, word)))
    .flatMap((evidence) => statedFacts(evidence.facts, 'prices').map((fact) => ({ evidence, fact })))
    .filter(({ fact: { direction } }) => isRaised === isCut || (direction === 'raised') === isRaised)
    .slice(0, MAX_ROWS)
    .map(({ evidence, fact }) => {
      const { name, value } = prices.ask.line(fact);
      return quoted(evidence, [evidence.headline], escapeMarkdown(`${name}: ${value}`));
    });
  if (!lead) return null;
  return { lead: [lead], items, notes: youngRecord(query, retrieval), basis: 'fact' };
}

/** Penalties, notices and the like, from the rows of all reports that fit; null where nothing states one. */
export function enforced(query: TypedQuery, retrieval: Found): Draft | null {
  const { action } = query;
  if (action === null) return null;
  const rows = actionRows(retrieval.evidence, action, regulatorsOf(query), false);
  const shown = rows.slice(0, query.limit ?? MAX_ROWS);
  const [lead, ...items] = shown.map(({ evidence, brand, value, written }) => {
    const firm = evidence.signal.brands.find(({ slug }) => slug === brand)?.name;
    const what = value > 1 ? `${value} ${ACTIONS[action][1]}` : action;
    const amount = value > 1 || written === '1' ? '' : ` of ${written}`;
    return quoted(evidence, [evidence.headline], escapeMarkdown(`${firm ? `${firm}, ` : ''}${what}${amount}`));
  });
  if (!lead) return null;
  const rest = rows.length > shown.length ? [`${shown.length} of ${rows.length} are listed.`] : [];
  return { lead: [lead], items, notes: [...rest, ...youngRecord(query, retrieval)], basis: 'fact' };
}

/** A report of a move does not say whether it has taken place: many name the day on which it will. */
const WAY = { joined: 'joins', left: 'leaves', promoted: 'is promoted at' } as const;

interface Seat {
  readonly evidence: Evidence;
  readonly person: Evidence['facts']['people'][number];
}

/** Words of a headline by which somebody has not moved yet: "set to retire", "in talks to join", "will step down". */
const AHEAD = /\b(?:will|may|to) (?:\w+ )?(?:join|leave|retire|step|take (?:over|charge)|exit|quit|succeed|replace)\b/i;
const TO_COME: Readonly<Record<keyof typeof WAY, string>> = {
  joined: 'is reported to be joining',
  left: 'is reported to be leaving',
  promoted: 'is reported to be promoted at',
};

/** `Asha Rao joins Trent as CFO`, as far as the stored text has the words. */
function seatStatement({ evidence, person: { person, company, role, direction } }: Seat): string {
  const has = (text: string | null): text is string =>
    text !== null && evidence.stored.toLowerCase().includes(text.toLowerCase());
  if (!has(person)) return '';
  const stated = company ?? evidence.signal.brands[0]?.name ?? null;
  // `Kiri Foods' Asha Rao joins Maya Stores`: the company that she comes from is not the one of the seat.
  const isOwner =
    stated !== null &&
    direction !== 'left' &&
    new RegExp(
      `${RegExp.escape(stated)}(?: \\w+)?(?:['’]s?|-owned|s['’]) (?:\\w+ )?${RegExp.escape(person)}`,
      'i',
    ).test(evidence.stored);
  const where = isOwner ? null : stated;
  return escapeMarkdown(
    `${person} ${(AHEAD.test(evidence.signal.headline) ? TO_COME : WAY)[direction]}${where ? ` ${where}` : ''}${has(role) ? `${direction === 'left' ? ', as' : ' as'} ${role}` : ''}`,
  );
}

/** Whether the seat of somebody is at one of these companies, or no other company is named for it. */
function isAt({ company, to }: Seat['person'], companies: readonly string[]): boolean {
  const stated = [company, to].flatMap((name) => (name === null ? [] : [stemsOf(name)]));
  return company === null || companies.some((name) => stated.some((stems) => hasName(stems, name)));
}

const REPLACES = /\b(?:succeed(?:s|ed|ing)?|replac(?:e|es|ed|ing)|takes? over from|took over from|in place of)\b/i;

/** Who had the seat before somebody, or has it after: the line of a signal that names both, else those who left or took it. */
function successionOf(
  query: TypedQuery,
  retrieval: Found,
  wanted: 'predecessor' | 'successor',
  catalogue: PreparedCatalogue,
): Draft {
  const lines = retrieval.evidence.flatMap((one) => {
    const line = one.stored.split('\n').find((text) => REPLACES.test(text));
    return line ? [quoted(one, [...new Set([one.headline, line])])] : [];
  });
  const [first, ...others] = lines;
  if (first) return { lead: [first], items: query.person?.name ? [] : others.slice(0, 3), notes: [], basis: 'fact' };
  const direction = wanted === 'predecessor' ? 'left' : 'joined';
  // Whose seat it is says whether somebody else who joined has it now.
  const name = query.person?.name ?? null;
  const isNamed = ({ person }: { readonly person: string }): boolean =>
    name !== null && person.toLowerCase().includes(name.toLowerCase());
  const about = retrieval.evidence.filter(
    ({ facts, stored }) =>
      facts.people.some(isNamed) || (name !== null && stored.toLowerCase().includes(name.toLowerCase())),
  );
  const role = query.person?.role ?? about.flatMap(({ facts }) => facts.people.find(isNamed)?.role ?? [])[0] ?? null;
  if (about.length > 0 && role === null) {
    const suffix = list({ ...query, order: 'newest' }, { ...retrieval, evidence: about });
    return { ...suffix, notes: ['No report says who has the seat.', ...suffix.notes], basis: 'loosely' };
  }
  const own = persons({ ...query, person: { ...EMPTY_PERSON, role, direction } }, retrieval, catalogue);
  const suffix = own.basis === 'fact' ? `; these people ${direction}` : '';
  const note = `No report says who ${wanted === 'predecessor' ? 'had the seat before' : 'has the seat now'}${suffix}.`;
  return { ...own, notes: [note, ...own.notes], basis: own.basis === 'none' ? 'none' : 'loosely' };
}

const EMPTY_PERSON: NonNullable<TypedQuery['person']> = { role: null, direction: null, name: null, asks: null };

/** Who took, holds or left a seat: the newest appointment that fits comes first. */
export function persons(query: TypedQuery, retrieval: Found, catalogue: PreparedCatalogue): Draft {
  if (query.person?.asks) return successionOf(query, retrieval, query.person.asks, catalogue);
  const { role = null, direction = null, name = null } = query.person ?? {};
  const seats: Seat[] = retrieval.evidence.flatMap((evidence) =>
    evidence.facts.people.map((person) => ({ evidence, person })),
  );
  const wanted = seats.filter(({ evidence, person }) => isWanted(person, query.person, evidence));
  const companies = [
    ...query.brands.map(({ name: brand }) => brand),
    ...slugsOf(query.brands, catalogue).flatMap((slug) => catalogue.brandBySlug.get(slug)?.name ?? []),
  ];
  // Who took a seat at another company is no answer to who has it here.
  const fits = wanted.filter(({ person }) => query.brands.length === 0 || isAt(person, companies));
  if (fits.length === 0 && wanted.length > 0 && role !== null) {
    const own = list({ ...query, order: 'newest' }, retrieval);
    return { ...own, notes: ['No report says who has the seat.', ...own.notes], basis: 'loosely' };
  }
  const newest = fits.toSorted((one, other) => (one.evidence.moved_at < other.evidence.moved_at ? 1 : -1));
  // Who has a seat is answered by who took it, not by who left it.
  const taken = newest.filter(({ person }) => person.direction !== 'left');
  const holders =
    direction === null && role !== null ? [...taken, ...newest.filter((seat) => !taken.includes(seat))] : newest;
  const ordered = query.brands.length > 0 || name !== null ? holders : fits;
  const [first] = ordered;
  if (!first) return list(query, retrieval);
  // Reports name a person in several ways: what the stored text does not say is left out where it says another.
  const statableSeats = ordered.filter((seat) => seatStatement(seat) !== '');
  const statable = statableSeats.length > 0 ? statableSeats : ordered;
  const once = statable.filter(
    ({ person }, index) =>
      statable.findIndex(
        (other) => other.person.person === person.person && other.person.direction === person.direction,
      ) === index,
  );
  const limit = query.limit ?? 12;
  const toSentence = (seat: Seat): Sentence =>
    quoted(seat.evidence, [seat.evidence.headline, ...summaryOf(seat.evidence)], seatStatement(seat));
  const [lead = first, ...others] = once.slice(0, limit);
  const scope = scopeOf(query);
  return {
    lead: [toSentence(lead)],
    items: others.map(toSentence),
    notes: [
      ...(once.length > limit ? [`${limit} of ${once.length} people${scope && ` ${scope}`} are listed.`] : []),
      ...youngRecord(query, retrieval),
    ],
    basis: 'fact',
  };
}
