/** Days that a text names for its event, relative to the item's own day in IST; null where the day is uncertain. */
import { DAY, monthNumber, monthStart, plusDays, startOfDay, WEEKDAYS, weekday } from './days.ts';

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
const WEEKDAY = new RegExp(`\\bon\\s+(${WEEKDAYS.join('|')})\\b`, 'i');

const validDay = (year: number, month: number, day: number): string | null => {
  const first = monthStart(year, month);
  const date = plusDays(first, day - 1);
  return day > 0 && date.slice(0, 7) === first.slice(0, 7) ? date : null;
};
/** Days from one day to another; negative where the other is earlier. */
const daysUntil = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / DAY;

/** The date of a day and month that is nearest to the item's day. */
function nearest(month: number, day: number, around: string): string | null {
  const year = Number(around.slice(0, 4));
  const days = [year - 1, year, year + 1].flatMap((each) => validDay(each, month, day) ?? []);
  const distance = (each: string): number => Math.abs(daysUntil(around, each));
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
    if (year) return validDay(Number(year), monthNumber(month), Number(day));
    return around ? nearest(monthNumber(month), Number(day), around) : null;
  }
  if (!around) return null;
  const named = WEEKDAY.exec(text);
  if (named) {
    const back = (weekday(around) - 1 - WEEKDAYS.indexOf((named[1] ?? '').toLowerCase()) + 7) % 7;
    return plusDays(around, -back);
  }
  if (/\byesterday\b/i.test(text)) return plusDays(around, -1);
  if (/\b(?:today|earlier in the day)\b/i.test(text)) return around;
  return null;
}

/** A day that only the summary names is of the event when it is as near as this; else it is of what came before or follows. */
const DAYS_BEFORE = 7;
const DAYS_AFTER = 14;

/** A headline and a summary with the day in IST of their item. */
interface DatedText {
  readonly title: { readonly text: string };
  readonly summary: { readonly text: string };
  readonly day: string | null;
}

/** When the event happened, where the text names a day near the item's own: the start of that day; else null. */
export function findEventTime({ title, summary, day: around }: DatedText): string | null {
  const named = findDay(title.text, around);
  if (named) return startOfDay(named).toISOString();
  const below = findDay(summary.text.slice(0, 300), around);
  if (!below || !around) return below && startOfDay(below).toISOString();
  const days = daysUntil(around, below);
  return days >= -DAYS_BEFORE && days <= DAYS_AFTER ? startOfDay(below).toISOString() : null;
}
