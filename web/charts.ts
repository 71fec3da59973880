/** Charts as SVG: moves by kind, stories by week, items by hour, calls by day. */
import { max } from 'd3-array';
import { scaleLinear, scaleSqrt } from 'd3-scale';
import { line } from 'd3-shape';
import { html } from 'hono/html';
import type { UsageDay } from '../access/quota/usage.ts';
import { address, type Markup } from '../presentation/markup.ts';
import { formatCount, formatShortDay, MOVE_NAMES } from '../presentation/text.ts';
import type { WeekCount } from '../projector/models/brands-queries.ts';
import { MOVES, type Move, type MoveCounts } from '../schemas/scalar.ts';

const BARS_WIDTH = 100;

interface Windows {
  readonly days: number;
  readonly now: MoveCounts;
  readonly before: MoveCounts;
}

const bar = (kind: 'now' | 'prior', width: number, y: number): Markup | null =>
  width > 0
    ? html`<rect class="${kind}" x="0" y="${y}" width="${Math.max(1, width).toFixed(1)}" height="5"></rect>`
    : null;

/**
 * Two windows side by side by kind of move, as a table with bars. Kinds without a story in either window are omitted.
 * @param path of the page that a kind filters, such as that of a brand
 */
export function moveBars(caption: string, { days, now, before }: Windows, path: string): Markup {
  const shown = MOVES.filter((move) => (now[move] ?? 0) + (before[move] ?? 0) > 0);
  const maximum = max(shown, (move) => Math.max(now[move] ?? 0, before[move] ?? 0)) ?? 1;
  const length = scaleLinear([0, maximum], [0, BARS_WIDTH]);
  const row = (move: Move): Markup => html`<tr>
    <th scope="row"><a href="${address(path, { kind: move })}">${MOVE_NAMES[move]}</a></th>
    <td class="figure">${now[move] ?? 0}</td><td class="figure">${before[move] ?? 0}</td>
    <td class="bars"><svg viewBox="0 0 ${BARS_WIDTH} 12" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      ${bar('now', length(now[move] ?? 0), 0)}${bar('prior', length(before[move] ?? 0), 6)}</svg></td>
  </tr>`;
  return html`<table class="compared">
    <caption>${caption}</caption>
    <thead><tr><th scope="col">Kind</th><th scope="col" class="figure">${days} days</th>
      <th scope="col" class="figure">Before</th>
      <td><span class="legend" aria-hidden="true"><span><i></i>last ${days} days</span> <span><i class="prior"></i>${days} before</span></span></td></tr></thead>
    <tbody>${shown.map(row)}</tbody>
  </table>`;
}

const SPARKLINE_WIDTH = 96;
const SPARKLINE_HEIGHT = 22;

/** A line of values as small as a word. @param label the same in words, for screen readers */
export function sparkline(values: readonly number[], label: string): Markup {
  const x = scaleLinear([0, Math.max(1, values.length - 1)], [1, SPARKLINE_WIDTH - 1]);
  const y = scaleLinear([0, Math.max(1, max(values) ?? 1)], [SPARKLINE_HEIGHT - 2, 2]);
  const path = line<number>(
    (_value, at) => Math.round(x(at) * 10) / 10,
    (value) => Math.round(y(value) * 10) / 10,
  )([...values]);
  return html`<svg class="spark" viewBox="0 0 ${SPARKLINE_WIDTH} ${SPARKLINE_HEIGHT}" width="${SPARKLINE_WIDTH}" height="${SPARKLINE_HEIGHT}" role="img" aria-label="${label}"><path class="trace" d="${path ?? ''}"></path></svg>`;
}

const [USAGE_BAR, USAGE_GAP, USAGE_HEIGHT] = [14, 4, 64];

