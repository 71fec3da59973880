/** Times relative to the moment at which a page is read: `2 hours ago`, `yesterday, 4 pm`, `2 घंटे पहले`. */
import { IST_MINUTES, parseDate, plainDate } from './parse-date.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';
const UNITS: readonly Unit[] = ['second', 'minute', 'hour', 'day', 'week', 'month', 'year'];
/** English, and the languages of Indian papers. */
const LANGUAGES = ['en', 'hi', 'mr', 'bn', 'ta', 'te', 'gu', 'kn', 'ml', 'pa'];
/** Longer distances are no dates of news. */
const MAX_YEARS = 30;

/** What English pages write in addition to the phrases of the locale data. */
const ENGLISH =
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
  const known = new Map<string, Unit>();
  for (const language of LANGUAGES)
    for (const style of ['long', 'short', 'narrow'] as const) {
      const format = new Intl.RelativeTimeFormat(language, { style, numeric: 'always' });
      for (const unit of UNITS) for (const amount of [1, 2, 5]) known.set(phrase(format.format(-amount, unit)), unit);
    }
  return known;
}

function knownDays(): ReadonlyMap<string, number> {
  const known = new Map<string, number>();
  for (const language of LANGUAGES) {
    const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
    for (const ago of [0, 1]) {
      const word = phrase(format.format(-ago, 'day'));
      if (!word.includes('#') && !known.has(word)) known.set(word, ago);
    }
  }
  return known;
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
  const found = plain && (NOW.test(plain) ? now : (dayNamed(plain, now) ?? distance(plain, now)));
  return found && found.getTime() <= now.getTime() ? found : null;
}

function distance(plain: string, now: Date): Date | null {
  phrases ??= knownPhrases();
  const english = ENGLISH.exec(plain);
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
