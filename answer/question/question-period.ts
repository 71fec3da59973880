/** When a question asks about: time as Indian business readers say it, in IST. */

import {
  DAY,
  dayInWords,
  istDay,
  MONTHS,
  monthInWords,
  monthNumber,
  monthStart,
  plusDays,
  startOfDay,
  WEEKDAYS,
  weekday,
} from '../../language/days.ts';
import { FESTIVAL, festivalDay } from '../../language/festivals.ts';
import { fiscalIn, fiscalPeriod, fiscalYear, quarterOf } from '../../language/fiscal.ts';
import { NUMBER_WORDS } from '../../language/numbers.ts';
import type { TypedQuery } from './typed-query.ts';

export interface Period {
  /** From this moment on. */
  readonly since: Date;
  /** Until before this moment; not after the present one. */
  readonly until: Date;
  /** As it is written in a sentence: `in June 2026`, `since 8 November 2026`. */
  readonly label: string;
  /** A fiscal period by its name, such as `Q2 FY27`; null for any other time. */
  readonly fiscal: string | null;
  /** The place of the words in the question. */
  readonly start: number;
  readonly end: number;
}

/** Every name of a month as a form, in any case. */
export const MONTH = `${MONTHS.map((month) => (month.length > 3 ? `${month}|${month.slice(0, 3)}` : month)).join('|')}|sept`;
/** Places in an order, from 0. */
export const NTH: Readonly<Record<string, number>> = {
  first: 0,
  second: 1,
  third: 2,
  fourth: 3,
  '1st': 0,
  '2nd': 1,
  '3rd': 2,
  '4th': 3,
};
const NUMBERS: Readonly<Record<string, number>> = { ...NUMBER_WORDS, a: 1, couple: 2, few: 3 };
const UNIT_DAYS: Readonly<Record<string, number>> = {
  day: 1,
  week: 7,
  fortnight: 14,
  month: 30,
  quarter: 91,
  year: 365,
};

type Span = readonly [from: string, to: string | null, label: string, fiscal?: string];
/** A form of words, and the IST days that it means: from the first (in) to the second (out), null for until now. */
type Rule = readonly [RegExp, (match: RegExpExecArray, today: string) => Span | null];

const between = (from: string, to: string): string => `between ${dayInWords(from)} and ${dayInWords(plusDays(to, -1))}`;
const span = (from: string, to: string, label = between(from, to)): Span => [from, to, label];
const yearIn = (text: string | undefined): number | null => (text ? Number(text) : null);

/** The last month of that name that has begun. */
const monthOf = (name: string, year: number | null, today: string): string => {
  const number = monthNumber(name);
  const own = monthStart(year ?? Number(today.slice(0, 4)), number);
  return year === null && own > today ? monthStart(Number(today.slice(0, 4)) - 1, number) : own;
};
const nextMonth = (first: string): string => monthStart(Number(first.slice(0, 4)), Number(first.slice(5, 7)) + 1);
const monthLabel = (first: string): string => `in ${monthInWords(first)}`;

const dayIn = (day: string, month: string, year: number | null, today: string): string => {
  const iso = `${monthOf(month, year, today).slice(0, 8)}${day.padStart(2, '0')}`;
  return iso > today && year === null ? `${Number(iso.slice(0, 4)) - 1}${iso.slice(4)}` : iso;
};
const DATE = `(\\d{1,2})(?:st|nd|rd|th)?(?: of)? (${MONTH})\\b(?:,? (20\\d\\d))?`;
const US_DATE = `(${MONTH}) (\\d{1,2})(?:st|nd|rd|th)?\\b(?:,? (20\\d\\d))?`;

const quarterBefore = (today: string, back: number): Span => {
  const { quarter, year } = quarterOf(today, back);
  const period = fiscalPeriod(`Q${quarter}`, year);
  return [period.from, period.to, `in ${period.name}`, period.name];
};

