/**
 * Tables of the record. GET /tables lists them; GET /tables/{name} has the rows of one, sorted and filtered by its
 * address; the same address with .csv or .json after the name has the same rows as a file.
 */

import type { FastifyInstance, FastifyReply } from 'fastify';
import { html } from 'hono/html';
import { formatDay } from '../../language/days.ts';
import { formatCount, formatNumber } from '../../language/prose.ts';
import { type CsvTable, sendCsv } from '../../presentation/csv.ts';
import { brandPath, cityPath, type Markup, outwardLink, timeTag } from '../../presentation/markup.ts';
import { provisionalBrands, readCursor } from '../../presentation/public-records.ts';
import { clip, labelToWords, neutralise } from '../../presentation/text.ts';
import { windowOf } from '../../projector/models/query-parts.ts';
import {
  cellsOfTable,
  fieldsOfTable,
  listTable,
  readTableCursor,
  type TableCell,
  type TableRow,
  type TableTotals,
  tableCursor,
  tableTotals,
  tableValues,
} from '../../projector/models/tables-queries.ts';
import type { Directory } from '../../schemas/directory.ts';
import { TABLES, type TableName } from '../../schemas/moves-by-kind.ts';
import { BrandSlug } from '../../schemas/scalar.ts';
import { choiceField, hasEmptyFields, hidden, shareButton } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import { cacheFor } from '../names.ts';
import type { Site } from '../site.ts';
import {
  type Asked,
  chipsOf,
  EVERYTHING,
  FIELD_NAMES,
  filterOf,
  parametersOf,
  readTableQuery,
  sharedFilters,
  tableAddress,
  valueName,
  valuesOf,
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
  readonly sort?: string;
  /** Sorted from high to low at first. */
  readonly highFirst?: boolean;
  readonly figure?: boolean;
  cell(row: TableRow, directory: Directory): Markup | string | null;
}

interface Table {
  readonly title: string;
  readonly about: string;
  readonly columns: readonly Column[];
  /** What the totals count, by their names, in order. */
  readonly totals: readonly (readonly [sum: string, what: string])[];
  note(totals: TableTotals): string;
}

const text = (value: TableCell | undefined, maximum = 60): string =>
  value === null || value === undefined ? '' : clip(neutralise([value].flat().join(', ')), maximum);

const named = (name: TableCell | undefined, slug: TableCell | undefined): Markup | string =>
  typeof slug === 'string' && slug !== '' ? html`<a href="${brandPath(slug)}">${text(name)}</a>` : text(name);

const cityLink = (city: TableCell | undefined, directory: Directory): Markup | string =>
  typeof city === 'string' && directory.city(city) ? html`<a href="${cityPath(city)}">${text(city)}</a>` : text(city);

const words = (column: string, name: string, sort?: string): Column => ({
  name,
  ...(sort && { sort }),
  cell: ({ cells }) => labelToWords(text(cells[column])),
});

const places = ({ cells }: TableRow): string =>
  [cells.mall, cells.locality]
    .map((one) => text(one))
    .filter(Boolean)
    .join(', ');
const between = ({ comes_from, goes_to }: TableRow['cells']): string =>
  [comes_from && `from ${text(comes_from)}`, goes_to && `to ${text(goes_to)}`].filter(Boolean).join(' ');
const dayOf = (value: TableCell | undefined, what: string): Markup | null =>
  typeof value === 'string' ? html`<small>${what} ${timeTag(value, formatDay(value))}</small>` : null;

