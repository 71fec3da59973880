/** Who opens where: the answer of the expansion map. */
import { z } from 'zod';
import { Category } from './catalogue.ts';
import { CitedReport, SignalReference } from './resources.ts';
import { Instant, IstDay, StoredBrandSlug } from './scalar.ts';
import { Opening } from './story.ts';

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
