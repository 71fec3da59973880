/** Who came, went and rose: the answer of leadership moves. */
import { z } from 'zod';
import { CitedReport, SignalReference } from './resources.ts';
import { Instant, IstDay, StoredBrandSlug } from './scalar.ts';
import { Appointment } from './story.ts';

/** What a role is read for. One role may be several: a chief marketing officer is `c_suite` and `marketing`. */
export const LENSES = [
  'c_suite',
  'board',
  'founders',
  'marketing',
  'technology',
  'finance',
  'operations',
  'people',
] as const;
export const Lens = z.enum(LENSES);
export type Lens = z.infer<typeof Lens>;

export const Direction = Appointment.shape.direction;
export type Direction = z.infer<typeof Direction>;

const count = z.int().nonnegative();

export const LeadershipMove = z.object({
  person: z.string(),
  role: z.string().nullable().describe('As reported'),
  lenses: z.array(Lens).describe('What the role is read for; none where no role is reported'),
  company: z.string().nullable(),
  company_slug: StoredBrandSlug.nullable(),
  direction: Direction,
  from: z.string().nullable().describe('Where the person comes from'),
  to: z.string().nullable().describe('Where the person goes'),
  effective: IstDay.nullable(),
  signal: SignalReference,
  ...CitedReport,
});
export type LeadershipMove = z.infer<typeof LeadershipMove>;

export const VacantSeat = z.object({
  company: z.string(),
  company_slug: StoredBrandSlug.nullable(),
  role: z.string(),
  person: z.string().describe('Who left it'),
  vacant_since: IstDay.describe('Day that the exit takes effect, else the day on which it was reported'),
  signal: SignalReference,
  ...CitedReport,
});
export type VacantSeat = z.infer<typeof VacantSeat>;

export const LeadershipMoves = z.object({
  since: Instant,
  until: Instant,
  total: count.describe('Moves in the window, those beyond the list included'),
  by_direction: z.object({ joined: count, left: count, promoted: count }),
  week_count: count.describe('Moves of the last 7 days'),
  prior_week_count: count.describe('Moves of the 7 days before'),
  reading: z
    .string()
    .describe('What the moves say, in one sentence made from counts alone, with the filters asked for'),
  next_cursor: z.string().nullable().describe('Of the list of moves; null at its end'),
  moves: z.array(LeadershipMove).describe('Newest report first'),
  left_out_total: count.describe('Moves of the same companies and days that role, lens or direction leave out'),
  left_out: z.array(LeadershipMove).describe('The newest of them, where no move fits all that was asked for'),
  seats_to_watch: z.array(VacantSeat).describe('Seats that were left in the window and not filled since, newest first'),
});
export type LeadershipMoves = z.infer<typeof LeadershipMoves>;
