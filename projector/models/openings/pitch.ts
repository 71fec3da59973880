/** Whom to pitch space to: brands with stores still to come. Pure. */
import { counted, dayName, listed } from '../wording.ts';

/** A row of openings, as deciding needs it. */
export interface Planned {
  readonly key: string;
  readonly brand: string;
  readonly city: string | null;
  readonly mall: string | null;
  readonly stores: number | null;
  readonly status: string;
  readonly date: string | null;
  readonly published_at: Date;
}

export interface Judged<Row extends Planned> {
  readonly brand: string;
  readonly planned: number;
  readonly opened: number;
  readonly why: string;
  /** The row that told last of stores to come. */
  readonly newest: Row;
}

/** Stores of an opening, at least: one that is told without a number is one. */
export const atLeast = ({ stores }: Pick<Planned, 'stores'>): number => Math.max(stores ?? 1, 1);

const sum = (rows: readonly Planned[]): number => rows.reduce((total, row) => total + atLeast(row), 0);

/** Whether a later opening is the one that was planned: in the same mall, or one store in the same city. */
const isDone = (plan: Planned, opened: readonly Planned[]): boolean =>
  opened.some(
    ({ mall, city, published_at }) =>
      published_at > plan.published_at &&
      (plan.mall === null ? plan.city !== null && plan.city === city && atLeast(plan) === 1 : plan.mall === mall),
  );

/** Plans whose day has not passed and which no later opening fulfils. */
export function stillToCome<Row extends Planned>(rows: readonly Row[], today: string): Row[] {
  const opened = rows.filter(({ status }) => status === 'opened');
  return rows.filter(
    (row) =>
      (row.status === 'announced' || row.status === 'planned') &&
      (row.date === null || row.date >= today) &&
      !isDone(row, opened),
  );
}

/**
 * Judges one brand by its rows of the window.
 * @param today in IST, YYYY-MM-DD
 * @param days length of the window
 * @returns null where no store is still to come
 */
export function judge<Row extends Planned>(rows: readonly Row[], today: string, days: number): Judged<Row> | null {
  const coming = stillToCome(rows, today).toSorted(
    (one, other) => other.published_at.getTime() - one.published_at.getTime(),
  );
  const [newest] = coming;
  if (!newest) return null;
  const [planned, opened] = [sum(coming), sum(rows.filter(({ status }) => status === 'opened'))];
  const reports = new Set(coming.map(({ key }) => key)).size;
  const places = [...new Set(coming.flatMap(({ city }) => city ?? []))];
  const told = `${counted(planned, 'store')} announced or planned${places.length > 0 ? ` in ${listed(places, 3)}` : ''}`;
  const when =
    reports === 1
      ? `reported on ${dayName(newest.published_at)}`
      : `reported in ${reports} stories, last on ${dayName(newest.published_at)}`;
  const done =
    opened > 0 ? `${counted(opened, 'store')} opened in the last ${days} days` : `none opened in the last ${days} days`;
  return { brand: newest.brand, planned, opened, why: `${told}, ${when}; ${done}.`, newest };
}

/** By stores to come, then by how recently they were told. */
export const byPromise = <Row extends Planned>(one: Judged<Row>, other: Judged<Row>): number =>
  other.planned - one.planned ||
  other.newest.published_at.getTime() - one.newest.published_at.getTime() ||
  (one.brand < other.brand ? -1 : 1);
