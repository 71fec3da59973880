/** What rows of facts are made of: the columns of their tables, and how facts of several reports become one row. */
import type { BrandSlug } from '../schemas/scalar.ts';
import type { ReportedFacts } from '../schemas/signal.ts';
import type { Understanding } from '../schemas/story.ts';

/** `name` is a text that is compared as it is, such as a slug; a `day` is written YYYY-MM-DD. */
export type ColumnType = 'text' | 'name' | 'names' | 'integer' | 'number' | 'day';

export interface Column {
  /** In SQL, in files and in answers of the API. */
  readonly name: string;
  readonly type: ColumnType;
  /** Every row has a value. */
  readonly required?: true;
  /** The parameter by which rows are filtered. */
  readonly filter?: string;
  /** What the filter is called on pages. */
  readonly title?: string;
  /** All values that it can have; unset where it can have any. */
  readonly values?: readonly string[];
  /** The order by it, by name. */
  readonly sort?: string;
  /** SQL that the order is by, where that is not the value itself; `t` is the row. */
  readonly sortedBy?: string;
  /** For queries alone: it is no cell of a row. */
  readonly isInternal?: true;
  readonly describe?: string;
}

/** The report that states a fact; null where version 1.0 did not store which one it is. */
export interface Origin {
  readonly outlet: string | null;
  readonly source_url: string | null;
}

/** A text of a signal; of a further report only its facts. */
export type FactText = ReportedFacts & Partial<Understanding>;

export type Cell = string | number | null | readonly string[];

/** The table of a kind: its rows, and how they are filtered, sorted and summed. */
export interface FactTable<Row = unknown> {
  /** Name of the read model and of its table in SQL. */
  readonly table: string;
  /** The `import.meta.url` of the file that declares it: when its code changes, the table is rebuilt. */
  readonly file: string;
  readonly columns: readonly Column[];
  /** Statements that create indexes after the rows. */
  readonly indexes: readonly string[];
  /** Sums over rows `t` in SQL, by name. */
  readonly totals: Readonly<Record<string, string>>;
  /** In SQL, which rows `t` are listed and counted; all when unset. */
  readonly listed?: string;
  /** The rows that a text states. */
  rowsOf(text: FactText): readonly Row[];
  /**
   * The rows so far completed by those of a further report of the same event: a row that is there already gets what it
   * lacks and is not added again. Default: the rows of the first report that states any.
   */
  combine?(rows: readonly (Row & Origin)[], more: readonly (Row & Origin)[]): readonly (Row & Origin)[];
  /** The cells of a row by column, where they are not the row itself. @param day of the first report in IST, YYYY-MM-DD */
  cells?(row: Row & Origin, day: string): Readonly<Record<string, Cell>>;
}

/** Declares the table of a kind. */
export const factTable = <Row>(table: FactTable<Row>): FactTable<Row> => table;

/** Sums in SQL. */
export const countWhere = (condition: string): string => `count(*) FILTER (WHERE ${condition})`;

/** The slug under which a text names a company; null for a company that is not among its brands. */
export const slugIn = (text: Pick<ReportedFacts, 'brands'>, company: string | null): BrandSlug | null =>
  text.brands.find(({ name }) => name === company)?.slug ?? null;

/** The slugs of the brands that a text is about. */
export const aboutIn = (text: Pick<ReportedFacts, 'brands'>): BrandSlug[] => [
  ...new Set(text.brands.flatMap(({ slug, role }) => (role === 'primary' ? [slug] : []))),
];

/** Values of both lists, each once. */
export const union = <Value>(one: readonly Value[], other: readonly Value[]): Value[] => [
  ...new Set([...one, ...other]),
];

/** The first of two rows with what only the other has, cited by the report that states more of it. */
export function completed<Row extends Origin>(row: Row, other: Row, fields: readonly (keyof Row)[]): Row {
  const stated = (one: Row): number => fields.filter((field) => one[field] !== null).length;
  const missing = fields.filter((field) => row[field] === null && other[field] !== null);
  if (missing.length === 0) return row;
  const filled = { ...row, ...Object.fromEntries(missing.map((field) => [field, other[field]])) };
  const { outlet, source_url } = stated(other) > stated(row) ? other : row;
  return { ...filled, outlet, source_url };
}

/** Rows completed one by one: a further row completes the first that is the same, and is added where none is. */
export const completedRows = <Row extends Origin>(
  rows: readonly Row[],
  more: readonly Row[],
  isSame: (one: Row, other: Row) => boolean,
  complete: (row: Row, other: Row) => Row,
): readonly Row[] =>
  more.reduce<readonly Row[]>((all, other) => {
    const at = all.findIndex((one) => isSame(one, other));
    const same = all[at];
    return same ? all.with(at, complete(same, other)) : all.concat(other);
  }, rows);
