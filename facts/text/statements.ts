/**
 * What a text states about business metrics: clause by clause, each figure with its metric, its direction and its part
 * in the clause. Results and the delta are read from these statements, so that sign and metric are decided once.
 */
import { countsThings, type Figure } from '../../language/figures.ts';
import type { Part } from './item-reading.ts';

// Clauses.

/** A stretch of text with one subject and one verb. Offsets are those of the whole text. */
export interface Clause {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Begins with a word of cause or circumstance: its metrics explain those of the clause before. */
  readonly cause: boolean;
}

/** Where a clause ends: punctuation that is no part of a number, and words that begin another statement. */
const BOUNDARY =
  /[;:|()…](?!\d)|,(?!\d{2,3}\b)\s|,$|\s[–—-]\s|[.!?]\s+(?=[\p{Lu}₹“"‘'])|\s(?=(?:as|while|whereas|but|though|although|even as|amid|despite|after|before|on the back of|on (?:strong|higher|lower|weak|robust|tax|one-time|better|rising|steady|healthy|the(?!\s(?:anvil|cards|way|horizon|block)\b))|due to|led by|driven by|helped by|aided by|hurt by|backed by|fuelled by|boosted by|thanks to|because|says?|said)\s)/giu;
const CAUSE =
  /^\s*(?:as|amid|despite|after|before|on|due to|led by|driven by|helped by|aided by|hurt by|backed by|fuelled by|boosted by|thanks to|because)\s/i;
/** Splits a text into clauses. Linear in its length. */
export function splitClauses(text: string): Clause[] {
  const cuts = [...text.matchAll(BOUNDARY)].map(({ index, 0: { length } }) => ({
    at: index,
    next: index + length,
  }));
  const clauses: Clause[] = [];
  let start = 0;
  for (const { at, next } of [...cuts, { at: text.length, next: text.length }]) {
    if (at < start) continue;
    const words = text.slice(start, at);
    if (words.trim()) clauses.push({ start, end: at, text: words, cause: CAUSE.test(words) });
    start = next;
  }
  return clauses;
}

/** `Plans to open 28 new stores`, `wants to be in 60 cities`: the words before what is counted. */
const TO_OPEN =
  /\b(?:open(?:ing)?|add(?:ing)?|launch(?:ing)?(?: in)?|set(?:ting)? up|target of adding)\s+(?:around |about |nearly |over |up to |more than |another )?$/i;

/** Whether a text says that what a figure counts will open. */
export const isToOpen = (text: string, { start }: Figure): boolean =>
  TO_OPEN.test(text.slice(Math.max(0, start - 40), start));

/** `Denies report of`, `no plan to`, `not for sale`: what the rest of the clause names has not happened and is not planned. */
const DENIED =
  /\b(?:den(?:y|ies|ied|ying)|refut(?:es?|ed)|rubbish(?:es|ed)|rejects? (?:reports?|rumou?rs?|talk|speculation|claims?)|(?:dismiss(?:es|ed)?|quash(?:es|ed)?|trash(?:es|ed)?|junks?|slams?|scotch(?:es)?) (?:media |the )?(?:reports?|rumou?rs?|talk|buzz|speculation|claims?)|rul(?:es?|ed) out|no (?:immediate |current |such |firm )?(?:plans?|proposal|intention|talks)\b|not (?:for sale|selling|looking|planning|considering|evaluating|exploring|in talks|up for|exiting|leaving|quitting|stepping|shutting|closing|going public)|won['’]t (?:sell|exit|list|leave|quit|step|shut|close|open|raise|buy|acquire)|will not (?:sell|exit|list|leave|quit|step|shut|close|open|raise|buy|acquire))/i;
const UNDERTAKING =
  'plans?|proposals?|ipo|listing|public issue|issue|fund-?rais\\w+|merger|acquisition|buyout|takeover|sale|bid|offer|deal|talks?|negotiations?|agreement|jv|joint venture|expansion|stores?|openings?|project';
const PROJECT = `(?:(?:its|the|their|a|an|all|proposed|planned|plans?|public|initial|expansion|stores?|stake|india|ipo|listing|fund-?rais\\w+|merger|acquisition|buyout|sale|joint|[₹$€][\\d.,-]+|rs\\.?|[\\d.,-]+|[\\d.,]+-?(?:cr|crore|mn|million|bn|billion)|cr|crore|mn|million|bn|billion|to)\\s+){0,6}?(?:${UNDERTAKING})`;
/** `Shelves its IPO`, `drops plan to buy`, `talks collapse`: what was planned will not happen, or not now. */
const CALLED_OFF = new RegExp(
  [
    `\\b(?:drops?|dropped|cancel(?:s|led)|delays?|delayed|postpones?|postponed|withdraws?|withdrew|pulls?|pulled|defers?|deferred|puts? off|puts? on hold|halts?|pauses?) ${PROJECT}\\b`,
    `\\b(?:shelv(?:es|ed|ing)|scraps?|scrapped|abandons?|abandoned|calls? off|called off|junks?|aborts?|aborted|axes|terminat(?:es|ed)|walks? away from|walked away from|backs? out of|backed out of|pulls? out of|pulled out of) (?:[^,;:]|,\\d){0,40}?\\b(?:${UNDERTAKING})\\b`,
    '\\b(?:talks?|deal|merger|sale|acquisition|jv|joint venture|negotiations?|ipo|plans?)\\b[^,;:]{0,40}?\\b(?:collaps(?:es?|ed)|falls? (?:through|apart)|fell (?:through|apart)|called off|break(?:s)? down|broke down|shelved|scrapped|dropped|put on hold|hit a wall|off the table)\\b',
  ].join('|'),
  'i',
);

/** Whether a headline says that what it names did not happen: somebody denies it, or a plan was dropped. */
export function negationOf(text: string): 'denied' | 'called off' | null {
  // `Not just saris`, `denies wrongdoing`: the deed itself has to be denied, which its noun or verb says.
  return CALLED_OFF.test(text) ? 'called off' : DENIED.test(text) ? 'denied' : null;
}

// Metrics.

/** A metric where a clause names it. */
export interface MetricMention {
  readonly name: string;
  /** Offsets in the clause. */
  readonly start: number;
  readonly end: number;
}

/** What a company reports of a period. Of two forms at one place the first in the list counts. */
const REPORTED: readonly (readonly [string, string])[] = [
  ['same-store sales', 'same[- ]store(?: sales)?(?: growth)?|like[- ]for[- ]like(?: sales)?(?: growth)?|sssg|lfl'],
  ['margin', '(?:\\p{L}+ )?margins?|profit margins?'],
  ['ebitda', 'ebitda|operating profit'],
  ['profit before tax', 'profit before tax|pbt'],
  ['gross profit', 'gross profit'],
  ['loss', 'loss(?:es)?'],
  [
    'profit',
    'net income|profits?|profitability|profitable|pat|bottom ?line|earnings|earns|earned|in the black|net(?= (?:jumps|rises|up|falls|down|zooms|surges|drops|slips|climbs)\\b)',
  ],
  ['consumption', '(?:retailer |retail |tenant )?consumption'],
  ['volume', '(?:sales )?volumes?'],
  ['ARR', 'arr'],
  ['royalty', 'royalty|licen[cs]e fee'],
  ['shipments', 'shipments?'],
  ['revenue', 'revenues?|top ?line|turnover|total income|income from operations|income'],
  [
    'sales',
    'sales|(?:business|arm|division|segment|vertical)(?= (?:gr[eo]w|rises|rose|jumps|surges|up|expands|zooms|clocks|soars|falls|declines|shrinks|slips)\\w*\\b| (?:sees|saw|records|recorded|posts|posted|reports|reported|clocked|registered) (?:an? )?\\d)',
  ],
];
/** Figures that are no result of a company: next to one of these words a figure belongs to it and to no metric. */
const OTHER =
  '(?:post-)?(?:weight|hair|job|fat|memory|bone|muscle|crop)[- ]loss(?:es)?|loss-making|non-profit|not-for-profit|profit-(?:sharing|making)|income tax|sales tax|sales (?:head|chief|team|director|manager|executive|officer|network|event|season|channels?|partner)|business (?:head|chief|plan|model|update|unit)|(?:ad(?:vertising)?|marketing|capital|a&p|total)[- ](?:spends?|spending|expenses|expenditure)|ad spend|expenses?|expenditure|spends?|spending|capex|costs?|invest(?:s|ed|ing|ments?)?|earmark(?:s|ed)?|dividends?|remuneration|salary|salaries|pay|compensation|tax|taxes|duty|gst|debt|valuation|valued|market cap(?:italisation)?|m-?cap|(?:share|stock)(?: price)?s?|scrip|stake|market share|downloads?|installs?|users?|customers?|subscribers?|traffic|mau|ipo|orders?|order (?:book|value|count)|gmv|gross merchandise value|net sales value|nsv|nov|gov|gtv|prices?|rents?|rentals?|footfalls?|headcount|workforce|employee count|discounts?|offers?|cashback|funding|round|raises?|raised|fine|penalty|market(?= (?:to|size|grows?|worth|at|will))|wage|exports?|imports?';
const METRIC = new RegExp(
  `(?<![\\p{L}\\d-])(?:(${OTHER})|${REPORTED.map(([, form]) => `(${form})`).join('|')})(?![\\p{L}\\d]|-(?:led|driven|making|share|sharing))`,
  'giu',
);

/** Whether a text may name a metric of results: a quick test that saves reading it. */
export const namesMetric = (text: string): boolean =>
  /profit|loss|revenue|sales|turnover|income|earn|ebitda|\b(?:pat|pbt|arr|net|lfl|sssg|business)\b|same.store|like.for|top ?line|bottom ?line|in the black|margin|volume|consumption|shipment|royalty|licen[cs]e/i.test(
    text,
  );

/** The metrics that a clause names, in their order; `other` is what is no result. */
export function findMetrics(clause: string): MetricMention[] {
  return [...clause.matchAll(METRIC)].map((metric) => {
    const at = metric.slice(1).findIndex((group) => group !== undefined);
    return { name: REPORTED[at - 1]?.[0] ?? 'other', start: metric.index, end: metric.index + metric[0].length };
  });
}

/** Parts of a company by which a metric is qualified: `food delivery profit` is not the profit of the company. */
const SEGMENT =
  /(?<![\p{L}-])(international|domestic|overseas|food delivery|quick[- ]commerce|q-?comm(?:erce)?|fmcg|beauty|fashion|jewell?ery|watch(?:es)?|eyecare|home ?care|personal care|foods?|f&b|packaged foods?|beverages?|dairy|tea|coffee|premium|luxury|online|offline|e-?commerce|b2b|wholesale|franchise|cigarettes?|agri|hotels?|decorative|industrial|iphone|mac|ipad|smartphone|private[- ]label|core|export|home services|grocery|apparel|footwear|d2c)(?:\s+(?:business|segment|division|arm|unit|vertical))?(?:['’]s)?\s+(?:(?:net|gross|adjusted|operating|q[1-4]|quarterly|retail)\s+){0,2}$/iu;
/** `luxury arm surges 45%, losses halve`: the part of a company that a headline is about. */
const PART = /['’]s?\s+((?:[\p{L}&-]+\s){1,3}?)(?:arm|business|unit|division|segment|vertical)\b(?!\s+update)/iu;

/** The name of a metric with the part of the company that it is of, where the text names one. */
function qualified(part: Part, clause: Clause, metric: MetricMention): string {
  const before = clause.text.slice(0, metric.start);
  const segment = SEGMENT.exec(before);
  const whole = PART.exec(part.text.slice(0, clause.start + metric.end))?.[1];
  if (!segment) return whole ? `${whole.trim().toLowerCase()} ${metric.name}` : metric.name;
  // `Heritage Foods Q1 revenue` is of the company: a segment follows its name, a possessive, or begins a clause.
  const lead = before.slice(0, segment.index).trimEnd();
  const at = clause.start + lead.length;
  const isPart =
    (lead === '' && clause.start > 0) ||
    /(?:['’]s|['’]|\b(?:its|in|from|of|india|\p{Ll}{4,}))$/u.test(lead) ||
    part.mentions.some(({ brand, last }) => brand !== undefined && part.tokens[last]?.end === at);
  return isPart ? `${segment[1]?.toLowerCase()} ${metric.name}` : metric.name;
}

// Directions.

const UP_WORDS =
  'ris(?:es?|en|ing)|rose|jump(?:s|ed|ing)?|surg(?:es?|ed|ing)|soar(?:s|ed|ing)?|zoom(?:s|ed)?|climb(?:s|ed)?|gr(?:ows?|ew|own|owing)|growth|up|upticks?|increas(?:es?|ed|ing)|gain(?:s|ed)?|advanc(?:es|ed)|expand(?:s|ed)?|expansion|balloon(?:s|ed)?|swell(?:s|ed)?|spik(?:es?|ed)|rall(?:y|ies|ied)|leap(?:s|ed|t)?|widen(?:s|ed)?|higher|shoots? up|mounts?|deepen(?:s|ed)?|spurts?|accelerat(?:es?|ed)|improv(?:es?|ed)|more|rebound(?:s|ed)?|skyrocket(?:s|ed)?|hike|adds?';
const DOWN_WORDS =
  'fall(?:s|en|ing)?|fell|drop(?:s|ped)?|declin(?:es?|ed|ing)|slip(?:s|ped)?|slid(?:es?)?|slump(?:s|ed)?|plung(?:es?|ed)|plummet(?:s|ed)?|down|narrow(?:s|ed|ing)?|shrink(?:s)?|shr[au]nk|dip(?:s|ped)?|contract(?:s|ed|ion)?|cut(?:s|ting)?|trim(?:s|med)?|par(?:es|ed)|lower|decreas(?:es?|ed)|tumbl(?:es?|ed)|sink(?:s)?|sank|crash(?:es|ed)?|tank(?:s|ed)?|reduc(?:es?|ed|tion)|eas(?:es|ed)|erod(?:es?|ed)|drag(?:s|ged)?|hurts?|dent(?:s|ed)?|less|nosediv(?:es?|ed)|degrow(?:s|th)|de-growth|los(?:es|t)|weakens?|cools?';
const UP = new RegExp(`(?<![\\p{L}-])(?:${UP_WORDS})(?![\\p{L}-])`, 'giu');
const DOWN = new RegExp(`(?<![\\p{L}-])(?:${DOWN_WORDS})(?![\\p{L}-])`, 'giu');
/** `growth slows to 5%`, `growth slips to 3%`: the figure is still a growth. */
const GROWTH_OF_GROWTH =
  /\bgrowth\b[^,;]{0,30}\b(?:slow|moderat|eas|cool|dip|slip|fall|fell|declin|taper)\w*\s+(?:further\s+|(?:by\s+)?\d[\d.]*\s?(?:%|percentage|basis|pc|per ?cent|points?|bps|pps?)(?:\s+points?)?\s+|from\s+\d[\d.]*\s?(?:%|pc|per ?cent)\s+)?to\s*(?:about |around |just |nearly )?$/i;

const lastOf = (form: RegExp, text: string): number => {
  let at = -1;
  for (const { index } of text.matchAll(form)) at = index;
  return at;
};

const firstOf = (form: RegExp, text: string): number => {
  const match = text.matchAll(form).next().value;
  return match ? match.index : -1;
};

/**
 * The sign that the words around a percentage give it: the word right after it (`14% fall`), else the last word of
 * direction before it. 0 where none does: a bare percentage may be a level, and is never taken for growth.
 */
function signOf(before: string, after: string): -1 | 0 | 1 {
  if (GROWTH_OF_GROWTH.test(before)) return 1;
  const next = /^(?:\s*[\p{L}'’&-]+){1,5}/u.exec(after)?.[0] ?? '';
  const [nextUp, nextDown] = [firstOf(UP, next), firstOf(DOWN, next)];
  const [lastUp, lastDown] = [lastOf(UP, before), lastOf(DOWN, before)];
  const follows = (at: number): boolean => at >= 0 && next.slice(0, at).trim().split(/\s+/).length <= 4;
  if (
    Math.max(lastUp, lastDown) < 0 ||
    /^\s*(?:yoy |y-o-y |year-on-year )?(?:growth|rise|jump|surge|increase|uptick|fall|drop|decline|dip|slump|plunge|contraction|decrease|higher|lower)\b/i.test(
      after,
    )
  ) {
    if (follows(nextDown) && (nextUp < 0 || nextDown < nextUp)) return -1;
    if (follows(nextUp)) return 1;
  }
  if (lastUp < 0 && lastDown < 0) return 0;
  return lastDown > lastUp ? -1 : 1;
}

// Statements.

/** One metric with what a clause says of it. */
export interface Statement {
  /** `revenue`, or `food delivery revenue` for a part of a company. */
  readonly metric: string;
  /** The metric without the part of the company. */
  readonly base: string;
  readonly growth: { readonly pct: number; readonly figure: Figure | null } | null;
  readonly level: Figure | null;
  /** A target, forecast or expectation rather than a report. */
  readonly expected: boolean;
  /** `flat`: the metric did not change. */
  readonly flat: boolean;
  readonly clause: Clause;
  /** Offset of the metric in the text. */
  readonly at: number;
}

const EXPECTED =
  /(?<![\p{L}-])(?:targets?|targeting|targeted|aims?|aiming|eyes?|eyeing|plans?|hopes?|expects?|expected|expecting|sees(?!\s+(?:an?\s+)?\d[\d.]*\s?(?:%|pc|per ?cent)\s+(?:drop|fall|decline|dip|slump|jump|surge|rise|increase)|\s+(?:an?\s+)?\d[\d.]*\s?(?:%|pc|per ?cent)\s+(?:yoy|y-o-y|year-on-year))|projects?|projected|forecasts?|guides?|guidance|guided|to (?:reach|cross|touch|hit|clock|post|grow|surpass|achieve|double|triple|be|become|deliver)|will|may|likely|could|anticipates?|estimates?|estimated|seen (?:at|growing|rising|falling|declining|up|down|touching|reaching|crossing)|pegs|on track|sights on|poised|set to|goal|ambition|outlook|previews?)(?![\p{L}-])/iu;
/** `tripled revenue to cross ₹350 Cr`: after a change the infinitive is its outcome. */
const OUTCOME = /^to /i;

/** The offset of the word that makes a clause a target or forecast; null for a report. */
function expectationIn(clause: string): number | null {
  const expectation = EXPECTED.exec(clause);
  if (!expectation) return null;
  const before = clause.slice(0, expectation.index);
  const changed = Math.max(lastOf(UP, before), lastOf(DOWN, before)) >= 0 || TIMES.some(([form]) => form.test(before));
  return OUTCOME.test(expectation[0]) && changed ? null : expectation.index;
}

/** A figure that the metric is compared with: the quarter a year ago. */
const COMPARED_BEFORE =
  /(?:\b(?:from|against|versus|vs\.?|compared (?:with|to)|than|over(?= (?:rs|₹|inr)))\b[^,;:]{0,50})$/i;
/** A part of a whole or a rate: no growth. */
const PART_AFTER =
  /^\s*(?:of\b|share\b|stake\b|(?:[\p{L}]+\s)?margins?\b|market share|discount|off\b|gst\b|tax\b|duty\b|equity|points?\b|percentage|basis)/iu;
/** Against the quarter before, not the year before: `growth_pct` is against the year. */
const SEQUENTIAL =
  /^\s*(?:qoq|q-o-q|sequential\w*|quarter[- ]on[- ]quarter|from (?:the )?previous quarter|mom\b|month[- ]on[- ]month)|^[^,;:]{0,25}\bsequentially\b|^[^,;:]{0,40}\bon a sequential basis\b|^[^,;:]{0,60}\((?:qoq|q-o-q|sequential\w*|quarter[- ]on[- ]quarter)\)/i;
/** An amount by which the metric changed, not what it is. */
const CHANGE_BEFORE = /\bby\s*(?:about |over |nearly )?$/i;
/** Growth over more than a year. */
const LONG =
  /\b(?:cagr|in (?:(?:the |just )?(?:last |past )?)(?:\d+|two|three|four|five|six|ten) (?:years|yrs|months)|over (?:the )?(?:last|past|\d+|two|three|four|five|six|ten) |since (?:20|19)\d\d|per month|every month|annually by|a day)\b/i;
const HEDGED = /\b(?:nearly|almost|over|more than|about|around|close to|roughly|could|may|to)\s*$/i;
const TIMES: readonly (readonly [RegExp, number])[] = [
  [/(?<![\p{L}-])(?:doubl(?:es|ed|e|ing)|two-?fold)(?![\p{L}-]|\sdigits?\b)/iu, 100],
  [/(?<![\p{L}-])(?:tripl(?:es|ed|e|ing)|three-?fold)(?![\p{L}-])/iu, 200],
  [/(?<![\p{L}-])(?:halv(?:es|ed|e|ing))(?![\p{L}-])/iu, -50],
];

/** The metric that a figure belongs to: the one that the words right after it name, else the last one before, else the first after. */
function metricOf(metrics: readonly MetricMention[], clause: string, start: number, end: number): MetricMention | null {
  const after = clause.slice(end);
  const following = metrics.find((metric) => metric.start >= end);
  const gap = following ? clause.slice(end, following.start) : '';
  const adjacent =
    (following !== undefined &&
      /^\s*(?:in |of |as )?(?:(?:its|the|a|net|total|gross|consolidated|standalone|operating|adjusted|annual|annualised|quarterly|yearly|organic|q[1-4]|fy\s?'?\d{2,4}|yoy|y-o-y|year-on-year|sequential|underlying|india|domestic|global|record|highest|retail|quarter)\s+)*(?:[\p{L}&-]+\s){0,2}$/iu.test(
        gap,
      ) &&
      !/\b(?:as|and|on|to|while|after|with|vs|versus|against|from|than|compared|for|at|by|up|down)\b/i.test(gap)) ||
    /^\s*(?:(?:yoy|y-o-y|year-on-year|annual)\s+)?(?:rise|jump|growth|increase|fall|drop|decline|surge|uptick|dip|slump)\s+in\s+(?:(?!and\b)[\p{L}\d&-]+\s){0,4}$/iu.test(
      gap,
    );
  if (adjacent && following) return following;
  const before = metrics.filter((metric) => metric.end <= start).at(-1);
  const near = /^\s*(?:in|of)\b/i.test(after) || (!/\d/.test(gap) && gap.trim().split(/\s+/).length <= 3);
  return before ?? (near ? (following ?? null) : null);
}

/** Whether a figure's clause says nothing of its own and goes on about the metric before: `revenue at ₹420 Cr, up 16%`. */
const CONTINUES = new RegExp(
  `^\\s*(?:is |was |which is |a )?(?:${UP_WORDS}|${DOWN_WORDS})\\b|^\\s*(?:a )?\\d[\\d.]*\\s?(?:%|per ?cent|pc)`,
  'iu',
);

/** A statement whose figures are not read yet. */
type Draft = Omit<Statement, 'growth' | 'level'> & { growth: Statement['growth']; level: Figure | null };

/** A statement about a metric of a clause, without its figures. */
function draftOf(
  part: Part,
  clause: Clause,
  metric: MetricMention,
  lastFigure: Figure | undefined,
  expectedAt: number | null,
): Draft {
  return {
    metric: qualified(part, clause, metric),
    base: metric.name,
    growth: null,
    level: null,
    expected: expectedAt !== null && expectedAt < Math.max(metric.start, (lastFigure?.start ?? 0) - clause.start),
    flat: /\b(?:flat|unchanged)\b/i.test(clause.text.slice(metric.end)),
    clause,
    at: clause.start + metric.start,
  };
}

/** Adds a figure of a clause to the statement that it belongs to, as a level or as growth. */
function addFigure(draft: Draft, metric: MetricMention | null, { text, start: from }: Clause, figure: Figure): void {
  const before = text.slice(0, figure.start - from);
  const after = text.slice(figure.end - from);
  if (COMPARED_BEFORE.test(before)) return;
  if (figure.kind === 'percent') draft.growth ??= growthOf(draft.base, metric, figure, text, before, after);
  else if (!CHANGE_BEFORE.test(before) && draft.base !== 'margin') draft.level ??= figure;
}

/** The percentages that a text states against the quarter before. A headline may state one without saying so. */
export const sequentialGrowth = ({ text, figures }: Part): ReadonlySet<number> =>
  new Set(
    figures.flatMap(({ kind, value, end }) =>
      kind === 'percent' && SEQUENTIAL.test(text.slice(end)) ? [Math.abs(value)] : [],
    ),
  );

/** A percentage as growth of a metric; null where it is none. */
function growthOf(
  base: string,
  metric: MetricMention | null,
  figure: Figure,
  clause: string,
  before: string,
  after: string,
): Statement['growth'] {
  if (figure.high !== figure.value || LONG.test(clause)) return null;
  if (PART_AFTER.test(after)) return null;
  // Words of direction before the last other metric belong to that one.
  const since = metric && metric.end <= before.length ? wordsSince(metric, before) : before;
  // Same-store sales are reported as growth: `SSSG at 4%`.
  const growing = base === 'same-store sales';
  const sign = signOf(since, after) || signOf(before, after);
  if ((sign === 0 && !growing) || base === 'margin' || (base === 'ebitda' && /\bmargin/i.test(clause))) return null;
  return { pct: figure.value < 0 ? figure.value : (sign || 1) * figure.value, figure };
}

/** The words from a metric on. `Same-store sales growth slips to 5%`: growth is a word of the metric itself. */
const wordsSince = ({ end }: MetricMention, before: string): string =>
  before.slice(/growth$/i.test(before.slice(0, end)) ? end - 'growth'.length : end);

/** The growth of a metric that a verb states: `doubles revenue`. */
function growthInWords(metric: MetricMention, metrics: readonly MetricMention[], clause: string): Statement['growth'] {
  const times = TIMES.findLast(([form]) => {
    const match = form.exec(clause);
    if (!match || HEDGED.test(clause.slice(0, match.index)) || LONG.test(clause)) return false;
    const nearest =
      metrics.findLast((each) => each.end <= match.index) ?? metrics.find((each) => each.start > match.index);
    return nearest === metric;
  });
  return times ? { pct: times[1], figure: null } : null;
}

/**
 * Reads what a text states about metrics. A percentage is growth only with a word of direction in its clause and
 * against the year before; an amount is a level only where it is neither a change nor what the metric is compared with.
 * @param limit the number of characters that are read
 * @returns one statement per clause and metric, in the order of the text
 */
export function readStatements(part: Part, limit = part.text.length): Statement[] {
  const statements: Draft[] = [];
  const sequential = sequentialGrowth(part);
  const figures = part.figures.filter(
    (figure) =>
      figure.end <= limit &&
      !countsThings(part.text, figure) &&
      !(figure.kind === 'percent' && sequential.has(Math.abs(figure.value))),
  );
  for (const clause of splitClauses(part.text.slice(0, limit))) {
    const { text } = clause;
    const metrics = findMetrics(text);
    const own = figures.filter(({ start, end }) => start >= clause.start && end <= clause.end);
    const expectedAt = expectationIn(text);
    const continued = metrics.length === 0 && CONTINUES.test(text) ? statements.at(-1) : undefined;
    const drafts = new Map(
      metrics
        .filter(({ name }) => name !== 'other')
        .map((metric) => [metric, draftOf(part, clause, metric, own.at(-1), expectedAt)]),
    );
    statements.push(...drafts.values());
    for (const figure of own) {
      if (figure.kind !== 'money' && figure.kind !== 'percent') continue;
      const metric = metricOf(metrics, text, figure.start - clause.start, figure.end - clause.start);
      const draft = metric ? drafts.get(metric) : continued;
      if (draft) addFigure(draft, metric, clause, figure);
    }
    for (const [metric, draft] of drafts)
      if (draft.base !== 'margin') draft.growth ??= growthInWords(metric, metrics, text);
  }
  return statements;
}
