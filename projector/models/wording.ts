/** How counts, days and lists are written in sentences that are made from counts. */

const DAY = new Intl.DateTimeFormat('en-IN', {
  timeZone: 'Asia/Kolkata',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
});

const NUMBER = new Intl.NumberFormat('en-IN');

/** `1 store`, `1,200 stores`, `3 companies`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${NUMBER.format(count)} ${count === 1 ? one : many}`;

/** `12 November 2026`: the day in IST. */
export const dayName = (moment: Date): string => DAY.format(moment);

/** `Pune, Nagpur and 3 more`. */
export function listed(names: readonly string[], maximum: number): string {
  const shown = names.slice(0, maximum);
  const more = names.length - shown.length;
  const all = more > 0 ? [...shown, `${more} more`] : shown;
  return all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

const IST = 5.5 * 3_600_000;

/**
 * The day in IST of a moment.
 * @param moment in milliseconds since 1970
 * @returns `YYYY-MM-DD`
 */
export const istDay = (moment: number): string => new Date(moment + IST).toISOString().slice(0, 10);