/** Calls by day as bars and as a table. @param days oldest first; the last is today */
export function usageChart(days: readonly UsageDay[]): Markup {
  const maximum = Math.max(1, ...days.map(({ calls }) => calls));
  const width = days.length * (USAGE_BAR + USAGE_GAP);
  const bar = ({ calls, day }: UsageDay, index: number): Markup => {
    const height = calls === 0 ? 1 : Math.max(2, Math.round((calls / maximum) * USAGE_HEIGHT));
    return html`<rect x="${index * (USAGE_BAR + USAGE_GAP)}" y="${USAGE_HEIGHT - height}" width="${USAGE_BAR}" height="${height}" data-tip="${formatShortDay(day)}: ${calls}"></rect>`;
  };
  return html`<figure class="usage">
    <div class="chart-frame"><svg viewBox="0 0 ${width} ${USAGE_HEIGHT}" width="${width}" height="${USAGE_HEIGHT}" aria-hidden="true">${days.map(bar)}</svg></div>
    <details><summary>Show as a table</summary>
    <table><caption class="unseen">Calls and questions by day</caption>
      <thead><tr><th scope="col">Day</th><th scope="col" class="figure">Calls</th><th scope="col" class="figure">Questions</th></tr></thead>
      <tbody>${days
        .toReversed()
        .map(
          ({ day, calls, questions }) =>
            html`<tr><th scope="row">${formatShortDay(day)}</th><td class="figure">${calls}</td><td class="figure">${questions}</td></tr>`,
        )}</tbody>
    </table></details>
  </figure>`;
}

const WEEKS_WIDTH = 640;
/** Room for the names of the kinds, including their larger size on a phone. */
const LABELS = 104;
const ROW = 26;
const WEEK = 604_800_000;

export interface Weeks {
  /** The start of the first week. */
  readonly since: Date;
  readonly weeks: number;
  readonly counts: readonly WeekCount[];
}

/**
 * Stories by week and kind: the area of a circle is their number.
 * @param name of the brand, for screen readers
 */
export function weekChart(name: string, { since, weeks, counts }: Weeks): Markup {
  const kinds = MOVES.filter((move) => counts.some((count) => count.move === move));
  const x = scaleLinear([0, weeks - 1], [LABELS + 12, WEEKS_WIDTH - 12]);
  const radius = scaleSqrt([0, Math.max(4, max(counts, ({ stories }) => stories) ?? 1)], [0, 10.5]);
  const height = kinds.length * ROW + 26;
  const day = (week: number): string => formatShortDay(new Date(since.getTime() + week * WEEK));
  const marks = [0, Math.round((weeks - 1) / 2), weeks - 1];
  const total = counts.reduce((sum, { stories }) => sum + stories, 0);
  const label = `${name}: ${formatCount(total, 'story', 'stories')} in ${weeks} weeks, from ${day(0)}. ${kinds
    .map((kind) => {
      const own = counts.filter(({ move }) => move === kind);
      return `${MOVE_NAMES[kind]} ${own.reduce((sum, { stories }) => sum + stories, 0)}`;
    })
    .join(', ')}.`;
  return html`<figure class="chart-frame scroll" tabindex="0" role="group" aria-label="Timeline"><svg viewBox="0 0 ${WEEKS_WIDTH} ${height}" width="${WEEKS_WIDTH}" height="${height}" role="img" aria-label="${label}">
    ${kinds.map((kind, row) => {
      const y = row * ROW + ROW / 2;
      return html`<text x="0" y="${y + 4}">${MOVE_NAMES[kind]}</text>
      <line class="rule" x1="${LABELS}" x2="${WEEKS_WIDTH}" y1="${y}" y2="${y}"></line>
      ${counts
        .filter(({ move }) => move === kind)
        .map(
          ({ week, stories }) =>
            html`<circle class="now" cx="${x(week).toFixed(1)}" cy="${y}" r="${radius(stories).toFixed(1)}" data-tip="${MOVE_NAMES[kind]}: ${stories} in the week from ${day(week)}"></circle>`,
        )}`;
    })}
    ${marks.map((week, at) => html`<text class="soft" x="${x(week).toFixed(1)}" y="${height - 4}" text-anchor="${['start', 'middle', 'end'][at] ?? 'middle'}">${day(week)}</text>`)}
  </svg></figure>`;
}
