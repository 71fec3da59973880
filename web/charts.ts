/** Charts as SVG: moves by kind, stories by week, items by hour, calls by day, shares with their intervals. */

import { scaleLinear, scaleSqrt } from 'd3-scale';
import { line } from 'd3-shape';
import { html } from 'hono/html';
import type { UsageDay } from '../access/quota/usage.ts';
import { formatDay } from '../language/days.ts';
import { formatCount } from '../language/prose.ts';
import { addressWith, type Markup } from '../presentation/markup.ts';
import { formatAxisDay, MOVE_NAMES } from '../presentation/text.ts';
import type { WeekCount } from '../projector/models/brands-queries.ts';
import type { Proportion } from '../schemas/quality.ts';
import { MOVES, type Move, type MoveCounts } from '../schemas/scalar.ts';

const BARS_WIDTH = 100;

interface Windows {
  readonly days: number;
  readonly now: MoveCounts;
  /** Null where the record does not reach back so far. */
  readonly before: MoveCounts | null;
}

const bar = (kind: 'now' | 'prior', width: number, y: number): Markup | null =>
  width > 0
    ? html`<rect class="${kind}" x="0" y="${y}" width="${Math.max(1, width).toFixed(1)}" height="5"></rect>`
    : null;

/**
 * Two windows side by side by kind of move, as a table with bars; one where nothing is known of the window before. Kinds
 * without a story in either window are omitted.
 * @param path of the page that a kind filters, such as that of a brand
 */
export function moveBars(caption: string, { days, now, before }: Windows, path: string): Markup {
  const earlier: Partial<MoveCounts> = before ?? {};
  const shown = MOVES.filter((move) => (now[move] ?? 0) + (earlier[move] ?? 0) > 0);
  const maximum = Math.max(1, ...shown.map((move) => Math.max(now[move] ?? 0, earlier[move] ?? 0)));
  const length = scaleLinear([0, maximum], [0, BARS_WIDTH]);
  const row = (move: Move): Markup => html`<tr>
    <th scope="row"><a href="${addressWith(path, { kind: move })}">${MOVE_NAMES[move]}</a></th>
    <td class="figure">${now[move] ?? 0}</td>${before ? html`<td class="figure">${earlier[move] ?? 0}</td>` : null}
    <td class="bars"><svg viewBox="0 0 ${BARS_WIDTH} 12" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      ${bar('now', length(now[move] ?? 0), 0)}${bar('prior', length(earlier[move] ?? 0), 6)}</svg></td>
  </tr>`;
  return html`<table class="compared">
    <caption>${caption}</caption>
    <thead><tr><th scope="col">Kind</th><th scope="col" class="figure">${days} days</th>
      ${before ? html`<th scope="col" class="figure">Before</th>` : null}
      <td><span class="legend" aria-hidden="true"><span><i></i>last ${days} days</span>${before ? html` <span><i class="prior"></i>${days} before</span>` : null}</span></td></tr></thead>
    <tbody>${shown.map(row)}</tbody>
  </table>`;
}

const SPARKLINE_WIDTH = 96;
const SPARKLINE_HEIGHT = 22;

