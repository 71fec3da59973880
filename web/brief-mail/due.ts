/** When the morning brief goes out. Pure. */

/** 07:30 in India, which keeps no summer time. */
const AT = 'T07:30:00+05:30';
/** A service that was down goes on sending until so late, in milliseconds after; then the morning is over. */
const LATEST = 4 * 3_600_000;

const IST_DAY = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Kolkata' });

export interface DueBrief {
  /** The day in India, `2026-11-21`. */
  readonly day: string;
  /** The moment at which it is due. */
  readonly at: Date;
}

/** The brief of the day of a moment. */
export function briefOfDay(now: Date): DueBrief {
  const day = IST_DAY.format(now);
  return { day, at: new Date(`${day}${AT}`) };
}

/** The brief that is to go out at a moment; null before 07:30 and after the morning. */
export function dueBrief(now: Date): DueBrief | null {
  const brief = briefOfDay(now);
  const late = now.getTime() - brief.at.getTime();
  return late >= 0 && late < LATEST ? brief : null;
}

/** The moment that the mails of a day tell of: 07:30, as the page of that day does; the present, for one that goes out before. */
export const toldAt = (now: Date): Date => new Date(Math.min(now.getTime(), briefOfDay(now).at.getTime()));
