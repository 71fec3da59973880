/**
 * GET /results: the results season, companies that reported first, then those due. `.csv` and `.xlsx` have the same rows,
 * /results/chart.svg and .png the growth as a picture for a slide.
 */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { formatDay } from '../../language/days.ts';
import { formatCount, joinNames } from '../../language/prose.ts';
import { type CsvTable, sendCsv } from '../../presentation/csv.ts';
import { growthDrawing, growthText } from '../../presentation/growth-chart.ts';
import { entityTag, matchesEntityTag } from '../../presentation/http/http-caching.ts';
import { addressWith, type Markup, timeTag } from '../../presentation/markup.ts';
import { categoryLabel, formatAxisDay } from '../../presentation/text.ts';
import { sendXlsx } from '../../presentation/xlsx.ts';
import { CATEGORIES, Category } from '../../schemas/catalogue.ts';
import { Quarter } from '../../schemas/moves-by-kind.ts';
import { picturesOf } from '../cards/paint.ts';
import { CHARTED, seasonChart } from '../cards/season-chart.ts';
import { hasEmptyFields, options, readFileQuery, readQuery, shareButton } from '../forms.ts';
import { showPage } from '../layout.ts';
import { brandName } from '../names.ts';
import { excerpt, part, scrolled, sortableHead, subject, tableHead } from '../parts.ts';
import { quarterBack, resultsSeason, type Season, type SeasonFigure, type SeasonRow } from '../season.ts';
import type { Site } from '../site.ts';

const CRORES = new Intl.NumberFormat('en-IN', { maximumFractionDigits: 1 });
const minus = (text: string): string => text.replace('-', '−');

/** `2,140`, in crore rupees; a sum in other money as it is reported. */
const sumText = ({ crore, text }: SeasonFigure): string =>
  crore === null ? excerpt(text ?? '', 16) : minus(CRORES.format(crore));

const points = ({ now, before }: SeasonRow): number | null =>
  now.margin === null || before.margin === null ? null : now.margin - before.margin;

const NOTHING = html`<td class="figure nothing">–</td>`;

const sumCell = (figure: SeasonFigure | null, name: string): Markup =>
  figure === null || figure.text === null
    ? NOTHING
    : html`<td class="figure" data-name="${name}"><a href="/signal/${figure.report.signal.slug}" title="${excerpt(figure.report.signal.headline, 140)}">${sumText(figure)}</a></td>`;

const changeCell = (change: number | null, name: string, unit: '%' | ''): Markup => {
  if (change === null) return NOTHING;
  const direction = change > 0 ? ' healthy' : change < 0 ? ' failing' : '';
  const text = unit === '%' ? growthText(change) : growthText(change).replace('%', '');
  return html`<td class="figure" data-name="${name}"><span class="health${direction}">${text}</span></td>`;
};

interface SeasonColumn {
  readonly name: string;
  /** The name in the address, and in files. */
  readonly sort: string;
  /** What it is sorted by, and what files have. */
  value(row: SeasonRow): number | string | null;
  cell(row: SeasonRow): Markup;
}

/** Revenue or profit: the sum, its growth, and the sum of the quarter before. */
const sumsOf = (name: 'Revenue' | 'Profit', before: string): SeasonColumn[] => {
  const field = name === 'Revenue' ? 'revenue' : 'profit';
  return [
    { name, sort: field, value: ({ now }) => now[field]?.crore ?? null, cell: ({ now }) => sumCell(now[field], name) },
    {
      name: 'Growth',
      sort: `${field}_growth`,
      value: ({ now }) => now[field]?.growth ?? null,
      cell: ({ now }) => changeCell(now[field]?.growth ?? null, `${name} growth`, '%'),
    },
    {
      name: before,
      sort: `${field}_before`,
      value: (row) => row.before[field]?.crore ?? null,
      cell: (row) => sumCell(row.before[field], before),
    },
  ];
};

const marginCell = (margin: number | null, name: string): Markup =>
  margin === null ? NOTHING : html`<td class="figure" data-name="${name}">${minus(CRORES.format(margin))}%</td>`;

