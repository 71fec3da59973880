/** A timeline week by week: a circle for each kind and week in which something was told, its area the number. */
import { max } from 'd3-array';
import { scaleLinear, scaleSqrt } from 'd3-scale';
import { html } from 'hono/html';
import type { WeekCount } from '../../projector/models/brands-queries.ts';
import { MOVES } from '../../schemas/scalar.ts';
import type { Markup } from '../markup.ts';
import { MOVE_NAMES } from '../moves.ts';
import { counted } from '../text.ts';
import { shortDay } from '../time.ts';

const WIDTH = 640;
/** Room for the names of the kinds, also as large as they are on a phone. */
const LABELS = 104;
const ROW = 26;
const WEEK = 604_800_000;

export interface Weeks {
  /** When the first week begins. */
  readonly since: Date;
  readonly weeks: number;
  readonly counts: readonly WeekCount[];
}

/** @param name of whom it tells, for those who do not see it */
export function weekChart(name: string, { since, weeks, counts }: Weeks): Markup {
  const kinds = MOVES.filter((move) => counts.some((count) => count.move === move));
  const x = scaleLinear([0, weeks - 1], [LABELS + 12, WIDTH - 12]);
  const radius = scaleSqrt([0, Math.max(4, max(counts, ({ stories }) => stories) ?? 1)], [0, 10.5]);
  const height = kinds.length * ROW + 26;
  const day = (week: number): string => shortDay(new Date(since.getTime() + week * WEEK));
  const marks = [0, Math.round((weeks - 1) / 2), weeks - 1];
  const total = counts.reduce((sum, { stories }) => sum + stories, 0);
  const said = `${name}: ${counted(total, 'story', 'stories')} in ${weeks} weeks, from ${day(0)}. ${kinds
    .map((kind) => {
      const own = counts.filter(({ move }) => move === kind);
      return `${MOVE_NAMES[kind]} ${own.reduce((sum, { stories }) => sum + stories, 0)}`;
    })
    .join(', ')}.`;
  return html`<figure class="chart-frame scroll" tabindex="0" role="group" aria-label="Timeline"><svg viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${said}">
    ${kinds.map((kind, row) => {
      const y = row * ROW + ROW / 2;
      return html`<text x="0" y="${y + 4}">${MOVE_NAMES[kind]}</text>
      <line class="rule" x1="${LABELS}" x2="${WIDTH}" y1="${y}" y2="${y}"></line>
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
