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

const nextMonth = (first: string): string => monthStart(Number(first.slice(0, 4)), Number(first.slice(5, 7)) + 1);
const monthLabel = (first: string): string => `in ${monthInWords(first)}`;

/** The last month of that name that has begun, this one or the last one, by its first day. */
function monthNamed(name: string, year: number | null, today: string): string {
  const [thisYear, thisMonth] = [Number(today.slice(0, 4)), Number(today.slice(5, 7))];
  if (/ month$/i.test(name)) return monthStart(thisYear, thisMonth - (/^(?:last|previous)/i.test(name) ? 1 : 0));
  const own = monthStart(year ?? thisYear, monthNumber(name));
  return year === null && own > today ? monthStart(thisYear - 1, monthNumber(name)) : own;
}
const MONTH_NAMED = `(${MONTH}|(?:this|the|current|last|previous) month)(?: (20\\d\\d))?`;

const ORDINAL = '\\d{1,2}(?:st|nd|rd|th)?';
/** A day by its date: `5 June 2026`, `June 5`, `2026-06-05`, `5/6/2026`. */
const DATE = `(?:${ORDINAL}(?: of)? (?:${MONTH})\\b(?:,? 20\\d\\d)?|(?:${MONTH}) ${ORDINAL}\\b(?:,? 20\\d\\d)?|20\\d\\d-\\d\\d-\\d\\d|\\d{1,2}[/-]\\d{1,2}[/-]20\\d\\d)`;
const IN_DATE = new RegExp(MONTH, 'i');

/** The day of a date; one without a year is in the year that is given, else the last one that has come. */
function dayNamed(date: string, today: string, year: number | null = null): string {
  const [day = '', second = '', third] = date.match(/\d+/g) ?? [];
  const [month] = IN_DATE.exec(date) ?? [];
  if (!month) return third && day.length < 4 ? `${third}-${second.padStart(2, '0')}-${day.padStart(2, '0')}` : date;
  const own = second ? Number(second) : year;
  const iso = `${monthNamed(month, own, today).slice(0, 8)}${day.padStart(2, '0')}`;
  return iso > today && own === null ? `${Number(iso.slice(0, 4)) - 1}${iso.slice(4)}` : iso;
}

/** The third of a month that `early`, `mid` or `late` means. */
function partOf(part: string, first: string): Span {
  if (/early|start|beginning/.test(part)) return span(first, plusDays(first, 10));
  const isMid = part.startsWith('mid');
  return span(plusDays(first, isMid ? 10 : 20), isMid ? plusDays(first, 20) : nextMonth(first));
}

/**
 * A week, month, quarter, half year, year or fiscal year of the calendar, up to now where it is running.
 * @param back how many before the present one
 */
function calendarSpan(unit: string, back: number, today: string): Span {
  const [year, month] = [Number(today.slice(0, 4)), Number(today.slice(5, 7))];
  const running = ([from, to, label, fiscal]: Span): Span => [from, back === 0 ? null : to, label, fiscal];
  const ofFiscal = (part: string, fiscal: number): Span => {
    const { from, to, name } = fiscalPeriod(part, fiscal);
    return [from, to, `in ${name}`, name];
  };
  if (unit === 'week') {
    const monday = plusDays(today, 1 - weekday(today) - 7 * back);
    return back === 0 ? since(monday) : span(monday, plusDays(monday, 7));
  }
  if (unit === 'month') {
    const first = monthStart(year, month - back);
    return running(span(first, nextMonth(first), monthLabel(first)));
  }
  if (unit === 'quarter') {
    const quarter = quarterOf(today, back);
    return ofFiscal(`Q${quarter.quarter}`, quarter.year);
  }
  if (unit.startsWith('half')) {
    const all = fiscalYear(today) * 2 + (month >= 4 && month <= 9 ? 0 : 1) - back;
    return ofFiscal(`H${(all % 2) + 1}`, Math.floor(all / 2));
  }
  if (unit === 'year') return running(span(`${year - back}-01-01`, `${year - back + 1}-01-01`, `in ${year - back}`));
  return running(ofFiscal('', fiscalYear(today) - back));
}

const since = (day: string): Span => [day, null, `since ${dayInWords(day)}`];
/** The last days before now. */
const lastDays = (days: number): Span => [`-${days}`, null, `in the last ${days} days`];
const COUNT = '\\d{1,3}|a|one|two|three|four|five|six|seven|eight|nine|ten|twelve|couple of|few';
const countIn = (text: string | undefined): number => {
  const word = text?.toLowerCase().replace(' of', '') ?? '1';
  return Number(word) || NUMBERS[word] || 1;
};
/** Days of units without a number: "in the last weeks". */
const SOME_DAYS: Readonly<Record<string, number>> = { days: 7, weeks: 28, months: 90, fortnight: 14 };