const SHOWN: Readonly<Record<TableName, Table>> = {
  openings: {
    title: 'Store openings and closures',
    about: 'Stores that opened, are announced or planned, or closed.',
    columns: [
      { name: 'Brand', sort: 'brand', cell: ({ cells }) => named(cells.brand, cells.brand_slug) },
      {
        name: 'City',
        sort: 'city',
        cell: (row, directory) =>
          html`${cityLink(row.cells.city, directory)}${places(row) ? html`<small>${places(row)}</small>` : null}`,
      },
      {
        name: 'Status',
        sort: 'status',
        cell: ({ cells }) => html`${text(cells.status)}${dayOf(cells.date, 'on')}`,
      },
      { name: 'Stores', sort: 'stores', highFirst: true, figure: true, cell: ({ cells }) => numberOf(cells.stores) },
    ],
    totals: [
      ['opened', 'stores opened, at least'],
      ['planned', 'stores announced or planned, at least'],
      ['closed', 'stores closed, at least'],
    ],
    note: ({ rows, sums }) =>
      `A report without a number of stores counts as one store: ${formatNumber(sums.unnumbered ?? 0)} of ${formatCount(rows, 'row')}. A row is one opening, plan or closure; it counts once, however many outlets report it.`,
  },
  people: {
    title: 'People who joined, left and were promoted',
    about: 'Appointments, exits and promotions.',
    columns: [
      { name: 'Person', sort: 'person', cell: ({ cells }) => text(cells.person) },
      words('direction', 'What', 'direction'),
      { name: 'Role', sort: 'role', cell: ({ cells }) => text(cells.role, 90) },
      {
        name: 'Company',
        sort: 'company',
        cell: ({ cells }) =>
          html`${named(cells.company, cells.company_slug)}${between(cells) ? html`<small>${between(cells)}</small>` : null}${dayOf(cells.effective, 'effective')}`,
      },
    ],
    totals: [
      ['joined', 'joined'],
      ['left', 'left'],
      ['promoted', 'promoted'],
    ],
    note: ({ rows }) =>
      `${formatCount(rows, 'row')}. A row is one person in one event; it counts once, however many outlets report it.`,
  },
  results: {
    title: 'Results of companies',
    about: 'Revenue, profit and other figures, by quarter.',
    columns: [
      { name: 'Company', sort: 'company', cell: ({ cells }) => named(cells.company, cells.company_slug) },
      { name: 'Quarter', sort: 'quarter', highFirst: true, cell: ({ cells }) => text(cells.period, 20) },
      words('metric', 'Metric', 'metric'),
      { name: 'Value', figure: true, cell: ({ cells }) => text(cells.value, 30) },
      { name: 'Growth', sort: 'growth', highFirst: true, figure: true, cell: ({ cells }) => percent(cells.growth_pct) },
    ],
    totals: [
      ['up', 'figures that grew'],
      ['down', 'figures that fell'],
      ['without', 'without a stated growth'],
    ],
    note: ({ rows }) =>
      `${formatCount(rows, 'row')}. A row is one metric of one company and period, as reported; targets and forecasts have “expected” in their metric. Values are not added up.`,
  },
  deals: {
    title: 'Deals',
    about: 'Funding, acquisitions, stake sales, IPOs, joint ventures and mergers.',
    columns: [
      words('type', 'Type', 'type'),
      { name: 'Company', sort: 'company', cell: ({ cells }) => named(cells.target, cells.target_slug) },
      { name: 'Buyers or investors', cell: ({ cells }) => text(cells.buyers, 90) },
      { name: 'Amount', figure: true, cell: ({ cells }) => text(cells.amount, 30) },
      words('status', 'Status', 'status'),
    ],
    totals: [
      ['completed', 'completed'],
      ['agreed', 'agreed'],
      ['rumoured', 'rumoured'],
      ['unstated', 'without a stated status'],
    ],
    note: ({ rows }) =>
      `${formatCount(rows, 'deal')}. Amounts are as reported, in several currencies, and many deals state none: they are not added up.`,
  },
  enforcement: {
    title: 'Enforcement and rules',
    about: 'What regulators and courts did: penalties, notices, recalls, cases, approvals and new rules.',
    columns: [
      { name: 'Regulator or court', sort: 'regulator', cell: ({ cells }) => text(cells.regulator) },
      { name: 'Firm', sort: 'firm', cell: ({ cells }) => named(cells.firm, cells.firm_slug) },
      words('action', 'Action', 'action'),
      words('status', 'Status', 'status'),
    ],
    totals: [
      ['decided', 'decided or settled'],
      ['open', 'proposed, pending, appealed or stayed'],
      ['overturned', 'set aside'],
      ['unstated', 'without a stated status'],
    ],
    note: ({ rows }) =>
      `${formatCount(rows, 'row')}, one for each entry of the kind Rules. Regulator, action and status are read from the words of the report; empty where they do not say.`,
  },
};

