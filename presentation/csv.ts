/** Tables as CSV (RFC 4180), safe to open in a spreadsheet. */
import type { FastifyReply } from 'fastify';

export type CsvCell = string | number | null;

/** What a spreadsheet takes for the beginning of a formula, full-width forms included. */
const FORMULA = /^[=+\-@＝＋－＠]/;
/** Blanks and control characters, which a spreadsheet may drop first. */
const INVISIBLE = /^[\s\p{C}]+/u;

/**
 * One cell. Text that a spreadsheet would run as a formula gets an apostrophe in front, which shows it as text; numbers
 * stay numbers.
 */
export function csvCell(value: CsvCell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const harmless = FORMULA.test(value.replace(INVISIBLE, '')) || /^[\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) || harmless !== harmless.trim() ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Lines with the column names first, each ended by CR LF. */
export function writeCsv(columns: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return [columns, ...rows].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

/** A table with its column names. */
export interface CsvTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly CsvCell[])[];
}

/** Answers with the table as a file of that name. */
export const sendCsv = (reply: FastifyReply, name: string, { columns, rows }: CsvTable): FastifyReply =>
  reply
    .type('text/csv; charset=utf-8; header=present')
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(writeCsv(columns, rows));