const partOf = (part: string, first: string): Span => {
  const [from, to] = /early|start|beginning/.test(part)
    ? [first, plusDays(first, 10)]
    : /mid/.test(part)
      ? [plusDays(first, 10), plusDays(first, 20)]
      : [plusDays(first, 20), nextMonth(first)];
  return span(from, to);
};
/** The first day of a month that is named, or of this or the last one. */
const monthNamed = (name: string, year: string | undefined, today: string): string => {
  const own = `${today.slice(0, 8)}01`;
  if (/^(?:this|the|current) month$/i.test(name)) return own;
  if (/^(?:last|previous) month$/i.test(name)) return monthStart(Number(own.slice(0, 4)), Number(own.slice(5, 7)) - 1);
  return monthOf(name, yearIn(year), today);
};
const MONTH_NAMED = `(${MONTH}|(?:this|the|current|last|previous) month)(?: (20\\d\\d))?`;
const weekend = (saturday: string): Span => span(saturday, plusDays(saturday, 2));
const since = (day: string): Span => [day, null, `since ${dayInWords(day)}`];

const RULES: readonly Rule[] = [
  [
    new RegExp(
      `\\b(?:between |from )?(\\d{1,2})(?:st|nd|rd|th)?(?: ?- ?| and | to | till | until )(\\d{1,2})(?:st|nd|rd|th)?(?: of)? (${MONTH})\\b(?:,? (20\\d\\d))?`,
      'i',
    ),
    (m, today) => {
      const to = dayIn(m[2] ?? '1', m[3] ?? '', yearIn(m[4]), today);
      return span(`${to.slice(0, 8)}${(m[1] ?? '1').padStart(2, '0')}`, plusDays(to, 1));
    },
  ],
  [
    new RegExp(
      `\\b(?:between |from )?(${MONTH}) (\\d{1,2})(?:st|nd|rd|th)?(?: ?- ?| and | to | till | until )(?:(${MONTH}) )?(\\d{1,2})(?:st|nd|rd|th)?\\b(?! (?:stores|outlets|deals))(?:,? (20\\d\\d))?`,
      'i',
    ),
    (m, today) => {
      const to = dayIn(m[4] ?? '1', m[3] ?? m[1] ?? '', yearIn(m[5]), today);
      return span(dayIn(m[2] ?? '1', m[1] ?? '', Number(to.slice(0, 4)), today), plusDays(to, 1));
    },
  ],
  [
    new RegExp(`\\b(?:in |during )?(?:the )?week of (?:${DATE}|${US_DATE})`, 'i'),
    (m, today) => {
      const day = m[1]
        ? dayIn(m[1], m[2] ?? '', yearIn(m[3]), today)
        : dayIn(m[5] ?? '1', m[4] ?? '', yearIn(m[6]), today);
      const monday = plusDays(day, 1 - weekday(day));
      return span(monday, plusDays(monday, 7));
    },
  ],
  [
    new RegExp(
      `\\b(?:in |during )?(?:the )?(first|second|third|fourth|last|1st|2nd|3rd|4th) week of ${MONTH_NAMED}`,
      'i',
    ),
    (m, today) => {
      const first = monthNamed(m[2] ?? '', m[3], today);
      if (/last/i.test(m[1] ?? '')) return span(plusDays(nextMonth(first), -7), nextMonth(first));
      const from = plusDays(first, 7 * (NTH[m[1]?.toLowerCase() ?? ''] ?? 0));
      return span(from, plusDays(from, 7));
    },
  ],
  [
    new RegExp(
      `\\b(?:in |at |around |during |(since|after|from|before|until|till) )?(?:the )?(early|mid|middle of|late|start of|beginning of|end of)[ -]${MONTH_NAMED}`,
      'i',
    ),
    (m, today) => {
      const part = partOf(m[2]?.toLowerCase() ?? '', monthNamed(m[3] ?? '', m[4], today));
      const [from, to] = part;
      return m[1] ? dated(m[1], /after/i.test(m[1]) && to ? to : from) : part;
    },
  ],
  [
    /\b(?:on |over |during |in )?(?:the )?(last|previous|past|this)? ?weekend\b/i,
    (m, today) => {
      // The weekend that has begun last; "last weekend" on one is the one before it.
      const saturday = plusDays(today, -((weekday(today) + 1) % 7));
      const back = /last|previous|past/i.test(m[1] ?? '') && weekday(today) >= 6 ? -7 : 0;
      return weekend(plusDays(saturday, back));
    },
  ],
  [
    new RegExp(`\\b(since|after|before|until|till|on|last|this|from)?(?: last)? ?\\b(${WEEKDAYS.join('|')})\\b`, 'i'),
    (m, today) => {
      const back = (weekday(today) - WEEKDAYS.indexOf(m[2]?.toLowerCase() ?? '') - 1 + 7) % 7;
      const day = plusDays(today, -(back === 0 && /last/i.test(m[0]) ? 7 : back));
      return dated(/from/i.test(m[1] ?? '') ? 'since' : m[1], day);
    },
  ],
  [
    /\bsince (yesterday|(?:last|this) (?:week|month|quarter|year|fiscal))\b/i,
    (m, today) => {
      const [which = '', unit = ''] = (m[1]?.toLowerCase() ?? '').split(' ');
      if (which === 'yesterday') return since(plusDays(today, -1));
      const back = which === 'last' ? 1 : 0;
      if (unit === 'week') return since(plusDays(today, 1 - weekday(today) - 7 * back));
      if (unit === 'month') return since(monthStart(Number(today.slice(0, 4)), Number(today.slice(5, 7)) - back));
      if (unit === 'quarter') return since(quarterBefore(today, back)[0]);
      if (unit === 'year') return since(`${Number(today.slice(0, 4)) - back}-01-01`);
      return since(fiscalPeriod('', fiscalYear(today) - back).from);
    },
  ],
  [
    /\b(since )?(\d{1,3}|a|one|two|three|four|five|six|seven|eight|nine|ten|twelve|couple of|few) (day|week|month)s? ago\b/i,
    (m, today) => {
      const word = m[2]?.toLowerCase().replace(' of', '') ?? '1';
      const number = Number(word) || NUMBERS[word] || 1;
      const unit = m[3]?.toLowerCase();
      if (unit === 'day') return dated(m[1], plusDays(today, -number));
      const monday = plusDays(today, 1 - weekday(today) - 7 * number);
      const first = monthStart(Number(today.slice(0, 4)), Number(today.slice(5, 7)) - number);
      if (m[1]) return since(unit === 'week' ? monday : first);
      return unit === 'week' ? span(monday, plusDays(monday, 7)) : span(first, nextMonth(first), monthLabel(first));
    },
  ],
  [
    /\b(?:in )?(?:the )?(?:last|past|recent) (weeks|months|days)\b/i,
    (m) => {
      const days = { weeks: 28, months: 90, days: 7 }[m[1]?.toLowerCase() ?? ''] ?? 28;
      return [`-${days}`, null, `in the last ${days} days`];
    },
  ],
  [/\bof the month\b/i, () => ['-30', null, 'in the last 30 days']],
  [
    /\b(?:in |over |during )?(?:the )?(?:last|past|this|previous) fortnight\b/i,
    () => ['-14', null, 'in the last 14 days'],
  ],
  [
    /\b(?:in |during )?(?:the )?(this|last|previous|current) (?:half(?: |-)year|half)\b/i,
    (m, today) => {
      const half = Number(today.slice(5, 7)) >= 4 && Number(today.slice(5, 7)) <= 9 ? 1 : 2;
      const all = fiscalYear(today) * 2 + half - 1 - (/this|current/i.test(m[1] ?? '') ? 0 : 1);
      const { from, to, name } = fiscalPeriod(`H${(all % 2) + 1}`, Math.floor(all / 2));
      return [from, to, `in ${name}`, name];
    },
  ],
  [
    new RegExp(`\\b(?:between|from) ${DATE} (?:and|to|until|till) ${DATE}`, 'i'),
    (m, today) => {
      const to = dayIn(m[4] ?? '1', m[5] ?? '', yearIn(m[6]), today);
      return span(dayIn(m[1] ?? '1', m[2] ?? '', yearIn(m[3]) ?? Number(to.slice(0, 4)), today), plusDays(to, 1));
    },
  ],
  [
    new RegExp(
      `\\b(?:between |from )?\\b(${MONTH})(?: (20\\d\\d))?(?: ?- ?| |(?: and| to| through| until| till) )(${MONTH})\\b(?: (20\\d\\d))?`,
      'i',
    ),
    (m, today) => {
      const last = monthOf(m[3] ?? '', yearIn(m[4]), today);
      return span(monthOf(m[1] ?? '', yearIn(m[2]) ?? Number(last.slice(0, 4)), today), nextMonth(last));
    },
  ],
  [
    new RegExp(`\\b(since|before|after|until|till|around|during|over|on|for|at|this) ${FESTIVAL.source}`, 'i'),
    (m, today) => {
      const day = festivalDay(m[2] ?? '', yearIn(m[3]), today);
      if (!day) return null;
      const name = `${m[2]?.replace(/^\w/, (first) => first.toUpperCase())} (${dayInWords(day)})`;
      const word = m[1]?.toLowerCase() ?? '';
      if (/since|after/.test(word)) return [day, null, `since ${name}`];
      // A festival that is near is the one to come: what is planned for it has its name.
      const next = yearIn(m[3]) === null ? festivalDay(m[2] ?? '', Number(today.slice(0, 4)), today) : null;
      if (/before|until|till/.test(word) && next !== null && next > today) return null;
      if (/before|until|till/.test(word)) return span(plusDays(day, -30), day, `in the 30 days before ${name}`);
      return span(plusDays(day, -14), plusDays(day, 8), `around ${name}`);
    },
  ],
  [
    new RegExp(`\\b(since|after|before|until|till|on|from)? ?\\b${DATE}`, 'i'),
    (m, today) => dated(m[1], dayIn(m[2] ?? '1', m[3] ?? '', yearIn(m[4]), today)),
  ],
  [
    new RegExp(`\\b(since|after|before|until|till|on|from)? ?\\b${US_DATE}`, 'i'),
    (m, today) => dated(m[1], dayIn(m[3] ?? '1', m[2] ?? '', yearIn(m[4]), today)),
  ],
  [/\b(since|after|before|until|till|on|from)? ?(20\d\d-\d\d-\d\d)\b/i, (m) => dated(m[1], m[2] ?? '')],
  [
    /\b(since|after|before|until|till|on|from)? ?(\d{1,2})[/-](\d{1,2})[/-](20\d\d)\b/i,
    (m) => dated(m[1], `${m[4]}-${(m[3] ?? '').padStart(2, '0')}-${(m[2] ?? '').padStart(2, '0')}`),
  ],
  [
    new RegExp(
      `\\b(since|after|before|until|till|in|during|for|of|this|last|from|and|by)?(?: the)?(?: month of)? ?\\b(${MONTH})\\b(?:,? (20\\d\\d))?`,
      'i',
    ),
    (m, today) => {
      // "may" without a preposition is a verb.
      if (/^(?:may|march|mar)$/i.test(m[2] ?? '') && !m[1] && !m[3]) return null;
      const first = monthOf(m[2] ?? '', yearIn(m[3]), today);
      const word = m[1]?.toLowerCase();
      if (word === 'since' || word === 'from') return [first, null, `since ${dayInWords(first)}`];
      if (word === 'after') return [nextMonth(first), null, `since ${dayInWords(nextMonth(first))}`];
      if (word === 'before' || word === 'until' || word === 'till')
        return span(monthStart(2000, 1), first, `before ${dayInWords(first)}`);
      return span(first, nextMonth(first), monthLabel(first));
    },
  ],
  [
    /\b(?:in |over |during |within |for )?(?:the )?(?:last|past|previous|recent) (\d{1,3}|a|one|two|three|four|five|six|seven|eight|nine|ten|twelve|couple of|few) (day|week|fortnight|month|quarter|year)s?\b/i,
    (m) => {
      const word = m[1]?.toLowerCase().replace(' of', '') ?? '1';
      const days = (Number(word) || NUMBERS[word] || 1) * (UNIT_DAYS[m[2]?.toLowerCase() ?? 'day'] ?? 1);
      return [`-${days}`, null, `in the last ${days} days`];
    },
  ],
  [
    /\b(?:in |over |during )?the (?:last|past) (month|week|year)\b|\b(?:in |over )?past (month|week|year)\b/i,
    (m) => {
      const days = UNIT_DAYS[(m[1] ?? m[2] ?? '').toLowerCase()] ?? 7;
      return [`-${days}`, null, `in the last ${days} days`];
    },
  ],
  [/\b(?:in the )?last 24 hours\b/i, () => ['-1', null, 'in the last 24 hours']],
  [
    /\b(?:day before yesterday)\b/i,
    (_, today) => span(plusDays(today, -2), plusDays(today, -1), `on ${dayInWords(plusDays(today, -2))}`),
  ],
  [/\byesterday\b/i, (_, today) => span(plusDays(today, -1), today, `on ${dayInWords(plusDays(today, -1))}`)],
  [/\b(?:today|so far today)\b/i, (_, today) => [today, null, `on ${dayInWords(today)}`]],
  [
    /\b(?:this|current) week\b/i,
    (_, today) => {
      // A week that has just begun has no news yet.
      if (weekday(today) <= 2) return ['-7', null, 'in the last 7 days'];
      const monday = plusDays(today, 1 - weekday(today));
      return [monday, null, `since ${dayInWords(monday)}`];
    },
  ],
  [
    /\b(?:last|previous) week\b/i,
    (_, today) => {
      const monday = plusDays(today, -6 - weekday(today));
      return span(monday, plusDays(monday, 7));
    },
  ],
  [/\b(?:this|current) month\b/i, (_, today) => [`${today.slice(0, 8)}01`, null, monthLabel(`${today.slice(0, 8)}01`)]],
  [
    /\b(?:last|previous) month\b/i,
    (_, today) => {
      const first = monthStart(Number(today.slice(0, 4)), Number(today.slice(5, 7)) - 1);
      return span(first, nextMonth(first), monthLabel(first));
    },
  ],
  [
    /\b(?:this|current) (?:fiscal|financial year|fiscal year|fy)\b/i,
    (_, today) => {
      const { from, name } = fiscalPeriod('', fiscalYear(today));
      return [from, null, `in ${name}`, name];
    },
  ],
  [
    /\b(?:last|previous) (?:fiscal|financial year|fiscal year|fy)\b/i,
    (_, today) => {
      const { from, to, name } = fiscalPeriod('', fiscalYear(today) - 1);
      return [from, to, `in ${name}`, name];
    },
  ],
  [/\b(?:this|current) quarter\b/i, (_, today) => quarterBefore(today, 0)],
  [/\b(?:last|previous|latest) quarter\b/i, (_, today) => quarterBefore(today, 1)],
  [
    /\b(?:this|current) year\b|\byear to date\b|\bso far this year\b/i,
    (_, today) => [`${today.slice(0, 4)}-01-01`, null, `in ${today.slice(0, 4)}`],
  ],
  [
    /\b(?:last|previous) year\b/i,
    (_, today) => {
      const year = Number(today.slice(0, 4)) - 1;
      return span(`${year}-01-01`, `${year + 1}-01-01`, `in ${year}`);
    },
  ],
  [
    /\b(since|in|during|of|before|after) (20[12]\d)\b/i,
    (m) => {
      const year = Number(m[2]);
      if (/since/i.test(m[1] ?? '')) return [`${year}-01-01`, null, `since 1 January ${year}`];
      if (/after/i.test(m[1] ?? '')) return [`${year + 1}-01-01`, null, `since 1 January ${year + 1}`];
      if (/before/i.test(m[1] ?? '')) return span('2000-01-01', `${year}-01-01`, `before ${year}`);
      return span(`${year}-01-01`, `${year + 1}-01-01`, `in ${year}`);
    },
  ],
  [
    /\b(?:cy ?|calendar (?:year )?)?(20[12]\d)\b(?! (?:stores|outlets|showrooms|crore|cr|lakh))/i,
    (m) => span(`${m[1]}-01-01`, `${Number(m[1]) + 1}-01-01`, `in ${m[1]}`),
  ],
];

