/** What is answered about one kind of move: expansion map, leadership moves, results season, tables. */
import { z } from 'zod';
import { Opening } from '../facts/openings/fields.ts';
import { Appointment } from '../facts/people/fields.ts';
import { Category } from './catalogue.ts';
import { CitedReport, SignalItem, SignalReference } from './resources.ts';
import { Instant, IstDay, StoredBrandSlug } from './scalar.ts';

/** The window of an expansion map or a list of leadership moves, in days. */
export const LOOK_BACK = { minimum: 7, maximum: 365, default: 90 } as const;

const count = z.int().nonnegative();
const openings = count.describe('Openings reported, without closures');
const AT_LEAST = 'at least: one reported without a number counts as one';
const opened = count.describe(`Stores opened, ${AT_LEAST}`);
const planned = count.describe(`Stores announced or planned, ${AT_LEAST}`);
/** `stores` counts opened ones alone, as `stores_opened` does. */
const counts = { openings, stores: opened, stores_opened: opened, stores_planned: planned };

export const OpeningStatus = Opening.shape.status;
export type OpeningStatus = z.infer<typeof OpeningStatus>;

export const ReportedOpening = z.object({
  brand: z.string(),
  brand_slug: StoredBrandSlug.nullable(),
  category: Category.nullable().describe('Null for a brand that the catalogue lacks'),
  city: z.string().nullable(),
  mall: z.string().nullable(),
  locality: z.string().nullable(),
  stores: z.int().nullable().describe('As reported; null where no number is reported'),
  status: OpeningStatus,
  date: IstDay.nullable().describe('Day of the opening in IST, where reported'),
  signal: SignalReference,
  ...CitedReport,
});
export type ReportedOpening = z.infer<typeof ReportedOpening>;

export const Pitch = z.object({
  brand: z.string(),
  brand_slug: StoredBrandSlug.nullable(),
  category: Category.nullable(),
  planned: count.describe('Stores announced or planned but not yet opened, at least'),
  opened: count.describe('Stores opened in the window, at least'),
  why: z.string().describe('One sentence, made from counts and dates alone'),
  signal: SignalReference.describe('The newest report of a store that is announced or planned'),
  ...CitedReport,
});
export type Pitch = z.infer<typeof Pitch>;

export const ExpansionPlace = z.object({
  type: z.enum(['india', 'region', 'city', 'mall']),
  name: z.string(),
  city: z.string().nullable().describe('City of a mall, or the city itself'),
  state: z.string().nullable(),
});
export type ExpansionPlace = z.infer<typeof ExpansionPlace>;

export const ExpansionMap = z.object({
  place: ExpansionPlace,
  category: Category.nullable().describe('The category that was asked for; null for all'),
  since: Instant,
  until: Instant,
  openings_total: openings,
  stores_total: opened,
  stores_opened: opened,
  stores_planned: planned,
  closures_total: count.describe('Closures reported'),
  rows_total: count.describe('Rows that the list of openings has in all: openings and closures'),
  next_cursor: z.string().nullable().describe('Of the list of openings; null at its end'),
  by_category: z.array(z.object({ category: Category.nullable(), ...counts })).describe('Most openings first'),
  by_city: z
    .array(
      z.object({
        city: z.string(),
        state: z.string().nullable(),
        latitude: z.number().nullable(),
        longitude: z.number().nullable(),
        ...counts,
      }),
    )
    .describe('Most openings first; openings reported without a city are in none'),
  by_mall: z.array(z.object({ mall: z.string(), city: z.string().nullable(), ...counts })),
  who_to_pitch: z
    .array(Pitch)
    .describe('Brands with stores announced or planned, ranked by their number, then by the newest report'),
  openings: z.array(ReportedOpening).describe('Newest report first, closures included'),
});
export type ExpansionMap = z.infer<typeof ExpansionMap>;

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

/** A quarter of the Indian fiscal year, which starts on 1 April: `Q2 FY27` is July to September 2026. */
export const Quarter = z.string().regex(/^Q[1-4] FY\d\d$/, 'must be a quarter such as "Q2 FY27"');
export type Quarter = z.infer<typeof Quarter>;

export const Company = z.object({ name: z.string(), slug: StoredBrandSlug, url: z.string() });
export type Company = z.infer<typeof Company>;

export const KeyNumber = z.object({
  company: z.string(),
  company_slug: StoredBrandSlug,
  metric: z.string().describe('`revenue`, `profit`, `sales` and such'),
  value: z.string().nullable().describe('As the source wrote it'),
  growth_pct: z
    .number()
    .nullable()
    .describe('Against the same quarter of the year before, in per cent, where reported'),
  signal: SignalReference.describe('The report of the value, or of the growth where no value is reported'),
  ...CitedReport,
  growth_signal: SignalReference.nullable().describe('The report of the growth where `signal` does not state it'),
});
export type KeyNumber = z.infer<typeof KeyNumber>;

/** Everything of the answer but its chart, which is drawn from `growth`. */
export const GroupSeason = z.object({
  group: z.object({ name: z.string(), slug: z.string(), url: z.string() }),
  quarter: Quarter,
  quarter_since: IstDay.describe('First day of the quarter'),
  quarter_until: IstDay.describe('Last day of the quarter'),
  quarter_status: z
    .enum(['not_begun', 'running', 'ended'])
    .describe('Whether the quarter has begun and ended: no company reports before its end'),
  season: z.object({
    reported: z.int().nonnegative().describe('Companies of the group that reported the quarter'),
    expected: z.int().nonnegative().describe('Companies of the group that report results'),
    not_yet: z.array(Company).describe('Those that did not report yet'),
  }),
  growth: z
    .array(z.object({ company: z.string(), company_slug: StoredBrandSlug, metric: z.string(), growth_pct: z.number() }))
    .describe(
      'Growth by company, highest first: of revenue, else of sales; of profit where no company reports revenue',
    ),
  key_numbers: z.array(KeyNumber).describe('Company by company, the newest report of each metric'),
  moves: z.array(SignalItem).max(10).describe('The latest moves of the group, newest first'),
  moves_total: z.int().nonnegative().describe('Moves of the group in the last 90 days'),
  what_to_watch: z.array(
    z.object({
      text: z.string(),
      signal: SignalReference.nullable().describe('Null where counts alone say it'),
      outlet: CitedReport.outlet,
      source_url: CitedReport.source_url,
      published_at: Instant.nullable(),
    }),
  ),
});
export type GroupSeason = z.infer<typeof GroupSeason>;

export const GroupAnswer = GroupSeason.extend({
  chart_html: z.string().describe('Self-contained fragment: an inline SVG, and a table with the same figures'),
});
export type GroupAnswer = z.infer<typeof GroupAnswer>;
