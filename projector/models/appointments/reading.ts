/** What leadership moves say, in one sentence made from counts alone. Pure. */
import type { Lens } from '../../../schemas/leadership.ts';
import { counted, listed } from '../wording.ts';

export interface Counts {
  readonly days: number;
  readonly total: number;
  readonly by_direction: { readonly joined: number; readonly left: number; readonly promoted: number };
  readonly week_count: number;
  readonly prior_week_count: number;
  /** Most first. */
  readonly lenses: readonly { readonly lens: Lens; readonly moves: number }[];
  /** Seats that were left and not filled since. */
  readonly vacant: number;
}

/** A lens as sentences name it. */
export const LENS_NAMES: Readonly<Record<Lens, string>> = {
  c_suite: 'the C-suite',
  board: 'the board',
  founders: 'founders',
  marketing: 'marketing',
  technology: 'technology',
  finance: 'finance',
  operations: 'operations',
  people: 'human resources',
};

const orNone = (count: number): string => (count === 0 ? 'none' : String(count));

/** The sentence; what is not counted is left out. */
export function readingOf({ days, total, by_direction, week_count, prior_week_count, lenses, vacant }: Counts): string {
  if (total === 0) return `No leadership move was told in the last ${days} days.`;
  const { joined, left, promoted } = by_direction;
  const ways = [
    [joined, 'joined'],
    [left, 'left'],
    [promoted, promoted === 1 ? 'was promoted' : 'were promoted'],
  ] as const;
  const how = listed(
    ways.flatMap(([count, way]) => (count > 0 ? [`${count} ${way}`] : [])),
    3,
  );
  // Most moves of any role are of the C-suite: what sets them apart is the part of the company.
  const parts = lenses.filter(({ lens }) => lens !== 'c_suite').slice(0, 2);
  const most = listed(
    parts.map(({ lens, moves }) => `${LENS_NAMES[lens]} (${moves})`),
    2,
  );
  const open =
    vacant === 0
      ? ''
      : `; ${counted(vacant, 'seat')} that ${vacant === 1 ? 'was left is' : 'were left are'} not told to be filled`;
  return (
    `${counted(total, 'leadership move')} in the last ${days} days: ${how}; ` +
    `${orNone(week_count)} in the last 7 days against ${orNone(prior_week_count)} in the 7 before` +
    `${most ? `; most in ${most}` : ''}${open}.`
  );
}