function dated(word: string | undefined, day: string): Span | null {
  if (Number.isNaN(Date.parse(day))) return null;
  if (/since|after|from/i.test(word ?? '')) return [day, null, `since ${dayInWords(day)}`];
  if (/before|until|till/i.test(word ?? '')) return span('2000-01-01', day, `before ${dayInWords(day)}`);
  return span(day, plusDays(day, 1), `on ${dayInWords(day)}`);
}

/**
 * The time that a question names; the first form that fits wins.
 * @param now the moment of asking
 * @returns null when it names none
 */
export function readPeriod(text: string, now: Date): Period | null {
  const reading = readNamedPeriod(text, now);
  // A time to come has no moves yet: its words are left to be looked for.
  return reading && reading.since < reading.until ? reading : null;
}

/** Every time that a question names, at most two, in the order of the text: a comparison names two. */
export function readPeriods(text: string, now: Date): Period[] {
  const first = readPeriod(text, now);
  if (!first) return [];
  const blank = ' '.repeat(first.end - first.start);
  const rest = `${text.slice(0, first.start)}${blank}${text.slice(first.end)}`;
  const second = readPeriod(rest, now);
  // "Q1 profit in 2019" is of one quarter, and names its year apart.
  const [, quarter] = /^Q([1-4]) /.exec(first.fiscal ?? '') ?? [];
  const [year] = (second && /20\d\d/.exec(text.slice(second.start, second.end))) ?? [];
  const both =
    quarter && year && !/\d{4}|fy/i.test(text.slice(first.start, first.end)) && readPeriod(`q${quarter} ${year}`, now);
  if (both && second) return [first, second].map(({ start, end }) => ({ ...both, start, end }));
  return second ? [first, second].sort((one, other) => one.start - other.start) : [first];
}

