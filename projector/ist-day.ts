const IST = 5.5 * 3_600_000;

/**
 * The day in IST of a moment.
 * @param moment in milliseconds since 1970
 * @returns `YYYY-MM-DD`
 */
export const istDay = (moment: number): string => new Date(moment + IST).toISOString().slice(0, 10);