/** `this week`, `since last quarter`. */
function calendarTime([, before, which = '', named = '']: RegExpExecArray, today: string): Span {
  const back = /last|previous|latest/i.test(which) ? 1 : 0;
  const unit = named.toLowerCase();
  const isSince = /since/i.test(before ?? '');
  // A week that has just begun has no news yet.
  if (unit === 'week' && back === 0 && weekday(today) <= 2 && !isSince) return lastDays(7);
  const all = calendarSpan(unit, back, today);
  return isSince ? since(all[0]) : all;
}

const RULES: readonly Rule[] = [
  [
    new RegExp(
      `\\b(?:between |from )?(${ORDINAL})(?: ?- ?| and | to | till | until )(${ORDINAL}(?: of)? (?:${MONTH})\\b(?:,? 20\\d\\d)?)`,
      'i',
    ),
    (m, today) => {
      const to = dayNamed(m[2] ?? '', today);
      return span(
        `${to.slice(0, 8)}${Number.parseInt(m[1] ?? '1', 10)
          .toString()
          .padStart(2, '0')}`,
        plusDays(to, 1),
      );
    },
  ],
  [
    new RegExp(
      `\\b(?:(?:between|from) |(?=(?:${MONTH}) \\d))(${DATE})(?: ?- ?| and | to | till | until )(${DATE}|${ORDINAL}\\b(?:,? 20\\d\\d)?)(?! (?:stores|outlets|deals))`,
      'i',
    ),
    (m, today) => {
      const [first = '', last = ''] = [m[1], m[2]];
      const [month = ''] = IN_DATE.exec(first) ?? [];
      const to = dayNamed(IN_DATE.test(last) ? last : `${last} ${month}`, today);
      return span(dayNamed(first, today, Number(to.slice(0, 4))), plusDays(to, 1));
    },
  ],
  [
    new RegExp(`\\b(?:in |during )?(?:the )?week of (${DATE})`, 'i'),
    (m, today) => {
      const day = dayNamed(m[1] ?? '', today);
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
      const first = monthNamed(m[2] ?? '', yearIn(m[3]), today);
      if (/last/i.test(m[1] ?? '')) return span(plusDays(nextMonth(first), -7), nextMonth(first));
      const from = plusDays(first, 7 * (NTH[m[1]?.toLowerCase() ?? ''] ?? 0));
      return span(from, plusDays(from, 7));
    },
  ],
  [
    new RegExp(
      `\\b(?:in |at |around |during |(since|after|from|before|until|till) )?(?:the )?(early|mid|middle of|late|start of|beginning of|(?<!(?:quarter|year|half)[ -])end(?: of)?)[ -]${MONTH_NAMED}`,
      'i',
    ),
    (m, today) => {
      const part = partOf(m[2]?.toLowerCase() ?? '', monthNamed(m[3] ?? '', yearIn(m[4]), today));
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
      return span(plusDays(saturday, back), plusDays(saturday, back + 2));
    },
  ],
  [
    new RegExp(`\\b(since|after|before|until|till|on|last|this|from)?(?: last)? ?\\b(${WEEKDAYS.join('|')})\\b`, 'i'),
    (m, today) => {
      const back = (weekday(today) - WEEKDAYS.indexOf(m[2]?.toLowerCase() ?? '') - 1 + 7) % 7;
      const day = plusDays(today, -(back === 0 && /last/i.test(m[0]) ? 7 : back));
      return dated(m[1], day);
    },
  ],
  [
    new RegExp(`\\b(since )?(${COUNT}) (day|week|month)s? ago\\b`, 'i'),
    (m, today) => {
      const unit = m[3]?.toLowerCase() ?? '';
      if (unit === 'day') return dated(m[1], plusDays(today, -countIn(m[2])));
      const all = calendarSpan(unit, countIn(m[2]), today);
      return m[1] ? since(all[0]) : all;
    },
  ],
  [
    new RegExp(
      `\\b(?:between |from )?\\b(${MONTH})(?: (20\\d\\d))?(?: ?- ?| |(?: and| to| through| until| till) )(${MONTH})\\b(?: (20\\d\\d))?`,
      'i',
    ),
    (m, today) => {
      const last = monthNamed(m[3] ?? '', yearIn(m[4]), today);
      return span(monthNamed(m[1] ?? '', yearIn(m[2]) ?? Number(last.slice(0, 4)), today), nextMonth(last));
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
    new RegExp(`\\b(since|after|before|until|till|on|from)? ?\\b(${DATE})(?!\\w)`, 'i'),
    (m, today) => dated(m[1], dayNamed(m[2] ?? '', today)),
  ],
  [
    new RegExp(
      `\\b(since|after|before|until|till|in|during|for|of|this|last|from|and|by)?(?: the)?(?: month of)? ?\\b(${MONTH})\\b(?:,? (20\\d\\d))?`,
      'i',
    ),
    (m, today) => {
      // "may" without a preposition is a verb.
      if (/^(?:may|march|mar)$/i.test(m[2] ?? '') && !m[1] && !m[3]) return null;
      const first = monthNamed(m[2] ?? '', yearIn(m[3]), today);
      const isDated = /^(?:since|from|after|before|until|till)$/i.test(m[1] ?? '');
      if (isDated) return dated(m[1], /after/i.test(m[1] ?? '') ? nextMonth(first) : first);
      return span(first, nextMonth(first), monthLabel(first));
    },
  ],
  [
    new RegExp(
      `\\b(?:in |over |during |within |for )?(?:the )?(?:last|past|previous|recent) (${COUNT}) (day|week|fortnight|month|quarter|year)s?\\b`,
      'i',
    ),
    (m) => lastDays(countIn(m[1]) * (UNIT_DAYS[m[2]?.toLowerCase() ?? ''] ?? 1)),
  ],
  [
    /\b(?:in |over |during )?(?:(?:the last|(?:the )?past) (month|week|year)|(?:the )?(?:last|past|recent) (weeks|months|days)|(?:the )?(?:last|past|this|previous) (fortnight))\b|\bof the (month)\b/i,
    (m) => {
      const unit = (m[1] ?? m[2] ?? m[3] ?? m[4] ?? '').toLowerCase();
      return lastDays(SOME_DAYS[unit] ?? UNIT_DAYS[unit] ?? 7);
    },
  ],
  [/\b(?:in the )?last 24 hours\b/i, () => ['-1', null, 'in the last 24 hours']],
  [
    /\b(since |so far )?(day before yesterday|yesterday|today)\b/i,
    (m, today) => {
      const day = plusDays(today, -SPOKEN_DAYS.indexOf(m[2]?.toLowerCase() ?? ''));
      if (day === today) return [today, null, `on ${dayInWords(today)}`];
      return dated(m[1], day);
    },
  ],
  [
    /\b(since |in |during )?(?:the )?(this|current|last|previous|latest(?= quarter)) (week|month|quarter|half(?:[ -]year)?|fiscal(?: year)?|financial year|fy)\b/i,
    calendarTime,
  ],
  // A company's quarter says more than the year that it is compared with: "Q1, vs last year and vs last quarter".
  [/\b(since |in |during )?(?:the |so far )?(this|current|last|previous) (year)\b/i, calendarTime],
  [/\byear to date\b/i, (_, today) => calendarSpan('year', 0, today)],
  [
    /\b(since|in|during|of|before|after) (20[12]\d)\b/i,
    (m) => {
      const year = Number(m[2]);
      if (/since/i.test(m[1] ?? '')) return since(`${year}-01-01`);
      if (/after/i.test(m[1] ?? '')) return since(`${year + 1}-01-01`);
      if (/before/i.test(m[1] ?? '')) return span('2000-01-01', `${year}-01-01`, `before ${year}`);
      return span(`${year}-01-01`, `${year + 1}-01-01`, `in ${year}`);
    },
  ],
  [
    /\b(?:cy ?|calendar (?:year )?)?(20[12]\d)\b(?! (?:stores|outlets|showrooms|crore|cr|lakh))/i,
    (m) => span(`${m[1]}-01-01`, `${Number(m[1]) + 1}-01-01`, `in ${m[1]}`),
  ],
];

/** Days in words, by how many days ago they were. */
const SPOKEN_DAYS = ['today', 'yesterday', 'day before yesterday'];

function dated(word: string | undefined, day: string): Span | null {
  if (Number.isNaN(Date.parse(day))) return null;
  if (/since|after|from/i.test(word ?? '')) return since(day);
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

/** A time as a field of a query. */
export const queryPeriod = ({ since, until, label, fiscal }: Period): NonNullable<TypedQuery['period']> => ({
  since: since.toISOString(),
  until: until.toISOString(),
  label,
  fiscal,
});

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
