/** Dates as Indian news writes them, relative to the item's own day in IST. Null where the day is uncertain. */
import type { Reading } from './item-reading.ts';

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const MONTH =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
const DAY_MONTH = new RegExp(
  `\\b(?:on|from|by|effective(?: from)?|w\\.?e\\.?f\\.?|since|dated)\\s+(\\d{1,2})(?:st|nd|rd|th)?\\s+(${MONTH})\\b(?:,?\\s+(20\\d\\d))?`,
  'i',
);
const MONTH_DAY = new RegExp(
  `\\b(?:on|from|by|effective(?: from)?|w\\.?e\\.?f\\.?|since|dated)\\s+(${MONTH})\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?\\b(?:,?\\s+(20\\d\\d))?`,
  'i',
);
const WEEKDAY = new RegExp(`\\bon\\s+(${DAYS.join('|')})\\b`, 'i');

const noon = (day: string): number => Date.parse(`${day}T12:00:00Z`);
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
const valid = (year: number, month: number, day: number): string | null => {
  const date = new Date(Date.UTC(year, month, day));
  return date.getUTCMonth() === month && date.getUTCDate() === day ? dayOf(date.getTime()) : null;
};
const monthOf = (name: string): number => MONTHS.findIndex((month) => month.startsWith(name.slice(0, 3).toLowerCase()));

/** The date of a day and month that is nearest to the item's day. */
function nearest(month: number, day: number, around: string): string | null {
  const year = Number(around.slice(0, 4));
  const days = [year - 1, year, year + 1].flatMap((each) => valid(each, month, day) ?? []);
  const distance = (each: string): number => Math.abs(noon(each) - noon(around));
  return days.sort((a, b) => distance(a) - distance(b))[0] ?? null;
}

/**
 * Finds the day that a text names for its event: `on 24 August 2026`, `from 1 April`, `on Monday` (the last one up to and
 * including the item's day), `today`, `yesterday`.
 * @param around the item's day in IST; without it only a full date is read
 * @returns a day in IST, `YYYY-MM-DD`
 */
export function findDay(text: string, around: string | null): string | null {
  const first = DAY_MONTH.exec(text);
  const second = MONTH_DAY.exec(text);
  const [month, day, year] = first ? [first[2], first[1], first[3]] : second ? [second[1], second[2], second[3]] : [];
  if (month && day) {
    if (year) return valid(Number(year), monthOf(month), Number(day));
    return around ? nearest(monthOf(month), Number(day), around) : null;
  }
  if (!around) return null;
  const weekday = WEEKDAY.exec(text);
  if (weekday) {
    const back = (new Date(noon(around)).getUTCDay() - DAYS.indexOf((weekday[1] ?? '').toLowerCase()) + 7) % 7;
    return dayOf(noon(around) - back * 86_400_000);
  }
  if (/\byesterday\b/i.test(text)) return dayOf(noon(around) - 86_400_000);
  if (/\b(?:today|earlier in the day)\b/i.test(text)) return around;
  return null;
}

/** The start of a day in IST as an RFC 3339 time in UTC. */
export const startOfDay = (day: string): string => new Date(Date.parse(`${day}T00:00:00+05:30`)).toISOString();

/** When the event happened, where the text names a day near the item's own: the start of that day; else null. */
export function findEventTime({ title, summary, day: around }: Reading): string | null {
  const day = findDay(title.text, around) ?? findDay(summary.text.slice(0, 300), around);
  return day ? startOfDay(day) : null;
}
