/**
 * Tables of the record. GET /tables lists them; GET /tables/{name} has the rows of one, sorted and filtered by its
 * address; the same address with .csv or .json after the name has the same rows as a file.
 */

import type { FastifyInstance, FastifyReply } from 'fastify';
import { html } from 'hono/html';
import type { FactKind, PageColumn } from '../../facts/fact.ts';
import { formatDay } from '../../language/days.ts';
import { capitalised, formatCount, formatNumber } from '../../language/prose.ts';
import { sendCsv } from '../../presentation/csv.ts';
import { factNamed, fileRow, readTable, TABLES, tableFile, valuesOf } from '../../presentation/fact-tables.ts';
import { brandPath, cityPath, type Markup, outwardLink, timeTag } from '../../presentation/markup.ts';
import { provisionalBrands } from '../../presentation/public-records.ts';
import { clip, labelToWords } from '../../presentation/text.ts';
import { sendXlsx } from '../../presentation/xlsx.ts';
import { windowOf } from '../../projector/models/query-parts.ts';
import {
  cellsOfTable,
  fieldsOfTable,
  type TableCell,
  type TableRow,
  type TableTotals,
  tableTotals,
  tableValues,
} from '../../projector/models/tables-queries.ts';
import type { Directory } from '../../schemas/directory.ts';
import type { FactKindName as TableName } from '../../schemas/facts.ts';
import { BrandSlug } from '../../schemas/scalar.ts';
import { choiceField, dayField, hasEmptyFields, hidden, options, shareButton } from '../forms.ts';
import { type Page, showPage } from '../layout.ts';
import { cacheFor } from '../names.ts';
import { chipLinks, excerpt, linkRow, scrolled, sortableHead, subject, tableHead } from '../parts.ts';
import type { Site } from '../site.ts';
import {
  chipsOf,
  EVERYTHING,
  FIELD_NAMES,
  FILES,
  type FileEnding,
  filterOf,
  parametersOf,
  readTableQuery,
  sharedFilters,
  type TableFilters,
  tableAddress,
  valueName,
} from '../tables.ts';
import { openingsPivot, pivotFile, pivotTable, pivotViews } from './openings-pivot.ts';

/** Rows of a page: with the longest texts it stays under 60 KB. */
const PAGE_ROWS = 30;
/** Rows of a file; the header `Link` names the next one. */
const FILE_ROWS = 5_000;
/** Names that a field suggests. */
const SUGGESTED = 60;
const SUGGESTED_SECONDS = 300;
const PERIODS = [7, 30, 90, 365] as const;
/** A longer address of a report is linked only on the page of its signal. */
const LONGEST_ADDRESS = 400;

interface Column {
  readonly name: string;
  /** What it is sorted by; unset for a column that is not. */
  readonly sort?: string | undefined;
  /** Sorted from high to low at first. */
  readonly highFirst?: boolean | undefined;
  readonly figure?: boolean;
  cell(row: TableRow, directory: Directory): Markup | string | null;
}

const text = (value: TableCell | undefined, maximum = 60): string =>
  value === null || value === undefined ? '' : excerpt([value].flat().join(', '), maximum);

const named = (name: TableCell | undefined, slug: TableCell | undefined): Markup | string =>
  typeof slug === 'string' && slug !== '' ? html`<a href="${brandPath(slug)}">${text(name)}</a>` : text(name);

const cityLink = (city: TableCell | undefined, directory: Directory): Markup | string =>
  typeof city === 'string' && directory.city(city) ? html`<a href="${cityPath(city)}">${text(city)}</a>` : text(city);

const numberOf = (value: TableCell | undefined): string => (typeof value === 'number' ? formatNumber(value) : '');
const percent = (value: TableCell | undefined): string =>
  typeof value === 'number' ? `${value > 0 ? '+' : ''}${String(value).replace('-', '−')}%` : '';

/** What is shown in small letters below a cell; null for nothing. */
function belowOf({ below = [] }: PageColumn, { cells }: TableRow, days: ReadonlySet<string>): Markup | null {
  const parts = below.flatMap(([words, column]) => {
    const value = cells[column];
    if (value === null || value === undefined || value === '') return [];
    const shown = days.has(column) && typeof value === 'string' ? timeTag(value, formatDay(value)) : text(value);
    return [html`${words ? `${words} ` : ''}${shown}`];
  });
  return parts.length > 0
    ? html`<small>${parts.map((part, index) => html`${index > 0 ? ', ' : ''}${part}`)}</small>`
    : null;
}

