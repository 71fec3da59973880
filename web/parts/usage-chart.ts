/** Calls by day as bars, with the same figures as a table for those who do not see them. */
import { html } from 'hono/html';
import type { UsageDay } from '../../access/quota/usage.ts';
import type { Markup } from '../markup.ts';
import { shortDay } from '../time.ts';

const [BAR, GAP, HEIGHT] = [14, 4, 64];

/** @param days oldest first; the last is today */
export function usageChart(days: readonly UsageDay[]): Markup {
  const most = Math.max(1, ...days.map(({ calls }) => calls));
  const width = days.length * (BAR + GAP);
  const bar = ({ calls, day }: UsageDay, index: number): Markup => {
    const height = calls === 0 ? 1 : Math.max(2, Math.round((calls / most) * HEIGHT));
    return html`<rect x="${index * (BAR + GAP)}" y="${HEIGHT - height}" width="${BAR}" height="${height}" data-tip="${shortDay(day)}: ${calls}"></rect>`;
  };
  return html`<figure class="usage">
    <div class="chart-frame"><svg viewBox="0 0 ${width} ${HEIGHT}" width="${width}" height="${HEIGHT}" aria-hidden="true">${days.map(bar)}</svg></div>
    <details><summary>The same as a table</summary>
    <table><caption class="unseen">Calls and questions by day</caption>
      <thead><tr><th scope="col">Day</th><th scope="col" class="figure">Calls</th><th scope="col" class="figure">Questions</th></tr></thead>
      <tbody>${days
        .toReversed()
        .map(
          ({ day, calls, questions }) =>
            html`<tr><th scope="row">${shortDay(day)}</th><td class="figure">${calls}</td><td class="figure">${questions}</td></tr>`,
        )}</tbody>
    </table></details>
  </figure>`;
}
