/**
 * Tables of the record. GET /tables lists them; GET /tables/{name} has the rows of one, sorted and filtered by its
 * address; the same address with .csv or .json after the name has the same rows as a file.
 */

import type { FastifyInstance, FastifyReply } from 'fastify';
import { html } from 'hono/html';
import type { FactKind, PageColumn } from '../../facts/fact.ts';
import { formatDay } from '../../language/days.ts';
import { formatCount, formatNumber } from '../../language/prose.ts';
import { sendCsv } from '../../presentation/csv.ts';
import { factNamed, fileRow, readTable, TABLES, tableFile, valuesOf } from '../../presentation/fact-tables.ts';
import { brandPath, cityPath, type Markup, outwardLink, timeTag } from '../../presentation/markup.ts';
import { provisionalBrands } from '../../presentation/public-records.ts';
import { clip, labelToWords, neutralise } from '../../presentation/text.ts';
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
import { choiceField, hasEmptyFields, hidden, shareButton } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import { cacheFor } from '../names.ts';
import type { Site } from '../site.ts';
import {
  chipsOf,
  EVERYTHING,
  FIELD_NAMES,
  filterOf,
  parametersOf,
  readTableQuery,
  sharedFilters,
  type TableFilters,
  tableAddress,
  valueName,
} from '../tables.ts';

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
  value === null || value === undefined ? '' : clip(neutralise([value].flat().join(', ')), maximum);

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
    cell: ({ published_at }) => timeTag(published_at.toISOString(), formatDay(published_at)),
  },
  ...factNamed(table).page.columns.map((column) => shownColumn(factNamed(table), column)),
  { name: 'Report', cell: sourceOf },
  {
    name: 'Entry',
    cell: ({ slug, headline }) => html`<a href="/signal/${slug}">${text(headline, 110)}</a>`,
  },
];

const ARROWS = { ascending: '▲', descending: '▼' } as const;

/** A head that sorts by its column; a column that is sorted by is turned round. */
function head(table: TableName, filters: TableFilters, { name, sort, highFirst = false, figure }: Column): Markup {
  const style = figure ? html` class="figure"` : null;
  if (sort === undefined) return html`<th scope="col" role="columnheader"${style}>${name}</th>`;
  const { by, descending } = filters.order;
  const current = by === sort ? (descending ? 'descending' : 'ascending') : null;
  const order = { by: sort, descending: current ? !descending : highFirst };
  const link = tableAddress(table, { ...filters, order, cursor: undefined });
  return html`<th scope="col" role="columnheader"${style}${current ? html` aria-sort="${current}"` : null}><a href="${link}">${name}${current ? html` <span aria-hidden="true">${ARROWS[current]}</span>` : null}</a></th>`;
}

const rowOf = (columns: readonly Column[], row: TableRow, directory: Directory): Markup =>
  html`<tr role="row">${columns.map(
    (column) =>
      html`<td role="cell" data-name="${column.name}"${column.figure ? html` class="figure"` : null}>${column.cell(row, directory)}</td>`,
  )}</tr>
`;

/** A field that names can be typed into; the names that are set stay set. */
const nameField = (name: string, label: string, suggested: readonly string[] | undefined): Markup =>
  html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" maxlength="120" autocomplete="off"${suggested ? html` list="names-${name.replace('not_', '')}"` : null}></div>`;

const dayField = (name: 'from' | 'to', label: string, value: string | undefined): Markup =>
  html`<div class="field"><label for="${name}">${label}</label><input type="date" id="${name}" name="${name}" value="${value ?? ''}" aria-describedby="${name}-words"><small id="${name}-words">${value ? formatDay(value) : 'any day'}</small></div>`;

type Suggestions = Awaited<ReturnType<typeof tableValues>>;

const filterField = (table: TableName, name: string, suggestions: Suggestions): Markup => {
  const field = name.replace('not_', '');
  const label = FIELD_NAMES[field] ?? field;
  const values = valuesOf(table, field);
  if (!values) return nameField(name, label, field === 'brand' ? undefined : suggestions[field]);
  const choices = values.map((value) => ({ value, name: labelToWords(value) }));
  return choiceField(name, label, [{ value: '', name: name === field ? 'any' : 'none' }, ...choices], '');
};