/** A column of a page, as the kind of fact declares it. */
function shownColumn({ table }: FactKind, page: PageColumn): Column {
  const { name, shows, link, isLabel, isFigure, highFirst, longest } = page;
  const column = table.columns.find((one) => one.name === shows);
  const days = new Set(table.columns.flatMap((one) => (one.type === 'day' ? [one.name] : [])));
  const value = (row: TableRow, directory: Directory): Markup | string => {
    const cell = row.cells[shows];
    if (column?.type === 'integer') return numberOf(cell);
    if (column?.type === 'number') return percent(cell);
    if (link === 'city') return cityLink(cell, directory);
    if (link) return named(cell, row.cells[link]);
    return isLabel ? labelToWords(text(cell, longest)) : text(cell, longest);
  };
  return {
    name,
    sort: column?.sort,
    highFirst,
    figure: isFigure ?? (column?.type === 'integer' || column?.type === 'number'),
    cell: (row, directory) => html`${value(row, directory)}${belowOf(page, row, days)}`,
  };
}

const sourceOf = ({ outlet, source_url, outlets }: TableRow): Markup => {
  const name = text(outlet, 40) || 'Original report';
  const link = (source_url?.length ?? 0) > LONGEST_ADDRESS ? html`${name}` : outwardLink(source_url, name);
  return html`${link}${outlets > 1 ? html` <small>and ${formatCount(outlets - 1, 'more outlet')}</small>` : null}`;
};

/** The columns that every table has around its own. */
const columnsOf = (table: TableName): readonly Column[] => [
  {
    name: 'Date',
    sort: 'date',
    highFirst: true,
    cell: ({ reported_at }) => timeTag(reported_at.toISOString(), formatDay(reported_at)),
  },
  ...factNamed(table).page.columns.map((column) => shownColumn(factNamed(table), column)),
  { name: 'Report', cell: sourceOf },
  {
    name: 'Entry',
    cell: ({ slug, headline }) => html`<a href="/signal/${slug}">${text(headline, 110)}</a>`,
  },
];

/** A head that sorts by its column; a column that is sorted by is turned round. */
function head(table: TableName, filters: TableFilters, { name, sort, highFirst = false, figure }: Column): Markup {
  const style = figure ? html` class="figure"` : null;
  if (sort === undefined) return html`<th scope="col"${style}>${name}</th>`;
  const { by, descending } = filters.order;
  const current = by === sort ? (descending ? 'descending' : 'ascending') : null;
  const order = { by: sort, descending: current ? !descending : highFirst };
  const link = tableAddress(table, { ...filters, order, cursor: undefined });
  return sortableHead({ name, path: link, direction: current, isFigure: figure ?? false });
}

const rowOf = (columns: readonly Column[], row: TableRow, directory: Directory): Markup =>
  html`<tr>${columns.map(
    (column) =>
      html`<td data-name="${column.name}"${column.figure ? html` class="figure"` : null}>${column.cell(row, directory)}</td>`,
  )}</tr>
`;

/** A field that names can be typed into; the names that are set stay set. */
const nameField = (name: string, label: string, suggested: readonly string[] | undefined): Markup =>
  html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" maxlength="120" autocomplete="off"${suggested ? html` list="names-${name.replace('not_', '')}"` : null}></div>`;

type Suggestions = Awaited<ReturnType<typeof tableValues>>;

const choicesOf = (field: string, values: readonly string[]) =>
  values.map((value) => ({ value, name: valueName(field, value) }));

const filterField = (table: TableName, name: string, suggestions: Suggestions): Markup => {
  const field = name.replace('not_', '');
  const label = FIELD_NAMES[field] ?? field;
  const values = valuesOf(table, field);
  if (!values) return nameField(name, label, field === 'brand' ? undefined : suggestions[field]);
  return choiceField(
    name,
    label,
    [{ value: '', name: name === field ? 'any' : 'none' }, ...choicesOf(field, values)],
    '',
  );
};

/** A field of the line above the table, which is named inside. */
function quickField(table: TableName, name: string, suggestions: Suggestions): Markup {
  const label = FIELD_NAMES[name] ?? name;
  const values = valuesOf(table, name);
  if (!values)
    return html`<input name="${name}" maxlength="120" autocomplete="off" aria-label="${label}" placeholder="${label}"${suggestions[name] && name !== 'brand' ? html` list="names-${name}"` : null}>`;
  return html`<select name="${name}" aria-label="${label}">${options([{ value: '', name: `${label}: any` }, ...choicesOf(name, values)], '')}</select>`;
}

/** Fields that have no room in the line above a table. */
const LESS_USED: ReadonlySet<string> = new Set(['state', 'mall']);

