/**
 * Results: company, period, metric, value and growth in per cent, for each metric that an item states. A field that the
 * text leaves open is null: a wrong figure costs more trust than a missing one.
 */

import { fiscalYear, periodIn } from '../../language/fiscal.ts';
import { gapAfter } from '../../language/tokens.ts';
import type { BrandSlug } from '../../schemas/scalar.ts';
import type { BrandMention } from '../../schemas/story.ts';
import { type Proposed, signsOf } from '../confidence.ts';
import { type Agreement, factReading, type ItemFacts, spellingsOf } from '../item-facts.ts';
import type { TaggedText } from '../tagged-text.ts';
import type { PreparedCatalogue } from '../text/catalogue.ts';
import { nameDescribedBy } from '../text/headline-subject.ts';
import type { Mention, Part, Reading } from '../text/item-reading.ts';
import { findMetrics, namesMetric, readStatements, type Statement, sequentialGrowth } from '../text/statements.ts';
import type { Result } from './fields.ts';

// The company that a result is of.

/** The company of a result. */
interface Owner {
  readonly name: string;
  /** Null for a company that the catalogue does not have. */
  readonly slug: BrandSlug | null;
}

/** A company, and whether it owns a brand, at any depth: the figures of a part are not those of the whole. */
interface WholeOwner extends Owner {
  owns(brand: BrandSlug): boolean;
}

/** Owners of owners that are looked through: a catalogue may have two owners in a circle. */
const MAXIMUM_OWNERS = 8;

const withParts = (owner: Owner, { brandBySlug }: PreparedCatalogue): WholeOwner => ({
  ...owner,
  owns(brand) {
    let parent = brandBySlug.get(brand)?.parent;
    for (let step = 0; parent && step < MAXIMUM_OWNERS; step++) {
      if (parent === owner.slug) return true;
      parent = brandBySlug.get(parent)?.parent;
    }
    return false;
  },
});

/** `Pizza Hut operator`, `Zomato's parent`: the company meant is not the brand but the one that runs or owns it. */
const RUNS = /^(?:operators?|bottlers?|franchisees?|licensees?)$/;
const OWNS = /^(?:parents?|owners?|makers?|manufacturers?)$/;
const BETWEEN = /^(?:india|s|restaurants?|stores?|chain|brand|master|cinema|iphone|s)$/;

const brandAfter = (part: Part, from: number): Mention | undefined =>
  from > 0
    ? part.mentions.find((mention) => mention.brand && mention.first >= from && mention.first <= from + 1)
    : undefined;

/**
 * Finds whose figures a headline states: the brand that it is about, or, for `Pizza Hut operator` and `Zomato's parent`,
 * the company that the text names as such, else the only one that the catalogue has.
 * @param primary the brands that the item is about
 * @returns null for an operator that neither the text nor the catalogue decides
 */
