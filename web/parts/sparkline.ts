/** A line of numbers, as small as a word. */
import { max } from 'd3-array';
import { scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { html } from 'hono/html';
import type { Markup } from '../markup.ts';

const WIDTH = 96;
const HEIGHT = 22;

/** @param said what it shows, for those who do not see it */
export function sparkline(values: readonly number[], said: string): Markup {
  const x = scaleLinear([0, Math.max(1, values.length - 1)], [1, WIDTH - 1]);
  const y = scaleLinear([0, Math.max(1, max(values) ?? 1)], [HEIGHT - 2, 2]);
  const path = line<number>(
    (_value, at) => Math.round(x(at) * 10) / 10,
    (value) => Math.round(y(value) * 10) / 10,
  )([...values]);
  return html`<svg class="spark" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${said}"><path class="trace" d="${path ?? ''}"></path></svg>`;
}