/** The form of filters. What is chosen is added to what is set; the chips above it take away. */
function filterForm(table: TableName, filters: TableFilters, suggestions: Suggestions): Markup {
  const typed = new Set(['from', 'to', 'outlets', 'hide', 'cursor']);
  const kept = parametersOf(filters).filter(([name]) => !typed.has(name));
  const own = fieldsOfTable(table).filter((field) => field !== 'outlet');
  const quick = own.filter((field) => !LESS_USED.has(field));
  const fields = (names: readonly string[]): Markup[] => names.map((name) => filterField(table, name, suggestions));
  const { from, to, outlets, without, only } = filters;
  const isOpen = [from, to, outlets, only.outlet, only.state, only.mall, ...Object.values(without)].some(
    (value) => value !== undefined,
  );
  return html`<form class="finder" action="/tables/${table}" method="get" aria-label="Filter">
  ${kept.map(([name, value]) => hidden({ [name]: value }))}
  ${quick.map((name) => quickField(table, name, suggestions))}
  <button type="submit">Filter</button>
  <details${isOpen ? html` open` : null}><summary class="button plain">More</summary>
    <div class="row">${dayField('from', 'From', filters.from)}${dayField('to', 'Until', filters.to)}${fields([...own.filter((field) => LESS_USED.has(field)), 'outlet'])}
      <div class="field"><label for="outlets">Reported by at least (outlets)</label><input id="outlets" name="outlets" type="number" min="1" max="1000" value="${filters.outlets ?? ''}"></div></div>
    <fieldset><legend>Leave out</legend><div class="row">${fields([...own, 'outlet'].map((name) => `not_${name}`))}</div></fieldset>
    <fieldset><legend>Hide columns</legend><div class="choices">${columnsOf(table).map(
      ({ name }) =>
        html`<label><input type="checkbox" name="hide" value="${name}"${filters.hidden?.includes(name) ? html` checked` : null}>${name}</label>`,
    )}</div></fieldset></details>
  ${Object.entries(suggestions).map(([field, values]) => html`<datalist id="names-${field}">${values.map((value) => html`<option value="${text(value)}">`)}</datalist>`)}
</form>`;
}

const chipList = (table: TableName, filters: TableFilters, directory: Directory): Markup | null =>
  chipLinks(chipsOf(table, filters, directory), tableAddress(table, { ...EVERYTHING, order: filters.order }));

const tabs = (table: TableName, filters: TableFilters): Markup =>
  html`<nav class="kinds" aria-label="Tables">${TABLES.map(
    (one) =>
      html`<a href="${tableAddress(one, one === table ? EVERYTHING : sharedFilters(filters, one))}"${one === table ? html` aria-current="page"` : null}>${capitalised(one)}</a> `,
  )}</nav>`;

const periods = (table: TableName, filters: TableFilters): Markup => {
  const isRange = filters.from !== undefined || filters.to !== undefined;
  const link = (days: number | undefined, name: string) => ({
    path: tableAddress(table, { ...filters, days, from: undefined, to: undefined, cursor: undefined }),
    name,
    isCurrent: !isRange && filters.days === days,
  });
  const links = PERIODS.map((days) => link(days, days === 365 ? '1 year' : `${days} days`));
  return linkRow('Period', [link(undefined, 'All dates'), ...links]);
};

type Loaded = Awaited<ReturnType<typeof load>>;

/** The rows of a table and where they go on. */
async function load(site: Site, table: TableName, filters: TableFilters, limit: number) {
  const filter = filterOf(filters, site);
  const page = await readTable(site.database, table, filter, { ...filters, limit });
  return { ...page, next: page.next_cursor === null ? null : { ...filters, cursor: page.next_cursor } };
}

/** What a row is, with the totals that the note names. */
const noteOf = (note: string, { rows, sums }: TableTotals): string =>
  note.replace(/\{(\w+)\}/g, (_, name: string) =>
    name === 'rows' ? formatCount(rows, 'row') : formatNumber(sums[name] ?? 0),
  );

/** The rows with brands that have no page as text: they lose their slug. */
async function withPlainNames(site: Site, table: TableName, rows: readonly TableRow[]): Promise<TableRow[]> {
  const slugs = cellsOfTable(table).filter((column) => column.endsWith('_slug'));
  const named = rows.flatMap(({ cells }) => slugs.flatMap((column) => BrandSlug.safeParse(cells[column]).data ?? []));
  const provisional = await provisionalBrands(site, named);
  const plain = (value: TableCell): TableCell => (typeof value === 'string' && provisional.has(value) ? null : value);
  return rows.map((row) => ({
    ...row,
    cells: {
      ...row.cells,
      ...Object.fromEntries(slugs.map((column) => [column, plain(row.cells[column] ?? null)])),
    },
  }));
}

