/** Feasts by which Indian retail counts its seasons. Moving ones as the government's lists of holidays name them; days in IST. */

/** By name in lower case, the days of each year, `YYYY-MM-DD`. */
const MOVING: Readonly<Record<string, readonly string[]>> = {
  diwali: ['2024-10-31', '2025-10-20', '2026-11-08', '2027-10-29', '2028-10-17'],
  dhanteras: ['2024-10-29', '2025-10-18', '2026-11-06', '2027-10-27', '2028-10-15'],
  dussehra: ['2024-10-12', '2025-10-02', '2026-10-20', '2027-10-09', '2028-09-27'],
  navratri: ['2024-10-03', '2025-09-22', '2026-10-11', '2027-09-30', '2028-09-19'],
  'durga puja': ['2024-10-09', '2025-09-28', '2026-10-17', '2027-10-06', '2028-09-24'],
  'karwa chauth': ['2024-10-20', '2025-10-10', '2026-10-29', '2027-10-18', '2028-10-07'],
  'ganesh chaturthi': ['2024-09-07', '2025-08-27', '2026-09-14', '2027-09-04', '2028-08-23'],
  onam: ['2024-09-15', '2025-09-05', '2026-08-26', '2027-09-12', '2028-09-01'],
  'raksha bandhan': ['2024-08-19', '2025-08-09', '2026-08-28', '2027-08-17', '2028-08-05'],
  rakhi: ['2024-08-19', '2025-08-09', '2026-08-28', '2027-08-17', '2028-08-05'],
  'akshaya tritiya': ['2024-05-10', '2025-04-30', '2026-04-19', '2027-05-09', '2028-04-27'],
  holi: ['2024-03-25', '2025-03-14', '2026-03-04', '2027-03-22', '2028-03-11'],
  eid: ['2024-04-11', '2025-03-31', '2026-03-21', '2027-03-10', '2028-02-27'],
};

/** Month and day of feasts that do not move. */
const FIXED: Readonly<Record<string, string>> = {
  christmas: '12-25',
  'new year': '01-01',
  'republic day': '01-26',
  'independence day': '08-15',
  pongal: '01-14',
  "valentine's day": '02-14',
};

const NAMES = [...Object.keys(MOVING), 'deepavali', ...Object.keys(FIXED)];
/** A festival with its year, when the text has one. */
export const FESTIVAL = new RegExp(`(?:the )?(${NAMES.join('|')})(?: (?:of )?(\\d{4}))?`, 'i');

/**
 * The day of a festival.
 * @param name as `FESTIVAL` finds it
 * @param year null for the last one until `today`
 * @param today IST day, `YYYY-MM-DD`
 * @returns null for a year that the table lacks
 */
export function festivalDay(name: string, year: number | null, today: string): string | null {
  const key = name.toLowerCase().replace('deepavali', 'diwali');
  const fixed = FIXED[key];
  const days = fixed
    ? [1, 0].map((back) => `${Number(today.slice(0, 4)) - back}-${fixed}`).concat(year ? [`${year}-${fixed}`] : [])
    : (MOVING[key] ?? []);
  if (year !== null) return days.find((day) => day.startsWith(String(year))) ?? null;
  return (
    days
      .filter((day) => day <= today)
      .sort()
      .at(-1) ?? null
  );
}
