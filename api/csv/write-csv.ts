/** Tables as CSV (RFC 4180), safe to open in a spreadsheet. */

export type Cell = string | number | null;

/** What a spreadsheet would take for the beginning of a formula, full-width forms included. */
const FORMULA = /^[=+\-@＝＋－＠]/;
/** Blanks and control characters, which a spreadsheet may drop before it looks. */
const NOTHING = /^[\s\p{C}]+/u;

/**
 * One cell. Text that a spreadsheet would run as a formula gets an apostrophe in front, which shows it as text; numbers
 * that we counted stay numbers.
 */
export function csvCell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const harmless = FORMULA.test(value.replace(NOTHING, '')) || /^[\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) || harmless !== harmless.trim() ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Lines with the column names first, each ended by CR LF. */
export function writeCsv(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [columns, ...rows].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}