/** The form of filters. What is chosen is added to what is set; the chips above it take away. */
function filterForm(table: TableName, filters: TableFilters, suggestions: Suggestions): Markup {
  const typed = new Set(['from', 'to', 'outlets', 'cursor']);
  const kept = parametersOf(filters).filter(([name]) => !typed.has(name));
  const own = fieldsOfTable(table).filter((field) => field !== 'outlet');
  const fields = (names: readonly string[]): Markup[] => names.map((name) => filterField(table, name, suggestions));
  const { from, to, outlets, without, only } = filters;
  const isOpen = [from, to, outlets, only.outlet, ...Object.values(without)].some((value) => value !== undefined);
  return html`<form class="finder" action="/tables/${table}" method="get" aria-label="Filter">
  ${kept.map(([name, value]) => hidden({ [name]: value }))}
  <div class="row">${fields(own)}</div>
  <details${isOpen ? html` open` : null}><summary>Dates, outlets, and what to leave out</summary>
    <div class="row">${dayField('from', 'From', filters.from)}${dayField('to', 'Until', filters.to)}${fields(['outlet'])}
      <div class="field"><label for="outlets">Reported by at least (outlets)</label><input id="outlets" name="outlets" type="number" min="1" max="1000" value="${filters.outlets ?? ''}"></div></div>
    <fieldset><legend>Leave out</legend><div class="row">${fields([...own, 'outlet'].map((name) => `not_${name}`))}</div></fieldset></details>
  ${Object.entries(suggestions).map(([field, values]) => html`<datalist id="names-${field}">${values.map((value) => html`<option value="${text(value)}">`)}</datalist>`)}
  <button type="submit">Filter</button>
</form>`;
}

const chipList = (table: TableName, filters: TableFilters, directory: Directory): Markup | null => {
  const chips = chipsOf(table, filters, directory);
  return chips.length === 0
    ? null
    : html`<ul class="chips" aria-label="Filters that are set">${chips.map(
        ({ text: name, without }) =>
          html`<li><a class="chip" href="${without}" aria-label="Remove the filter ${clip(name, 80)}">${clip(name, 80)} <span aria-hidden="true">✕</span></a></li> `,
      )}${chips.length > 1 ? html`<li><a class="chip" href="${tableAddress(table, { ...EVERYTHING, order: filters.order })}">Remove all</a></li>` : null}</ul>`;
};

const tabs = (table: TableName, filters: TableFilters): Markup =>
  html`<nav class="kinds" aria-label="Tables">${TABLES.map(
    (one) =>
      html`<a href="${tableAddress(one, one === table ? EVERYTHING : sharedFilters(filters, one))}"${one === table ? html` aria-current="page"` : null}>${titled(one)}</a> `,
  )}</nav>`;

const periods = (table: TableName, filters: TableFilters): Markup => {
  const isRange = filters.from !== undefined || filters.to !== undefined;
  const link = (days: number | undefined, name: string): Markup => {
    const address = tableAddress(table, { ...filters, days, from: undefined, to: undefined, cursor: undefined });
    return html`<a href="${address}"${!isRange && filters.days === days ? html` aria-current="true"` : null}>${name}</a> `;
  };
  return html`<nav class="kinds" aria-label="Period">${link(undefined, 'All dates')}${PERIODS.map((days) => link(days, days === 365 ? '1 year' : `${days} days`))}</nav>`;
};

const titled = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** The rows of a table and where they go on. */
async function load(site: Site, table: TableName, filters: TableFilters, limit: number) {
  const filter = filterOf(filters, site.now(), site.directory);
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
  return [
    `${titled(table)}${of('brand') ? ` of ${of('brand')}` : ''}${of('city') ? ` in ${of('city')}` : ''}`,
    ...(filters.days ? [`last ${filters.days} days`] : []),
  ].join(', ');
};

/** Filters that are tried one by one. */
const MAXIMUM_TRIED = 6;

/** What to do where no row matches: which filter to remove, and how many rows there are then. */
async function nothingMatches(
  { database, directory, now }: Site,
  table: TableName,
  filters: TableFilters,
): Promise<Markup> {
  const tried = await Promise.all(
    chipsOf(table, filters, directory)
      .slice(0, MAXIMUM_TRIED)
      .map(async (chip) => ({
        ...chip,
        rows: (await tableTotals(database, table, filterOf(chip.left, now(), directory))).rows,
      })),
  );
  const useful = tried.filter(({ rows }) => rows > 0);
  return html`<div class="empty"><p>No rows match these filters. <a href="/tables/${table}">Remove the filters</a>${useful.length > 0 ? ', or one of them:' : '.'}</p>
    ${useful.length > 0 ? html`<ul class="plain-list">${useful.map(({ text: name, without, rows }) => html`<li><a href="${without}">Without ${clip(name, 80)}</a>: ${formatCount(rows, 'row')}</li>`)}</ul>` : null}</div>`;
}

