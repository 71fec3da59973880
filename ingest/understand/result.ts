/** Results: company, period, metric, value and growth in per cent. */
import type { Result } from '../../schemas/story.ts';
import { periodIn } from './dates.ts';
import type { Figure } from './figures.ts';
import type { Reading } from './reading.ts';

const METRICS: readonly (readonly [string, RegExp])[] = [
  ['loss', /\bloss(?:es)?\b/i],
  ['profit', /\b(?:profit|pat|net income|bottom ?line)\b/i],
  ['revenue', /\b(?:revenues?|top ?line|turnover|income)\b/i],
  ['ebitda', /\bebitda\b/i],
  ['GMV', /\b(?:gmv|nov|gov|net order value|gross order value)\b/i],
  ['ARR', /\barr\b/i],
  ['sales', /\b(?:sales|sells|sold|business)\b/i],
  ['consumption', /\bconsumption\b/i],
  ['volume', /\bvolumes?\b/i],
  ['margin', /\bmargins?\b/i],
  ['royalty', /\b(?:royalty|licen[cs]e fee)\b/i],
];
const DOWN =
  /\b(?:falls?|fell|drops?|declines?|declined|slips?|slides?|slumps?|plunges?|down|narrows?|narrowed|shrinks?|dips?|contracts?|cuts?|trims?|lower|decrease[sd]?|tumbles?|sinks?)\b/i;

/** The words between two places decide the metric and the way of a figure: nearest before it, else after it. */
function around(text: string, figure: Figure): { before: string; after: string } {
  const before = text.slice(0, figure.start);
  const after = text.slice(figure.end);
  return { before: before.slice(before.search(/[^,;:]*$/)), after: after.split(/[,;:]/)[0] ?? '' };
}

function metricNear(text: string, figure: Figure | undefined): string | null {
  const nearest = (part: string, backwards: boolean): string | null => {
    let best: { name: string; at: number } | null = null;
    for (const [name, form] of METRICS) {
      const found = form.exec(part);
      if (!found) continue;
      const at = backwards ? part.length - found.index : found.index;
      if (!best || at < best.at) best = { name, at };
    }
    return best?.name ?? null;
  };
  if (!figure) return nearest(text, false);
  const { before, after } = around(text, figure);
  return nearest(before, true) ?? nearest(after, false) ?? nearest(text, false);
}

/** Reads the result of an item about one company. Growth is negative for a fall. */
export function resultOf(reading: Reading, company: string | null): Result | null {
  if (!company) return null;
  const { title, summary, day } = reading;
  const percent = title.figures.find((figure) => figure.kind === 'percent');
  const money = title.figures.find((figure) => figure.kind === 'money');
  const metric = metricNear(title.text, percent ?? money) ?? metricNear(summary.text.slice(0, 400), undefined);
  if (!metric && !percent && !money) return null;
  const words = percent ? around(title.text, percent) : { before: title.text, after: '' };
  const down = percent
    ? DOWN.test(words.before) || /^\s*(?:yoy)?\s*(?:decline|fall|drop|dip)/i.test(words.after)
    : false;
  const growth = percent ? (down ? -Math.abs(percent.value) : percent.value) : null;
  return {
    company,
    period: periodIn(title.text, day) ?? periodIn(summary.text, day),
    metric: metric ?? 'revenue',
    value: money?.text ?? null,
    growth_pct: growth,
  };
}