const columnsOf = ({ before }: Pick<Season, 'before'>): readonly SeasonColumn[] => [
  {
    name: 'Company',
    sort: 'company',
    value: ({ company }) => company.name,
    cell: ({ company, category }) =>
      html`<th scope="row">${brandName(company.name, company.slug)}<small>${categoryLabel(category)}</small></th>`,
  },
  {
    name: 'Reported',
    sort: 'reported',
    value: ({ reported_on }) => reported_on,
    cell: ({ reported_on }) =>
      html`<td data-name="Reported">${reported_on === null ? '' : timeTag(reported_on, formatAxisDay(reported_on))}</td>`,
  },
  ...sumsOf('Revenue', before),
  ...sumsOf('Profit', before),
  {
    name: 'Margin',
    sort: 'margin',
    value: ({ now }) => now.margin,
    cell: ({ now }) => marginCell(now.margin, 'Margin'),
  },
  {
    name: 'Points',
    sort: 'points',
    value: points,
    cell: (row) => changeCell(points(row), 'Points', ''),
  },
  {
    name: before,
    sort: 'margin_before',
    value: (row) => row.before.margin,
    cell: (row) => marginCell(row.before.margin, before),
  },
];

const SORTS = columnsOf({ before: 'Q1 FY27' }).map(({ sort }) => sort);
const USUAL = '-reported';
const ResultsQuery = z.object({
  quarter: Quarter.describe('a quarter such as Q2 FY27').optional(),
  category: Category.describe(`one of ${CATEGORIES.join(', ')}`).optional(),
  sort: z
    .enum(SORTS.flatMap((sort) => [sort, `-${sort}`]))
    .describe(`one of ${SORTS.join(', ')}, each with - in front from high to low`)
    .default(USUAL),
});
type ResultsQuery = z.output<typeof ResultsQuery>;

const addressOf = ({ quarter, category, sort }: Partial<ResultsQuery>, file = ''): string =>
  addressWith(`/results${file}`, { quarter, category, sort: sort === USUAL ? undefined : sort });

/** Rows without a value come last in both directions. */
function sorted(rows: readonly SeasonRow[], sort: string, columns: readonly SeasonColumn[]): SeasonRow[] {
  const column = columns.find((one) => one.sort === sort.replace(/^-/, ''));
  const direction = sort.startsWith('-') ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [column?.value(one) ?? null, column?.value(other) ?? null];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return direction * (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b)));
  });
}

const headOf = (column: SeasonColumn, at: number, query: ResultsQuery): Markup => {
  const isCurrent = query.sort.replace(/^-/, '') === column.sort;
  const isDescending = query.sort.startsWith('-');
  const next = isCurrent ? !isDescending : at > 0;
  return sortableHead({
    name: column.name,
    path: addressOf({ ...query, sort: (next ? `-${column.sort}` : column.sort) as ResultsQuery['sort'] }),
    direction: isCurrent ? (isDescending ? 'descending' : 'ascending') : null,
    isFigure: at > 1,
  });
};

function seasonTable(season: Season, query: ResultsQuery): Markup {
  const columns = columnsOf(season);
  return html`${scrolled(
    `Results of ${season.quarter}`,
    html`<table class="pivot">
  <thead><tr><td colspan="2"></td><th scope="colgroup" colspan="3" class="figure">Revenue, ₹ crore</th><th scope="colgroup" colspan="3" class="figure">Profit, ₹ crore</th><th scope="colgroup" colspan="3" class="figure">Net margin</th></tr>
  <tr>${columns.map((column, at) => headOf(column, at, query))}</tr></thead>
  <tbody>${sorted(season.reported, query.sort, columns).map(
    (row) => html`<tr>${columns.map(({ cell }) => cell(row))}</tr>
`,
  )}</tbody></table>`,
  )}
  <p class="note">Sums and growth against the same quarter of the year before, as reported; a sum leads to its report. Net margin is profit divided by revenue where one report states both; points are against ${season.before}.</p>`;
}

/** Due companies that a page lists; files have all. */
const MAXIMUM_DUE = 60;

