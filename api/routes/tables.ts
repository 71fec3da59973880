/** Facts as rows: GET /api/v1/tables/{kind}, .csv and .xlsx, operations for each kind of fact. */

import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { FACTS } from '../../facts/all-facts.ts';
import type { FactKind } from '../../facts/fact.ts';
import type { Column } from '../../facts/rows.ts';
import { capitalised } from '../../language/prose.ts';
import { prefersCsv, sendCsv } from '../../presentation/csv.ts';
import {
  boundValues,
  categoryOfRow,
  chosenValues,
  orderIn,
  readTable,
  tableFile,
} from '../../presentation/fact-tables.ts';
import { sendXlsx } from '../../presentation/xlsx.ts';
import { fieldsOfTable, sortsOfTable, type TableRow } from '../../projector/models/tables-queries.ts';
import { gazetteerOf } from '../../schemas/directory.ts';
import { fieldsWith, noFacts } from '../../schemas/facts.ts';
import { Moment, wholeNumber } from '../../schemas/parameters.ts';
import { Instant, IstDay, SignalIdText } from '../../schemas/scalar.ts';
import { anyName, FACET_LISTS, listOf, SHARED } from '../../schemas/signal-filter.ts';
import { signalExample } from '../description/examples.ts';
import { addRoute, asTable, asWorkbook, BinaryFile, defineOperation, type RouteContext } from '../route.ts';

const MAXIMUM = 100;
const DEFAULT = 50;
const TableCursor = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,1200}$/)
  .describe('the next_cursor of the page before, unchanged');

/** Cells of a row as the kind declares them. */
const cellsOf = ({ table }: FactKind): readonly Column[] => table.columns.filter(({ isInternal }) => !isInternal);

function cellSchema({ type, values, required, describe }: Column): z.ZodType {
  const of = {
    text: () => (values ? z.enum(values) : z.string()),
    name: () => (values ? z.enum(values) : z.string()),
    names: () => z.array(z.string()),
    integer: () => z.int(),
    number: () => z.number(),
    day: () => IstDay,
  };
  const cell = required ? of[type]() : of[type]().nullable();
  return describe ? cell.describe(describe) : cell;
}

/** What the table of a kind is answered with. */
const answerSchema = (fact: FactKind) =>
  z.object({
    kind: z.literal(fact.kind),
    rows: z.array(
      z.object({
        ...Object.fromEntries(cellsOf(fact).map((column) => [column.name, cellSchema(column)])),
        category: z.string().nullable().describe('Of the brand; null where the catalogue lacks it'),
        signal: z.object({ id: SignalIdText, slug: z.string(), url: z.string() }),
        outlet: z.string().nullable().describe('Outlet of the report that states it'),
        reported_at: Instant.describe('When the service published it'),
      }),
    ),
    totals: z
      .object({
        rows: z.int().nonnegative().describe('Rows that fit the filter, those of other pages included'),
        ...Object.fromEntries(
          Object.keys(fact.table.totals).map((sum) => {
            const [, what] = fact.page.totals.find(([name]) => name === sum) ?? [];
            return [sum, what ? z.number().describe(what) : z.number()];
          }),
        ),
      })
      .describe('What all rows of the filter add up to'),
    next_cursor: z.string().nullable().describe('Null on the last page'),
  });

/** The parameters of a table: those of lists of signals that apply, and the filters of the kind. */
const querySchema = (fact: FactKind) => {
  const own = fact.table.columns.flatMap(({ filter, values, title = '' }) =>
    !filter || filter in FACET_LISTS
      ? []
      : [[filter, values ? listOf(z.enum(values), values.join(', ')) : listOf(anyName, title.toLowerCase(), false)]],
  );
  const { brand, city, outlet } = FACET_LISTS;
  const category = listOf(anyName, 'categories of brands, such as fashion, or none');
  const state = listOf(anyName, 'names of states, or none', false);
  const fields: Record<string, z.ZodType> = { brand, category, city, state, outlet, ...Object.fromEntries(own) };
  const sorts = sortsOfTable(fact.kind);
  return z.strictObject({
    ...Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, schema.optional()])),
    ...Object.fromEntries(Object.entries(fields).map(([name, schema]) => [`not_${name}`, schema.optional()])),
    outlets: SHARED.outlets,
    since: Moment.optional(),
    until: Moment.optional(),
    sort: z
      .enum(sorts.flatMap((sort) => [sort, `-${sort}`]))
      .default('-date')
      .describe(`one of ${sorts.join(', ')}, each with - in front from high to low`),
    limit: wholeNumber(1, MAXIMUM).default(DEFAULT),
    cursor: TableCursor.optional(),
  });
};

const toRow = (fact: FactKind, row: TableRow, { baseUrl, gazetteer }: Pick<RouteContext, 'baseUrl' | 'gazetteer'>) => ({
  ...Object.fromEntries(cellsOf(fact).map(({ name }) => [name, row.cells[name] ?? null])),
  category: categoryOfRow(fact.kind, row.cells, gazetteer),
  signal: { id: row.key, slug: row.slug, url: `${baseUrl}/signal/${row.slug}` },
  outlet: row.outlet,
  reported_at: row.reported_at.toISOString(),
});

