/** Authored events come round once in 120 days, so that at any moment the last 120 days hold each exactly once. */
import { DAY, HOUR, MINUTE } from './calendar.ts';
import { chance } from './chance.ts';

export const CYCLE_DAYS = 120;
const CYCLE = CYCLE_DAYS * DAY;

/** 1 January 2020, 00:00 IST. */
const EPOCH = Date.UTC(2019, 11, 31, 18, 30);

const offsets = new Map<string, number>();

/** Milliseconds from the start of a cycle. Newsrooms hear of things between 9:00 and 20:00 IST. */
function offset(id: string, day: number | undefined): number {
  const known = offsets.get(`${id} ${day}`);
  if (known !== undefined) return known;
  const whole = Math.floor(day ?? chance('day', id) * CYCLE_DAYS);
  const found = whole * DAY + 9 * HOUR + Math.floor(chance('hour', id) * 11 * 60) * MINUTE;
  offsets.set(`${id} ${day}`, found);
  return found;
}

/** The time of an event in a cycle; cycle 0 begins in January 2020. */
export const occurrence = (event: { id: string; day?: number | undefined }, cycle: number): Date =>
  new Date(EPOCH + cycle * CYCLE + offset(event.id, event.day));

/** The cycle whose occurrence of the event is the latest that is not after `now`. */
export const currentCycle = (event: { id: string; day?: number | undefined }, now: Date): number =>
  Math.floor((now.getTime() - EPOCH - offset(event.id, event.day)) / CYCLE);