function dueTable({ due, before, quarter, hasEnded }: Season): Markup | null {
  if (due.length === 0 || !hasEnded) return null;
  const sums = ({ before: { revenue, profit } }: SeasonRow): Markup =>
    html`${sumCell(revenue, 'Revenue')}${sumCell(profit, 'Profit')}`;
  const ordered = due.toSorted(
    (one, other) => Number(other.before.revenue !== null) - Number(one.before.revenue !== null),
  );
  return part(
    `Due: ${formatCount(due.length, 'company', 'companies')}`,
    html`${scrolled(
      `Companies that have not reported ${quarter}`,
      html`<table class="pivot">${tableHead(['Company', { figure: `Revenue, ${before}` }, { figure: `Profit, ${before}` }])}<tbody>${ordered
        .slice(0, MAXIMUM_DUE)
        .map(
          (row) =>
            html`<tr><th scope="row">${brandName(row.company.name, row.company.slug)}<small>${categoryLabel(row.category)}</small></th>${sums(row)}</tr>`,
        )}</tbody></table>`,
    )}${due.length > MAXIMUM_DUE ? html`<p class="note">${formatCount(due.length - MAXIMUM_DUE, 'more company', 'more companies')} in the files.</p>` : null}`,
  );
}

/** Growth by company, highest first: of revenue or of profit, whichever more companies report. */
function growthOf({ reported }: Season) {
  const of = (field: 'revenue' | 'profit') =>
    reported
      .flatMap(({ company, now }) => {
        const growth = now[field]?.growth ?? null;
        return growth === null ? [] : [{ company: company.name, growth_pct: growth }];
      })
      .sort((one, other) => other.growth_pct - one.growth_pct);
  const [revenue, profit] = [of('revenue'), of('profit')];
  return revenue.length >= profit.length
    ? { name: 'Growth of revenue', growth: revenue }
    : { name: 'Growth of profit', growth: profit };
}

const titleOf = ({ quarter }: Season, { category }: ResultsQuery): string =>
  `Results, ${quarter}${category ? `: ${categoryLabel(category)}` : ''}`;

const chooser = (season: Season, query: ResultsQuery): Markup => {
  const quarters = [-1, 0, 1, 2, 3, 4].map((back) => quarterBack(season.quarter, back));
  const choices = CATEGORIES.map((category) => ({ value: category, name: categoryLabel(category) }));
  return html`<form class="finder" action="/results" method="get" aria-label="Filter">
  <select name="category" aria-label="Category">${options([{ value: '', name: 'Every category' }, ...choices], query.category ?? '')}</select>
  <select name="quarter" aria-label="Quarter">${options(
    quarters.map((quarter) => ({ value: quarter, name: quarter })),
    season.quarter,
  )}</select><button type="submit">Show</button></form>`;
};

const takeAlong = (season: Season, query: ResultsQuery): Markup => {
  const file = (ending: string, name: string, words: string): Markup =>
    html`<a class="button plain" href="${addressOf({ ...query, quarter: season.quarter }, ending)}" download="clarity-results-${season.quarter.replace(' ', '-').toLowerCase()}${ending.replace('/', '-')}" aria-label="${words}">${name}</a>`;
  return html`${file('.csv', 'CSV', 'This table as CSV')}${file('.xlsx', 'Excel', 'This table as Excel')}
    ${growthOf(season).growth.length > 0 ? html`${file('/chart.png', 'Chart PNG', 'Chart PNG')}${file('/chart.svg', 'SVG', 'Chart SVG')}` : null}
    ${shareButton(titleOf(season, query), addressOf({ ...query, quarter: season.quarter }))}`;
};

function resultsView(season: Season, query: ResultsQuery): Markup {
  const { reported, due, withoutFigures, quarter, hasEnded } = season;
  const { name, growth } = growthOf(season);
  const all = reported.length + due.length + withoutFigures.length;
  const progress = hasEnded
    ? `${reported.length + withoutFigures.length} of ${formatCount(all, 'company', 'companies')} have reported ${quarter}, according to the record`
    : `${quarter} has not ended: companies report after it`;
  return html`${subject(null, titleOf(season, query), html`<p>${progress}</p>`)}
  <div class="table-tools">${chooser(season, query)}<div class="do">${takeAlong(season, query)}</div></div>
  ${reported.length === 0 ? html`<p class="empty">No results of this selection are on record. <a href="/results">The latest season of every category</a>, or <a href="/tables/results">every figure as a table</a>.</p>` : seasonTable(season, query)}
  ${
    withoutFigures.length > 0
      ? html`<p class="note">Reported without a figure on record: ${joinNames(
          withoutFigures.map(({ name }) => excerpt(name, 40)),
          12,
        )}.</p>`
      : null
  }
  <div class="columns">${growth.length > 0 ? part(name, growthDrawing(`${name} in ${quarter}`, growth.slice(0, CHARTED))) : null}${dueTable(season)}</div>`;
}

