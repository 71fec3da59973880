/** Two windows side by side by kind of move: a table whose last column draws it. */
import { max } from 'd3-array';
import { scaleLinear } from 'd3-scale';
import { html } from 'hono/html';
import { MOVES, type Move, type MoveCounts } from '../../schemas/scalar.ts';
import { address } from '../links.ts';
import type { Markup } from '../markup.ts';
import { MOVE_NAMES } from '../moves.ts';

const WIDTH = 100;

export interface Windows {
  readonly days: number;
  readonly now: MoveCounts;
  readonly before: MoveCounts;
}

const bar = (kind: 'now' | 'prior', width: number, y: number): Markup | null =>
  width > 0
    ? html`<rect class="${kind}" x="0" y="${y}" width="${Math.max(1, width).toFixed(1)}" height="5"></rect>`
    : null;

/**
 * Kinds without a story in either window are left out.
 * @param path where a kind leads, such as the page of a brand
 */
export function moveBars(caption: string, { days, now, before }: Windows, path: string): Markup {
  const told = MOVES.filter((move) => (now[move] ?? 0) + (before[move] ?? 0) > 0);
  const most = max(told, (move) => Math.max(now[move] ?? 0, before[move] ?? 0)) ?? 1;
  const length = scaleLinear([0, most], [0, WIDTH]);
  const row = (move: Move): Markup => html`<tr>
    <th scope="row"><a href="${address(path, { kind: move })}">${MOVE_NAMES[move]}</a></th>
    <td class="figure">${now[move] ?? 0}</td><td class="figure">${before[move] ?? 0}</td>
    <td class="bars"><svg viewBox="0 0 ${WIDTH} 12" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      ${bar('now', length(now[move] ?? 0), 0)}${bar('prior', length(before[move] ?? 0), 6)}</svg></td>
  </tr>`;
  return html`<table class="compared">
    <caption>${caption}</caption>
    <thead><tr><th scope="col">Kind</th><th scope="col" class="figure">${days} days</th>
      <th scope="col" class="figure">Before</th>
      <td><span class="legend" aria-hidden="true"><span><i></i>last ${days} days</span> <span><i class="prior"></i>${days} before</span></span></td></tr></thead>
    <tbody>${told.map(row)}</tbody>
  </table>`;
}