/** A line of values as small as a word. @param label the same in words, for screen readers */
export function sparkline(values: readonly number[], label: string): Markup {
  const x = scaleLinear([0, Math.max(1, values.length - 1)], [1, SPARKLINE_WIDTH - 1]);
  const y = scaleLinear([0, Math.max(1, ...values)], [SPARKLINE_HEIGHT - 2, 2]);
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
    return html`<rect x="${index * (USAGE_BAR + USAGE_GAP)}" y="${USAGE_HEIGHT - height}" width="${USAGE_BAR}" height="${height}" data-tip="${formatDay(day)}: ${calls}"></rect>`;
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
            html`<tr><th scope="row">${formatDay(day)}</th><td class="figure">${calls}</td><td class="figure">${questions}</td></tr>`,
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
  const radius = scaleSqrt([0, Math.max(4, ...counts.map(({ stories }) => stories))], [0, 10.5]);
  const height = kinds.length * ROW + 26;
  const startOf = (week: number): Date => new Date(since.getTime() + week * WEEK);
  const day = (week: number): string => formatDay(startOf(week));
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
    ${marks.map((week, at) => html`<text class="soft" x="${x(week).toFixed(1)}" y="${height - 4}" text-anchor="${['start', 'middle', 'end'][at] ?? 'middle'}">${formatAxisDay(startOf(week))}</text>`)}
  </svg></figure>`;
}

/** From no part at all to the whole, in the units of the drawing. */
const shareScale = scaleLinear([0, 1], [0, BARS_WIDTH]);

/** A share and its interval on a scale from 0 to 100 %, for a cell of `td.bars`; the figures are in the next cells. */
export function intervalMark({ value, low, high }: Proportion): Markup {
  const at = (share: number): string => shareScale(share).toFixed(1);
  return html`<svg class="interval" viewBox="0 0 ${BARS_WIDTH} 12" preserveAspectRatio="none" aria-hidden="true" focusable="false">
    <rect class="rail" x="0" y="5.5" width="${BARS_WIDTH}" height="1"></rect>
    <rect class="prior" x="${at(low)}" y="3" width="${Math.max(0.6, shareScale(high) - shareScale(low)).toFixed(1)}" height="6"></rect>
    <rect class="now" x="${(Math.min(shareScale(value), BARS_WIDTH - 1) - 0.4).toFixed(1)}" y="0" width="1.4" height="12"></rect></svg>`;
}

/** A part of a whole as a bar, for a cell of `td.bars`. */
export const shareBar = (share: number): Markup =>
  html`<svg viewBox="0 0 ${BARS_WIDTH} 12" preserveAspectRatio="none" aria-hidden="true" focusable="false">${bar('now', shareScale(share), 3)}</svg>`;

const COURSE = { width: 640, height: 150, left: 64, right: 12, top: 10, bottom: 24 };

/** A share of one day. */
export interface DayShare {
  /** IST day, YYYY-MM-DD. */
  readonly date: string;
  readonly share: number;
}

/**
 * A share from day to day, with its goal as a line.
 * @param days oldest first, at least one
 */
export function courseChart(name: string, days: readonly DayShare[], goal: number): Markup {
  const { width, height, left, right, top, bottom } = COURSE;
  const lowest = Math.min(goal, ...days.map(({ share }) => share));
  const floor = Math.max(0, Math.floor(lowest * 10 - 1) / 10);
  const times = days.map(({ date }) => Date.parse(date));
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const x = scaleLinear([first, Math.max(last, first + 1)], [left, width - right]);
  const y = scaleLinear([floor, 1], [height - bottom, top]);
  const percent = (share: number): string => `${Math.round(share * 1_000) / 10} %`;
  const points = days.map(({ share }, index) => [x(times[index] ?? 0), y(share)] as [number, number]);
  const mark = (share: number): Markup =>
    html`<line class="rule" x1="${left}" x2="${width - right}" y1="${y(share)}" y2="${y(share)}"></line>
      <text class="soft" x="${left - 6}" y="${y(share) + 4}" text-anchor="end">${Math.round(share * 100)} %</text>`;
  const label = `${name} by day: ${days.map(({ date, share }) => `${formatDay(date)} ${percent(share)}`).join(', ')}.`;
  return html`<figure class="chart-frame scroll" tabindex="0" role="group" aria-label="${name} by day"><svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${label}">
    ${mark(floor)}${mark(1)}
    <line class="goal" x1="${left}" x2="${width - right}" y1="${y(goal)}" y2="${y(goal)}"></line>
    <path class="trace" d="${line()(points) ?? ''}"></path>
    ${points.map(([cx, cy], index) => html`<circle class="now" cx="${cx.toFixed(1)}" cy="${cy.toFixed(1)}" r="3" data-tip="${formatDay(days[index]?.date ?? '')}: ${percent(days[index]?.share ?? 0)}"></circle>`)}
    <text class="soft" x="${left}" y="${height - 4}">${formatDay(days[0]?.date ?? '')}</text>
    ${days.length > 1 ? html`<text class="soft" x="${width - right}" y="${height - 4}" text-anchor="end">${formatDay(days.at(-1)?.date ?? '')}</text>` : null}
  </svg></figure>`;
}
