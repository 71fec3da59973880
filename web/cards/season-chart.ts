/** The growth of companies as a picture for a slide: 1600 by 900, with its title, what is compared, and where it is from. */
import { scaleLinear } from 'd3-scale';
import { growthText } from '../../presentation/growth-chart.ts';
import { cut, drawable, heading, INK, line } from './draw.ts';

const WIDTH = 1_600;
const HEIGHT = 900;
const LEFT = 64;
/** Where bars begin, and where they end. */
const BARS = { from: 520, to: 1_400 };
const TOP = 190;
const BOTTOM = 820;
/** Companies of a picture: more lines could not be read from the last row of a room. */
export const CHARTED = 15;
const UP = '#2e8b57';
const DOWN = '#d0533f';

interface SeasonChart {
  readonly title: string;
  readonly note: string;
  readonly foot: string;
  /** Highest first. */
  readonly growth: readonly { readonly company: string; readonly growth_pct: number }[];
}

/** @returns SVG with escaped text and no external reference */
export function seasonChart({ title, note, foot, growth }: SeasonChart): string {
  const shown = growth.slice(0, CHARTED);
  const all = shown.map(({ growth_pct }) => growth_pct);
  const place = scaleLinear([Math.min(0, ...all), Math.max(0, ...all)], [BARS.from, BARS.to]);
  const step = Math.min(60, (BOTTOM - TOP) / Math.max(1, shown.length));
  const zero = place(0);
  const rows = shown.map(({ company, growth_pct }, index) => {
    const y = TOP + index * step;
    const [from, to] = [zero, place(growth_pct)].sort((one, other) => one - other) as [number, number];
    const size = Math.min(28, step * 0.6);
    return `${line(cut(drawable(company, heading), (BARS.from - LEFT - 30) / size, heading), { x: LEFT, y: y + step * 0.62, size, fill: INK.ink })}
<rect x="${from.toFixed(1)}" y="${(y + step * 0.2).toFixed(1)}" width="${Math.max(2, to - from).toFixed(1)}" height="${(step * 0.6).toFixed(1)}" fill="${growth_pct < 0 ? DOWN : UP}"/>
${line(growthText(growth_pct), { x: WIDTH - LEFT, y: y + step * 0.62, size, fill: INK.ink, face: heading, anchor: 'end' })}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}"><rect width="${WIDTH}" height="${HEIGHT}" fill="${INK.paper}"/>
${line(cut(drawable(title, heading), (WIDTH - 2 * LEFT) / 48, heading), { x: LEFT, y: 96, size: 48, fill: INK.ink, face: heading })}
${line(cut(drawable(note, heading), (WIDTH - 2 * LEFT) / 26, heading), { x: LEFT, y: 140, size: 26, fill: INK.faded })}
${rows.join('\n')}
<path d="M${zero.toFixed(1)} ${TOP}V${(TOP + shown.length * step).toFixed(1)}" stroke="${INK.faded}" stroke-width="2"/>
${line(cut(drawable(foot, heading), (WIDTH - 2 * LEFT) / 22, heading), { x: LEFT, y: 868, size: 22, fill: INK.faded })}
</svg>`;
}
