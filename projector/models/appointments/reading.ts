/** What leadership moves say, in one sentence made from counts alone. Pure. */
import type { Direction, Lens } from '../../../schemas/leadership.ts';
import { counted, listed } from '../wording.ts';

/** What the moves were narrowed by, as it was understood. */
export interface Filters {
  readonly role?: string | undefined;
  readonly lens?: Lens | undefined;
  readonly direction?: Direction | undefined;
  readonly company?: string | undefined;
  readonly sector?: string | undefined;
}

export interface Counts {
  readonly days: number;
  readonly filters: Filters;
  /** Moves of the same companies and days that role, lens or direction leave out. */
  readonly left_out_total: number;
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

/** ` for role CMO, direction joined, at Kiri Foods`; empty without a filter. */
export function filterWords({ role, lens, direction, company, sector }: Filters): string {
  const narrowed = [role && `role ${role}`, lens && `lens ${lens}`, direction && `direction ${direction}`].filter(
    Boolean,
  );
  return [
    narrowed.length > 0 ? ` for ${narrowed.join(', ')}` : '',
    company ? ` at ${company}` : '',
    sector ? ` in ${sector}` : '',
  ].join('');
}

/** The sentence when no move fits, with how many there are without role, lens and direction. */
function noneFound({ days, filters, left_out_total }: Counts): string {
  const asked = [filters.role, filters.lens, filters.direction].filter((filter) => filter !== undefined).length;
  const none = `No leadership moves found${filterWords(filters)} in the last ${days} days`;
  if (asked === 0) return `${none}.`;
  const without = asked === 1 ? 'without that filter' : 'without these filters';
  return `${none}; ${orNone(left_out_total)} ${without}.`;
}

/** The sentence; what is not counted is left out. */
export function readingOf(counts: Counts): string {
  const { days, total, filters, by_direction, week_count, prior_week_count, lenses, vacant, left_out_total } = counts;
  if (total === 0) return noneFound(counts);
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
  const open = vacant === 0 ? '' : `; ${counted(vacant, 'seat')} left with no successor reported`;
  const others = left_out_total === 0 ? '' : `; ${counted(left_out_total, 'other move')} left out by the filter`;
  return (
    `${counted(total, 'leadership move')}${filterWords(filters)} in the last ${days} days: ${how}; ` +
    `${orNone(week_count)} in the last 7 days against ${orNone(prior_week_count)} in the 7 before` +
    `${most ? `; most in ${most}` : ''}${open}${others}.`
  );
}