async function render(site: Site, table: TableName, filters: TableFilters, suggestions: Suggestions): Promise<string> {
  const { directory } = site;
  const { rows: listed, totals, next } = await load(site, table, filters, PAGE_ROWS);
  const rows = await withPlainNames(site, table, listed);
  const { title, about, note, totals: shown } = factNamed(table).page;
  const columns = columnsOf(table);
  const first = { ...filters, cursor: undefined };
  const file = (ending: '.csv' | '.json', name: string): Markup =>
    html`<a class="button plain" href="${tableAddress(table, first, ending)}" download="clarity-${table}${ending}" aria-label="These rows as ${name}">${name}</a>`;
  return layout(site, {
    title: clip(titleOf(table, filters, directory), 120),
    description: `${about} Every row has its date, its outlet and its report.`,
    path: tableAddress(table, { ...first, order: EVERYTHING.order }),
    collection: {
      trail: [
        { name: 'Tables', path: '/tables' },
        { name: titled(table), path: `/tables/${table}` },
      ],
      entries: rows.map(({ headline, slug, key, published_at }) => ({
        id: key,
        slug,
        headline: neutralise(headline),
        published_at: published_at.toISOString(),
        url: `${site.baseUrl}/signal/${slug}`,
      })),
    },
    body: html`<header class="subject"><p class="kicker"><span>Tables</span></p><h1>${title}</h1></header>
    ${tabs(table, filters)}${periods(table, filters)}
    ${filterForm(table, filters, suggestions)}
    ${chipList(table, filters, directory)}
    <dl class="figures">${shown.map(([sum, what]) => html`<div><dt>${what}</dt><dd>${formatNumber(totals.sums[sum] ?? 0)}</dd></div>`)}</dl>
    <p class="note">${noteOf(note, totals)}</p>
    ${
      rows.length === 0
        ? await nothingMatches(site, table, filters)
        : html`<p class="files">${file('.csv', 'CSV')} ${file('.json', 'JSON')} <span class="note">${totals.rows > FILE_ROWS ? `The first ${formatNumber(FILE_ROWS)} of ${formatCount(totals.rows, 'row')}` : formatCount(totals.rows, 'row')} as a file, in this order</span></p>${shareButton(titleOf(table, filters, directory), tableAddress(table, first))}
    <div class="scroll" tabindex="0" role="region" aria-label="${titled(table)}"><table class="rows" role="table">
  <thead role="rowgroup"><tr role="row">${columns.map((column) => head(table, filters, column))}</tr></thead>
  <tbody role="rowgroup">${rows.map((row) => rowOf(columns, row, directory))}</tbody></table></div>
    <nav class="pager" aria-label="Pages">${filters.cursor === undefined ? html`<span></span>` : html`<a href="${tableAddress(table, first)}">First rows</a>`}
      ${next ? html`<a href="${tableAddress(table, next)}" rel="next">Next rows</a>` : html`<span>No more rows.</span>`}</nav>`
    }`,
  });
}

// Files.

async function sendFile(
  site: Site,
  reply: FastifyReply,
  table: TableName,
  filters: TableFilters,
  ending: '.csv' | '.json',
) {
  const { rows, totals, next } = await load(site, table, filters, FILE_ROWS);
  const { baseUrl } = site;
  const following = next && `${baseUrl}${tableAddress(table, next, ending)}`;
  if (following) reply.header('link', `<${following}>; rel="next"`);
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-cache');
  if (ending === '.csv') return sendCsv(reply, `clarity-${table}`, tableFile(table, rows, baseUrl));
  const page = `${baseUrl}${tableAddress(table, filters)}`;
  return reply.send({
    table,
    page,
    rows_total: totals.rows,
    totals: totals.sums,
    rows: rows.map((row) => fileRow(row, baseUrl)),
    next: following,
  });
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
      return sendPage(reply, await render(site, table, filters, await suggestions()));
    });
    for (const ending of ['.csv', '.json'] as const)
      server.get(`/tables/${table}${ending}`, async (request, reply) =>
        sendFile(site, reply, table, readTableQuery(table, request.query, directory), ending),
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
      return html`<li><h2><a href="/tables/${table}">${titled(table)}</a></h2><p>${about}</p>
        <p class="note"><a href="/tables/${table}?days=${OVERVIEW_DAYS}">${formatCount(totals.rows, 'row')} in ${OVERVIEW_DAYS} days</a>: ${sums.join('; ')}.</p></li>`;
    };
    return sendPage(
      reply,
      await layout(site, {
        title: 'Tables',
        description: `${titled(TABLES.join(', '))} in Indian retail as tables, with CSV and JSON.`,
        path: '/tables',
        body: html`<header class="subject"><h1>Tables</h1><p>The record as rows, each with its date, its outlet and its report: to sort, to filter, and to take along as CSV or JSON.</p></header>
        <ul class="plain-list tables">${counted.map(entry)}</ul>`,
      }),
    );
  });
}
