/** Moves, brands, Competitor Watch and the brief. */
import { z } from 'zod';
import { BrandAnswer, Watch } from '../../../schemas/brand.ts';
import { Brief } from '../../../schemas/brief.ts';
import { SignalDetail, SignalPage } from '../../../schemas/resources.ts';
import type { CsvTable } from '../../csv/send-csv.ts';
import { signalRows } from '../../csv/signal-rows.ts';
import { watchRows } from '../../csv/watch-rows.ts';
import { writeCsv } from '../../csv/write-csv.ts';
import { BriefQuery } from '../../routes/brief.ts';
import { SignalsQuery } from '../../routes/signals.ts';
import { WatchQuery } from '../../routes/watch.ts';
import { brandExample, briefItemExample, detailExample, signalExample, watchExample } from '../examples.ts';
import type { Answer, Operation } from '../operation.ts';

export const SignalAnswer = z.object({ signal: SignalDetail });

/** The same call with its answer as a table, at an address of its own: the type of the JSON answer stays one type. */
const asTable = (operation: Operation, id: string, { columns, rows }: CsvTable, headers = {}): Operation => ({
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
const NEXT_PAGE = { 'Link?': 'The next page, as `rel="next"`; missing on the last' };
const retired: Answer = {
  description: 'The slug was retired; its successor stands at `Location`.',
  headers: { Location: 'Address of the successor' },
};

const listSignals: Operation = {
  method: 'get',
  path: '/api/v1/signals',
  id: 'listSignals',
  tag: 'Moves',
  summary: 'Latest moves, newest first',
  description:
    'Only public signals; resurfaced old news is left out. Ask for the next page with `cursor` until `next_cursor` is null: signals that arrive meanwhile shift nothing. Of 51 to 100 the `limit` needs `expand=detail`. With `Accept: text/csv` the answer is that of `/api/v1/signals.csv`.',
  access: 'read',
  query: SignalsQuery,
  queryExamples: { brand: 'zudio', theme: 'store-expansion', kind: 'stores', since: '2026-11-20', limit: 20 },
  answers: {
    200: {
      description: 'A page of moves.',
      schema: SignalPage,
      example: { signals: [signalExample], next_cursor: null },
      headers: NEXT_PAGE,
    },
  },
  errors: ['invalid_request'],
};

const watchBrands: Operation = {
  method: 'get',
  path: '/api/v1/watch',
  id: 'watchBrands',
  tag: 'Brands',
  summary: 'Competitor Watch: several brands side by side',
  description:
    'A free key watches up to 5 brands over 7 days, a Pro key up to 25 over 7, 30 or 90. A retired slug counts as the brand that it leads to. With `Accept: text/csv` the answer is that of `/api/v1/watch.csv`.',
  access: 'read',
  query: WatchQuery,
  queryExamples: { b: ['zudio', 'westside'], days: 7 },
  answers: {
    200: {
      description: 'The brands in the order of asking.',
      schema: Watch,
      example: watchExample,
    },
  },
  errors: ['invalid_request', 'pro_required'],
};

export const MOVE_OPERATIONS: readonly Operation[] = [
  listSignals,
  asTable(listSignals, 'listSignalsTable', signalRows([signalExample]), NEXT_PAGE),
  {
    method: 'get',
    path: '/api/v1/signals/{slug}',
    id: 'getSignal',
    tag: 'Moves',
    summary: 'One move in full',
    description: 'A cite id (`sig_` and 16 hexadecimal characters) in place of the slug leads to the slug.',
    access: 'read',
    pathParameters: { slug: { description: 'Slug of the signal', example: signalExample.slug } },
    answers: {
      200: { description: 'The move.', schema: SignalAnswer, example: { signal: detailExample } },
      301: retired,
    },
    errors: ['invalid_request', 'not_found'],
  },
  {
    method: 'get',
    path: '/api/v1/brands/{slug}',
    id: 'getBrand',
    tag: 'Brands',
    summary: 'One brand and its 10 latest moves',
    description: 'How many stories name the brand, its last 30 days by kind of move, and what it is reported with.',
    access: 'read',
    pathParameters: { slug: { description: 'Slug of the brand', example: 'kiri-foods' } },
    answers: {
      200: {
        description: 'The brand.',
        schema: BrandAnswer,
        example: { brand: brandExample, latest: [signalExample] },
      },
      301: retired,
    },
    errors: ['invalid_request', 'not_found'],
  },
  watchBrands,
  asTable(watchBrands, 'watchBrandsTable', watchRows(watchExample)),
  {
    method: 'get',
    path: '/api/v1/brief',
    id: 'getBrief',
    tag: 'Moves',
    summary: "Today's brief",
    description:
      'At most 12 moves, ranked by outlets, then by how many accounts follow their brands, then the newest; never two on one event. Brands and themes given together both have to fit.',
    access: 'read',
    query: BriefQuery,
    queryExamples: { brands: ['zudio'], themes: ['store-expansion'], hours: 24 },
    answers: {
      200: {
        description: 'The brief.',
        schema: Brief,
        example: {
          date: '2026-11-21',
          label: 'Morning brief, Saturday 21 November 2026',
          window_hours: 24,
          filters: { brands: [], themes: [] },
          items: [briefItemExample],
        },
      },
    },
    errors: ['invalid_request'],
  },
];
