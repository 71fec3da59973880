/** Tables as CSV (RFC 4180), safe to open in a spreadsheet. */

import type { FastifyReply } from 'fastify';
import { reportedAt, type SignalItem, type Watch } from '../schemas/resources.ts';
import { MOVES } from '../schemas/scalar.ts';

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

/** What spreadsheets take a file for UTF-8 by; programs would take it for a part of the first name. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Answers with the table as a file of that name. */
export const sendCsv = (
  reply: FastifyReply,
  name: string,
  { columns, rows }: CsvTable,
  { forSpreadsheets = false } = {},
): FastifyReply =>
  reply
    .type('text/csv; charset=utf-8; header=present')
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(`${forSpreadsheets ? BYTE_ORDER_MARK : ''}${writeCsv(columns, rows)}`);

/**
 * True when `Accept` names `text/csv` and weighs nothing of JSON higher. Wildcards ask for nothing in particular, so
 * they get JSON.
 */
export function prefersCsv(accept: string | undefined): boolean {
  if (!accept?.toLowerCase().includes('text/csv')) return false;
  return weight(accept, 'text/csv') > 0 && weight(accept, 'text/csv') >= weight(accept, 'application/json');
}

function weight(accept: string, type: string): number {
  for (const one of accept.split(',')) {
    const [name, ...parameters] = one.split(';').map((part) => part.trim().toLowerCase());
    if (name !== type) continue;
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    return quality ? Number(quality.slice(2)) || 0 : 1;
  }
  return 0;
}

const names = (signal: SignalItem, role: 'primary' | 'secondary'): string =>
  signal.brands.flatMap((brand) => (brand.role === role ? [brand.name] : [])).join('; ');

/** Signals as a table. */
export const signalRows = (signals: readonly SignalItem[]): CsvTable => ({
  columns: [
    'id',
    'reported_at',
    'published_at',
    'event_at',
    'move',
    'kind',
    'headline',
    'delta',
    'summary',
    'theme',
    'brands',
    'mentions',
    'cities',
    'outlets',
    'outlet',
    'source_url',
    'url',
  ],
  rows: signals.map((signal) => [
    signal.id,
    reportedAt(signal),
    signal.published_at,
    signal.event_at,
    signal.move,
    signal.kind,
    signal.headline,
    signal.delta,
    signal.summary,
    signal.theme?.name ?? null,
    names(signal, 'primary'),
    names(signal, 'secondary'),
    signal.cities.join('; '),
    signal.outlets,
    signal.source.outlet,
    signal.source.url,
    signal.url,
  ]),
});

/** Competitor Watch as a table: a row for each brand, a column for each kind of move. */
export const watchRows = ({ window_days, since, until, brands }: Watch): CsvTable => ({
  columns: [
    'brand',
    'slug',
    'url',
    'window_days',
    'since',
    'until',
    'total',
    'prior_total',
    ...MOVES,
    ...MOVES.map((move) => `prior_${move}`),
    'cities',
  ],
  rows: brands.map((brand) => [
    brand.name,
    brand.slug,
    brand.url,
    window_days,
    since,
    until,
    brand.total,
    brand.prior_total,
    ...MOVES.map((move) => brand.by_move[move]),
    ...MOVES.map((move) => brand.prior_by_move[move]),
    brand.cities.join('; '),
  ]),
});
