import { DAY } from '../../../language/days.ts';

/**
 * Dates as outlets write them: RFC 822, ISO 8601, Indian forms, a date without a zone being in IST; and times relative
 * to the moment at which a page is read: `2 hours ago`, `yesterday, 4 pm`, `2 घंटे पहले`.
 */

interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** The text around it. */
  readonly rest: string;
}

const MINUTE = 60_000;
const EARLIEST = Date.UTC(1990, 0, 1);

/**
 * Reads a date. Day comes before month where both are numbers, as in India.
 * A date without a time is the beginning of that day in IST.
 * @returns the moment, or null for what is not a date after 1990; phrases such as "2 hours ago" are not parsed here,
 *   because they count from when the page was read: see `parseRelativeTime`
 */
export function parseDate(text: string): Date | null {
  const plain = plainDate(text);
  const day = epochDay(plain) ?? ordinalDay(plain) ?? isoDay(plain) ?? namedDay(plain) ?? numberedDay(plain);
  if (day instanceof Date) return inRange(day);
  if (!day) return null;
  const time = timeIn(day.rest);
  const moment = new Date(Date.UTC(day.year, day.month - 1, day.day, 0, 0, 0, 0));
  // 31 November is no day, and Date.UTC would make 1 December of it.
  if (moment.getUTCMonth() !== day.month - 1 || moment.getUTCDate() !== day.day) return null;
  const local = moment.getTime() + (time?.milliseconds ?? 0);
  const zone = time ? parseZoneMinutes(time.after, local) : IST_MINUTES;
  return inRange(new Date(local - zone * MINUTE));
}

/** The text of a date in one line, with digits and hyphens of ASCII; more than 200 characters are cut off. */
const plainDate = (text: string): string =>
  text
    .slice(0, 200)
    // In the scripts of India the digit 0 has a code point that ends in 6.
    .replace(
      /[\u0966-\u096f\u09e6-\u09ef\u0a66-\u0a6f\u0ae6-\u0aef\u0b66-\u0b6f\u0be6-\u0bef\u0c66-\u0c6f\u0ce6-\u0cef\u0d66-\u0d6f]/g,
      (digit) => String((digit.charCodeAt(0) - 6) & 0xf),
    )
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u200b-\u200f\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim();

const inRange = (date: Date): Date | null =>
  date.getTime() >= EARLIEST && date.getUTCFullYear() < 10_000 ? date : null;

/** Seconds or milliseconds since 1970. */
function epochDay(text: string): Date | null {
  if (/^\d{10}$/.test(text)) return new Date(Number(text) * 1000);
  return /^\d{13}$/.test(text) ? new Date(Number(text)) : null;
}

/** `2026-325`, `2026325T…`: the day of the year, which ISO 8601 allows. */
function ordinalDay(text: string): Day | null {
  const match = /^(\d{4})-?(\d{3})(?![\d-])/.exec(text);
  const place = Number(match?.[2]);
  if (!match || place < 1 || place > 366) return null;
  const moment = new Date(Date.UTC(Number(match[1]), 0, place));
  return {
    year: Number(match[1]),
    month: moment.getUTCMonth() + 1,
    day: moment.getUTCDate(),
    rest: text.slice(match[0].length),
  };
}

/** `2026-11-21…`, `2026/11/21…`, `20261121T…`, `20261121103000`, `2026-11`, and the year alone at the whole text. */
function isoDay(text: string): Day | null {
  const match =
    /(?<![\d:])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/.exec(text) ??
    /^(\d{4})()(\d{2})(\d{2})(?!\d)/.exec(text) ??
    /^((?:19|20)\d{2})()(\d{2})(\d{2})(?=\d{6}(?!\d))/.exec(text) ??
    /^(\d{4})(-)(\d{2})()$/.exec(text) ??
    /^((?:19|20)\d{2})()()()$/.exec(text);
  return match ? dayAt(text, match, match[1], Number(match[3] || '1'), match[4] || '1') : null;
}