/** All companies as a table of a file: those that reported, then those due. */
function seasonFile(season: Season, query: ResultsQuery, site: Site): CsvTable {
  const columns = columnsOf(season);
  const cited = ({ now }: SeasonRow) => (now.revenue ?? now.profit)?.report;
  return {
    columns: [
      ...columns.map(({ sort }) => sort),
      'category',
      'quarter',
      'quarter_before',
      'revenue_as_reported',
      'profit_as_reported',
      'outlet',
      'source_url',
      'url',
    ],
    rows: [...sorted(season.reported, query.sort, columns), ...season.due].map((row) => [
      ...columns.map(({ value }) => {
        const cell = value(row);
        return typeof cell === 'number' ? Math.round(cell * 100) / 100 : cell;
      }),
      row.category,
      season.quarter,
      season.before,
      row.now.revenue?.text ?? null,
      row.now.profit?.text ?? null,
      cited(row)?.outlet ?? null,
      cited(row)?.source_url ?? null,
      cited(row) ? `${site.baseUrl}/signal/${cited(row)?.signal.slug}` : null,
    ]),
  };
}

export function resultsPage(server: FastifyInstance, site: Site): void {
  server.get('/results', async (request, reply) => {
    const query = readQuery(ResultsQuery, request.query);
    if (hasEmptyFields(request)) return reply.redirect(addressOf(query), 303);
    const season = await resultsSeason(site, query);
    const title = titleOf(season, query);
    return showPage(reply, site, {
      title,
      description: `Who reported ${season.quarter}: revenue, profit and margin with growth and the quarter before, each with its report.`,
      path: addressOf({ ...query, sort: USUAL }),
      body: resultsView(season, query),
    });
  });
  for (const ending of ['.csv', '.xlsx'] as const)
    server.get(`/results${ending}`, async (request, reply) => {
      const query = readFileQuery(ResultsQuery, request.query);
      const season = await resultsSeason(site, query);
      const name = `clarity-results-${season.quarter.replace(' ', '-').toLowerCase()}`;
      const file = seasonFile(season, query, site);
      if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-cache');
      return ending === '.csv'
        ? sendCsv(reply, name, file, { forSpreadsheets: true })
        : sendXlsx(reply, name, [{ name: `Results ${season.quarter}`, ...file }]);
    });
  const picture = picturesOf(server);
  for (const ending of ['svg', 'png'] as const)
    server.get(`/results/chart.${ending}`, async (request, reply) => {
      const query = readFileQuery(ResultsQuery, request.query);
      const season = await resultsSeason(site, query);
      const { name, growth } = growthOf(season);
      const drawing = seasonChart({
        title: `${name}, ${season.quarter}${query.category ? `: ${categoryLabel(query.category)}` : ''}`,
        note: `Against the same quarter of the year before, as reported${growth.length > CHARTED ? `; the ${CHARTED} that grew most` : ''}`,
        foot: `${site.demo ? 'Demonstration, the reports are invented. ' : ''}Clarity, ${formatDay(site.now())}. ${site.baseUrl}${addressOf({ ...query, quarter: season.quarter, sort: USUAL })}`,
        growth,
      });
      const tag = entityTag(drawing);
      reply.headers({ 'cache-control': 'no-cache', etag: tag });
      if (matchesEntityTag(request.headers['if-none-match'], tag)) return reply.code(304).send();
      if (ending === 'svg') return reply.type('image/svg+xml; charset=utf-8').send(drawing);
      return reply.type('image/png').send(await picture(tag, drawing));
    });
}