/** What a heading and a title say of the filters: `Openings in Gurugram, last 30 days`. */
const titleOf = (table: TableName, filters: TableFilters, directory: Directory): string => {
  const of = (field: string): string =>
    (filters.only[field] ?? []).map((value) => clip(valueName(field, value, directory), 40)).join(', ');
  const { brand: _, city: __, ...only } = filters.only;
  return [
    `${capitalised(table)}${of('brand') ? ` of ${of('brand')}` : ''}${of('city') ? ` in ${of('city')}` : ''}`,
    filters.by ? `by ${filters.by} and month` : 'as a table',
    ...chipsOf(table, { ...filters, only }, directory).map(({ text }) => text),
  ].join(', ');
};

const MAXIMUM_TRIED = 6;

/** What to do where no row matches: which filter to remove, and how many rows there are then. */
async function nothingMatches(site: Site, table: TableName, filters: TableFilters): Promise<Markup> {
  const { database, directory } = site;
  const tried = await Promise.all(
    chipsOf(table, filters, directory)
      .slice(0, MAXIMUM_TRIED)
      .map(async (chip) => ({
        ...chip,
        rows: (await tableTotals(database, table, filterOf(chip.left, site))).rows,
      })),
  );
  const useful = tried.filter(({ rows }) => rows > 0);
  return html`<div class="empty"><p>No rows match these filters. <a href="/tables/${table}">Remove the filters</a>${useful.length > 0 ? ', or one of them:' : '.'}</p>
    ${useful.length > 0 ? html`<ul class="plain-list">${useful.map(({ text: name, without, rows }) => html`<li><a href="${without}">Without ${clip(name, 80)}</a>: ${formatCount(rows, 'row')}</li>`)}</ul>` : null}</div>`;
}

/** The rows as a table with a pager, or what to do where there are none. */
async function rowsView(site: Site, table: TableName, filters: TableFilters, page: Loaded): Promise<Markup> {
  const { totals, next } = page;
  if (page.rows.length === 0) return html`${await nothingMatches(site, table, filters)}`;
  const rows = await withPlainNames(site, table, page.rows);
  const columns = columnsOf(table).filter(({ name }) => !filters.hidden?.includes(name));
  const first = tableAddress(table, { ...filters, cursor: undefined });
  const shown = html`<table class="rows">${tableHead(
    [],
    columns.map((column) => head(table, filters, column)),
  )}
  <tbody>${rows.map((row) => rowOf(columns, row, site.directory))}</tbody></table>`;
  return html`${scrolled(capitalised(table), shown)}
    <nav class="pager" aria-label="Pages">${filters.cursor === undefined ? html`<span></span>` : html`<a href="${first}">First rows</a>`}
      ${next ? html`<a href="${tableAddress(table, next)}" rel="next">Next rows</a>` : html`<span>No more rows.</span>`}</nav>
    <p class="note">${noteOf(factNamed(table).page.note, totals)}${totals.rows > FILE_ROWS ? ` A file has the first ${formatNumber(FILE_ROWS)} rows, in this order.` : null}</p>`;
}

const PIVOT_ROWS = 40;

const FILE_NAMES: Readonly<Record<FileEnding, string>> = { '.csv': 'CSV', '.json': 'JSON', '.xlsx': 'Excel' };

/** Files of what is shown, and its address to share. */
const takeAlong = (table: TableName, filters: TableFilters, title: string): Markup => {
  const file = (ending: FileEnding): Markup =>
    html`<a class="button plain" href="${tableAddress(table, { ...filters, hidden: undefined }, ending)}" download="clarity-${table}${ending}" aria-label="${filters.by ? 'This table' : 'These rows'} as ${FILE_NAMES[ending]}">${FILE_NAMES[ending]}</a>`;
  const endings = filters.by ? FILES.filter((ending) => ending !== '.json') : FILES;
  return html`${endings.map(file)}${shareButton(title, tableAddress(table, filters))}`;
};

