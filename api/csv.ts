/** Answers of the API as CSV. */
import type { z } from 'zod';
import { type CsvTable, writeCsv } from '../presentation/csv.ts';
import type { Watch } from '../schemas/brand.ts';
import type { SignalItem } from '../schemas/resources.ts';
import { MOVES } from '../schemas/scalar.ts';
import type { Operation } from './route.ts';

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

/**
 * The operation with its answer as a table, at an address of its own: a JSON answer keeps one type.
 * @param example a table as the operation would answer
 * @param headers of the answer, in addition to `Content-Disposition`
 */
export const asTable = <Path extends string, Query extends z.ZodRawShape, Body extends z.ZodRawShape>(
  operation: Operation<Path, Query, Body>,
  id: string,
  { columns, rows }: CsvTable,
  headers: Readonly<Record<string, string>> = {},
): Operation<`${Path}.csv`, Query, Body> => ({
  ...operation,
  path: `${operation.path}.csv`,
  id,
  summary: `${operation.summary}, as CSV`,
  description: `What \`${operation.path}\` answers, as a table (RFC 4180) with the names of its columns first. Text that a spreadsheet would run as a formula begins with an apostrophe.`,
  answers: {
    200: {
      description: 'The table.',
      others: { 'text/csv': writeCsv(columns, rows) },
      headers: { ...headers, 'Content-Disposition': 'A name for the file' },
    },
  },
});

const names = (signal: SignalItem, role: 'primary' | 'secondary'): string =>
  signal.brands.flatMap((brand) => (brand.role === role ? [brand.name] : [])).join('; ');

/** Signals as a table. */
export const signalRows = (signals: readonly SignalItem[]): CsvTable => ({
  columns: [
    ...['id', 'published_at', 'event_at', 'move', 'kind', 'headline', 'delta', 'summary', 'theme', 'brands'],
    ...['mentions', 'cities', 'outlets', 'outlet', 'source_url', 'url'],
  ],
  rows: signals.map((signal) => [
    ...[signal.id, signal.published_at, signal.event_at, signal.move, signal.kind, signal.headline, signal.delta],
    ...[signal.summary, signal.theme?.name ?? null, names(signal, 'primary'), names(signal, 'secondary')],
    ...[signal.cities.join('; '), signal.outlets, signal.source.outlet, signal.source.url, signal.url],
  ]),
});

/** Competitor Watch as a table: a row for each brand, a column for each kind of move. */
export const watchRows = ({ window_days, since, until, brands }: Watch): CsvTable => ({
  columns: [
    ...['brand', 'slug', 'url', 'window_days', 'since', 'until', 'total', 'prior_total'],
    ...MOVES,
    ...MOVES.map((move) => `prior_${move}`),
    'cities',
  ],
  rows: brands.map((brand) => [
    ...[brand.name, brand.slug, brand.url, window_days, since, until, brand.total, brand.prior_total],
    ...MOVES.map((move) => brand.by_move[move]),
    ...MOVES.map((move) => brand.prior_by_move[move]),
    brand.cities.join('; '),
  ]),
});