const isDay = (day: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day)) && plusDays(day, 0) === day;

/**
 * The period of IST days.
 * @param first `YYYY-MM-DD`; null for the beginning of the record
 * @param last its last day; null for today
 * @returns null for a time to come; undefined where one is no day of the calendar, or the last is before the first
 */
export function periodOfDays(
  first: string | null,
  last: string | null,
  now: Date,
): NonNullable<TypedQuery['period']> | null | undefined {
  const today = istDay(now);
  if (![first, last].every((day) => day === null || isDay(day))) return undefined;
  const [from, to] = [first ?? '2000-01-01', last ?? today];
  if (from > today) return null;
  if (to < from) return undefined;
  const until = startOfDay(plusDays(to, 1));
  const label =
    first === null
      ? `before ${dayInWords(plusDays(to, 1))}`
      : from === to
        ? `on ${dayInWords(from)}`
        : from.endsWith('-01') && plusDays(to, 1) === nextMonth(from)
          ? monthLabel(from)
          : to >= today
            ? `since ${dayInWords(from)}`
            : between(from, plusDays(to, 1));
  return {
    since: startOfDay(from).toISOString(),
    until: (until < now ? until : now).toISOString(),
    label,
    fiscal: null,
  };
}

function readNamedPeriod(text: string, now: Date): Period | null {
  const today = istDay(now);
  const fiscal = fiscalIn(text, today);
  if (fiscal) {
    const until = startOfDay(fiscal.to);
    const since = startOfDay(fiscal.from);
    const { name, start, end } = fiscal;
    return { since, until: until < now ? until : now, label: `in ${name}`, fiscal: name, start, end };
  }
  for (const [form, read] of RULES) {
    const match = form.exec(text);
    const reading = match && read(match, today);
    if (!match || !reading) continue;
    const [from, to, label, fiscalName = null] = reading;
    const since = from.startsWith('-') ? new Date(now.getTime() + Number(from) * DAY) : startOfDay(from);
    const until = to === null || startOfDay(to) > now ? now : startOfDay(to);
    return { since, until, label, fiscal: fiscalName, start: match.index, end: match.index + match[0].length };
  }
  return null;
}