function findOwner(
  reading: Reading,
  primary: readonly BrandMention[],
  catalogue: PreparedCatalogue,
  all: readonly Statement[],
): Owner | null {
  const [first] = primary;
  const { title, summary } = reading;
  for (const mention of title.mentions) {
    if (!mention.brand) continue;
    const described = brandAfter(title, nameDescribedBy(title, mention))?.brand;
    if (described && described !== mention.brand) return { name: described.name, slug: described.slug };
    let at = mention.last + 1;
    while (BETWEEN.test(title.tokens[at]?.fold ?? '') && at < mention.last + 4) at++;
    const role = title.tokens[at]?.fold ?? '';
    if (!(RUNS.test(role) || OWNS.test(role)) || !/^[\s'’-]*$/.test(gapAfter(title, at - 1))) continue;
    const { operators = [], parent } = mention.brand;
    const able = RUNS.test(role) && operators.length > 0 ? operators : parent ? [parent] : [];
    const inText = [title, summary].flatMap((part) => part.mentions.flatMap(({ brand }) => brand?.slug ?? []));
    const chosen = able.length === 1 ? able[0] : able.find((company) => inText.includes(company));
    const owner = chosen ? catalogue.brandBySlug.get(chosen) : undefined;
    if (owner) return { name: owner.name, slug: owner.slug };
    if (RUNS.test(role)) return null;
  }
  const chosen = partOwner(title, primary) ?? nameBefore(title, primary, all) ?? first;
  return chosen ? { name: chosen.name, slug: chosen.provisional ? null : chosen.slug } : null;
}

/** Words between a company and its metric: `Blinkit Q1 net order value`. */
const OF_METRIC =
  /^(?:['’]s)?(?:\s+(?:q[1-4]|h[12]|fy\s?\d\d|india|net|consolidated|standalone|operating|gross|total|adjusted|quarterly|annual|core|quarter|first|second|third|fourth|june|september|december|march))*\s*$/i;

/** Of several companies in a headline the one whose name leads straight to the first metric. */
function nameBefore(
  title: Part,
  primary: readonly BrandMention[],
  all: readonly Statement[],
): BrandMention | undefined {
  const at = all.find(({ clause }) => !clause.cause)?.at;
  if (at === undefined) return undefined;
  return primary.find(({ slug }) =>
    title.mentions.some(({ brand, last }) => {
      const end = title.tokens[last]?.end ?? 0;
      return brand?.slug === slug && end <= at && OF_METRIC.test(title.text.slice(end, at));
    }),
  );
}

/** `Reliance's Campa`: of an owner and its brand, the figures are those of the brand. */
function partOwner(title: Part, primary: readonly BrandMention[]): BrandMention | undefined {
  return primary.find(({ slug }) => {
    const mention = title.mentions.find(({ brand }) => brand?.slug === slug);
    const owner = title.mentions.find(({ brand, last }) => brand && mention && last === mention.first - 2);
    return (
      mention !== undefined &&
      owner !== undefined &&
      /^['’]s$/.test(title.text.slice(title.tokens[owner.last]?.end ?? 0, title.tokens[owner.last + 1]?.end ?? 0))
    );
  });
}

// Periods.

const CALENDAR_PART =
  /\b(q[1-4]|h[12]|(?:first|second|third|fourth) (?:quarter|half))\s*(?:of\s+|cy\s?|,\s*)?(?:cy\s?)?(20\d\d)\b(?!\s?[-–/]\s?\d\d)/i;
const ORDINALS = ['first', 'second', 'third', 'fourth'];

/** `Q2 CY2026`, `first half of 2026`: a calendar year written with four digits and no FY. */
function calendarPeriod(text: string): string | null {
  const match = CALENDAR_PART.exec(text);
  if (!match) return null;
  const part = (match[1] ?? '').toLowerCase();
  const number = ORDINALS.findIndex((word) => part.startsWith(word)) + 1;
  const name = number > 0 ? `${part.endsWith('half') ? 'H' : 'Q'}${number}` : part.toUpperCase();
  return `${name} ${match[2]}`;
}

/** `2026-27` and `Q1FY27` as `periodIn` reads them. */
const withFiscalYear = (text: string): string =>
  text
    .replace(/(?<!\bfy\s?)\b20(\d\d)\s?[-–/]\s?(?:20)?(\d\d)\b/gi, 'FY$2')
    .replace(/\b(q[1-4]|h[12]|9m)[\s']*fy/gi, '$1 FY');

/**
 * The period that a text names, in the calendar of its company. Companies whose year does not start in April have no
 * `Q1 FY27`: a quarter of theirs counts only where the text writes its calendar year.
 */
function periodOf(text: string, day: string | null, indianYear: boolean): string | null {
  const calendar = calendarPeriod(text);
  if (calendar) return calendar;
  const period = periodIn(withFiscalYear(text), day);
  if (!period && indianYear && day && RUNNING_YEAR.test(text)) return `FY${fiscalYear(day) % 100}`;
  if (indianYear || !period) return period;
  // Filings of an Indian subsidiary are by Indian years, whatever the calendar of its parent.
  return /^FY\d\d$/.test(period) && /\bindia/i.test(text) ? period : null;
}

/** The fiscal year that a day is in. */
const RUNNING_YEAR = /\b(?:this|current) (?:fiscal|financial year)\b/i;

const PERIODS =
  /\b(?:q[1-4]|h[12]|9m|fy\s?'?(?:20)?\d{2}|(?:june|september|december|march) quarter|(?:first|second|third|fourth)[- ]quarter)\b/gi;

/** Whether a text names different quarters, or different years: which figure is of which is unclear. */
function hasSeveralPeriods(text: string): boolean {
  const kinds = new Map<string, Set<string>>();
  for (const [period] of withFiscalYear(text).matchAll(PERIODS)) {
    const name = period.toLowerCase().replace(/\W/g, '');
    const kind = name.startsWith('fy') ? 'year' : 'part';
    kinds.set(kind, (kinds.get(kind) ?? new Set()).add(name));
  }
  return [...kinds.values()].some((names) => names.size > 1);
}

/** A headline without the clauses that state a target: their period is that of the target alone. */
const withoutTargets = (text: string): string =>
  text
    .split(/[,;]\s|\s(?:and|as)\s/)
    .filter((clause) => !EXPECTS.test(clause) && !/\bby (?:q[1-4]|fy|20\d\d)/i.test(clause))
    .join(', ');

// The results of an item.

/** Metrics that the results table has; a margin, shipments of a survey or a royalty remain in the headline alone. */
const COUNTED = new Set([
  'revenue',
  'profit',
  'profit before tax',
  'gross profit',
  'loss',
  'ebitda',
  'sales',
  'same-store sales',
  'consumption',
  'volume',
]);
/** Pay and headcount are figures of a company, but no results; a preview has none yet. */
const NO_RESULT =
  /\b(?:remuneration|salary|pay (?:falls|rises)|employee count|headcount|workforce|what to expect)\b|\bshares? in focus\b/i;
/** `Nykaa soars 8% as …`: without a metric the percentage of a market verb is that of its share. */
const MARKET =
  /^(?:[^:;,]*?)\b(?:shares?|stock|scrip|soars?|zooms?|sinks?|jumps?|surges?|slumps?|tanks?|tumbles?|rall(?:y|ies)|plunges?|gains?|drops?|slips?|falls?|cracks?|hits? (?:upper|lower) circuit)\b/i;
const OF_SHARES = /\b(?:shares of|share price|on the (?:bse|nse)|trading session|the (?:stock|scrip)|apiece)\b/i;

/** Whether an item is about the price of a share: what it says of results is the occasion, often of other days. */
function isAboutShares({ title, summary }: Reading, statements: readonly Statement[]): boolean {
  const first = statements[0];
  const lead = title.text.slice(0, first?.at ?? title.text.length);
  return MARKET.test(lead) && (/\b(?:shares?|stock|scrip)\b/i.test(lead) || OF_SHARES.test(summary.text.slice(0, 300)));
}

/** The year that an expectation may be for: the running one or the one that companies report; a target of 2030 is none. */
function isNear(period: string | null, text: string, day: string | null): boolean {
  if (
    /\b(?:this (?:fiscal|financial year|year|quarter)|current (?:fiscal|financial year)|(?:first|second|third|fourth)[- ]quarter|q[1-4]|h[12])\b/i.test(
      text,
    )
  )
    return true;
  const year = /FY(\d\d)$/.exec(period ?? '')?.[1];
  return year !== undefined && day !== null && Number(year) <= fiscalYear(day) % 100;
}

/** Whether a text has a tie to India; an Indian company in the catalogue needs none. */
const isOfIndia = ({ title, summary }: Reading): boolean =>
  /\b(?:indian?|crores?|lakhs?|rs)\b|₹|\bcr\b/i.test(`${title.text} ${summary.text.slice(0, MAXIMUM_LEAD)}`);

/** Whether a statement is of another company: its clause names other brands between its start and the metric, and not the owner. */
function isOfOtherCompany(title: Part, { clause, at }: Statement, owner: Owner, isHeadline = true): boolean {
  // The first clause of a headline is of the company that the headline is about.
  if (isHeadline && clause.start === 0) return false;
  const named = title.mentions.filter(({ brand, first }) => {
    const start = title.tokens[first]?.start ?? 0;
    return brand !== undefined && start >= clause.start && start <= Math.max(at, clause.start);
  });
  return named.length > 0 && named.every(({ brand }) => brand?.slug !== owner.slug);
}

/** The brand that the sentence around a place begins with: what it states after a comma is of that company too. */
function subjectAt(part: Part, at: number): Mention['brand'] {
  const before = part.text.lastIndexOf('. ', at);
  const from = before < 0 ? 0 : before + 2;
  const first = part.tokens.findIndex((token) => token.start >= from);
  return part.mentions.find((mention) => mention.first === first)?.brand;
}

/** Maximum number of characters of a summary that say more of the headline's result. */
const MAXIMUM_LEAD = 500;

/** A statement, and the brand that its sentence begins with where the company owns that. */
interface Said extends Statement {
  readonly part?: string;
}

const companyOf = ({ part }: Said, owner: Owner): string => part ?? owner.name;

/** What the start of a summary says of a metric, or of any: growth in the same period as the headline's. */
function fromSummary(
  { summary, day }: Reading,
  owner: WholeOwner,
  { metric, period, expected }: { metric: string | null; period: string | null; expected?: boolean },
): Said | undefined {
  const text = summary.text.slice(0, MAXIMUM_LEAD);
  const statement = readStatements(summary, MAXIMUM_LEAD).find((each) => {
    if (each.growth?.figure == null || (expected !== undefined && each.expected !== expected)) return false;
    if (metric === null ? !COUNTED.has(each.base) : each.metric !== metric) return false;
    if (isOfOtherCompany(summary, each, owner, false)) return false;
    const from = Math.max(text.lastIndexOf('. ', each.at), 0);
    const sentence = text.slice(from, text.indexOf('. ', each.clause.end) + 1 || text.length);
    const its = hasSeveralPeriods(sentence) ? 'unclear' : periodIn(withFiscalYear(sentence), day);
    return its === null || period === null || its === period;
  });
  const subject = statement && subjectAt(summary, statement.at);
  return statement && subject && owner.owns(subject.slug) ? { ...statement, part: subject.name } : statement;
}

/** `expected revenue` for a target or forecast, so that no reader takes it for a report. */
const nameOf = ({ metric, expected }: Statement): string => (expected ? `expected ${metric}` : metric);

const hasFigure = ({ growth, level }: Statement): boolean => growth !== null || level !== null;

/** Whether two statements give one growth, as outlets round it. */
const hasSameGrowth = (one: Statement, other: Statement): boolean =>
  one.growth !== null && other.growth !== null && Math.abs(one.growth.pct - other.growth.pct) <= 0.5;

/**
 * The statement that the headline leads with: its first metric, with the growth and the amount that the summary gives it where
 * the headline gives none; a later metric only where that one alone has a growth. Of a headline without any figure it is what
 * the summary reports first.
 */
function leadOf(
  usable: readonly Statement[],
  reading: Reading,
  owner: WholeOwner,
  periodFor: (statement: Statement) => string | null,
): Said | null {
  const first = usable.find(({ clause }) => !clause.cause) ?? usable[0];
  if (!first) return null;
  const exact = first.growth?.figure;
  if (first.flat || (exact && first.level)) return first;
  const below = fromSummary(reading, owner, { ...first, period: periodFor(first) });
  // An amount next to the same growth of the same metric is what it grew to.
  if (exact) return below && hasSameGrowth(first, below) ? { ...first, level: below.level } : first;
  if (below) {
    const { growth, level, part } = below;
    return { ...first, growth, level: first.level ?? level, ...(part ? { part } : {}) };
  }
  if (first.growth) return first;
  const grown = usable.filter(({ growth }) => growth?.figure);
  const inTitle = grown.find(({ clause }) => !clause.cause) ?? grown[0];
  if (inTitle || usable.some(hasFigure) || first.expected) return inTitle ?? first;
  return fromSummary(reading, owner, { metric: null, period: periodFor(first), expected: false }) ?? first;
}

/** What a headline of results speaks of when it names no metric. */
const OF_BUSINESS =
  /\b(?:growth|grows|demand|outlook|stronger|results|quarter|estimates|gains pace|business|momentum|sells|q[1-4]|h[12]|fy\d\d)\b/i;
const EXPECTS = /\b(?:expects?|projects?|targets?|sees|eyes|aims?|forecasts?|guid(?:es|ance)|outlook|bets|plans?)\b/i;

/** Metrics that are no results: a headline that states one of them states no sales. */
const OF_OTHER_METRIC =
  /\b(?:orders|market share|gmv|gov|nov|order value|users|customers|subscribers|downloads|footfalls?|app installs)\b/i;

/** A result of a headline that states no metric: what its summary says of one, else that the company reported. */
function withoutFigures(
  reading: Reading,
  owner: WholeOwner,
  period: string | null,
  all: readonly Statement[],
): Proposed<Result>[] {
  const below = all.length === 0 ? fromSummary(reading, owner, { metric: null, period }) : undefined;
  const name = all[0] ? nameOf(all[0]) : below && nameOf(below);
  if (!name && (!OF_BUSINESS.test(reading.title.text) || OF_OTHER_METRIC.test(reading.title.text))) return [];
  const unnamed = EXPECTS.test(reading.title.text) ? 'outlook' : 'sales';
  return [
    {
      fact: {
        company: below ? companyOf(below, owner) : owner.name,
        period,
        metric: name ?? unnamed,
        value: null,
        growth_pct: below?.growth?.pct ?? null,
      },
      signs: signsOf({ growth: below?.growth != null, 'no figure': !below?.growth }),
    },
  ];
}

/** One result for each metric and period of statements, the first one of each. */
function resultsOf(
  statements: readonly Said[],
  owner: WholeOwner,
  periodFor: (statement: Statement) => string | null,
): Proposed<Result>[] {
  const rows = new Map<string, Proposed<Result>>();
  for (const statement of statements) {
    const period = periodFor(statement);
    const { growth, level, metric, base } = statement;
    const key = `${nameOf(statement)}|${period}`;
    if (rows.has(key)) continue;
    rows.set(key, {
      fact: {
        company: companyOf(statement, owner),
        period,
        metric: nameOf(statement),
        value: level?.text ?? null,
        growth_pct: growth?.pct ?? null,
      },
      signs: signsOf({ growth: growth !== null, 'no figure': !hasFigure(statement), part: metric !== base }),
    });
  }
  return [...rows.values()];
}

/**
 * Reads the results that an item states: the one that the headline leads with first, then one for each further metric
 * with a figure of its own.
 * @param primary the brands that the item is about
 * @param likely the models take the item for results: then a headline without figures has one, without figures too
 * @returns growth in per cent against the year before, negative for a fall; empty when the item states no result
 */
export function readResults(
  reading: Reading,
  primary: readonly BrandMention[],
  catalogue: PreparedCatalogue,
  likely: boolean,
): Proposed<Result>[] {
  const { title, summary, day } = reading;
  if (!likely && !namesMetric(title.text)) return [];
  const sequential = sequentialGrowth(summary);
  const statements = readStatements(title).map((one) =>
    one.growth && sequential.has(Math.abs(one.growth.pct)) ? { ...one, growth: null } : one,
  );
  const company = findOwner(reading, primary, catalogue, statements);
  if (!company || NO_RESULT.test(title.text) || /\?\s*$/.test(title.text)) return [];
  const owner = withParts(company, catalogue);
  // Tenants of a mall report consumption; that of households is no result.
  const isLandlord = owner.slug !== null && catalogue.brandBySlug.get(owner.slug)?.category === 'malls_and_real_estate';
  const all = statements.filter(({ base }) => base !== 'consumption' || isLandlord);
  if (all.length < statements.length && all.length === 0) return [];
  const indianYear = owner.slug === null || !catalogue.otherYears.has(owner.slug);
  // Figures of a foreign company count where they are of its Indian business.
  if (!indianYear && !isOfIndia(reading)) return [];
  const inTitle = hasSeveralPeriods(title.text) ? null : periodOf(title.text, day, indianYear);
  const ofReport = periodOf(withoutTargets(title.text), day, indianYear);
  const inSummary = hasSeveralPeriods(summary.text) ? null : periodOf(summary.text, day, indianYear);
  const periodFor = (statement: Statement | null): string | null => {
    const own = statement ? periodOf(statement.clause.text, day, indianYear) : null;
    return (
      own ??
      (statement?.expected === false && inTitle ? ofReport : inTitle) ??
      (title.text.search(PERIODS) >= 0 ? null : inSummary)
    );
  };
  const aboutShares = isAboutShares(reading, all);
  const stated = all.filter((statement) => {
    if (
      !COUNTED.has(statement.base) &&
      statement.base !== 'ARR' &&
      statement.base !== 'royalty' &&
      statement.base !== 'shipments'
    )
      return false;
    if (isOfOtherCompany(title, statement, owner)) return false;
    if (!statement.expected) return true;
    // An expected amount without growth is a plan more often than guidance: the models decide.
    return isNear(periodFor(statement), title.text, day) && (statement.growth !== null || likely);
  });
  const reported = stated.filter((statement) => !statement.expected);
  // `reports ₹4,000 crore revenue, targets 25% growth`: a target next to a report is no result of its own.
  const usable = reported.some(hasFigure) ? reported : stated;
  const lead = leadOf(usable, reading, owner, periodFor);
  const shown = likely && !aboutShares && !/\bpreview/i.test(title.text);
  if (!lead)
    return shown && !all.some((statement) => statement.expected && hasFigure(statement))
      ? withoutFigures(reading, owner, periodFor(null), all)
      : [];
  if (!hasFigure(lead) && !shown) return [];
  return resultsOf([lead, ...usable.filter(hasFigure)], owner, periodFor);
}

/** A second reader's opinion of company and growth. */
const agreementWith = ({ company, growth_pct }: Result, tagged: TaggedText, item: ItemFacts): Agreement => [
  1 - tagged.reports('result', 'none'),
  tagged.says('company', ...spellingsOf(item, company)),
  growth_pct === null ? tagged.lacks('growth') : tagged.says('growth', String(Math.abs(growth_pct))),
];

export const resultsReading = factReading<Result>({
  agreement: agreementWith,
  leastConfidence: 0.5,
  followsFirst: true,
  names: ['company'],
  settles: {
    period: (_, words, day) => periodIn(words, day),
    metric: (value, words) => {
      const metrics = findMetrics(words).flatMap(({ name }) => (name === 'other' ? [] : [name]));
      return metrics.find((name) => name === value) ?? metrics[0];
    },
  },
  read: ({ reading, primary, catalogue, move, mayBe }) =>
    readResults(reading, primary, catalogue, move === 'results' || mayBe('results')),
  why: ({ metric, company, period, value }) => [metric, [company, period, value].filter(Boolean).join(', ')],
});