async function render(site: Site, table: TableName, filters: TableFilters, suggestions: Suggestions): Promise<Page> {
  const { directory } = site;
  const page = await load(site, table, filters, PAGE_ROWS);
  const { rows, totals } = page;
  const { title, about, totals: shown } = factNamed(table).page;
  const first = { ...filters, cursor: undefined };
  return {
    title: clip(titleOf(table, filters, directory), 160),
    description: `${about} Every row has its date, its outlet and its report.`,
    path: tableAddress(table, { ...first, hidden: undefined, order: EVERYTHING.order }),
    body: html`${subject(null, title, null, tabs(table, filters))}
    <div class="table-tools">${filterForm(table, filters, suggestions)}${periods(table, filters)}
      <div class="do">${rows.length === 0 ? null : takeAlong(table, first, titleOf(table, filters, directory))}</div></div>
    ${chipList(table, filters, directory)}
    <div class="table-tools"><p class="note totals">${shown.map(([sum, what]) => html`<span><b>${formatNumber(totals.sums[sum] ?? 0)}</b> ${what}</span> `)}<span>${formatCount(totals.rows, 'row')}</span></p>
      ${table === 'openings' ? linkRow('View', pivotViews(filters)) : null}</div>
    ${
      filters.by && rows.length > 0
        ? pivotTable(await openingsPivot(site, filters, filters.by), site, PIVOT_ROWS)
        : await rowsView(site, table, filters, page)
    }`,
  };
}

// Files.

async function sendFile(site: Site, reply: FastifyReply, table: TableName, filters: TableFilters, ending: FileEnding) {
  const { rows, totals, next } = await load(site, table, filters, FILE_ROWS);
  const { baseUrl, gazetteer } = site;
  const context = { table, baseUrl, gazetteer };
  const following = next && `${baseUrl}${tableAddress(table, next, ending)}`;
  if (following) reply.header('link', `<${following}>; rel="next"`);
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-cache');
  if (ending === '.json')
    return reply.send({
      table,
      page: `${baseUrl}${tableAddress(table, filters)}`,
      rows_total: totals.rows,
      totals: totals.sums,
      rows: rows.map((row) => fileRow(row, context)),
      next: following,
    });
  const pivot = filters.by && pivotFile(await openingsPivot(site, filters, filters.by), site);
  const listed = { name: capitalised(table), ...tableFile(rows, context) };
  if (ending === '.csv') return sendCsv(reply, `clarity-${table}`, pivot ?? listed, { forSpreadsheets: true });
  return sendXlsx(reply, `clarity-${table}`, [...(pivot ? [{ name: `By ${filters.by}`, ...pivot }] : []), listed]);
}

/** Registers the tables, each as a page and as two files. */
export function tablesPages(server: FastifyInstance, site: Site): void {
  const { database, directory, now } = site;
  for (const table of TABLES) {
    const suggestions = cacheFor(
      SUGGESTED_SECONDS,
      now,
      () => tableValues(database, table, SUGGESTED),
      (values) => Object.values(values).some(({ length }) => length > 0),
    );
    server.get(`/tables/${table}`, async (request, reply) => {
      const filters = readTableQuery(table, request.query, directory);
      if (hasEmptyFields(request)) return reply.redirect(tableAddress(table, filters), 303);
      return showPage(reply, site, await render(site, table, filters, await suggestions()));
    });
    for (const ending of FILES)
      server.get(`/tables/${table}${ending}`, async (request, reply) =>
        sendFile(site, reply, table, readTableQuery(table, request.query, directory, { isFile: true }), ending),
      );
  }
  overview(server, site);
}

const OVERVIEW_DAYS = 30;

/** GET /tables: the tables, with what the last 30 days add up to. */
function overview(server: FastifyInstance, site: Site): void {
  const { database, now } = site;
  server.get('/tables', async (_request, reply) => {
    const { since } = windowOf(now(), OVERVIEW_DAYS);
    const counted = await Promise.all(
      TABLES.map(async (table) => ({
        table,
        totals: await tableTotals(database, table, { since, only: {}, without: {} }),
      })),
    );
    const entry = ({ table, totals }: (typeof counted)[number]): Markup => {
      const { about, totals: shown } = factNamed(table).page;
      const sums = shown.map(([sum, what]) => `${what}: ${formatNumber(totals.sums[sum] ?? 0)}`);
      return html`<li><h2><a href="/tables/${table}">${capitalised(table)}</a></h2><p>${about}</p>
        <p class="note"><a href="/tables/${table}?days=${OVERVIEW_DAYS}">${formatCount(totals.rows, 'row')} in ${OVERVIEW_DAYS} days</a>: ${sums.join('; ')}.</p></li>`;
    };
    return showPage(reply, site, {
      title: 'Tables',
      description: `${capitalised(TABLES.join(', '))} in Indian retail as tables, with CSV and JSON.`,
      path: '/tables',
      body: html`${subject(null, 'Tables', html`<p>The record as rows, each with its date, its outlet and its report: to sort, to filter, and to take along as CSV or JSON.</p>`)}
        <ul class="plain-list tables">${counted.map(entry)}</ul>`,
    });
  });
}
