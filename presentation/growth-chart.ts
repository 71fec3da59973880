/** The growth of a group's companies side by side: a chart and a table with the same figures. It needs no style sheet. */
import { scaleLinear } from 'd3-scale';
import { html } from 'hono/html';
import type { GroupSeason, KeyNumber } from '../schemas/moves-by-kind.ts';
import { type Markup, renderMarkup } from './markup.ts';
import { clip, neutralise } from './text.ts';

/** Units of the drawing: as wide as a phone, so that letters are never drawn too small. */
const WIDTH = 360;
const ROW = 40;
const TOP = 6;
const BAR = 9;
/** Visible on white and on black; the side of the line distinguishes them too. */
const UP = '#2e8b57';
const DOWN = '#d0533f';

const shown = (text: string, maximum: number): string => clip(neutralise(text), maximum);

const PERCENT = new Intl.NumberFormat('en-IN', { maximumFractionDigits: 1, signDisplay: 'exceptZero' });
/** `+24%`, with a true minus. */
export const growthText = (growth: number): string => `${PERCENT.format(growth).replace('-', '−')}%`;

type Growth = Pick<GroupSeason['growth'][number], 'company' | 'growth_pct'>;

/** The metric that the chart compares: profit only where no company reports revenue. */
const comparedMetric = ([first]: GroupSeason['growth']): 'Revenue' | 'Profit' =>
  first?.metric === 'profit' ? 'Profit' : 'Revenue';

/** Bars of growth, in the order of the list. */
export function growthDrawing(title: string, growth: readonly Growth[]): Markup {
  const all = growth.map(({ growth_pct }) => growth_pct);
  const place = scaleLinear([Math.min(0, ...all), Math.max(0, ...all)], [0, WIDTH]).nice();
  const zero = place(0);
  const height = TOP + growth.length * ROW;
  const row = ({ company, growth_pct }: Growth, index: number): Markup => {
    const y = TOP + index * ROW;
    const [x, end] = [zero, place(growth_pct)].sort((one, other) => one - other) as [number, number];
    return html`<text x="0" y="${y + 14}">${shown(company, 34)}</text>
    <text x="${WIDTH}" y="${y + 14}" text-anchor="end" font-weight="600">${growthText(growth_pct)}</text>
    <line x1="${zero.toFixed(1)}" x2="${zero.toFixed(1)}" y1="${y + 18}" y2="${y + 22 + BAR}" stroke="currentColor" stroke-opacity="0.6"></line>
    <rect class="${growth_pct < 0 ? 'down' : 'up'}" x="${x.toFixed(1)}" y="${y + 20}" width="${Math.max(1, end - x).toFixed(1)}" height="${BAR}" fill="${growth_pct < 0 ? DOWN : UP}"></rect>`;
  };
  return html`<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="${title}" viewBox="0 0 ${WIDTH} ${height}" width="100%" font-family="inherit" font-size="13" fill="currentColor">
    <title>${title}</title>
    ${growth.map(row)}
  </svg>`;
}

const figureRow = ({ company, metric, value, growth_pct, signal }: KeyNumber): Markup => html`<tr>
    <th scope="row">${shown(company, 60)}</th><td>${shown(metric, 30)}</td><td>${value === null ? '–' : shown(value, 40)}</td>
    <td>${growth_pct === null ? '–' : growthText(growth_pct)}</td><td><a href="${signal.url}" aria-label="Report of ${shown(company, 60)}, ${shown(metric, 30)}">Report</a></td>
  </tr>`;

/** The chart and its table; the table without growth figures, and a sentence without any figures. */
export function growthChart(season: Pick<GroupSeason, 'group' | 'quarter' | 'growth' | 'key_numbers'>): Markup {
  const { group, quarter, growth, key_numbers } = season;
  const title = `${comparedMetric(growth)} growth in ${quarter}, ${shown(group.name, 60)}`;
  if (key_numbers.length === 0)
    return html`<figure class="growth"><figcaption>No figures for ${quarter} are reported yet.</figcaption></figure>`;
  return html`<figure class="growth">
  <figcaption>${growth.length > 0 ? `${title}, compared with the same quarter a year before` : `Figures for ${quarter}`}</figcaption>
  ${growth.length > 0 ? growthDrawing(title, growth) : null}
  <table>
    <thead><tr><th scope="col">Company</th><th scope="col">Metric</th><th scope="col">Figure</th><th scope="col">Growth</th><th scope="col">Report</th></tr></thead>
    <tbody>${key_numbers.map(figureRow)}</tbody>
  </table>
</figure>`;
}

/** Styles of this fragment, which has no style sheet of a page. */
const STYLE = html`<style>
.clarity-growth{color-scheme:light dark;color:CanvasText;background:Canvas;font:1rem/1.4 system-ui,sans-serif;max-width:34rem}
.clarity-growth figure{margin:0}
.clarity-growth svg{display:block;max-width:26rem}
.clarity-growth figcaption{font-weight:600;margin-bottom:.5rem}
.clarity-growth table{border-collapse:collapse;width:100%;margin-top:1rem;font-size:.8125rem}
.clarity-growth th,.clarity-growth td{padding:.25rem .5rem .25rem 0;text-align:left;vertical-align:top;border-top:1px solid}
.clarity-growth tbody th{font-weight:400}
</style>`;

/** The chart as a self-contained HTML fragment, in the colours of its reader's theme. */
export const renderStandaloneChart = async (season: Parameters<typeof growthChart>[0]): Promise<string> =>
  renderMarkup(html`<div class="clarity-growth">${STYLE}${growthChart(season)}</div>`);
