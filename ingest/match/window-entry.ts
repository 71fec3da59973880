/** One signal of the window, and how the events of its stream change it. */
import { DAY } from '../../language/days.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { addressKey, type BrandSlug, type SignalId } from '../../schemas/scalar.ts';
import { itemName, type Report } from '../../schemas/signal.ts';
import type { Counted } from './candidate-search.ts';
import {
  type Features,
  familiesOf,
  featuresOf,
  type ParentOf,
  textFeaturesOf,
  understoodFeaturesOf,
  understoodIn,
} from './report-features.ts';
import type { SavedSignal } from './signal-index.ts';

/** Reports stored per signal: so many are compared with each other before it grows further. */
export const MAX_REPORTS = 40;

export interface Entry extends Counted {
  readonly id: SignalId;
  day: number;
  resurfaced: boolean;
  readonly reports: Features[];
  /** Slugs of its brands, as they were understood first. */
  readonly brands: readonly BrandSlug[];
  /** The items and addresses of its reports. */
  readonly names: string[];
  /** How many of the names the index has. */
  savedNames: number;
  mergedInto: SignalId | null;
  /** True when the index has keys of it that are none any more. */
  replacesKeys: boolean;
  /** Position of the last event that changed it, -1 for none since it was read from the index; a double fits positions of both stores. */
  changed: number;
}

/** A signal as it is detected, without its first report. */
export const entryOfDetection = (data: KnownEvent<'SignalDetected'>['data'], position: number): Entry => ({
  id: data.signal_id,
  day: Date.parse(data.report.first_seen_at) / DAY,
  resurfaced: data.status === 'resurfaced',
  reports: [],
  brands: data.understanding.brands.map(({ slug }) => slug),
  names: [],
  savedNames: 0,
  replacesKeys: false,
  mergedInto: null,
  order: position,
  changed: position,
  search: 0,
  weight: 0,
});

/** A signal as it is in the index. Owners of brands are those of the catalogue now. */
export function entryOfSaved(saved: SavedSignal, parentOf: ParentOf): Entry {
  const families = familiesOf(saved.brands, parentOf);
  return {
    id: saved.id,
    day: saved.day,
    resurfaced: saved.resurfaced,
    reports: saved.reports.map((report) => ({ ...report, families })),
    brands: saved.brands,
    names: [...saved.names],
    savedNames: saved.names.length,
    replacesKeys: false,
    mergedInto: saved.mergedInto,
    order: saved.position,
    changed: -1,
    search: 0,
    weight: 0,
  };
}

/** The features of a stored report. Version 1.0 stored none of what was understood: there it is that of the signal. */
export function featuresIn(
  { report, facts }: KnownEvent<'SignalReported'>['data'],
  entry: Entry,
  parentOf: ParentOf,
): Features {
  if (!report.understood)
    return { ...textFeaturesOf(report), ...understoodIn(entry.reports[0] ?? understoodFeaturesOf(null)) };
  const { people = [], openings = [], deal = null, result = null } = facts ?? {};
  return featuresOf(report, { ...report.understood, people, openings, deal, result }, parentOf);
}

/** The day of a signal with a further report that counts. */
export const earlierDay = (entry: Entry, report: Report): number =>
  Math.min(entry.day, Date.parse(report.first_seen_at) / DAY);

/** Names by which a report is found. */
export const namesOf = (report: Report): [item: string, address: string] => [itemName(report), addressKey(report.url)];

/**
 * The place of the features of a report that was split off; -1 for none. Its wording may be another by now: those of the same
 * item share much of the headline.
 */
export function placeOfReport({ reports }: Entry, report: Report): number {
  const { outlet, seen, title } = textFeaturesOf(report);
  const likeness = (one: Features): number =>
    one.outlet === outlet && one.seen === seen ? one.title.ids.filter((id) => title.ids.includes(id)).length : 0;
  const highest = Math.max(0, ...reports.map(likeness));
  return highest === 0 ? -1 : reports.findIndex((one) => likeness(one) === highest);
}