/** `21 November 2026`, `21-Nov-26`, `21st Nov, 2026`, `November 21, 2026`, `Nov 21 10:00:00 IST 2026`. */
function namedDay(text: string): Day | null {
  const dayFirst =
    /(?<!\d)(\d{1,2})(?:st|nd|rd|th)?[\s,.-]{0,3}(\p{L}[\p{L}\p{M}]{1,13})\.?[\s,'’-]{0,3}(\d{4}|\d{2})(?![\d:])/u;
  const monthFirst =
    /(?<![\p{L}\p{M}])(\p{L}[\p{L}\p{M}]{1,13})\.?[\s-]{0,2}(\d{1,2})(?:st|nd|rd|th)?[\s,-]{1,3}(\d{4})(?!\d)/u;
  const yearLast = /(\p{L}{3,9})\.? +(\d{1,2}) +(\d{1,2}:.{4,20}?) (\d{4})( [A-Z]{1,5}| [+-]\d{2}:?\d{2})?$/u;
  for (const [form, month, day, year] of [
    [dayFirst, 2, 1, 3],
    [monthFirst, 1, 2, 3],
  ] as const) {
    const match = form.exec(text);
    const number = match && monthNumber(match[month] ?? '');
    if (match && number) return dayAt(text, match, match[year], number, match[day]);
  }
  const match = yearLast.exec(text);
  const number = match && monthNumber(match[1] ?? '');
  return match && number
    ? { year: Number(match[4]), month: number, day: Number(match[2]), rest: `${match[3]}${match[5] ?? ''}` }
    : null;
}

/** `21/11/2026`, `21-11-26`, `21.11.2026`; month first only where the second number cannot be a month. */
function numberedDay(text: string): Day | null {
  const match = /(?<![\d:])(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?![\d:])/.exec(text);
  if (!match) return null;
  const [first, second] = [Number(match[1]), Number(match[3])];
  return second > 12
    ? dayAt(text, match, match[4], first, String(second))
    : dayAt(text, match, match[4], second, String(first));
}

function dayAt(text: string, match: RegExpExecArray, year = '', month: number, day = ''): Day {
  const short = Number(year);
  const full = year.length > 2 ? short : short < 70 ? 2000 + short : 1900 + short;
  const rest = `${text.slice(0, match.index)} ${text.slice(match.index + match[0].length)}`;
  return { year: full, month, day: Number(day), rest };
}

/** The first time of day in a text: `10:30`, `10.30 AM`, `1030` after T, `103000` alone, `10 pm`. */
function timeIn(text: string): { milliseconds: number; after: string } | null {
  const match =
    // Before the form with colons, which an offset after it has: `T103000+05:30`.
    /(?<![A-Za-z])T(\d{2})(\d{2})(\d{2})?(?:[.,](\d{1,9}))?()(?![\d:])/i.exec(text) ??
    /^ (\d{2})(\d{2})(\d{2})()()(?!\d)/.exec(text) ??
    /(?<!\d)(\d{1,2})[:.](\d{2})(?:[:.](\d{2})(?:[.,](\d{1,9}))?)?\s*([ap]\.?m\b\.?)?/i.exec(text) ??
    /(?<!\d)(\d{1,2})()()()\s*([ap]\.?m\b\.?)/i.exec(text);
  if (!match) return null;
  const half = match[5]?.toLowerCase()[0];
  const written = Number(match[1]);
  const hour = half ? (written % 12) + (half === 'p' ? 12 : 0) : written;
  const [minute, second] = [Number(match[2] || 0), Number(match[3] || 0)];
  // 24:00 and a leap second are times that people write.
  if (hour > 24 || minute > 59 || second > 60) return null;
  const thousandths = Math.trunc(Number(`0.${match[4] || 0}`) * 1000);
  return {
    milliseconds: ((hour * 60 + minute) * 60 + second) * 1000 + thousandths,
    after: text.slice(match.index + match[0].length),
  };
}

/** Names of months: English by their first letters, those of Indian languages in full and as they are shortened. */
const ENGLISH = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** Hindi, Marathi, Bengali, Tamil, Telugu, Gujarati, Kannada, Malayalam, Punjabi, Odia. */
const LANGUAGES = ['hi', 'mr', 'bn', 'ta', 'te', 'gu', 'kn', 'ml', 'pa', 'or'];

/** Spellings of papers that differ from those of the Unicode locale data, by month from 1. */
const VARIANTS: Record<number, string> = {
  1: 'जनवरी जानेवारी জানুয়ারি জানুয়ারী ஜனவரி జనవరి જાન્યુઆરી ಜನವರಿ',
  2: 'फरवरी फ़रवरी फेब्रुवारी फेब्रुवारि ফেব্রুয়ারি ফেব্রুয়ারী பிப்ரவரி పిబ్రవరి ફેબ્રુઆરી ಫೆಬ್ರವರಿ ಫೆಬ್ರುವರಿ',
  3: 'मार्च মার্চ மார்ச் మార్చి માર્ચ ಮಾರ್ಚ್ ಮಾರ್ಚಿ',
  4: 'अप्रैल एप्रिल এপ্রিল ஏப்ரல் ఏప్రిల్ એપ્રિલ ಏಪ್ರಿಲ್ ಎಪ್ರಿಲ್',
  5: 'मई मे মে மே మే મે ಮೇ',
  6: 'जून জুন ஜூன் జూన్ જૂન ಜೂನ್',
  7: 'जुलाई जुलै জুলাই ஜூலை జూలై జులై જુલાઈ જુલાઇ ಜುಲೈ',
  8: 'अगस्त ऑगस्ट আগস্ট আগষ্ট ஆகஸ்ட் ఆగస్టు ఆగస్ట్ ઑગસ્ટ ઓગસ્ટ ಆಗಸ್ಟ್ ಆಗಸ್ಟ',
  9: 'सितंबर सितम्बर सप्टेंबर सप्टेम्बर সেপ্টেম্বর செப்டம்பர் సెప్టెంబర్ సెప్టెంబరు સપ્ટેમ્બર ಸೆಪ್ಟೆಂಬರ್',
  10: 'अक्टूबर अक्तूबर ऑक्टोबर অক্টোবর அக்டோபர் అక్టోబర్ అక్టోబరు ઑક્ટોબર ઓક્ટોબર ಅಕ್ಟೋಬರ್',
  11: 'नवंबर नवम्बर नोव्हेंबर নভেম্বর நவம்பர் నవంబర్ నవంబరు નવેમ્બર ನವೆಂಬರ್',
  12: 'दिसंबर दिसम्बर डिसेंबर ডিসেম্বর டிசம்பர் డిసెంబర్ డిసెంబరు ડિસેમ્બર ಡಿಸೆಂಬರ್',
};

const key = (word: string): string => word.normalize('NFKC').toLowerCase().replace(/\.$/, '');

let names: ReadonlyMap<string, number> | null = null;

/** Made at first use: asking for some 200 names takes a few milliseconds. */
function indianNames(): ReadonlyMap<string, number> {
  const months = new Map<string, number>();
  for (const language of LANGUAGES)
    for (const style of ['long', 'short'] as const) {
      const format = new Intl.DateTimeFormat(language, { month: style, timeZone: 'UTC' });
      const withDay = new Intl.DateTimeFormat(language, { day: 'numeric', month: style, timeZone: 'UTC' });
      for (let month = 1; month <= 12; month++) {
        const day = new Date(Date.UTC(2026, month - 1, 15));
        const within = withDay.formatToParts(day).find(({ type }) => type === 'month')?.value;
        for (const name of [format.format(day), within ?? ''])
          if (/^\P{ASCII}/u.test(name)) months.set(key(name), month);
      }
    }
  for (const [month, spellings] of Object.entries(VARIANTS))
    for (const name of spellings.split(' ')) months.set(key(name), Number(month));
  return months;
}

/** The number of a month from 1, or null for another word. */
function monthNumber(word: string): number | null {
  const english = ENGLISH.indexOf(word.slice(0, 3).toLowerCase());
  if (english >= 0) return english + 1;
  names ??= indianNames();
  return names.get(key(word)) ?? null;
}

/** Time zones as feeds name them. */
const HOUR = 60;
const IST_MINUTES = 5 * HOUR + 30;

/** Minutes east of UTC. IST is India's: no outlet of the roster means Israel or Ireland. */
const NAMED: Record<string, number> = {
  Z: 0,
  UT: 0,
  UTC: 0,
  GMT: 0,
  WET: 0,
  IST: IST_MINUTES,
  EST: -5 * HOUR,
  EDT: -4 * HOUR,
  CST: -6 * HOUR,
  CDT: -5 * HOUR,
  MST: -7 * HOUR,
  MDT: -6 * HOUR,
  PST: -8 * HOUR,
  PDT: -7 * HOUR,
  BST: HOUR,
  CET: HOUR,
  CEST: 2 * HOUR,
  WEST: HOUR,
  EET: 2 * HOUR,
  EEST: 3 * HOUR,
  MSK: 3 * HOUR,
  SAMT: 4 * HOUR,
  YEKT: 5 * HOUR,
  TRT: 3 * HOUR,
  WAT: HOUR,
  CAT: 2 * HOUR,
  SAST: 2 * HOUR,
  EAT: 3 * HOUR,
  IRST: 3 * HOUR + 30,
  AFT: 4 * HOUR + 30,
  GST: 4 * HOUR,
  MUT: 4 * HOUR,
  PKT: 5 * HOUR,
  MVT: 5 * HOUR,
  UZT: 5 * HOUR,
  SLST: IST_MINUTES,
  NPT: 5 * HOUR + 45,
  BDT: 6 * HOUR,
  BTT: 6 * HOUR,
  MMT: 6 * HOUR + 30,
  ICT: 7 * HOUR,
  WIB: 7 * HOUR,
  SGT: 8 * HOUR,
  MYT: 8 * HOUR,
  PHT: 8 * HOUR,
  HKT: 8 * HOUR,
  AWST: 8 * HOUR,
  JST: 9 * HOUR,
  KST: 9 * HOUR,
  ACST: 9 * HOUR + 30,
  ACDT: 10 * HOUR + 30,
  AEST: 10 * HOUR,
  AEDT: 11 * HOUR,
  NZST: 12 * HOUR,
  NZDT: 13 * HOUR,
  NDT: -2 * HOUR - 30,
  NST: -3 * HOUR - 30,
  ADT: -3 * HOUR,
  BRT: -3 * HOUR,
  ART: -3 * HOUR,
  AKST: -9 * HOUR,
  HST: -10 * HOUR,
  AT: -4 * HOUR,
  ET: -5 * HOUR,
  CT: -6 * HOUR,
  MT: -7 * HOUR,
  PT: -8 * HOUR,
};

/** `Asia/Kolkata`, `America/Argentina/Buenos_Aires`. */
const IANA = /(?<![\p{L}/])[A-Z][A-Za-z]+(?:\/[A-Z][A-Za-z_+-]+){1,2}(?![\p{L}/])/u;

/**
 * Minutes east of UTC that a text states after a time: `+0530`, `+5:30`, `GMT+05:30`, `IST`, `Z`, `Asia/Kolkata`.
 * A text that states none means India.
 * @param local the date and time before it as if they were in UTC, milliseconds since 1970: the offset of an IANA
 *   zone depends on the season
 */
function parseZoneMinutes(text: string, local: number): number {
  const offset = /(?:^|[\s\d]|GMT|UTC|Z)\s*([+-])(\d{1,2}):?(\d{2})?(?!\d)/i.exec(text);
  if (offset) {
    const minutes = Number(offset[2]) * HOUR + Number(offset[3] ?? 0);
    return offset[1] === '-' ? -minutes : minutes;
  }
  const place = IANA.exec(text);
  const there = place && ianaMinutes(place[0], local);
  if (there !== null) return there;
  // A single letter is one of the military zones of RFC 822, which RFC 2822 takes for an unknown place: UTC.
  if (/^\s*[A-Z]\s*$/i.test(text)) return 0;
  for (const word of text.match(/[A-Za-z]+/g) ?? []) {
    // Two letters are also words: "10:30 am at New Delhi" is not Atlantic time.
    const minutes = NAMED[word.length > 2 ? word.toUpperCase() : word];
    if (minutes !== undefined) return minutes;
  }
  return IST_MINUTES;
}

/** Minutes east of UTC in a zone of the IANA database at a local time; null for no such zone. */
function ianaMinutes(zone: string, local: number): number | null {
  const first = offsetAt(zone, local);
  // The first offset is that of the hour in UTC; near a change of the clock the local hour has another one.
  return first === null ? null : offsetAt(zone, local - first * MINUTE);
}

function offsetAt(zone: string, moment: number): number | null {
  try {
    const parts = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(moment);
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours, minutes] = /([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * HOUR + Number(minutes ?? 0));
  } catch {
    // A RangeError: there is no such zone.
    return null;
  }
}

type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';
const UNITS: readonly Unit[] = ['second', 'minute', 'hour', 'day', 'week', 'month', 'year'];
/** English, and the languages of Indian papers. */
const RELATIVE_LANGUAGES = ['en', 'hi', 'mr', 'bn', 'ta', 'te', 'gu', 'kn', 'ml', 'pa'];
/** Longer distances are no dates of news. */
const MAX_YEARS = 30;

/** What English pages write in addition to the phrases of the locale data. */
const ENGLISH_RELATIVE =
  /^(\d{1,4}|an?|one|a few|few|several)\s*(s|sec|second|m|min|mn|minute|h|hr|hour|d|day|w|wk|week|mo|mth|month|y|yr|year)s?\.?(?:[ ,]*(?:and )?\d{1,2}\s*(?:m|min|minute|s|sec|second|h|hr|hour|d|day)s?\.?)?\s+(?:ago|back|before)$/;
const SHORT: readonly (readonly [form: RegExp, unit: Unit])[] = [
  [/^(?:s|sec|second)$/, 'second'],
  [/^(?:m|min|mn|minute)$/, 'minute'],
  [/^(?:h|hr|hour)$/, 'hour'],
  [/^(?:d|day)$/, 'day'],
  [/^(?:w|wk|week)$/, 'week'],
  [/^(?:mo|mth|month)$/, 'month'],
  [/^(?:y|yr|year)$/, 'year'],
];
const NOW = /^(?:(?:just|right) now|now|(?:a )?moments? ago|seconds ago|अभी|अभी अभी|आत्ताच|এইমাত্র)$/;
/** Words before and after a time on listings. */
const AROUND = /^(?:(?:last )?(?:updated|published|posted|modified)(?: on| at)?\s*[:|-]?\s*)|\s*[|·•].*$/gi;

/** By phrase with `#` for the number, what the number counts. */
let phrases: ReadonlyMap<string, Unit> | null = null;
/** By word, how many days before: 0 for today, 1 for yesterday. */
let days: ReadonlyMap<string, number> | null = null;

function knownPhrases(): ReadonlyMap<string, Unit> {
  const units = new Map<string, Unit>();
  for (const language of RELATIVE_LANGUAGES)
    for (const style of ['long', 'short', 'narrow'] as const) {
      const format = new Intl.RelativeTimeFormat(language, { style, numeric: 'always' });
      for (const unit of UNITS) for (const amount of [1, 2, 5]) units.set(phrase(format.format(-amount, unit)), unit);
    }
  return units;
}

function knownDays(): ReadonlyMap<string, number> {
  const ages = new Map<string, number>();
  for (const language of RELATIVE_LANGUAGES) {
    const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
    for (const ago of [0, 1]) {
      const word = phrase(format.format(-ago, 'day'));
      if (!word.includes('#') && !ages.has(word)) ages.set(word, ago);
    }
  }
  return ages;
}

const phrase = (text: string): string =>
  plainDate(text)
    .normalize('NFC')
    .toLowerCase()
    .replace(/\d{1,4}/, '#')
    .replace(/\.(?=\s|$)/g, '');

/**
 * Parses a time given as a distance from now. Days and longer units give the beginning of a day in IST, as a date without a time.
 * @param text as the page writes it
 * @param now when the page was read
 * @returns null for another text, and for a time that lies after `now`
 */
export function parseRelativeTime(text: string, now: Date): Date | null {
  const plain = plainDate(text).toLowerCase().replace(AROUND, '').trim();
  const moment = plain && (NOW.test(plain) ? now : (dayNamed(plain, now) ?? distance(plain, now)));
  return moment && moment.getTime() <= now.getTime() ? moment : null;
}

function distance(plain: string, now: Date): Date | null {
  phrases ??= knownPhrases();
  const english = ENGLISH_RELATIVE.exec(plain);
  const unit = english ? SHORT.find(([form]) => form.test(english[2] ?? ''))?.[1] : phrases.get(phrase(plain));
  const written = english ? (english[1] ?? '') : (/\d{1,4}/.exec(plain)?.[0] ?? '1');
  return unit ? before(now, /^\d/.test(written) ? Number(written) : /few|several/.test(written) ? 3 : 1, unit) : null;
}

function before(now: Date, amount: number, unit: Unit): Date | null {
  switch (unit) {
    case 'second':
      return new Date(now.getTime() - amount * 1_000);
    case 'minute':
      return new Date(now.getTime() - amount * MINUTE);
    case 'hour':
      return new Date(now.getTime() - amount * 60 * MINUTE);
    case 'day':
      return dayBefore(now, amount);
    case 'week':
      return dayBefore(now, amount * 7);
    case 'month':
      return dayBefore(now, Math.round(amount * 30.4));
    case 'year':
      return amount > MAX_YEARS ? null : dayBefore(now, Math.round(amount * 365.25));
  }
}

/** The beginning of the day in IST that is `amount` days before today. */
function dayBefore(now: Date, amount: number): Date {
  const offset = IST_MINUTES * MINUTE;
  return new Date(Math.floor((now.getTime() + offset) / DAY - amount) * DAY - offset);
}

/** `today`, `yesterday at 4 pm`, `आज`. */
function dayNamed(plain: string, now: Date): Date | null {
  days ??= knownDays();
  const [word = ''] = /^[\p{L}\p{M}]+/u.exec(plain) ?? [];
  const ago = days.get(word.normalize('NFC'));
  if (ago === undefined) return null;
  const rest = plain.slice(word.length).trim();
  const day = dayBefore(now, ago);
  if (rest === '') return day;
  if (!/^[,|-]?\s*(?:at )?\d{1,2}(?:[:.]\d{2}|\s*[ap]\.?m)/.test(rest)) return null;
  return parseDate(
    `${new Date(day.getTime() + IST_MINUTES * MINUTE).toISOString().slice(0, 10)} ${rest.toUpperCase()}`,
  );
}