const numberOf = (value: TableCell | undefined): string => (typeof value === 'number' ? formatNumber(value) : '');
const percent = (value: TableCell | undefined): string =>
  typeof value === 'number' ? `${value > 0 ? '+' : ''}${String(value).replace('-', '−')}%` : '';

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
  ...SHOWN[table].columns,
  { name: 'Report', cell: sourceOf },
  {
    name: 'Entry',
    cell: ({ slug, headline }) => html`<a href="/signal/${slug}">${text(headline, 110)}</a>`,
  },
];

const ARROWS = { ascending: '▲', descending: '▼' } as const;

/** A head that sorts by its column; a column that is sorted by is turned round. */
function head(table: TableName, asked: Asked, { name, sort, highFirst = false, figure }: Column): Markup {
  const style = figure ? html` class="figure"` : null;
  if (sort === undefined) return html`<th scope="col" role="columnheader"${style}>${name}</th>`;
  const { by, descending } = asked.order;
  const current = by === sort ? (descending ? 'descending' : 'ascending') : null;
  const order = { by: sort, descending: current ? !descending : highFirst };
  const link = tableAddress(table, { ...asked, order, cursor: undefined });
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
function filterForm(table: TableName, asked: Asked, suggestions: Suggestions): Markup {
  const typed = new Set(['from', 'to', 'outlets', 'cursor']);
  const kept = parametersOf(asked).filter(([name]) => !typed.has(name));
  const own = fieldsOfTable(table).filter((field) => field !== 'outlet');
  const fields = (names: readonly string[]): Markup[] => names.map((name) => filterField(table, name, suggestions));
  const { from, to, outlets, without, only } = asked;
  const isOpen = [from, to, outlets, only.outlet, ...Object.values(without)].some((value) => value !== undefined);
  return html`<form class="finder" action="/tables/${table}" method="get" aria-label="Filter">
  ${kept.map(([name, value]) => hidden({ [name]: value }))}
  <div class="row">${fields(own)}</div>
  <details${isOpen ? html` open` : null}><summary>Dates, outlets, and what to leave out</summary>
    <div class="row">${dayField('from', 'From', asked.from)}${dayField('to', 'Until', asked.to)}${fields(['outlet'])}
      <div class="field"><label for="outlets">Reported by at least (outlets)</label><input id="outlets" name="outlets" type="number" min="1" max="1000" value="${asked.outlets ?? ''}"></div></div>
    <fieldset><legend>Leave out</legend><div class="row">${fields([...own, 'outlet'].map((name) => `not_${name}`))}</div></fieldset></details>
  ${Object.entries(suggestions).map(([field, values]) => html`<datalist id="names-${field}">${values.map((value) => html`<option value="${text(value)}">`)}</datalist>`)}
  <button type="submit">Filter</button>
</form>`;
}

const chipList = (table: TableName, asked: Asked, directory: Directory): Markup | null => {
  const chips = chipsOf(table, asked, directory);
  return chips.length === 0
    ? null
    : html`<ul class="chips" aria-label="Filters that are set">${chips.map(
        ({ text: said, without }) =>
          html`<li><a class="chip" href="${without}" aria-label="Remove the filter ${clip(said, 80)}">${clip(said, 80)} <span aria-hidden="true">✕</span></a></li> `,
      )}${chips.length > 1 ? html`<li><a class="chip" href="${tableAddress(table, { ...EVERYTHING, order: asked.order })}">Remove all</a></li>` : null}</ul>`;
};

const tabs = (table: TableName, asked: Asked): Markup =>
  html`<nav class="kinds" aria-label="Tables">${TABLES.map(
    (one) =>
      html`<a href="${tableAddress(one, one === table ? EVERYTHING : sharedFilters(asked, one))}"${one === table ? html` aria-current="page"` : null}>${titled(one)}</a> `,
  )}</nav>`;

const periods = (table: TableName, asked: Asked): Markup => {
  const isRange = asked.from !== undefined || asked.to !== undefined;
  const link = (days: number | undefined, name: string): Markup => {
    const address = tableAddress(table, { ...asked, days, from: undefined, to: undefined, cursor: undefined });
    return html`<a href="${address}"${!isRange && asked.days === days ? html` aria-current="true"` : null}>${name}</a> `;
  };
  return html`<nav class="kinds" aria-label="Period">${link(undefined, 'All dates')}${PERIODS.map((days) => link(days, days === 365 ? '1 year' : `${days} days`))}</nav>`;
};

const titled = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** The rows of a table and where they go on. */
async function load(site: Site, table: TableName, asked: Asked, limit: number) {
  const { database, directory, now } = site;
  const filter = filterOf(asked, now(), directory);
  const { order, cursor } = asked;
  const after = cursor === undefined ? null : readCursor(cursor, (given) => readTableCursor(given, order));
  const [found, totals] = await Promise.all([
    // One more row than asked for shows whether others follow.
    listTable(database, table, filter, { order, limit: limit + 1, after }),
    tableTotals(database, table, filter),
  ]);
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const next = found.length > limit && last ? { ...asked, cursor: tableCursor(order, last) } : null;
  return { rows, totals, next };
}

const SLUGS = ['brand_slug', 'company_slug', 'target_slug', 'firm_slug'] as const;

/** The rows with brands that have no page as text: they lose their slug. */
async function withPlainNames(site: Site, rows: readonly TableRow[]): Promise<TableRow[]> {
  const named = rows.flatMap(({ cells }) => SLUGS.flatMap((column) => BrandSlug.safeParse(cells[column]).data ?? []));
  const provisional = await provisionalBrands(site, named);
  const plain = (value: TableCell): TableCell => (typeof value === 'string' && provisional.has(value) ? null : value);
  return rows.map((row) => ({
    ...row,
    cells: {
      ...row.cells,
      ...Object.fromEntries(
        SLUGS.flatMap((column) => (column in row.cells ? [[column, plain(row.cells[column] ?? null)]] : [])),
      ),
    },
  }));
}

/** What a heading and a title say of the filters: `Openings in Gurugram, last 30 days`. */
const titleOf = (table: TableName, asked: Asked, directory: Directory): string => {
  const of = (field: string): string =>
    (asked.only[field] ?? []).map((value) => clip(valueName(field, value, directory), 40)).join(', ');
  return [
    `${titled(table)}${of('brand') ? ` of ${of('brand')}` : ''}${of('city') ? ` in ${of('city')}` : ''}`,
    ...(asked.days ? [`last ${asked.days} days`] : []),
  ].join(', ');
};

/** Filters that are tried one by one. */
const MAXIMUM_TRIED = 6;

/** What to do where no row matches: which filter to remove, and how many rows there are then. */
async function nothingMatches({ database, directory, now }: Site, table: TableName, asked: Asked): Promise<Markup> {
  const tried = await Promise.all(
    chipsOf(table, asked, directory)
      .slice(0, MAXIMUM_TRIED)
      .map(async (chip) => ({
        ...chip,
        rows: (await tableTotals(database, table, filterOf(chip.left, now(), directory))).rows,
      })),
  );
  const useful = tried.filter(({ rows }) => rows > 0);
  return html`<div class="empty"><p>No rows match these filters. <a href="/tables/${table}">Remove the filters</a>${useful.length > 0 ? ', or one of them:' : '.'}</p>
    ${useful.length > 0 ? html`<ul class="plain-list">${useful.map(({ text: said, without, rows }) => html`<li><a href="${without}">Without ${clip(said, 80)}</a>: ${formatCount(rows, 'row')}</li>`)}</ul>` : null}</div>`;
}

async function render(site: Site, table: TableName, asked: Asked, suggestions: Suggestions): Promise<string> {
  const { directory } = site;
  const { rows: found, totals, next } = await load(site, table, asked, PAGE_ROWS);
  const rows = await withPlainNames(site, found);
  const { title, about, note, totals: shown } = SHOWN[table];
  const columns = columnsOf(table);
  const first = { ...asked, cursor: undefined };
  const file = (ending: '.csv' | '.json', name: string): Markup =>
    html`<a class="button plain" href="${tableAddress(table, first, ending)}" download="clarity-${table}${ending}" aria-label="These rows as ${name}">${name}</a>`;
  return layout(site, {
    title: `${clip(titleOf(table, asked, directory), 120)} · Clarity`,
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
    ${tabs(table, asked)}${periods(table, asked)}
    ${filterForm(table, asked, suggestions)}
    ${chipList(table, asked, directory)}
    <dl class="figures">${shown.map(([sum, what]) => html`<div><dt>${what}</dt><dd>${formatNumber(totals.sums[sum] ?? 0)}</dd></div>`)}</dl>
    <p class="note">${note(totals)}</p>
    ${
      rows.length === 0
        ? await nothingMatches(site, table, asked)
        : html`<p class="files">${file('.csv', 'CSV')} ${file('.json', 'JSON')} <span class="note">${totals.rows > FILE_ROWS ? `The first ${formatNumber(FILE_ROWS)} of ${formatCount(totals.rows, 'row')}` : formatCount(totals.rows, 'row')} as a file, in this order</span></p>${shareButton(titleOf(table, asked, directory), tableAddress(table, first))}
    <div class="scroll" tabindex="0" role="region" aria-label="${titled(table)}"><table class="rows" role="table">
  <thead role="rowgroup"><tr role="row">${columns.map((column) => head(table, asked, column))}</tr></thead>
  <tbody role="rowgroup">${rows.map((row) => rowOf(columns, row, directory))}</tbody></table></div>
    <nav class="pager" aria-label="Pages">${asked.cursor === undefined ? html`<span></span>` : html`<a href="${tableAddress(table, first)}">First rows</a>`}
      ${next ? html`<a href="${tableAddress(table, next)}" rel="next">Next rows</a>` : html`<span>No more rows.</span>`}</nav>`
    }`,
  });
}

// Files.

/** Columns of every file, before and after those of its table. */
const AROUND = [['published_at'], ['headline', 'outlets', 'outlet', 'source_url', 'id', 'url']] as const;
const nameInFile = (cell: string): string => (cell === 'date' ? 'opens_on' : cell);

/** The columns of a file: the date, what the table shows, and the citation as `/api/v1/signals.csv` names it. */
const fileRow = ({ cells, ...row }: TableRow, baseUrl: string): Record<string, TableCell> => ({
  published_at: row.published_at.toISOString(),
  ...Object.fromEntries(Object.entries(cells).map(([name, value]) => [nameInFile(name), value])),
  headline: row.headline,
  outlets: row.outlets,
  outlet: row.outlet,
  source_url: row.source_url,
  id: row.key,
  url: `${baseUrl}/signal/${row.slug}`,
});

const asTable = (columns: readonly string[], rows: readonly Record<string, TableCell>[]): CsvTable => ({
  columns,
  rows: rows.map((row) =>
    columns.map((name) => {
      const value = row[name] ?? null;
      return Array.isArray(value) ? value.join('; ') : value;
    }),
  ),
});

async function sendFile(site: Site, reply: FastifyReply, table: TableName, asked: Asked, ending: '.csv' | '.json') {
  const { rows, totals, next } = await load(site, table, asked, FILE_ROWS);
  const { baseUrl } = site;
  const following = next && `${baseUrl}${tableAddress(table, next, ending)}`;
  if (following) reply.header('link', `<${following}>; rel="next"`);
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-cache');
  const listed = rows.map((row) => fileRow(row, baseUrl));
  if (ending === '.csv')
    return sendCsv(
      reply,
      `clarity-${table}`,
      asTable([...AROUND[0], ...cellsOfTable(table).map(nameInFile), ...AROUND[1]], listed),
    );
  const page = `${baseUrl}${tableAddress(table, asked)}`;
  return reply.send({ table, page, rows_total: totals.rows, totals: totals.sums, rows: listed, next: following });
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
      const asked = readTableQuery(table, request.query, directory);
      if (hasEmptyFields(request)) return reply.redirect(tableAddress(table, asked), 303);
      return sendPage(reply, await render(site, table, asked, await suggestions()));
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
      const { about, totals: shown } = SHOWN[table];
      const sums = shown.map(([sum, what]) => `${what}: ${formatNumber(totals.sums[sum] ?? 0)}`);
      return html`<li><h2><a href="/tables/${table}">${titled(table)}</a></h2><p>${about}</p>
        <p class="note"><a href="/tables/${table}?days=${OVERVIEW_DAYS}">${formatCount(totals.rows, 'row')} in ${OVERVIEW_DAYS} days</a>: ${sums.join('; ')}.</p></li>`;
    };
    return sendPage(
      reply,
      await layout(site, {
        title: 'Tables · Clarity',
        description: 'Openings, people, results, deals and enforcement in Indian retail as tables, with CSV and JSON.',
        path: '/tables',
        body: html`<header class="subject"><h1>Tables</h1><p>The record as rows, each with its date, its outlet and its report: to sort, to filter, and to take along as CSV or JSON.</p></header>
        <ul class="plain-list tables">${counted.map(entry)}</ul>`,
      }),
    );
  });
}