/** The row of the example of a kind. */
function exampleRow({ kind, table, ask, example }: FactKind): TableRow {
  const { id, slug, headline, source, published_at, outlets } = signalExample;
  const brands = signalExample.brands.map((brand) => ({ ...brand, provisional: false }));
  const text = { ...noFacts(), brands, headline, move: ask.move, ...fieldsWith(kind, [example]) };
  const [row] = table.rowsOf(text) as object[];
  const stated = { ...row, outlet: null, source_url: null };
  const cells = (table.cells?.(stated, published_at.slice(0, 10)) ?? stated) as unknown as TableRow['cells'];
  const day = new Date(published_at);
  const cited = { key: id, slug, headline, published_at: day, outlet: source.outlet, source_url: source.url };
  return { ...cited, reported_at: day, at: published_at, number: 0, outlets, sort_value: null, cells };
}

const NEXT_PAGE = { 'Link?': 'The next page, as `rel="next"`; missing on the last' };
const EXAMPLE = {
  baseUrl: new URL(signalExample.url).origin,
  gazetteer: gazetteerOf({ brands: [], groups: [], cities: [], malls: [] }),
};

const OPERATIONS_OF = FACTS.map((fact) => {
  const { kind, page, table } = fact;
  const row = exampleRow(fact);
  const name = capitalised(kind);
  const schema = answerSchema(fact);
  const list = defineOperation({
    method: 'get',
    path: `/api/v1/tables/${kind}`,
    id: `list${name}`,
    tag: 'Tables',
    summary: page.title,
    description: `${page.about} A row is one fact of one public signal; held signals state none. Filters combine: values of one parameter are alternatives, \`not_\` leaves rows out. With \`Accept: text/csv\` the answer is that of \`/api/v1/tables/${kind}.csv\`.`,
    access: 'read',
    query: querySchema(fact),
    queryExamples: { brand: ['kiri-foods'], since: '2026-11-20', sort: '-date', limit: 20 },
    answers: {
      200: {
        description: 'A page of rows.',
        schema,
        example: {
          kind,
          rows: [toRow(fact, row, EXAMPLE)],
          totals: { rows: 1, ...Object.fromEntries(Object.keys(table.totals).map((sum) => [sum, 0])) },
          next_cursor: null,
        },
        headers: NEXT_PAGE,
      },
    },
  });
  const file = asTable(list, `list${name}Table`, tableFile([row], { table: kind, ...EXAMPLE }), NEXT_PAGE);
  const workbook = asWorkbook(list, `list${name}Workbook`, NEXT_PAGE);
  return { fact, list, file, workbook, named: [`${name}Rows`, schema] as const };
});

export const TABLE_OPERATIONS = OPERATIONS_OF.flatMap(({ list, file, workbook }) => [list, file, workbook]);
/** The schemas of the answers by name. */
export const TABLE_ANSWERS: Record<string, z.ZodType> = {
  BinaryFile,
  ...Object.fromEntries(OPERATIONS_OF.map(({ named }) => named)),
};

/** Serves the table of each kind of fact, as JSON, as CSV and as a workbook. */
export function tableRoutes(server: FastifyInstance, context: RouteContext): void {
  const { database, directory, gazetteer, baseUrl } = context;
  for (const { fact, list, file, workbook } of OPERATIONS_OF)
    for (const operation of [list, file, workbook])
      addRoute(server, context, operation, async ({ request, reply, query }) => {
        const { outlets, since, until, sort, limit, cursor, ...lists } = query;
        const given = lists as unknown as Record<string, string[] | undefined>;
        const without = Object.fromEntries(fieldsOfTable(fact.kind).map((field) => [field, given[`not_${field}`]]));
        const filter = {
          ...boundValues(
            chosenValues(fact.kind, given, directory),
            chosenValues(fact.kind, without, directory),
            context,
          ),
          outlets,
          since: since === undefined ? undefined : new Date(since),
          until: until === undefined ? undefined : new Date(until),
        };
        const page = await readTable(database, fact.kind, filter, { order: orderIn(fact.kind, sort), cursor, limit });
        reply.header('cache-control', 'private, no-cache').header('vary', 'Accept');
        if (page.next_cursor !== null) {
          const next = new URLSearchParams(request.query as Record<string, string>);
          next.set('cursor', page.next_cursor);
          reply.header('link', `<${baseUrl}${operation.path}?${next}>; rel="next"`);
        }
        const table = () => tableFile(page.rows, { table: fact.kind, baseUrl, gazetteer });
        if (operation === file || prefersCsv(request.headers.accept)) return sendCsv(reply, fact.kind, table());
        if (operation === workbook) return sendXlsx(reply, fact.kind, [{ name: fact.page.title, ...table() }]);
        return reply.send({
          kind: fact.kind,
          rows: page.rows.map((row) => toRow(fact, row, context)),
          totals: { rows: page.totals.rows, ...page.totals.sums },
          next_cursor: page.next_cursor,
        });
      });
}
